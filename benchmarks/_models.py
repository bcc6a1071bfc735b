"""Which models do the benchmarks of costs and of sets compare? Ours, calibrated one-vs-rest, and the learner itself."""

import warnings
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedGroupKFold, StratifiedShuffleSplit
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC

from benchmarks._datasets import available, groups, without_rare_classes
from benchmarks._frontier import prepared
from ecoc import ECOCClassifier

SETS = ("yeast", "vowel", "letter", "pendigits", "optdigits", "traffic36", "orl40")
LEARNERS: dict[str, Any] = {
    "SVC": SVC(C=10),
    "logistic": LogisticRegression(max_iter=300),
    "boosting": HistGradientBoostingClassifier(max_iter=20, random_state=0),
}
MODELS = ("ours", "calibrated one-vs-rest", "native")
MOST_ROWS = 1500
LEAST = 8  # samples of a class


def samples(name: str) -> tuple[Any, Any, Any]:
    """Return at most 1,500 samples, their classes and their groups."""
    (X, y), group = available((name,))[name], groups(name) if name in SETS else None
    if len(y) > MOST_ROWS:
        rows = np.sort(np.random.default_rng(0).permutation(len(y))[:MOST_ROWS])
        X, y, group = X[rows], y[rows], None if group is None else group[rows]
    if group is None:
        X, y = without_rare_classes(X, y, LEAST)
    return X, y, group


def splits(y: Any, group: Any, n: int) -> list[tuple[Any, Any]]:
    """Return training and test rows, two thirds and one third; groups stay together."""
    if group is None:
        return list(StratifiedShuffleSplit(n, test_size=1 / 3, random_state=0).split(y, y))
    return [next(StratifiedGroupKFold(3, shuffle=True, random_state=seed).split(y, y, group)) for seed in range(n)]


def make(model: str, learner: str) -> Any:
    """Return an unfitted model with probabilities."""
    estimator = clone(LEARNERS[learner])
    if model == "ours":
        return ECOCClassifier(estimator, random_state=0)
    if model == "native" and hasattr(estimator, "predict_proba"):
        return estimator
    if model == "native":
        return CalibratedClassifierCV(estimator, ensemble=False, cv=3)
    return OneVsRestClassifier(CalibratedClassifierCV(estimator, cv=3))


def probabilities(name: str, learner: str, model: str, n: int) -> list[tuple[Any, Any]]:
    """Fit a model on n splits; return the probabilities of the test samples and their classes."""
    X, y, group = samples(name)
    found = []
    for train, test in splits(y, group, n):
        A, B = prepared(name, X, train, test)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fitted = make(model, learner).fit(A, y[train])
            p = np.zeros((len(test), y.max() + 1))
            p[:, fitted.classes_] = fitted.predict_proba(B)
        found.append((p, y[test]))
    return found
