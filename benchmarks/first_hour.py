"""What does a newcomer meet? The first fit, `ecoc compare` on three tables, and the default model beside its peers."""

import json
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from benchmarks._datasets import available, groups, without_rare_classes
from benchmarks._frontier import prepared, split
from benchmarks._measure import in_fresh_process, run_python
from benchmarks._report import Goal, Results, Table
from ecoc import ECF, ECOCClassifier

ON_REQUEST = True
SETS = (
    "glass", "ecoli", "segment", "yeast", "vowel", "pendigits", "optdigits", "letter", "traffic36", "orl40", "leaves100"
)  # fmt: skip
MOST_ROWS = 1500
LEARNERS: dict[str, Any] = {
    "SVC": SVC(),
    "logistic": LogisticRegression(max_iter=300),
    "linear SVC": LinearSVC(random_state=0),
    "tree": DecisionTreeClassifier(random_state=0),
    "forest": RandomForestClassifier(50, random_state=0),
    "boosting": HistGradientBoostingClassifier(max_iter=20, random_state=0),
}
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
CODINGS = {"one-vs-all": "ova", "one-vs-one": "ovo", "ECF": ECF(n_columns=0.5)}
MOST_PAIRED = 30  # classes up to which one-vs-one is compared
FIRST_FIT = """
import time; start = time.perf_counter()
from ecoc import ECOCClassifier
from sklearn.datasets import load_iris
from sklearn.svm import SVC
ECOCClassifier(SVC()).fit(*load_iris(return_X_y=True))
print(time.perf_counter() - start)
"""
COMPARE_GOALS = {"340 × 14, 6 classes": 15, "yeast": 20, "2,400 × 20, 80 classes": 60}


def run(quick: bool) -> Results:
    """Measure the three in turn."""
    yield from first_fit(quick)
    yield from compare_tables(quick)
    yield from defaults(quick)


def first_fit(quick: bool) -> Results:
    """Fit iris in new processes, with an empty and with a full compile cache."""
    with tempfile.TemporaryDirectory() as folder:
        seconds = [float(run_python(FIRST_FIT, NUMBA_CACHE_DIR=folder)) for _ in range(2 if quick else 4)]
    cold, warm = seconds[0], min(seconds[1:])
    yield Goal("first fit of iris, cold cache ≤ 3 s", f"{cold:.1f} s", cold <= 3)
    yield Goal("first fit of iris, warm cache ≤ 1.5 s", f"{warm:.1f} s", warm <= 1.5)


def compare_tables(quick: bool) -> Results:
    """Run `ecoc compare` as a user would, and show what it recommends."""
    rows = []
    tables = {**made_tables(), **({} if quick else yeast_table())}
    with tempfile.TemporaryDirectory() as folder:
        for name, (X, y) in list(tables.items())[: 1 if quick else None]:
            path = Path(folder) / "table.csv"
            header = ",".join([*(f"x{j}" for j in range(X.shape[1])), "label"])
            np.savetxt(path, np.column_stack([X.round(6), y]), delimiter=",", header=header, comments="", fmt="%g")
            start = time.perf_counter()
            found = json.loads(run_python(COMPARE, str(path)))
            seconds = time.perf_counter() - start
            cells = {key: found["recommended"].get(key) for key in ("model", "decoding", "accuracy")}
            rows.append((name, seconds, 100 * cells["accuracy"], cells["model"], cells["decoding"]))
            goal = COMPARE_GOALS[name]
            yield Goal(f"compare, {name} ≤ {goal} s", f"{seconds:.0f} s", seconds <= goal)
    yield Table("ecoc compare", ("table", "s", "accuracy, %", "recommended", "decoding"), rows)


COMPARE = """
import subprocess, sys
command = [sys.executable, "-m", "ecoc", "compare", sys.argv[1], "--target", "label", "--json"]
print(" ".join(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.split()))
"""


def made_tables() -> dict[str, tuple[Any, Any]]:
    """Make two tables of the sizes that newcomers bring."""
    small = make_classification(340, 14, n_informative=9, n_classes=6, class_sep=1.2, random_state=0)
    large = make_classification(2400, 20, n_informative=16, n_classes=80, n_clusters_per_class=1, random_state=0)
    return {"340 × 14, 6 classes": small, "2,400 × 20, 80 classes": large}


def yeast_table() -> dict[str, tuple[Any, Any]]:
    """Return yeast if the development data is available."""
    found = available(("yeast",))
    return {"yeast": found["yeast"]} if "yeast" in found else {}


