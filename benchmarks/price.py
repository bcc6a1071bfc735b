"""Does a code cost more than one-vs-rest? Fit times and accuracy of the default, for six learners on four data sets.

``ECOC_BEFORE`` may name the folder ``src`` of an older checkout: its figures are then shown beside ours.
"""

import os
import warnings
from time import process_time
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from benchmarks._datasets import available, groups, without_rare_classes
from benchmarks._measure import in_fresh_process
from benchmarks._report import Goal, Results, Table

ON_REQUEST = True
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
ROWS = {"letter": 6000, "pendigits": 3000, "traffic36": None, "orl40": None}
COMPONENTS = {"traffic36": 100, "orl40": 120}
LEARNERS: dict[str, Any] = {
    "tree": DecisionTreeClassifier(random_state=0),
    "forest": RandomForestClassifier(random_state=0),
    "logistic": LogisticRegression(max_iter=1000),
    "linear SVC": LinearSVC(random_state=0),
    "SVC": SVC(),
    "boosting": HistGradientBoostingClassifier(random_state=0),
}


def run(quick: bool) -> Results:
    """Measure the fits in turn, one thread, in CPU seconds."""
    before = os.environ.get("ECOC_BEFORE")
    names = list(available(tuple(ROWS)))[: 1 if quick else None]
    rows = []
    for data in names:
        for learner in list(LEARNERS)[:: 5 if quick else 1]:
            case = {"data": data, "learner": learner, "splits": 1 if quick else 3}
            now = in_fresh_process(measure, environment=ONE_THREAD, **case, default={})
            old = None
            if before:
                path = {"PYTHONPATH": before}
                old = in_fresh_process(measure, environment=ONE_THREAD | path, **case, default={})
            rows.append((data, learner, *figures(now), *(figures(old)[1:] if old else (None,) * 3)))
    columns = ("data", "learner", "one-vs-rest, s", "ECF, s", "ratio", "one-vs-rest, %", "ECF, %")
    rows = [(*row[:2], row[2], row[3], row[4], row[5], row[6], row[7], row[8], row[9]) for row in rows]
    yield Table(
        "ECF(n_columns=0.5), default decoding: fit in CPU seconds, accuracy",
        (*columns, "before, s", "before, ratio", "before, %"),
        rows,
    )
    ratios = [row[4] for row in rows]
    yield Goal("fit ≤ 1.0 × one-vs-rest on average", f"{np.mean(ratios):.2f} ×", float(np.mean(ratios)) <= 1.0)
    yield Goal("never above 1.5 ×", f"{max(ratios):.2f} ×", max(ratios) <= 1.5)
    if before:
        change = float(np.mean([row[6] - row[9] for row in rows]))
        yield Goal("accuracy not lower than before by more than 0.2 points", f"{change:+.2f}", change >= -0.2)


def figures(measured: dict[str, Any]) -> tuple[float, ...]:
    """Return times of both, their ratio, and accuracies of both."""
    rest, ours = (float(np.median(measured[name]["fit"])) for name in ("rest", "ours"))
    accuracies = (100 * float(np.mean(measured[name]["accuracy"])) for name in ("rest", "ours"))
    return (rest, ours, ours / rest, *accuracies)


def measure(data: str, learner: str, splits: int, default: dict[str, Any]) -> dict[str, dict[str, list[float]]]:
    """Fit one-vs-rest and the code in turn, on several splits."""
    from ecoc import ECF, ECOCClassifier  # ours or an older one, by PYTHONPATH

    warnings.simplefilter("ignore")
    estimator = LEARNERS[learner]
    models = {
        "rest": lambda: OneVsRestClassifier(clone(estimator)),
        "ours": lambda: ECOCClassifier(clone(estimator), coding=ECF(n_columns=0.5), random_state=0, **default),
    }
    taken: dict[str, dict[str, list[float]]] = {name: {"fit": [], "accuracy": []} for name in models}
    X, y, new, truth = split(data, 0)
    models["ours"]().fit(X[:: len(X) // 200 + 1], y[:: len(X) // 200 + 1])  # compiles
    for turn in range(splits):
        X, y, new, truth = split(data, turn)
        for name in sorted(models, reverse=bool(turn % 2)):
            start = process_time()
            model = models[name]().fit(X, y)
            taken[name]["fit"].append(process_time() - start)
            taken[name]["accuracy"].append(float(np.mean(model.predict(new) == truth)))
    return taken


def split(name: str, seed: int) -> tuple[Any, Any, Any, Any]:
    """Split into two thirds and one third; standardised features, principal components of images."""
    X, y = available((name,))[name]
    group, size = groups(name) if name in ROWS else None, ROWS.get(name)
    if size is not None and size < len(y):
        rows = np.sort(np.random.default_rng(0).permutation(len(y))[:size])
        X, y = X[rows], y[rows]
    if group is None:
        X, y = without_rare_classes(X, y, 3)
        folds = StratifiedKFold(3, shuffle=True, random_state=seed).split(X, y)
    else:
        folds = StratifiedGroupKFold(3, shuffle=True, random_state=seed).split(X, y, group)
    train, test = next(iter(folds))
    scaler = StandardScaler().fit(X[train])
    X = scaler.transform(X)
    if name in COMPONENTS:
        X = PCA(COMPONENTS[name], random_state=0).fit(X[train]).transform(X)
    return X[train], y[train], X[test], y[test]
