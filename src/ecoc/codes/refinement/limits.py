"""Limits and tuned numbers of refinement, in one place."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Numbers that were chosen by measurement, and bounds on memory and time; a comment says which."""

    # proxy.py
    # SVC(C=10) on yeast, vowel, pendigits, optdigits, letter, traffic36 and orl40 (two seeds, three folds): 83.9
    # % with k/2 columns and 82.4 % with k/4. Before, with 8,000 samples, 500 landmarks and three widths for any number
    # of classes, and an earlier search: 83.4 and 82.3 %, and 10 times the time of this proxy on letter and 30 times on
    # pendigits.
    samples_per_class: int = 100
    least_samples: int = 500
    most_samples: int = 8000
    fewest_per_class: int = 4  # samples of each class that are taken whatever their total
    landmarks_per_class: int = 8
    least_landmarks: int = 100
    most_landmarks: int = 500
    stored_share: float = 1.0  # of the landmarks: number of classes up to which outputs are stored
    # Gamma, times 1 / (d · variance). The narrow widths 16 and 256 are for few features with fine structure: 457
    # regions by latitude and longitude, SVC, 18 and 46 columns, gain 0.5 to 1.4 points. On vowel, yeast, pendigits,
    # optdigits, letter, traffic36, orl40 and leaves100 they change nothing, and are hardly tried.
    widths: tuple[float, ...] = (0.25, 1.0, 16.0, 256.0)
    penalties: tuple[float, ...] = (0.003, 0.01, 0.1, 0.3, 1.0)
    linear_penalties: tuple[float, ...] = (1e-4, 1e-3, 1e-2, 0.1, 1.0)  # times the mean energy of a direction
    tuning_classes: int = 100  # width and penalty are chosen on the samples of at most so many classes
    rounding: float = 1e-11  # added to the diagonal of a Gram matrix, relative to its mean

    # moments.py
    # Classes whose outputs determine the shrinkage; its value depends little on their number
    shrinkage_classes: int = 200
    # Of a variance, relative to the mean variance; a class with one sample has none of its own
    variance_floor: float = 1e-6

    # pairs.py
    all_pairs: int = 64  # number of classes up to which every pair counts
    # Partners of each class if there are more classes. Measured as the bound of refined codes, as in bound.py: with
    # half of them, it is 1.42 times as high and takes 0.71 times as long; with double, 0.98 and 1.55 times.
    n_partners: int = 16
    block_distances: int = 2**23  # number of distances that are computed at once

    # bound.py
    # Measured as the bound over all pairs of refined codes (geometric mean of 100 species of leaves with 10
    # columns and 200 Chinese characters with 20 and 48 columns, two starts each), with half and with double of a
    # number.
    # At most, over all columns; half 1.12 times the bound in 0.6 times the time, double 0.99 times in 1.2
    n_sweeps: int = 6
    # Sweeps end when one lowers the bound by less than this share; half and double the same bound
    small_gain: float = 0.01
    # Sweeps end when the bound is below this, which is less than one error in a million samples
    negligible: float = 1e-6
    # Classes × columns that all sweeps together visit, for 5,000 classes in two minutes; at least one sweep
    sweep_work: float = 1e6
    n_renewals: int = 8  # how often in a sweep the pairs are chosen anew; half and double the same bound
    n_random: int = 2  # random columns to start from, besides the old one, if all pairs count; not tuned again
    n_starts: int = 6  # directions to start a new column from; not tuned again
    most_ordered: int = 64  # columns that are put in order; those after them stay where they are
    value_rows: int = 1000  # classes whose pairs with all others are in the value
    ridge: float = 1e-9  # added to variances, relative to their mean

    # search.py
    # Cost of a pair of classes with equal codewords, relative to a pair that is always confused; a quarter of it if the
    # codewords differ in one column, and so on. Measured as in bound.py: half 1.01 times the bound, double 1.03 times.
    equal_cost: float = 0.01
    nothing_new: float = 1e-7  # variance of a column that the others explain, relative to the sum of all variances
    # Of flips, after each of which means and variances are exact again; half and double the same bound
    n_rounds: int = 20
    flips_per_round: float = 1 / 8  # of the classes, if not all pairs are in the tables; double 0.98 times the bound
    power_steps: int = 10  # of the iteration that finds a direction to start from

    # starts.py
    # Of the mean variance that are added to the covariance until it is definite
    ridge_shares: tuple[float, ...] = (1e-3, 0.1, 10.0)
    n_probes: int = 256  # random columns whose outputs stand for all outputs
    n_rotations: int = 30  # steps of the search for a rotation
    most_flips: int = 3  # entries of a codeword that are flipped to make it different from the others

    # selection.py
    many_classes: int = 64  # classes; beyond, a covariance for each of them takes minutes

    # ternary.py
    n_folds: int = 3

    # refiner.py
    # lengths that are tried where the number of columns is free
    n_lengths: int = 32
    n_lengths_of_many: int = 12
    # Number of classes up to which a code is improved from the factorized code only. Beyond, discriminants and graph
    # cuts are tried, too. On leaves (100 classes), characters (200) and regions (457), with k/10 and k/4 columns, the
    # best of the three after one sweep had a bound that was 7 % lower in the end, on average, than that of the
    # factorized code.
    one_start: int = 64


LIMITS = Limits()
