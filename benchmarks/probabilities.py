"""How good are the probabilities? Log-loss and calibration beside calibrated one-vs-rest classifiers."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from benchmarks._datasets import Data, available, without_rare_classes
from benchmarks._measure import timed
from benchmarks._report import Goal, Results, Table
from ecoc import ECOCClassifier

_SETS = ("glass", "ecoli", "yeast", "segment", "vowel")
_LEAST = 10  # samples for each class: CalibratedClassifierCV needs every class in each of its five folds
_BINS = 15
REFERENCE = "one-vs-rest, calibrated SVC"
MODELS: dict[str, Callable[[int], Any]] = {
    "ECF, loss-weighted": lambda seed: ECOCClassifier(SVC(), decoding="loss_weighted", random_state=seed),
    "ECF, discriminant": lambda seed: ECOCClassifier(SVC(), decoding="discriminant", random_state=seed),
    "ECF, probabilistic, calibrated SVC": lambda seed: ECOCClassifier(
        CalibratedClassifierCV(SVC()), decoding="probabilistic", random_state=seed
    ),
    REFERENCE: lambda seed: OneVsRestClassifier(CalibratedClassifierCV(SVC())),
}
MEASURES = ("log-loss", "ECE", "accuracy")


def run(quick: bool) -> Results:
    """Average over splits of 70 % training and 30 % test samples; standardise features on the training part."""
    sets = available(_SETS)
    repeats = 1 if quick else 3
    rows, means = [], {}
    for name, data in sets.items():
        X, y = without_rare_classes(*data, _LEAST)
        if quick:
            X, y = X[::5], y[::5]
            X, y = without_rare_classes(X, y, _LEAST)
        means[name] = measure((X, y), repeats)
        for model, mean in means[name].items():
            rows.append((name, len(y), len(np.unique(y)), model, *mean))
    columns = ("data", "samples", "classes", "model", "binary classifiers", *MEASURES, "seconds to fit")
    yield Table(f"Probabilities, mean of {repeats} splits (classes with at least {_LEAST} samples)", columns, rows)
    yield Table("Best model on each data set", ("data", *MEASURES), [(name, *_best(means[name])) for name in means])
    for model in MODELS:
        if model != REFERENCE:
            for measure_name in ("log-loss", "ECE"):
                yield _goal(model, measure_name, means)


def measure(data: Data, repeats: int) -> dict[str, tuple[float, ...]]:
    """Return for every model the mean number of binary classifiers, the mean of each measure, and the mean seconds."""
    X, y = data
    splits = StratifiedShuffleSplit(repeats, test_size=0.3, random_state=0)
    taken: dict[str, list[tuple[float, ...]]] = {name: [] for name in MODELS}
    for seed, (train, test) in enumerate(splits.split(X, y)):
        scaler = StandardScaler().fit(X[train])
        for name, make in MODELS.items():
            model, seconds = timed(make(seed).fit, scaler.transform(X[train]), y[train])
            p = model.predict_proba(scaler.transform(X[test]))
            right = p.argmax(axis=1) == y[test]
            error = calibration_error(p.max(axis=1), right)
            taken[name].append((len(model.estimators_), log_loss(y[test], p), error, right.mean(), seconds))
    return {name: tuple(np.mean(values, axis=0).tolist()) for name, values in taken.items()}


def calibration_error(confidence: NDArray[np.float64], right: NDArray[np.bool_]) -> float:
    """Return the mean of |share right − mean confidence| over bins of equal width, weighted by their samples."""
    bins = np.minimum((confidence * _BINS).astype(int), _BINS - 1)
    gaps = np.bincount(bins, right, minlength=_BINS) - np.bincount(bins, confidence, minlength=_BINS)
    return float(np.abs(gaps).sum() / len(right))


def _best(means: dict[str, tuple[float, ...]]) -> list[str]:
    """Name the models with the smallest log-loss, the smallest calibration error and the highest accuracy."""
    signs = (1, 1, -1)
    return [min(means, key=lambda model: sign * means[model][column + 1]) for column, sign in enumerate(signs)]


def _goal(model: str, name: str, means: dict[str, dict[str, tuple[float, ...]]]) -> Goal:
    column = 1 + MEASURES.index(name)
    better = [data for data, mean in means.items() if mean[model][column] <= mean[REFERENCE][column]]
    told = f"on {len(better)} of {len(means)}" + (f": {', '.join(better)}" if better else "")
    return Goal(f"{model}: {name} at most that of {REFERENCE}", told, len(better) == len(means))
