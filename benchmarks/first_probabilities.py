"""What does the first predict_proba of boosters cost, and how good is it? Against held-out outputs of three folds.

Codes have k/4 columns and the decoding by class means. ``cv="auto"`` calibrates with a part of the samples at the first
call, ``cv=3`` with held-out outputs of all. CPU seconds of one thread; a warm-up compiles and loads everything before.
"""

import warnings
from importlib import import_module
from time import process_time
from typing import Any

from sklearn.decomposition import PCA
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

from benchmarks._measure import in_fresh_process
from benchmarks._report import Goal, Results, Table
from benchmarks.boosting import BOOSTERS, COMPONENTS, NO_STOPPING, samples
from benchmarks.price import ONE_THREAD

ON_REQUEST = True
SETS = {"leaves100": 100, "characters": 136}  # and the classes that are used
ROUNDS = 20
COLUMNS = ("data", "booster", "fit, s", "first predict_proba, s", "ratio", "log-loss", "cv=3: s", "cv=3: log-loss")


def run(quick: bool) -> Results:
    """Measure each set and booster in a process of its own."""
    rows = []
    for data in list(SETS)[: 1 if quick else None]:
        if samples(data) is None:
            yield f"{data} is not there."
            continue
        for booster in list(BOOSTERS)[: 1 if quick else None]:
            one = in_fresh_process(measure, environment=ONE_THREAD, data=data, booster=booster, quick=quick)
            ratio = one["first"] / one["fit"]
            rows.append((data, booster, one["fit"], one["first"], ratio, one["loss"], one["full"], one["full loss"]))
            yield Goal(f"{data}, {booster}: first predict_proba ≤ 0.3 × the fit", f"{ratio:.2f} ×", ratio <= 0.3)
            share = 100 * (one["loss"] / one["full loss"] - 1)
            yield Goal(f"{data}, {booster}: log-loss at most 2 % above cv=3", f"{share:+.1f} %", share <= 2)
    yield Table(f"{ROUNDS} rounds, k/4 columns", COLUMNS, rows)


def measure(data: str, booster: str, quick: bool) -> dict[str, float]:
    """Time the fit and the first probabilities, less the second ones; return log-losses of a third of the samples."""
    from ecoc import ECF, ECOCClassifier

    warnings.simplefilter("ignore")
    found = samples(data)
    assert found is not None
    used = found[1] < SETS[data]
    part, new, of_part, truth = train_test_split(
        found[0][used], found[1][used], test_size=0.3, random_state=0, stratify=found[1][used]
    )
    if data in COMPONENTS:
        components = PCA(COMPONENTS[data], random_state=0).fit(part)
        part, new = components.transform(part), components.transform(new)
    package, name, parameter, others = BOOSTERS[booster]
    kind = getattr(import_module(package), name)

    def fit(rounds: int, cv: Any) -> tuple[float, float, float]:
        learner = kind(**{parameter: rounds}, **others, **NO_STOPPING.get(booster, {}))
        model = ECOCClassifier(
            learner, coding=ECF(n_columns=SETS[data] // 4), decoding="centroid", cv=cv, random_state=0
        )
        start = process_time()
        model.fit(part, of_part)
        fitted = process_time()
        p = model.predict_proba(new)
        first = process_time()
        model.predict_proba(new)
        return fitted - start, (first - fitted) - (process_time() - first), log_loss(truth, p, labels=model.classes_)

    fit(1, "auto")
    of_part_only, full = fit(2 if quick else ROUNDS, "auto"), fit(2 if quick else ROUNDS, 3)
    names = ("fit", "first", "loss")
    return dict(zip(names, of_part_only)) | {"full": full[1], "full loss": full[2]}
