"""Are the promises kept? Claimed accuracy, coverage and log-loss of many learners on noise and on weak signal."""

import warnings
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from benchmarks._report import Goal, Results, Table
from ecoc import ECOCClassifier

ON_REQUEST = True
CLASSES, CONFIDENCE, NEW = 5, 0.9, 1500
KINDS = {"noise": (40, 0.0), "wide noise": (400, 0.0), "weak signal": (40, 0.15)}  # features, distance of class means
SIZES, CODINGS, STRENGTHS = (60, 300, 2000), ("ova", "ovo", "dense", "ecf"), ("default", "tiny", "huge")


def _boosters() -> Iterator[tuple[str, Any, str, tuple[Any, Any]]]:
    try:
        from lightgbm import LGBMClassifier
        from xgboost import XGBClassifier
    except ImportError:
        return
    yield "XGBoost", XGBClassifier(n_estimators=30, n_jobs=1), "reg_lambda", (1e-6, 1e4)
    yield "LightGBM", LGBMClassifier(n_estimators=30, n_jobs=1, verbose=-1), "reg_lambda", (1e-6, 1e4)


# Each learner with the parameter that regularises it, and values for tiny and huge regularisation.
LEARNERS: dict[str, tuple[Any, str, tuple[Any, Any]]] = {
    "SVC rbf": (SVC(), "C", (1e4, 1e-3)),
    "SVC narrow": (SVC(gamma=1.0), "C", (1e4, 1e-3)),
    "SVC linear": (SVC(kernel="linear", max_iter=20_000), "C", (1e2, 1e-4)),
    "SVC poly": (SVC(kernel="poly"), "C", (1e2, 1e-3)),
    "SVC sigmoid": (SVC(kernel="sigmoid"), "C", (1e2, 1e-3)),
    "LinearSVC": (LinearSVC(random_state=0), "C", (1e2, 1e-5)),
    "logistic": (LogisticRegression(max_iter=500), "C", (1e4, 1e-5)),
    "ridge": (RidgeClassifier(), "alpha", (1e-9, 1e6)),
    "kernel ridge": (KernelRidge(kernel="rbf"), "alpha", (1e-9, 1e4)),
    "narrow kernel ridge": (KernelRidge(kernel="rbf", gamma=1.0), "alpha", (1e-9, 1e4)),
    "tree": (DecisionTreeClassifier(random_state=0), "min_samples_leaf", (2, 25)),
    "forest": (RandomForestClassifier(30, random_state=0), "min_samples_leaf", (2, 25)),
    "extra trees": (ExtraTreesClassifier(30, random_state=0), "min_samples_leaf", (2, 25)),
    "bagged extra trees": (ExtraTreesClassifier(30, bootstrap=True, random_state=0), "min_samples_leaf", (2, 25)),
    "HistGradientBoosting": (
        HistGradientBoostingClassifier(max_iter=30, random_state=0),
        "l2_regularization",
        (1e-6, 1e4),
    ),
    **{name: (learner, parameter, values) for name, learner, parameter, values in _boosters()},
    "naive Bayes": (GaussianNB(), "var_smoothing", (1e-12, 1e2)),
    "kNN": (KNeighborsClassifier(), "n_neighbors", (1, 25)),
    "MLP": (MLPClassifier((20,), max_iter=60, random_state=0), "alpha", (1e-9, 1e2)),
}


def run(quick: bool) -> Results:
    """Fit with defaults and with five real folds, several times for each cell."""
    warnings.simplefilter("ignore")
    names = list(LEARNERS)[:: 6 if quick else 1]
    sizes, codings, repeats = (SIZES[:1], CODINGS[:1], 2) if quick else (SIZES, CODINGS, 4)
    cells = list(product(KINDS, names, STRENGTHS[: 1 if quick else None], codings, sizes))
    found = Parallel(n_jobs=1 if quick else 2, batch_size=4)(delayed(cell)(*each, repeats) for each in cells)
    yield from summary(cells, found)


