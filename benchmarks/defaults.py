"""Is the default as good as the learner itself? All classifiers of scikit-learn on eight sets."""

import warnings
from contextlib import suppress
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, MinMaxScaler, StandardScaler
from sklearn.utils import all_estimators

from benchmarks._datasets import available, without_rare_classes
from benchmarks._report import Goal, Results, Table
from benchmarks._results import Kept
from ecoc import ECOCClassifier

ON_REQUEST = True
SETS = ("glass", "ecoli", "segment", "yeast", "vowel", "pendigits", "letter", "orl40")
MOST_ROWS = 600
# Parameters that make slow learners quick, and learners with a fixed distance suit standardized features.
PARAMETERS: dict[str, dict[str, Any]] = {
    "AdaBoostClassifier": {"n_estimators": 20},
    "CategoricalNB": {"min_categories": 5},
    "GaussianProcessClassifier": {"optimizer": None},
    "GradientBoostingClassifier": {"n_estimators": 15},
    "HistGradientBoostingClassifier": {"max_iter": 15},
    "LogisticRegressionCV": {"Cs": 3, "cv": 3, "max_iter": 200},
    "MLPClassifier": {"max_iter": 40},
    "NuSVC": {"nu": 0.05},
    "RadiusNeighborsClassifier": {"radius": 4.0, "outlier_label": "most_frequent"},
    "RandomForestClassifier": {"n_estimators": 50},
    "ExtraTreesClassifier": {"n_estimators": 50},
}
COUNTS = {"MultinomialNB": MinMaxScaler(clip=True), "ComplementNB": MinMaxScaler(clip=True)}
COUNTS["CategoricalNB"] = KBinsDiscretizer(5, encode="ordinal", quantile_method="averaged_inverted_cdf")


def run(quick: bool) -> Results:
    """Fit every classifier by itself and with the default, on every set.

    A run that was stopped goes on where it was, unless the library has changed. Ctrl-C ends it with what there is.
    """
    warnings.simplefilter("ignore")
    n_folds = 2 if quick else 3
    cells = Kept(f"defaults-{n_folds}")
    names = list(learners())[: 4 if quick else None]
    with suppress(KeyboardInterrupt):
        for data, rows in list(available(SETS).items())[: 2 if quick else None]:
            for name in names:
                cells.measure((name, data), measure, learners()[name], *some_rows(*rows), n_folds)
    table, errors = [], []
    for name in names:
        known = {data: figures for (each, data), figures in cells.found.items() if each == name and figures is not None}
        if not known:
            continue
        itself, ours, own_error, error = np.nanmean(np.array(list(known.values()), dtype=float), axis=0)
        gains = {data: figures[1] - figures[0] for data, figures in known.items()}
        worst = min(gains, key=lambda data: gains[data])
        own = float(own_error) if np.isfinite(own_error) else None
        table.append((name, len(known), itself, ours, ours - itself, gains[worst], worst, own, error))
        if own is not None:
            errors.append(error - own_error)
    columns = ("learner", "sets", "itself, %", "default, %", "gain", "worst", "on", "ECE itself", "ECE default")
    yield Table("the default beside the learner itself", columns, table)
    lowest, cell = min(row[4] for row in table), min(row[5] for row in table)
    yield Goal("default within 1 point of every learner on average", f"{lowest:+.1f}", lowest >= -1)
    yield Goal("worst cell ≥ −2 points", f"{cell:+.1f}", cell >= -2)
    if errors:
        text = f"{np.mean(errors):+.1f} points"
        yield Goal("ECE ≤ the learner's own + 1 point, on average", text, float(np.mean(errors)) <= 1)


def learners() -> dict[str, Any]:
    """Return all classifiers of scikit-learn that take several classes and need no other estimator."""
    found = {}
    for name, kind in all_estimators("classifier"):
        if any(each.default is each.empty for each in signature(kind).parameters.values()):
            continue
        learner = kind(**PARAMETERS.get(name, {}))
        if "random_state" in learner.get_params():
            learner.set_params(random_state=0)
        found[name] = make_pipeline(COUNTS.get(name, StandardScaler()), learner)
    return found


def some_rows(X: Any, y: NDArray[Any]) -> tuple[Any, NDArray[Any]]:
    """Return at most `MOST_ROWS` rows, without rare classes."""
    X, y = without_rare_classes(X, y, 6)
    if len(y) <= MOST_ROWS:
        return X, y
    rows, _ = train_test_split(np.arange(len(y)), train_size=MOST_ROWS, stratify=y, random_state=0)
    return X[rows], y[rows]


def measure(learner: Any, X: Any, y: NDArray[Any], n_folds: int) -> tuple[float, float, float, float] | None:
    """Return accuracy in % of the learner and of the default, and their calibration errors; None if it cannot fit.

    A default that cannot fit or predict where the learner can has no right answer.
    """
    figures = []
    for train, test in StratifiedKFold(n_folds, shuffle=True, random_state=0).split(X, y):
        try:
            itself = clone(learner).fit(X[train], y[train])
        except (ValueError, np.linalg.LinAlgError):
            return None
        try:
            ours = ECOCClassifier(learner, random_state=0).fit(X[train], y[train])
            ours.predict(X[test])
        except ValueError:
            figures.append((100 * itself.score(X[test], y[test]), 0.0, np.nan, np.nan))
            continue
        accuracies = [100 * model.score(X[test], y[test]) for model in (itself, ours)]
        has = hasattr(itself, "predict_proba")
        own = calibration_error(itself.predict_proba(X[test]), itself.classes_, y[test]) if has else np.nan
        figures.append((*accuracies, own, calibration_error(ours.predict_proba(X[test]), ours.classes_, y[test])))
    first, second, third, fourth = np.nanmean(figures, axis=0)
    return float(first), float(second), float(third), float(fourth)


def calibration_error(probabilities: NDArray[np.float64], classes: NDArray[Any], y: NDArray[Any]) -> float:
    """Return the expected calibration error of the largest probability, in points, over ten bins."""
    n_bins = 10
    top, hit = probabilities.max(axis=1), classes[probabilities.argmax(axis=1)] == y
    place = np.minimum((top * n_bins).astype(int), n_bins - 1)
    gaps = [abs(np.sum(top[place == b]) - np.sum(hit[place == b])) for b in range(n_bins)]
    return 100 * float(np.sum(gaps)) / len(y)
