"""Can ecoc classify a hundred thousand classes? Time, memory and accuracy of whole classifiers."""

import time
from typing import Any

import numpy as np
from sklearn.linear_model import Ridge
from sklearn.tree import DecisionTreeClassifier

from benchmarks._measure import in_fresh_process, peak_megabytes
from benchmarks._report import Results, Table
from ecoc import ECF, DenseRandom, ECOCClassifier

ON_REQUEST = True
_CODINGS = {"dense random": DenseRandom, "ECF": ECF}
_TESTED = 2000


def run(quick: bool) -> Results:
    """Measure ridge regression up to 100,000 classes, then decision trees, for which the code matters."""
    sizes = (2001,) if quick else (1000, 10_000, 100_000)
    rows = [
        (k, name, *in_fresh_process(measure, n_classes=k, coding=name, n_columns=64, learner="ridge").values())
        for k in sizes
        for name in _CODINGS
    ]
    columns = ("classes", "coding", "fit s", "predict 2,000 s", "peak MB", "accuracy")
    yield Table("Ridge regression, 32 features, 4 samples per class, 64 columns, default decoding", columns, rows)
    rows = [
        (l, name, *in_fresh_process(measure, n_classes=2001, coding=name, n_columns=l, learner="tree").values())
        for l in ((24,) if quick else (24, 48, 96))
        for name in _CODINGS
    ]
    columns = ("columns", *columns[1:])
    yield Table("Trees of depth 8, 2,001 classes in 30 groups, 4 samples per class", columns, rows)


def measure(n_classes: int, coding: str, n_columns: int, learner: str) -> dict[str, Any]:
    """Measure seconds, memory and accuracy of one classifier on classes that lie in groups."""
    rng = np.random.default_rng(0)
    centres = 2 * rng.normal(size=(30, 32))[rng.integers(30, size=n_classes)] + rng.normal(size=(n_classes, 32))
    y, tested = np.repeat(np.arange(n_classes), 4), rng.integers(n_classes, size=_TESTED)
    X, X_test = (centres[labels] + 0.4 * rng.normal(size=(len(labels), 32)) for labels in (y, tested))
    estimator = Ridge() if learner == "ridge" else DecisionTreeClassifier(max_depth=8, random_state=0)
    model = ECOCClassifier(estimator, coding=_CODINGS[coding](n_columns=n_columns), cv=2, n_jobs=2, random_state=0)
    times = [time.perf_counter()]
    model.fit(X, y)
    times.append(time.perf_counter())
    hits = model.predict(X_test) == tested
    times.append(time.perf_counter())
    fit, predict = np.diff(times).round(2).tolist()
    return {"fit": fit, "predict": predict, "peak": round(peak_megabytes()), "accuracy": float(hits.mean().round(3))}
