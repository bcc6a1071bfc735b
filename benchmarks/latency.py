"""Does a code cost more than the learner itself to predict? One row and 1,600 rows of 100 classes, one thread.

Both sides are fitted alike, to the same samples; the code is the default one. Times are medians of CPU times, of many
calls in turn. Trees and forests of a code are also compared with a forest of as many trees in all.
"""

import time
import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from benchmarks._datasets import load
from benchmarks._measure import in_fresh_process, in_turn
from benchmarks._report import Goal, Results, Table
from benchmarks.price import ONE_THREAD
from ecoc import ECOCClassifier

ON_REQUEST = True
ROWS = 1600
CLASSES, FEATURES, ROUNDS = 100, 64, 30
GOALS = {  # learner: largest ratio for one row, and for all rows; of trees, the latter beside a forest of equal size
    "SVC": (2.0, 1.5),
    "logistic": (2.0, 1.5),
    "tree": (5.0, 1.0),
    "forest of 30": (5.0, 1.0),
    "extra trees, 30": (5.0, 1.0),
    "XGBoost": (2.0, 1.5),
    "LightGBM": (2.0, 1.5),
}
COLUMNS = (
    "learner",
    "columns",
    "rows",
    "itself, ms",
    "code, ms",
    "ratio",
    "forest of as many trees, ms",
    "ratio to it",
)


def run(quick: bool) -> Results:
    """Measure each learner in a process of its own."""
    rows, goals = [], []
    for learner, (most_of_one, most_of_all) in list(GOALS.items())[:: 3 if quick else 1]:
        found = in_fresh_process(measure, environment=ONE_THREAD, learner=learner, repeats=5 if quick else 31)
        if found is None:
            yield f"{learner} is not installed."
            continue
        for size, most in (("one", most_of_one), ("all", most_of_all)):
            itself, code, forest = (found[f"{name}, {size}"] for name in ("itself", "code", "forest"))
            other = None if forest is None else code / forest
            rows.append((learner, found["columns"], found[size], itself, code, code / itself, forest, other))
            beside, ratio = ("itself", code / itself)
            if size == "all" and other is not None:
                beside, ratio = ("a forest of as many trees", other)
            goals.append(
                Goal(f"{learner}, {found[size]:,} rows: ≤ {most:g} × {beside}", f"{ratio:.2f} ×", ratio <= most)
            )
    yield Table(f"predict, {CLASSES} classes, medians in milliseconds", COLUMNS, rows)
    yield from goals


def make(learner: str) -> Any:
    """Make a learner; None if its package is missing."""
    options: dict[str, Callable[[], Any]] = {
        "SVC": SVC,
        "logistic": lambda: LogisticRegression(max_iter=1000),
        "tree": lambda: DecisionTreeClassifier(random_state=0),
        "forest of 30": lambda: RandomForestClassifier(30, random_state=0),
        "extra trees, 30": lambda: ExtraTreesClassifier(30, random_state=0, bootstrap=True),
        "XGBoost": lambda: import_module("xgboost").XGBClassifier(n_estimators=ROUNDS, n_jobs=1),
        "LightGBM": lambda: import_module("lightgbm").LGBMClassifier(n_estimators=ROUNDS, n_jobs=1, verbose=-1),
    }
    try:
        return options[learner]()
    except ImportError:
        return None


def samples() -> tuple[Any, Any]:
    """Return leaves of 100 species, or a generated set of the same size."""
    found = load("leaves100")
    if found is not None:
        return StandardScaler().fit_transform(found[0]), found[1]
    rng, y = np.random.default_rng(0), np.repeat(np.arange(CLASSES), ROWS // CLASSES)
    return rng.normal(size=(CLASSES, FEATURES))[y] + rng.normal(size=(ROWS, FEATURES)), y


def measure(learner: str, repeats: int) -> dict[str, Any] | None:
    """Fit the learner itself, the default code, and for trees a forest of as many trees; time them in turn."""
    warnings.simplefilter("ignore")
    native = make(learner)
    if native is None:
        return None
    X, y = samples()
    code = ECOCClassifier(make(learner), random_state=0).fit(X, y)
    models = {"itself": native.fit(X, y), "code": code}
    if learner in ("tree", "forest of 30", "extra trees, 30"):
        n_trees = 3 * code.n_columns_ if learner == "tree" else native.n_estimators * code.n_columns_
        models["forest"] = RandomForestClassifier(n_trees, random_state=0).fit(X, y)
    found: dict[str, Any] = {"columns": code.n_columns_, "one": 1, "all": len(X)}
    for size, times in (("one", 5), ("all", 1)):
        part = X[:1] if size == "one" else X
        for model in models.values():
            model.predict(part)
        taken = in_turn({name: _timer(model, part, times) for name, model in models.items()}, repeats)
        found |= {f"{name}, {size}": 1000 * float(np.median(ones)) / times for name, ones in taken.items()}
        found.setdefault(f"forest, {size}", None)
    return found


def _timer(model: Any, X: Any, times: int) -> Callable[[], float]:
    def seconds() -> float:
        start = time.process_time()
        for _ in range(times):
            model.predict(X)
        return time.process_time() - start

    return seconds
