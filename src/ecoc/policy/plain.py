"""Rules that say whether the learner's own multi-class fit is compared with the code."""

import numpy as np

from ecoc.codes.design.length import FEW as MANY
from ecoc.policy.rules import Rule, Rules

PLAIN = Rules(
    [
        Rule(
            lambda p: not p.learner.offers.several_classes or p.n_classes == 2,
            "two classes, regressors, lists of estimators and learners for two classes",
            False,
            "there is no other fit",
        ),
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
            lambda p: p.learner.kind in ("naive Bayes", "neighbours", "network", "other"),
            "naive Bayes, neighbours, networks and learners of no known kind",
            True,
            "held-out samples tell which of the two is better",
            "Naive Bayes, itself and by a code: digits 81.7 and 67.4, leaves 69.7 and 35.8, yeast 27.3 and 44.0, "
            "letter 57.2 and 51.9. Held-out samples choose rightly in all of these.",
        ),
        Rule(
            lambda p: (
                p.learner.kind in ("linear model", "ridge", "bagged")
                and (p.per_class <= 12 or p.sparse)
                and p.n_classes <= MANY
                and p.n_samples <= 5000
            ),
            f"linear models and forests, at most 12 samples a class or sparse ones, {MANY} classes and 5,000 samples",
            True,
            "with so few samples or so many features, the code may lose; held-out samples tell",
            "Logistic regression on eight sets, compared on all of them: 3.3 points above itself, at worst 0.6 below.",
        ),
        Rule(lambda p: True, "others", False, "the code is more accurate on average"),
    ]
)
