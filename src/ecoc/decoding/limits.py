"""Limits and tuned numbers of decoding, in one place."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Numbers that were chosen by measurement, and bounds on memory and time; a comment says which."""

    # base.py
    block_columns: int = 1024  # columns of a code book converted to float at once; one-vs-one has k(k-1)/2 of them
    # Share of entries that are not 0, up to which a large code is summed as a sparse matrix, and entries of a large
    # code. Groups of 1,589 classes (5 %): 3.7 times as fast. Groups of 200 classes (13 %): equal. One-vs-one of 100:
    # 0.9 times.
    sparse_share: float = 0.1
    large_code: int = 2**20

    # discriminant.py
    # Samples × classes × columns above which the logistic regression is skipped. Up to here it takes a few seconds.
    most_discriminant_work: float = 2e8

    # probabilistic.py
    block_entries: int = 2**22  # entries of samples × columns in memory at once

    # structured.py
    # Penalties that "auto" tries, from strong to weak. Held-out samples choose, so that the ends matter and
    # not the steps: beyond 300, scores hardly differ from those of the code, and below 1 they overfit on all
    # development sets. With the steps 100 and 10 and five folds, a fit takes 1.3 times as long, and accuracy changes by
    # at most 0.5 points, on average by less than 0.1 (glass, ecoli, yeast, vowel and letter, four learners, three
    # splits).
    penalties: tuple[float, ...] = (300.0, 30.0, 3.0, 1.0)
    # The penalty that is taken unless another is better by a standard error. Chosen on test folds of vowel, where
    # samples come in groups: 30 gives 56.4 %, 10 and 100 give 56.3 and 54.0, the code alone gives 42.8. What "auto"
    # chooses there did not change by it (46.5 % before and after), since held-out log-losses favour the code by more
    # than that.
    preferred_penalty: float = 30.0
    # Samples × features × (features or classes, whichever are more), which is about what one fit takes: up to the first
    # number, all folds choose the penalty, up to the second the first fold chooses, and beyond it nothing is learned.
    # Test accuracy changes by less than 0.05 points if the first fold always chooses (eleven development sets, six
    # learners).
    most_tried: float = 1e6
    most_structured_work: float = 5e9

    # statistics.py
    # Outputs that covariances are estimated from, scores of classes that judge them, and the most directions: of more
    # columns, those in which the class means differ most.
    most_described: int = 2**23
    most_judged: int = 2**20
    most_directions: int = 256

    # statistics.py and extended.py: how new classes are balanced with old ones. The figures are means of 58 fits of one
    # draw: leaves, faces, signs, letters, digits, characters and letters in typefaces; SVC, logistic regressions and
    # forests, and XGBoost and LightGBM where held-out samples are not rare; five samples of each new class. First a
    # fifth of the classes new, then half of them. As it is: 82.4 and 76.7 %; by outputs alone, without features: 79.3
    # and 68.3.
    #
    # To choose `caution` for each model by old classes that are held out as if they were new (columns trained without a
    # fifth of the classes) was worse on an earlier draw: 81.2 instead of 81.45 %, with half of the classes new 66.7
    # instead of 67.35.
    #
    # Variance of class means, relative to that within classes, below which a direction says nothing about classes, but
    # adds noise. Half 82.6 and 76.4, this 82.6 and 76.0, double 82.3 and 75.5 (with `average_classes` 10).
    least_spread: float = 0.1
    # Degrees of freedom of the tails. With normal ones, an outlier among held-out samples makes all probabilities
    # unsure: calibration error 4.8 instead of 3.0 %. Half and double as it is, within 0.1.
    tail: float = 10.0
    # Weight of the old covariance, in degrees of freedom for each direction. Half 82.8 and 76.1, double 82.5 and 75.9,
    # against 82.6 and 76.0.
    weight_of_old: float = 4.0
    # Largest variance of new classes relative to that of old ones; the smallest is 1. Otherwise, pixels that hardly
    # vary in the old digits made the new ones improbable (20 samples). Half and double: the same within 0.1.
    widest_new: float = 4.0
    # The spread of class means in each direction is mixed with the average of all directions, as if of so many classes:
    # with few classes, new ones differ in other directions. Half 82.4 and 75.9, double 82.5 and 76.4; with none,
    # outputs alone lose 1.7 points where half of the classes are new.
    average_classes: float = 20.0
    # Share of the variance of each output and feature that is added to the covariance within classes, so that no
    # direction counts by rounding errors alone. Half and double: within 0.3.
    ridge: float = 0.05
    # Features beyond which only outputs count, and standard deviations to which features are clipped (half and double:
    # within 0.2).
    most_features: int = 256
    farthest_feature: float = 4.0
    # Share of the base in the decision between old classes. Half 82.8 and 76.1, 7/8 82.2 and 75.9, against 82.6 and
    # 76.0.
    share_of_base: float = 0.75
    # Logarithm of the odds that new classes give away, so that they do not take samples of the old ones, where nothing
    # was learned about them: times the squared share of old classes and n / (n + 1) for n samples. Old classes then
    # lose -0.1 and 4.6 points; with half of it, 0.6 and 5.6 (82.7 and 76.8 %); with double, about -0.7 and 3.2 (81.6
    # and 75.6).
    caution: float = 2.0

    # top.py
    many_classes: int = 1000  # classes; with fewer, all scores take milliseconds
    # Classes and samples from which on the nearest codeword is looked up in tables. With fewer classes, a scan is as
    # fast. The tables take as long as the scan of 170 samples. The second nearest codeword is usually too far to be
    # looked up.
    hashed_classes: int = 10_000
    hashed_samples: int = 4096
    block_scores: int = 2**24  # scores of classes held at once if all are computed: 128 MB
    # samples and classes whose scores are computed at once: 2 MB, which stay in the cache
    block_rows: int = 512
    block_classes: int = 1024
    # Binary digits of the sizes of outputs, and the multiple of the mean size from which on all count as equally large.
    # Tuned on random codes of 128 columns, 10,000 and 100,000 classes, noise of 0.5 to 5 times the margin. 3 digits and
    # 1.5 or 2.2 times the mean: half as fast; 5 digits: 0.8 to 1 times as fast; 1.5 or 2 times the mean: 0.5 to 1.
    n_digits: int = 4
    clipped: float = 2.5
    huge_outputs: float = 1e100  # outputs from which on sums might overflow
    spare_classes: int = 8  # classes in single precision beyond those asked for


LIMITS = Limits()
