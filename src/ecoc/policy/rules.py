"""Rules of thumb: ordered rows with a condition, a choice, the reason, and the measurements behind it.

The first row whose condition holds decides. To change what a kind of learner gets, insert a row of your own:
``ecoc.policy.CODING.insert(0, Rule(...))``.
"""

import numpy as np

from ecoc.codes.coding import ECF, DenseRandom, Grouped, OneVsAll, OneVsOne
from ecoc.codes.design.length import FEW as MANY
from ecoc.decoding.choice import SIMPLE, simple_decoding
from ecoc.decoding.evidence import Judging
from ecoc.policy.learner import Problem
from ecoc.policy.tables import Rule, Rules


def _half_of_the_classes(problem: Problem) -> ECF:
    """`ECF` with half as many columns as classes, at most 64."""
    return ECF(n_columns=min(-(-problem.n_classes // 2), 64))


CODING = Rules(
    [
        Rule(
            lambda p: p.grows and p.streams,
            "streams, new_classes='add'",
            DenseRandom(),
            "its columns have a place for classes to come, and one column for each class has not",
        ),
        Rule(
            lambda p: p.grows and not p.learner.is_linear and p.n_classes <= MANY,
            f"new_classes='add', not linear, up to {MANY} classes",
            ECF(n_columns=2.0),
            "a longer code tells classes apart that no column was made for",
            "Half of the classes new with five samples each, SVC and XGBoost on orl40 and letter, SVC on traffic36: "
            "60.8 by the other rules, 66.2 with one column for each class, 69.0 with two, 69.3 with four. A fifth new: "
            "two gain up to 5 points. Leaves, SVC, 50 old classes: 92.9, with one column for each class 95.0, with two "
            "94.9; 80 old classes: 97.9 and 98.1 with one. The first rows of a code for old and new classes together "
            "are no better than a code of as many columns for the old ones.",
        ),
        Rule(
            lambda p: p.streams,
            "streams (partial_fit)",
            OneVsAll(),
            "it needs no samples of all classes in the first batch, and nothing of it goes stale",
            "Digits in five batches: SGDClassifier itself 78, one-vs-all 86 %; MLPClassifier 18 and 71 %.",
        ),
        Rule(
            lambda p: p.learner.kind == "booster" and 10 < p.n_classes <= 50 and p.per_class >= 30,
            "boosters, 11 to 50 classes, 30 samples a class",
            OneVsAll(),
            "one-vs-all is nearest to multi-class boosting",
            "Pendigits, letter, orl40, traffic36, 50 rounds of XGBoost and LightGBM: letter 90.5 and 90.6 against 90.2 "
            "and 90.4 of multi-class boosting; LightGBM's trees of 31 leaves are too small for a code (88.8 with 26 "
            "columns, 87.3 with 13).",
        ),
        Rule(
            lambda p: p.learner.kind == "booster" and p.n_classes > 10,
            "boosters, more than 10 classes",
            _half_of_the_classes,
            "a designed code is faster and more accurate than multi-class boosting",
            "orl40, 7 samples a class, XGBoost: 90.8 with 20 columns, 80.8 with one-vs-all, 75.8 by itself. 457 "
            "regions of cities with 48 columns: as accurate as XGBoost itself.",
        ),
        Rule(
            lambda p: p.learner.kind == "tree" and 3 < p.n_classes <= MANY,
            f"single trees, 4 to {MANY} classes",
            ECF(n_columns=2.0),
            "many columns correct the errors of single trees",
            "Best or tied on seven sets: letter 90.6, one-vs-one 84.2, one column for each class 87.9; glass 77.1, "
            "69.4 and 74.3; orl40 86.9, 57.5 and 82.5. The upper limit was not tuned.",
        ),
        Rule(
            lambda p: p.learner.kind == "tree" and p.n_classes > MANY,
            f"single trees, more than {MANY} classes",
            ECF(n_columns=1.0),
            "many columns correct the errors of single trees",
        ),
        Rule(
            lambda p: p.learner.is_linear and p.n_classes <= 30 and p.per_class >= 8,
            "linear models, up to 30 classes, 8 samples a class",
            OneVsOne(),
            "pairs of classes are the easiest binary problems",
            "Glass, ecoli, yeast, vowel, pendigits, letter, traffic36, orl40: letter 88.3 against 84.3 for ECF with "
            "two columns for each class and 78.2 for one-vs-all. With half of 30, letter loses 10 points; with double, "
            "60 classes train 1,770 columns.",
        ),
        Rule(
            lambda p: p.n_classes <= 10,
            "up to 10 classes",
            OneVsAll(),
            "one-vs-all is as accurate as a designed code, and cheaper to fit",
            "With half of 10, yeast and pendigits gain nothing from ECF and take twice as long; with double, vowel "
            "loses 0.7 points.",
        ),
        Rule(
            lambda p: p.n_classes > MANY and p.learner.is_linear and p.sparse,
            f"linear models, more than {MANY} classes, sparse samples",
            Grouped(),
            "groups of classes are cheap to fit",
            "1,589 kinds of diseases, LinearSVC: groups 89.9 % in 8 s, one-vs-all 89.1 % in 111 s; 400 kinds: 86.2 "
            "against 86.5. On dense features, groups lose up to 18 points.",
        ),
        Rule(
            lambda p: p.n_classes > MANY and not p.learner.is_linear,
            f"other learners, more than {MANY} classes",
            ECF(),
            "a designed code of six columns for each bit is short and accurate",
            "SVC: 100 leaves 98.9 % with 42 columns and with 50; 200 characters in a new typeface 91.2 % with 48 "
            "columns in 24 s, 88.5 % with 100 in 55 s. Half and double of the number of classes were not tried.",
        ),
        Rule(
            lambda p: p.learner.is_linear,
            "other linear models",
            ECF(n_columns=1.0),
            "a designed code of one column for each class is as long as one-vs-all and corrects errors",
        ),
        Rule(
            lambda p: True,
            "other learners",
            ECF(n_columns=0.5),
            "a designed code of half as many columns as classes is as accurate as one-vs-all",
            "RBF SVC on six sets: one-vs-all 87.1, ECF with k/2 columns 88.3, with k/4 87.0.",
        ),
    ]
)


# Whether the learner's own multi-class fit is compared with the code.
PLAIN = Rules(
    [
        Rule(
            lambda p: p.grows,
            "new_classes='add'",
            False,
            "classes are added by their outputs, and a code has more of them",
        ),
        Rule(
            lambda p: not p.learner.offers.several_classes or p.n_classes == 2,
            "two classes, regressors, lists of estimators, learners for two classes, and `class_weight={0: …, 1: …}`",
            False,
            "there is no other fit",
        ),
        Rule(
            lambda p: p.streams and p.learner.kind == "naive Bayes",
            "streams (partial_fit) of naive Bayes",
            True,
            "samples that are not learned yet tell which is better",
            "Ten shuffles of eight sets, points above one-vs-rest: GaussianNB itself −3.5 to 4.4, chosen −0.2 to 4.6.",
        ),
        Rule(lambda p: p.streams, "streams of other learners", False, "one-vs-all predicts as one-vs-rest does"),
        Rule(
            lambda p: p.learner.kind == "tree",
            "single trees",
            False,
            "a code of single trees is more accurate",
            "Eight sets: 0.1 points below the tree itself to 38 above, 14 on average.",
        ),
        Rule(
            lambda p: p.learner.kind == "booster",
            "boosters",
            False,
            "multi-class boosting takes long, and the rules for boosters were made by comparing with it",
        ),
        Rule(
            lambda p: p.n_samples < 50 or bool(2 * np.count_nonzero(p.counts == 1) > p.n_classes),
            "fewer than 50 samples, or a single sample in most classes",
            False,
            "there is nothing to compare by",
        ),
        Rule(
            lambda p: (
                p.learner.kind in ("naive Bayes", "neighbours", "network", "other")
                or p.learner.name in ("NuSVC", "Perceptron")
            ),
            "naive Bayes, neighbours, networks, NuSVC, whose nu may not suit a column, Perceptron, and learners of no "
            "known kind",
            True,
            "held-out samples tell which of the two is better",
            "Naive Bayes, itself and by a code: digits 81.4 and 79.7, yeast 27.3 and 44.0, letter 57.2 and 51.9. "
            "NuSVC with codes: vowel 2.3 and letter 3.3 points below itself, and yeast failed. Perceptron, 600 rows of "
            "eight sets: one-vs-one 10.9 points above itself, at worst 7.0 below (ecoli); chosen 11.4 and 3.4.",
        ),
        Rule(
            lambda p: (
                p.n_classes <= MANY
                and p.n_samples <= 5000
                and p.learner.kind in ("linear model", "ridge", "bagged")
                and (p.learner.kind == "bagged" or p.per_class <= 12 or p.sparse)
            ),
            f"forests, and linear models with at most 12 samples a class or sparse ones; {MANY} classes, 5,000 samples",
            True,
            "the code may lose; held-out samples tell",
            "Logistic regression on eight sets: 3.3 points above itself, at worst 0.6 below. Forests, 28 parts of 12 "
            "sets: codes 8.0 below to 3.9 above, 0.0 on average; chosen 1.4 below to 3.9 above, 0.4 on average.",
        ),
        Rule(lambda p: True, "others", False, "the code is more accurate on average"),
    ]
)


def by_codewords(problem: Problem) -> str:
    """`"linear"`, or votes where columns leave classes out."""
    return simple_decoding(problem.is_ternary)


def _of_the_coding(problem: Problem) -> str | None:
    """The decoding that the coding names."""
    return problem.usual_decoding


DECODING = Rules(
    [
        Rule(
            lambda p: p.n_classes == 2 or bool(2 * np.count_nonzero(p.counts == 1) > p.n_classes),
            "two classes, or a single sample in most classes",
            by_codewords,
            "there is nothing to learn a decoding from",
        ),
        Rule(
            lambda p: p.streams and p.has_one_class_on_a_side,
            "streams, one-vs-all or one-vs-one",
            by_codewords,
            "outputs for earlier batches are those of earlier models, and a learned decoding goes stale",
            "Digits in five shuffled batches, SGDClassifier, eight seeds: learned decodings 39 to 76, one-vs-one by "
            "votes 87 to 91.",
        ),
        Rule(
            lambda p: p.n_samples < 50,
            "fewer than 50 samples",
            by_codewords,
            "held-out outputs of so few samples tell the fold, and with it the classes in it",
            "Noise in five classes with 400 features, narrow SVC, dense codes: a learned decoding was chosen in 10 of "
            "12 fits with 40 samples (log-loss 1.8), in 2 of 10 with 45, in none with 50 and more.",
        ),
        Rule(
            lambda p: not p.own_folds and p.learner.offers.margins and p.n_samples < 200 and p.has_one_class_on_a_side,
            "one-vs-all or one-vs-one with fewer than 200 samples",
            by_codewords,
            "a learned decoding gains nothing from so few samples",
            "100 and 150 samples of eight sets, six learners: 0.1 points gained in several times the time. With half "
            "of 200, one-vs-rest fits iris 4 times as fast; with double, naive Bayes loses 6 points (digits, yeast).",
        ),
        Rule(
            lambda p: (
                not p.own_folds and p.learner.kind == "booster" and not p.is_ternary and p.has_one_class_on_a_side
            ),
            "boosters, one-vs-all",
            SIMPLE,
            "boosters of a part of the samples exaggerate what a learned decoding gains",
            'Ten splits of pendigits, letter, traffic36, optdigits, XGBoost and LightGBM: "linear" is above the chosen '
            "decoding by 0.1 points on average and at most 1.0 below.",
        ),
        Rule(
            lambda p: not p.own_folds and p.learner.kind == "booster" and not p.is_ternary and p.n_classes > 50,
            "boosters, more than 50 classes",
            "centroid",
            "class means of the training outputs need no held-out outputs",
            'Codes of 100 to 457 classes: "centroid" gains 0.3 to 8 points over "linear", and is tied with the chosen '
            "decoding in less than half of the fit time. With 26 letters it is 2 to 3 points below; nothing was "
            "measured between 40 and 100 classes.",
        ),
        Rule(
            lambda p: p.usual_decoding is not None and (p.own_folds or p.learner.kind != "booster"),
            "the coding names a decoding",
            _of_the_coding,
            "the coding is made for it",
        ),
        Rule(
            lambda p: p.n_held_out is not None and p.n_held_out < 8 * p.n_classes,
            "fewer than 8 held-out samples a class, of a part of the samples",
            by_codewords,
            "classifiers of a part of few samples are too weak to choose by",
            "Boosters of half of orl40 (3.5 samples a class): codewords 80.8 %, the learned decoding 66.7 %.",
        ),
        Rule(
            lambda p: True,
            "otherwise",
            None,
            "held-out samples choose between codewords, discriminant and structured decoding",
        ),
    ]
)

# Number of folds if samples have groups, and cv="auto". With three, characters in four typefaces are rehearsed without
# two of the typefaces, and linear decoding is chosen (SVC, 200 classes, 20 columns: 80 % instead of 88 % in a fifth
# typeface). On 18 pairs of data and learner, three and five have the same mean.
GROUPED_FOLDS = 5

REHEARSAL = Rules(
    [
        Rule(
            lambda p: (
                p.n_classes > MANY
                and p.code is not None
                and p.code.shape[1] < p.n_classes
                and not p.is_ternary
                and p.n_held_out is None
            ),
            f"short binary codes of more than {MANY} classes",
            3,
            "decodings differ much, and are compared on one of three parts, by classifiers that have not seen it",
            "SVC, 100 leaves, 10 columns: 98.7 instead of 97.0 %; ridge regression, 200 characters in a new typeface, "
            "20 columns: 67 instead of 40 %. Not tried with fewer classes.",
        ),
        Rule(lambda p: True, "otherwise", None, "folds of the held-out outputs compare decodings"),
    ]
)

# On noise, a learned decoding seems to be better than class frequencies by one or two standard errors; real signal
# exceeds three by far. The last two numbers bound memory: 32 MB of scores compare and calibrate decodings, and
# decodings whose scores would take a gigabyte are not compared.
_THREE_FOLDS = Judging(n_folds=3, clearly=3.0, most_scores=2**22, most_compared=2**27)

JUDGING = Rules(
    [
        Rule(
            lambda p: (p.n_samples if p.n_held_out is None else p.n_held_out) < 2000,
            "fewer than 2,000 samples with held-out outputs",
            _THREE_FOLDS._replace(n_folds=5),
            "decodings that learn from fewer folds look worse than they are",
            "Letter, 1,000 samples, one-vs-one of logistic regressions: three folds estimate 72.7 % for the structured "
            "decoding, five 74.4 and ten 74.7; new samples have 77.6. Half and double of 2,000 were not tried.",
        ),
        Rule(lambda p: True, "otherwise", _THREE_FOLDS, "three folds are enough for many samples"),
    ]
)

REFINEMENT = Rules(
    [
        Rule(
            lambda p: p.learner.kind == "tree" and p.n_classes > MANY,
            f"single trees, more than {MANY} classes",
            0,
            "the proxy is too smooth for trees",
            "Trees of depth 8 on 2,001 synthetic classes: 24.4 % unrefined, 16.9 % refined.",
        ),
        Rule(
            lambda p: p.learner.kind == "booster" and p.n_classes > MANY,
            f"boosters, more than {MANY} classes",
            25,
            "longer codes of boosters gain nothing from a refinement by a smooth proxy",
            "Unrefined, refined: leaves, LightGBM, 17 columns 95.8 and 98.2; characters, XGBoost, 25 columns 60.0 and "
            "64.3; LightGBM, 33 columns 65.7 and 65.2; time zones, LightGBM, 32 columns 91.7 and 89.3; regions, "
            "XGBoost, 64 columns 87.9 and 85.9. With half of 25, characters lose 4 points; with double, time zones "
            "lose 2.",
        ),
        Rule(lambda p: True, "otherwise", None, "codes of any length are fitted to the data"),
    ]
)
