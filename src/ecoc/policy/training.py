"""Rules of thumb for training: how held-out outputs are computed, and the bins of boosters.

As in ``ecoc.policy.rules``, the first row whose condition holds decides.
"""

from ecoc.codes.design.length import FEW as MANY
from ecoc.policy.tables import Rule, Rules
from ecoc.training.interfaces import CoarseBins, HeldOut

HELD_OUT = Rules(
    [
        Rule(
            lambda p: p.learner.kind == "tree",
            "single trees",
            HeldOut("mean", 3),
            "the classifier is the mean of the trees of three folds, which is better than one tree of all samples",
            "ECF with half as many columns as classes, one tree with 3 folds, mean of 2, 3 and 5 folds: pendigits "
            "89.7, 93.4, 95.3, 95.7; letter 80.2, 82.7, 85.4, 87.8; orl40 60.8, 70.0, 84.2, 80.8.",
        ),
        Rule(
            lambda p: p.learner.members is not None and p.learner.members >= 20,
            "forests and bagging with 20 bootstrap samples",
            HeldOut("bag", 3),
            "out-of-bag outputs need no further training",
            "A sample is outside the bags of about a third of the members. 500 digits, bagging with 10, 20 and 30 "
            "members: 85, 91, 92 % out of bag, 92, 92, 93 % by folds; forests: 87, 93, 93 % and 94, 95, 96 %.",
        ),
        Rule(
            lambda p: p.learner.kind == "booster" and p.grows and 200 <= p.n_samples < 20 * p.n_classes,
            "boosters, 200 samples, new_classes='add', fewer than 20 samples a class",
            HeldOut("folds", 3),
            "outputs of models of half the samples, for few samples a class, do not place new classes well",
            "Half of the classes new, five samples, the part below or 3 folds: characters, XGBoost 49 and 66 %, leaves "
            "95 and 99; letters in typefaces, LightGBM 58 and 69. Fits take 2.5 to 4 times as long. 5 folds: 69 and 99 "
            "%, 5 times as long. These sets have 8 to 12 samples a class; half and double of 20 were not tried.",
        ),
        Rule(
            lambda p: p.learner.kind == "booster" and p.n_samples >= 200,
            "boosters, 200 samples",
            HeldOut("part", 5),
            "the part that stops boosting early, or one half of the samples for the other half",
            "On six sets, halves choose the same decodings as two, three or five folds. 90 % sets cover 90 to 91 % "
            "with 300 samples of noise; with 60 samples, 60 to 82 %.",
        ),
        Rule(
            lambda p: p.learner.kind == "ridge" and p.n_samples < 500,
            "ridge regression, fewer than 500 samples",
            HeldOut("folds", 20),
            "a fit takes milliseconds, and with about as many features as samples the outputs grow with every sample",
            "300 samples of noise, 400 features, penalty 1e-9: 90 % sets cover 83 % with 5 folds, 86 with 10, 88 with "
            "20.",
        ),
        Rule(
            lambda p: p.n_samples < 100,
            "fewer than 100 samples",
            HeldOut("folds", 10),
            "classifiers of fewer folds know too little",
            "60 samples of noise, logistic regression: 90 % sets cover 85 % with 5 folds, 90 with 10, 89 with 20.",
        ),
        Rule(
            lambda p: p.n_samples < 500,
            "fewer than 500 samples",
            HeldOut("folds", 5),
            "each fold takes a smaller share of the samples",
        ),
        Rule(lambda p: True, "otherwise", HeldOut("folds", 3), "three folds are enough for many samples"),
    ]
)

# Least tolerance of classifiers that only give held-out outputs.
HELD_OUT_TOL = Rules(
    [
        Rule(
            lambda p: p.learner.name == "SVC",
            "SVC",
            0.03,
            "half as many steps change outputs by a hundredth of their standard deviation",
            "300 characters, C of 1 to 100: half as many steps as with 0.001, and outputs differ by 0.003 to 0.008 "
            "(root mean square; their standard deviation is 0.5 to 1.2). With 0.01, 0.7 times the steps and a "
            "difference of 0.002; with 0.1, 0.4 times and 0.02.",
        ),
        Rule(lambda p: True, "others", 0.0, "their own tolerance applies"),
    ]
)

# Ratios of the two log-losses, four splits each: leaves and 136 characters 0.99 to 1.02; time zones of cities, whose
# borders need fine thresholds, 1.08 to 1.11, and beside 64 features of noise 1.04 to 1.11.
_COARSE = CoarseBins(n_bins=32, n_columns=8, n_rounds=5, learning_rate=0.3, tolerance=0.02, share=0.05)

BINS = Rules(
    [
        Rule(
            lambda p: p.learner.name == "XGBClassifier" and p.n_classes > MANY and p.n_samples <= 10_000,
            f"XGBoost, more than {MANY} classes, up to 10,000 samples",
            _COARSE,
            "with few samples, a booster spends most of its time on bins; a trial tells whether fewer are as good",
            "XGBoost with k/4 columns, three splits, 256, 64 and 32 bins: leaves 99.4, 99.4 and 99.5 % in 4.5, 2.5 and "
            "2.0 s; 136 characters 74.7, 75.2 and 75.3 % in 7.0, 2.7 and 1.9 s. Time zones of 5,562 cities: 93.2 "
            "and, with 64 bins, 88.5 %: the trial keeps 256 there.",
        ),
        Rule(lambda p: True, "others", None, "the library's default applies"),
    ]
)