def defaults(quick: bool) -> Results:
    """Fit the default, its codings and OneVsRestClassifier, for every set and learner."""
    names = list(available(SETS))[: 2 if quick else None]
    learners = list(LEARNERS)[: 2 if quick else None]
    cases = [(name, learner) for name in names for learner in learners]
    parallel = Parallel(n_jobs=2 if not quick else 1, backend="threading")
    measured = parallel(
        delayed(in_fresh_process)(measure, environment=ONE_THREAD, name=name, learner=learner, quick=quick)
        for name, learner in cases
    )
    rows, behind, cost, slower = [], [], [], []
    for (name, learner), found in zip(cases, measured):
        ours, rest = found["default"], found["OneVsRestClassifier"]
        rivals = {rival: found[rival] for rival in CODINGS if rival in found}
        best = max(rivals, key=lambda rival: (rivals[rival]["accuracy"], -rivals[rival]["fit"]))
        behind.append(rivals[best]["accuracy"] - ours["accuracy"])
        cost.append(ours["fit"] / rivals[best]["fit"])
        slower.append(ours["fit"] / rest["fit"])
        rows.append(
            (name, learner, found["coding"], ours["accuracy"], best, rivals[best]["accuracy"], rest["accuracy"],
             found["native"]["accuracy"], ours["fit"], cost[-1], slower[-1])
        )  # fmt: skip
    yield Table(
        "the default beside its peers (accuracy in %, fit in CPU seconds, median of 3 splits)",
        ("data", "learner", "default is", "default", "best is", "best", "OneVsRest", "native", "fit, s", "× best",
         "× OneVsRest"),
        rows,
    )  # fmt: skip
    within = np.array(behind) <= 1
    yield Goal("default within 1 point of the best coding", f"{within.sum()} of {len(within)}", bool(within.all()))
    yield Goal("fit ≤ 1.3 × the best coding's", f"median {np.median(cost):.2f}, most {max(cost):.2f}", max(cost) <= 1.3)
    text = f"median {np.median(slower):.2f}, most {max(slower):.2f}"
    yield Goal("fit ≤ 1.5 × OneVsRestClassifier", text, max(slower) <= 1.5)


def measure(name: str, learner: str, quick: bool) -> dict[str, Any]:
    """Fit all models in turn, in one thread."""
    warnings.simplefilter("ignore")
    (X, y), group = available((name,))[name], groups(name) if name in SETS else None
    if group is None:
        X, y = without_rare_classes(X, y, 6)
    if len(y) > MOST_ROWS:
        rows = np.sort(np.random.default_rng(0).permutation(len(y))[:MOST_ROWS])
        X, y, group = X[rows], y[rows], None if group is None else group[rows]
    k = len(np.unique(y))
    estimator = LEARNERS[learner]
    models: dict[str, Any] = {
        "default": ECOCClassifier(estimator, random_state=0),
        "native": clone(estimator),
        "OneVsRestClassifier": OneVsRestClassifier(estimator),
    }
    for rival, coding in CODINGS.items():
        if rival != "one-vs-one" or k <= MOST_PAIRED:
            models[rival] = ECOCClassifier(estimator, coding=coding, random_state=0)
    taken: dict[str, dict[str, list[float]]] = {model: {"fit": [], "accuracy": []} for model in models}
    for turn, (train, test) in enumerate(split(y, group, 3, 0)[: 1 if quick else 3]):
        A, B = prepared(name, X, train, test)
        if turn == 0:
            few = np.flatnonzero(np.isin(y[train], np.unique(y[train])[:12]))[:120]
            ECOCClassifier(estimator, coding="ecf").fit(A[few], y[train][few])  # compiles
        for model in sorted(models, reverse=bool(turn % 2)):
            start = time.process_time()
            fitted = clone(models[model]).fit(A, y[train])
            taken[model]["fit"].append(time.process_time() - start)
            taken[model]["accuracy"].append(100 * float(np.mean(fitted.predict(B) == y[test])))
            if model == "default":
                coding = type(fitted.coding_).__name__ if hasattr(fitted, "coding_") else ""
    result: dict[str, Any] = {
        model: {"fit": float(np.median(figures["fit"])), "accuracy": float(np.mean(figures["accuracy"]))}
        for model, figures in taken.items()
    }
    return {**result, "coding": coding}
