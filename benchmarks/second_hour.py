"""Does `ecoc compare` keep its promise? Promised against held-back accuracy, rivals, and times, on ten tables."""

import tempfile
import time
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

import ecoc
from benchmarks._datasets import load, without_rare_classes
from benchmarks._measure import run_python
from benchmarks._report import Goal, Results, Table
from benchmarks._results import Kept, source_of

ON_REQUEST = True
Part = tuple[Any, Any, Any, Any]  # X and y to learn from, X and y that are held back
BUDGET, MOST_ROWS, HELD_BACK = 60, 3000, 20_000
SETS = ("yeast", "vowel", "segment", "optdigits", "letter")
MADE = {  # rows, features, informative features, classes, clusters a class
    "340 × 14, 6 classes": (340, 14, 9, 6, 1),
    "1,000 × 10, 3 classes": (1000, 10, 8, 3, 4),
    "8,000 × 12, 8 classes": (8000, 12, 10, 8, 4),
    "40,000 × 10, 5 classes": (40_000, 10, 10, 5, 12),
    "250,000 × 20, 10 classes": (250_000, 20, 14, 10, 8),
}
TIMES = {"340 × 14, 6 classes": 15, "250,000 × 20, 10 classes": 120}  # seconds that the command may take
RIVALS: dict[str, tuple[Any, dict[str, list[Any]]]] = {
    "LDA": (LinearDiscriminantAnalysis(), {}),
    "naive Bayes": (GaussianNB(), {}),
    "logistic": (LogisticRegression(max_iter=500), {"C": [0.1, 1, 10, 100]}),
    "linear SVC": (LinearSVC(), {"C": [0.01, 0.1, 1, 10]}),
    "SVC": (SVC(), {"C": [1, 10, 100], "gamma": ["scale", 0.05, 0.3]}),
    "neighbours": (KNeighborsClassifier(), {"n_neighbors": [1, 5, 15]}),
    "tree": (DecisionTreeClassifier(random_state=0), {"max_depth": [5, 10, None]}),
    "forest": (RandomForestClassifier(random_state=0), {"max_features": ["sqrt", 0.5]}),
    "extra trees": (ExtraTreesClassifier(random_state=0), {"max_features": ["sqrt", 0.5]}),
    "boosting": (HistGradientBoostingClassifier(random_state=0), {"max_depth": [None, 3]}),
}
SLOW = ("SVC",)  # not fitted to more rows than this
MOST_FOR_SLOW = 40_000
COMMAND = """
import sys, time
time.perf_counter = time.process_time  # as in promises
sys.argv = ["ecoc", "compare", sys.argv[1], "--json"]
from ecoc.tool.cli import main
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
print()
print(time.process_time())
"""


def run(quick: bool) -> Results:
    """Measure promises and recommendations, and times.

    All seconds, also those of the budget, are of the processor: other work on the machine does not count. A run that
    was stopped goes on where it was, unless the library has changed. Ctrl-C while rivals are fitted leaves out those
    of the remaining tables.
    """
    yield from promises(quick)
    yield from times(quick)


def made(name: str) -> Part:
    """Make a table, and more rows of the same kind that are held back."""
    n, features, informative, classes, clusters = MADE[name]
    X, y = make_classification(
        n + HELD_BACK,
        features,
        n_informative=informative,
        n_redundant=0,
        n_classes=classes,
        n_clusters_per_class=clusters,
        flip_y=0.02,
        random_state=0,
    )
    return X[:n], y[:n], X[n:], y[n:]


def tables(quick: bool) -> dict[str, Part]:
    """Return five real tables, a third of each held back, and five made ones; the quick run has two small ones."""
    found = {}
    for name in () if quick else SETS:
        if (data := load(name)) is not None:
            X, y = without_rare_classes(*data, 6)
            train, test = train_test_split(np.arange(len(y)), test_size=1 / 3, stratify=y, random_state=0)
            found[name] = X[train], y[train], X[test], y[test]
    return found | {name: made(name) for name in list(MADE)[: 2 if quick else None]}


