"""Do a quarter as many columns as classes take longer than XGBoost itself? Fit, prediction and one row.

Both sides have the same rounds and one thread. The code is fitted twice: with the bins that a trial chooses, and with
the 256 bins of XGBoost itself. CPU seconds, medians of three splits; a warm-up compiles and loads everything before.
"""

import warnings
from time import process_time
from typing import Any

import numpy as np
from sklearn.decomposition import PCA
from sklearn.model_selection import train_test_split

from benchmarks._measure import in_fresh_process
from benchmarks._report import Goal, Results, Table
from benchmarks.boosting import COMPONENTS, samples
from benchmarks.price import ONE_THREAD

ON_REQUEST = True
SETS = {"leaves100": 100, "characters": 136, "timezones": 190}  # and the classes that are used
SPLITS, ROUNDS, CALLS = 3, 50, 50
MODELS = ("XGBoost itself", "code", "code, 256 bins")
COLUMNS = ("data", "model", "fit, s", "ratio", "predict, ms", "ratio ", "one row, ms", "ratio  ", "accuracy, %")


def run(quick: bool) -> Results:
    """Measure each set in a process of its own."""
    rows, goals = [], []
    for data, classes in list(SETS.items())[: 1 if quick else None]:
        if samples(data) is None:
            yield f"{data} is not there."
            continue
        found = in_fresh_process(measure, environment=ONE_THREAD, data=data, classes=classes, quick=quick)
        for model in MODELS:
            parts: list[Any] = []
            for time, itself in zip(found[model], found[MODELS[0]]):
                parts += [time, time / itself]
            rows.append((data, model, *parts[:-2], found[model][-1]))
        ratios = [ours / itself for ours, itself in zip(found["code"], found[MODELS[0]])]
        for what, ratio, most in zip(("fit", "predict", "one row"), ratios, (1.2, 1.0, 1.5)):
            goals.append(
                Goal(f"{data}, k/4 columns: {what} ≤ {most} × XGBoost itself", f"{ratio:.2f} ×", ratio <= most)
            )
    yield Table(f"{ROUNDS} rounds, k/4 columns, at most 48", COLUMNS, rows)
    yield from goals


def measure(data: str, classes: int, quick: bool) -> dict[str, list[float]]:
    """Return fit time, prediction time, that of one row, and accuracy of each model."""
    from xgboost import XGBClassifier

    from ecoc import ECF, ECOCClassifier

    warnings.simplefilter("ignore")
    found = samples(data)
    assert found is not None
    used = found[1] < classes
    X, y = (each[used] for each in found)
    length = min(classes // 4, 48)

    def make(model: str, rounds: int) -> Any:
        booster = XGBClassifier(n_estimators=rounds, n_jobs=1, max_bin=256 if model == MODELS[2] else None)
        if model == MODELS[0]:
            return booster
        return ECOCClassifier(booster, coding=ECF(n_columns=length), probability=False, random_state=0)

    taken: dict[str, list[list[float]]] = {model: [] for model in MODELS}
    for split in range(1 if quick else SPLITS):
        part, new, of_part, truth = train_test_split(X, y, test_size=0.3, random_state=split, stratify=y)
        if data in COMPONENTS:
            components = PCA(COMPONENTS[data], random_state=0).fit(part)
            part, new = components.transform(part), components.transform(new)
        if split == 0:
            make("code", 1).fit(part, of_part).predict(new)
        for model in MODELS:
            start = process_time()
            fitted = make(model, 2 if quick else ROUNDS).fit(part, of_part)
            done = process_time()
            right = float(np.mean(fitted.predict(new) == truth))
            times = [done - start, _milliseconds(fitted, new, 5), _milliseconds(fitted, new[:1], CALLS)]
            taken[model].append([*times, 100 * right])
    return {model: np.median(each, axis=0).tolist() for model, each in taken.items()}


def _milliseconds(model: Any, X: Any, calls: int) -> float:
    times = []
    for _ in range(calls):
        start = process_time()
        model.predict(X)
        times.append(process_time() - start)
    return 1000 * float(np.median(times))
