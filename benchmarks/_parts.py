"""Which training and test parts do the benchmarks of ternary codes and of protection use? Three of five folds."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from benchmarks._datasets import groups, load
from benchmarks._frontier import prepared, split

# Samples of each set, so that a run takes about a quarter of an hour on one core.
ROWS = {
    "yeast": None,
    "vowel": None,
    "letter": 2600,
    "pendigits": 2000,
    "optdigits": 2000,
    "traffic36": 1500,
    "orl40": None,
}
LEARNERS: dict[str, Any] = {
    "logistic regression": LogisticRegression(C=10, max_iter=300),
    "LinearSVC": LinearSVC(random_state=0),
    "decision tree": DecisionTreeClassifier(max_depth=12, random_state=0),
    "RBF SVC": SVC(C=10),
}
FOLDS, PARTS = 5, 3


@dataclass(frozen=True)
class Part:
    """A training and a test part; `cv` is the default of the classifier, or grouped folds if samples come in groups."""

    X: Any
    y: Any
    X_test: Any
    y_test: Any
    cv: Any


def parts(name: str, n_parts: int) -> Iterator[Part]:
    """Yield the first of five folds; classes are numbered in each training part."""
    found = load(name)
    if found is None:
        return
    (X, y), group = found, groups(name)
    n = ROWS[name]
    if n is not None and n < len(y):
        rows = np.sort(train_test_split(np.arange(len(y)), train_size=n, stratify=y, random_state=0)[0])
        X, y, group = X[rows], y[rows], None if group is None else group[rows]
    for train, test in split(y, group, FOLDS, 0)[:n_parts]:
        A, B = prepared(name, X, train, test)
        classes, u = np.unique(y[train], return_inverse=True)
        cv = "auto" if group is None else split(u, group[train], 3, 0)
        yield Part(A, u, B, np.searchsorted(classes, y[test]), cv)