def promises(quick: bool) -> Results:
    """Compare on each table, fit what is recommended to all rows, and test it and its rivals on held-back rows."""
    ours, plain = Kept(f"second_hour-{quick}"), Kept("second_hour-rivals", source_of("second_hour"))
    parts, rows, off, behind, ahead = tables(quick), [], [], [], []
    found = {name: ours.measure((name,), recommended, part, quick) for name, part in parts.items()}
    beside = {}
    with suppress(KeyboardInterrupt):
        for name, part in parts.items():
            beside[name] = rivals(name, part, quick, plain)
    for name, (chosen, cross_validated, promised, error, accuracy, seconds) in found.items():
        off.append(promised - accuracy)
        rival, best, usual = beside.get(name, (None, None, None))
        if best is not None and usual is not None:
            behind.append(best - accuracy <= float(np.sqrt(best * (100 - best) / len(parts[name][3]))))
            ahead.append(accuracy - usual)
        rows.append((name, chosen, cross_validated, promised, error, accuracy, off[-1], rival, best, seconds))
    yield Table(
        "promised and held-back accuracy, %",
        ("table", "recommended", "cross-validated", "promised", "±", "held back", "promise − truth", "best of ten",
         "its accuracy", "race, s"),
        rows,
    )  # fmt: skip
    mean, most = float(np.mean(off)), max(off)
    yield Goal("promises within ±1 point on average", f"{mean:+.2f}", abs(mean) <= 1)
    yield Goal("no promise more than 3 points too high", f"at most {most:+.1f}", most <= 3)
    yield Goal(
        "within one standard error of the best of ten tuned plain models on 9 of 10 tables",
        f"{sum(behind)} of {len(behind)}",
        sum(behind) >= 0.9 * len(behind),
    )
    gained = float(np.mean(ahead))
    yield Goal("ahead on average of the plain model that cross-validation chooses", f"{gained:+.2f}", gained > 0)


def recommended(part: Part, quick: bool) -> tuple[str, float, float, float, float, float]:
    """Return the recommended model, its accuracies in folds, promised, with its error, and held back, and seconds."""
    X, y, new, true = part
    with patch("time.perf_counter", time.process_time):
        found = ecoc.compare(
            X, y, budget=10 if quick else BUDGET, max_rows=MOST_ROWS, preparation=StandardScaler(), random_state=0
        )
    model, best = found.recommended.estimator.fit(X, y), found.recommended
    figures = (best.accuracy, found.expected_accuracy or 0.0, found.expected_error, np.mean(model.predict(new) == true))
    cross_validated, promised, error, accuracy = (100 * float(figure) for figure in figures)
    return best.candidate.name, cross_validated, promised, error, accuracy, found.seconds


def rivals(table: str, part: Part, quick: bool, kept: Kept) -> tuple[str, float, float]:
    """Return the best of ten tuned plain models on held-back rows, its accuracy, and that of the best in folds."""
    names = [name for name in RIVALS if name not in SLOW or len(part[1]) <= MOST_FOR_SLOW][: 4 if quick else None]
    found = {name: kept.measure((table, name), rival, name, part) for name in names}
    best, usual = (max(found, key=lambda name: found[name][which]) for which in (1, 0))
    return best, found[best][1], found[usual][1]


def rival(name: str, part: Part) -> tuple[float, float]:
    """Return a tuned model's accuracies in folds of some rows, and on held-back rows after a fit to all."""
    X, y, new, true = part
    scaler, few = StandardScaler().fit(X), np.random.default_rng(0).permutation(len(y))[:MOST_ROWS]
    X, (model, grid) = scaler.transform(X), RIVALS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        search = GridSearchCV(model, grid, cv=3).fit(X[few], y[few])
        fitted = clone(search.best_estimator_).fit(X, y)
    return float(search.best_score_), 100 * float(np.mean(fitted.predict(scaler.transform(new)) == true))


def times(quick: bool) -> Results:
    """Time `ecoc compare` as a user would run it, with its default learners."""
    with tempfile.TemporaryDirectory() as folder:
        for name, goal in list(TIMES.items())[: 1 if quick else None]:
            X, y, _, _ = made(name)
            path = Path(folder) / "table.csv"
            header = ",".join([*(f"x{j}" for j in range(X.shape[1])), "label"])
            np.savetxt(path, np.column_stack([X.round(6), y]), delimiter=",", header=header, comments="", fmt="%g")
            seconds = float(run_python(COMMAND, str(path)))
            yield Goal(f"compare, several learners, {name} ≤ {goal} s", f"{seconds:.0f} s", seconds <= goal)
