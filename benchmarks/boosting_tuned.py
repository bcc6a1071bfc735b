"""Do codes still beat native multi-class boosting if both are tuned? The same settings, tried on held-out samples.

Native boosting and the code each try the settings of `GRID` on 70 % of the training samples, and take the setting with
the highest accuracy on the other 30 %. They are then trained on all training samples. The code has the columns that
`benchmarks.boosting.rule` says, for every setting. Test samples are used once, after the choice.
"""

import warnings
from time import process_time
from typing import Any

import numpy as np
from sklearn.decomposition import PCA
from sklearn.model_selection import train_test_split

from benchmarks._measure import in_fresh_process
from benchmarks._report import Goal, Results, Table
from benchmarks.boosting import BOOSTERS, COMPONENTS, HUNDREDS, ROUNDS, _is_installed, code, make, rule, samples
from benchmarks.price import ONE_THREAD

ON_REQUEST = True
# The first setting is the library's default. LightGBM and HistGradientBoosting diverge with it at about 200 classes,
# because the Hessians are tiny and no penalty bounds the leaves; XGBoost has a penalty of 1 by default.
GRID: dict[str, tuple[dict[str, Any], ...]] = {
    "XGBoost": ({}, {"learning_rate": 0.1}, {"max_depth": 3}, {"min_child_weight": 0.1}),
    "LightGBM": (
        {},
        {"learning_rate": 0.03},
        {"reg_lambda": 1.0},
        {"reg_lambda": 1.0, "min_child_samples": 5, "num_leaves": 15},
    ),
    "HistGradientBoosting": (
        {},
        {"learning_rate": 0.03},
        {"l2_regularization": 1.0},
        {"l2_regularization": 1.0, "min_samples_leaf": 5, "max_leaf_nodes": 15},
    ),
}
COLUMNS = ("data", "booster", "side", "fit, s", "accuracy, %", "setting", "tuned fit, s", "tuned accuracy, %")


def run(quick: bool) -> Results:
    """Tune both sides on every set and with every booster."""
    gains: list[float] = []
    ratios: list[float] = []
    for data in HUNDREDS[: 1 if quick else None]:
        for booster in list(BOOSTERS)[: 1 if quick else None]:
            if samples(data) is None or not _is_installed(booster):
                continue
            found = compare(data, booster, 5 if quick else ROUNDS)
            rows = [
                (
                    data,
                    booster,
                    side,
                    one["default"]["fit"],
                    100 * one["default"]["accuracy"],
                    " ".join(f"{name}={value}" for name, value in one["setting"].items()) or "default",
                    one["tuned"]["fit"],
                    100 * one["tuned"]["accuracy"],
                )
                for side, one in found.items()
            ]
            gains.append(rows[1][7] - rows[0][7])
            ratios.append(rows[1][6] / rows[0][6])
            yield Table(f"{data}, {booster}: {found['code']['columns']} columns", COLUMNS, rows)
    if gains:
        gain, ratio = float(np.mean(gains)), float(np.mean(ratios))
        yield Goal("100–250 classes, both tuned: native + 3 points on average", f"{gain:+.1f}", gain >= 3)
        yield Goal("100–250 classes, both tuned: fit ≤ 1.0 × native, on average", f"{ratio:.2f} ×", ratio <= 1)


def compare(data: str, booster: str, rounds: int) -> dict[str, dict[str, Any]]:
    """Tune both sides, each in a fresh process."""
    case = {"data": data, "booster": booster, "rounds": rounds}
    return {
        side: in_fresh_process(tune, environment=ONE_THREAD, **case, native=side == "native")
        for side in ("native", "code")
    }


def tune(data: str, booster: str, rounds: int, native: bool) -> dict[str, Any]:
    """Choose a setting on a part of the training samples; fit it and the default to all, and test them."""
    warnings.simplefilter("ignore")
    found = samples(data)
    assert found is not None
    X, new, y, truth = train_test_split(*found, test_size=0.3, random_state=0, stratify=found[1])
    inner = train_test_split(X, y, test_size=0.3, random_state=1, stratify=y)
    columns, refine = rule(int(y.max()) + 1, len(y), booster)

    def measure(setting: dict[str, Any], X: Any, new: Any, y: Any, truth: Any) -> dict[str, float]:
        if data in COMPONENTS:
            components = PCA(COMPONENTS[data], random_state=0).fit(X)
            X, new = components.transform(X), components.transform(new)
        model = make(booster, rounds, False).set_params(**setting)
        if not native:
            model = code(model, columns, refine)
        start = process_time()
        model.fit(X, y)
        taken = process_time() - start
        return {"fit": taken, "accuracy": float(np.mean(model.predict(new) == truth))}

    tried = [measure(setting, *inner)["accuracy"] for setting in GRID[booster]]
    best = int(np.argmax(tried))
    default = measure({}, X, new, y, truth)
    tuned = default if best == 0 else measure(GRID[booster][best], X, new, y, truth)
    return {"setting": GRID[booster][best], "tried": tried, "default": default, "tuned": tuned, "columns": columns}
