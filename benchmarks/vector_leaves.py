"""Are codes better than XGBoost's trees with values of all classes in a leaf (`multi_output_tree`)? Rounds tuned alike.

Both sides, and multi-class boosting with a tree for each class, choose among the same numbers of rounds by the accuracy
on a quarter of the training samples, and are then fitted to all of them. One thread; test samples are used once.
"""

from collections.abc import Callable
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
SETS = ("leaves100", "orl40", "characters")
MOST_CLASSES = 40  # of each set: with 100 leaves, vector leaves take 4 seconds a round
ROUNDS, QUICK = (25, 50, 100), (5, 10)
MODELS = ("code, k/4 columns", "code, default", "multi_output_tree", "one_output_per_tree")
COLUMNS = ("model", "rounds", "fit, s", "predict, s", "accuracy, %")


def run(quick: bool) -> Results:
    """Measure each set and model in a process of its own."""
    for data in SETS[: 1 if quick else None]:
        if samples(data) is None:
            yield f"{data} is not there."
            continue
        found = {
            model: in_fresh_process(tuned, environment=ONE_THREAD, data=data, model=model, quick=quick)
            for model in MODELS
        }
        rows = [
            (model, int(each["rounds"]), each["fit"], each["predict"], 100 * each["accuracy"])
            for model, each in found.items()
        ]
        yield Table(data, COLUMNS, rows)
        code, rival = found[MODELS[0]], found["multi_output_tree"]
        gain = 100 * (code["accuracy"] - rival["accuracy"])
        yield Goal(f"{data}: k/4 columns as accurate as vector leaves", f"{gain:+.1f} points", gain >= 0)
        ratio = code["fit"] / rival["fit"]
        yield Goal(f"{data}: k/4 columns fit in less time", f"{ratio:.2f} ×", ratio <= 1)


def tuned(data: str, model: str, quick: bool) -> dict[str, float]:
    """Choose the rounds on a quarter of the training samples; then fit to all of them and predict."""
    found = samples(data)
    assert found is not None
    first = found[1] < MOST_CLASSES
    X, new, y, truth = train_test_split(
        *(each[first] for each in found), test_size=0.3, random_state=0, stratify=found[1][first]
    )
    if data in COMPONENTS:
        components = PCA(COMPONENTS[data], random_state=0).fit(X)
        X, new = components.transform(X), components.transform(new)
    make = _maker(model, int(y.max()) + 1)
    part, rest, of_part, of_rest = train_test_split(X, y, test_size=0.25, random_state=1, stratify=y)
    tried = QUICK if quick else ROUNDS
    if model in MODELS[:2]:
        scores = {rounds: make(rounds).fit(part, of_part).score(rest, of_rest) for rounds in tried}
    else:  # the first rounds of the longest model are a shorter model
        longest = make(max(tried)).fit(part, of_part)
        scores = {r: float(np.mean(longest.predict(rest, iteration_range=(0, r)) == of_rest)) for r in tried}
    rounds = max(tried, key=scores.__getitem__)
    fitted, start = make(rounds), process_time()
    fitted.fit(X, y)
    done = process_time()
    accuracy = float(np.mean(fitted.predict(new) == truth))
    return {"rounds": rounds, "fit": done - start, "predict": process_time() - done, "accuracy": accuracy}


def _maker(model: str, n_classes: int) -> Callable[[int], Any]:
    from xgboost import XGBClassifier

    from ecoc import ECF, ECOCClassifier

    def make(rounds: int) -> Any:
        if model not in MODELS[:2]:
            return XGBClassifier(n_estimators=rounds, n_jobs=1, multi_strategy=model, tree_method="hist")
        coding: Any = ECF(n_columns=n_classes // 4) if model == MODELS[0] else "auto"
        booster = XGBClassifier(n_estimators=rounds, n_jobs=1)
        return ECOCClassifier(booster, coding=coding, probability=False, random_state=0)

    return make