def summary(cells: list[Any], found: list[Any]) -> Results:
    """Show the worst cells of each kind, and the goals."""
    columns = ("data", "learner", "regularisation", "coding", "n", "claimed", "true", "excess in SE", "cover")
    columns += ("log-loss", "accuracy with cv=5")
    rows = [(*each, *figures) for each, figures in zip(cells, found)]
    excess = [row for row in rows if row[7] is not None]
    refused = sum(row[8] is None for row in rows)
    cover = [row for row in rows if row[8] is not None]
    loss = [row for row in rows if row[0] != "weak signal"]
    worst = 25
    yield Table("worst claims", columns, sorted(excess, key=lambda row: -abs(row[7]))[:worst])
    yield Table("worst coverage", columns, sorted(cover, key=lambda row: row[8])[:worst])
    yield Table("worst log-loss on noise", columns, sorted(loss, key=lambda row: -row[9])[:worst])
    yield Table("worst against cv=5", columns, sorted(rows, key=lambda row: row[6] - row[10])[:worst])
    far = sum(abs(row[7]) > 3 for row in excess)
    yield Goal("claims within 3 standard errors", f"{far} of {len(excess)} cells beyond", far <= 0.01 * len(excess))
    short = sum(row[8] < 0.88 for row in cover)
    yield Goal(
        "90 % sets cover ≥ 88 %", f"{short} of {len(cover)} cells below; {refused} without a promise", short == 0
    )
    high = max((row[9] for row in loss), default=0.0) - np.log(CLASSES)
    yield Goal("log-loss on noise ≤ log k + 0.05", f"at most log k {high:+.3f}", high <= 0.05)
    gap = min(100 * (row[6] - row[10]) for row in rows)
    below = sum(row[6] < row[10] - 0.01 for row in rows)
    yield Goal("never 1 point below cv=5", f"{below} of {len(rows)} cells, worst {gap:+.1f}", below == 0)


def cell(
    kind: str, learner: str, strength: str, coding: str, n: int, repeats: int
) -> tuple[float | None, float, float | None, float | None, float, float]:
    """Return means over repeats: claimed and true accuracy, excess of claims, coverage, log-loss, accuracy at cv=5."""
    warnings.simplefilter("ignore")
    taken = [once(kind, learner, strength, coding, n, seed) for seed in range(repeats)]

    def mean(place: int) -> float | None:
        values = [row[place] for row in taken if row[place] is not None]
        return float(np.mean(values)) if values else None

    claimed, true, excess = mean(0), mean(1), None
    if claimed is not None and true is not None:
        sure = sum(row[0] is not None for row in taken)
        middle = min(max(true, 0.5 / n), 1 - 0.5 / n)
        excess = (claimed - true) / np.sqrt(middle * (1 - middle) * (1 / n + 1 / NEW) / sure)
    return claimed, mean(1), excess, mean(2), mean(3), mean(4)  # type: ignore[return-value]


def once(kind: str, learner: str, strength: str, coding: str, n: int, seed: int) -> tuple[Any, ...]:
    """Return claimed and true accuracy, coverage, log-loss, and the accuracy with five real folds; None: no claim."""
    X, y, new, truth = samples(kind, n, seed)
    estimator = with_strength(learner, strength)
    model = ECOCClassifier(estimator, coding=coding, random_state=seed).fit(X, y)
    p = model.predict_proba(new)
    true = np.searchsorted(model.classes_, truth)
    try:
        cover = float(model.predict_sets(new, CONFIDENCE)[np.arange(len(true)), true].mean())
    except ValueError:
        cover = None
    loss = -float(np.log(np.maximum(p[np.arange(len(true)), true], 1e-15)).mean())
    folds = ECOCClassifier(estimator, coding=coding, cv=5, random_state=seed).fit(X, y)
    accuracies = [float(np.mean(each.predict(new) == truth)) for each in (model, folds)]
    return claim(model), accuracies[0], cover, loss, accuracies[1]


def claim(model: ECOCClassifier) -> float | None:
    """Return the accuracy that held-out outputs promise."""
    trials = model.decoding_trials_
    if trials is not None:
        return float(max(trials["accuracy"]))
    decision = model.fitted_.decision
    if decision.evidence is None or decision.evidence.held_out is None or decision.decoding.fit_on is not None:
        return None
    outputs = decision.evidence.held_out
    outputs = np.where(outputs > 0, 1.0, -1.0) if decision.decoding.needs == "signs" else outputs
    return float((decision.scores(outputs).argmax(axis=1) == decision.evidence.y).mean())


def with_strength(learner: str, strength: str) -> Any:
    """Return the learner with default, tiny or huge regularisation."""
    estimator, parameter, (tiny, huge) = LEARNERS[learner]
    if strength == "default":
        return estimator
    return type(estimator)(**{**estimator.get_params(), parameter: tiny if strength == "tiny" else huge})


def samples(kind: str, n: int, seed: int) -> tuple[Any, Any, Any, Any]:
    """Return training and new samples of normal features around class means, which are equal in noise."""
    features, distance = KINDS[kind]
    rng = np.random.default_rng([seed, n])
    y = np.concatenate([rng.permutation(np.arange(n) % CLASSES), rng.integers(0, CLASSES, NEW)])
    X = rng.normal(size=(n + NEW, features)) + distance * rng.normal(size=(CLASSES, features))[y]
    return X[:n], y[:n], X[n:], y[n:]
