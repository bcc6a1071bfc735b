"""Does `ecoc compare` keep its promise? Promised against held-back accuracy, rivals, and times, on ten tables."""

import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

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
import subprocess, sys
subprocess.run([sys.executable, "-m", "ecoc", "compare", sys.argv[1], "--json"], stdout=subprocess.DEVNULL, check=True)
print("done")
"""


def run(quick: bool) -> Results:
    """Measure promises and recommendations, and times."""
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
    """Return five made tables, and a third of each of five real ones held back; the quick run has two small ones."""
    found = {name: made(name) for name in list(MADE)[: 2 if quick else None]}
    for name in () if quick else SETS:
        if (data := load(name)) is not None:
            X, y = without_rare_classes(*data, 6)
            train, test = train_test_split(np.arange(len(y)), test_size=1 / 3, stratify=y, random_state=0)
            found[name] = X[train], y[train], X[test], y[test]
    return found


def promises(quick: bool) -> Results:
    """Compare on each table, fit what is recommended to all rows, and test it and its rivals on held-back rows."""
    rows, off, behind, ahead = [], [], [], []
    for name, part in tables(quick).items():
        X, y, new, true = part
        comparison = ecoc.compare(
            X, y, budget=10 if quick else BUDGET, max_rows=MOST_ROWS, preparation=StandardScaler(), random_state=0
        )
        model = comparison.recommended.estimator.fit(X, y)
        accuracy = 100 * float(np.mean(model.predict(new) == true))
        promised = 100 * (comparison.expected_accuracy or 0.0)
        off.append(promised - accuracy)
        rival, best, usual = rivals(part, quick)
        error = 100 * float(np.sqrt(best * (100 - best)) / 100 / np.sqrt(len(true)))
        behind.append(best - accuracy <= error)
        ahead.append(accuracy - usual)
        rows.append(
            (name, comparison.recommended.candidate.name, 100 * comparison.recommended.accuracy, promised,
             100 * comparison.expected_error, accuracy, off[-1], rival, best, comparison.seconds)
        )  # fmt: skip
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


def rivals(part: Part, quick: bool) -> tuple[str, float, float]:
    """Return the best of ten tuned plain models on held-back rows, its accuracy, and that of the best in folds."""
    X, y, new, true = part
    scaler = StandardScaler().fit(X)
    X, new = scaler.transform(X), scaler.transform(new)
    few = np.random.default_rng(0).permutation(len(y))[:MOST_ROWS]
    scores, held = {}, {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in list(RIVALS)[: 4 if quick else None]:
            if name in SLOW and len(y) > MOST_FOR_SLOW:
                continue
            model, grid = RIVALS[name]
            search = GridSearchCV(model, grid, cv=3).fit(X[few], y[few])
            scores[name] = search.best_score_
            fitted = clone(search.best_estimator_).fit(X, y)
            held[name] = 100 * float(np.mean(fitted.predict(new) == true))
    best = max(held, key=lambda name: held[name])
    return best, held[best], held[max(scores, key=lambda name: scores[name])]


def times(quick: bool) -> Results:
    """Time `ecoc compare` as a user would run it, with its default learners."""
    with tempfile.TemporaryDirectory() as folder:
        for name, goal in list(TIMES.items())[: 1 if quick else None]:
            X, y, _, _ = made(name)
            path = Path(folder) / "table.csv"
            header = ",".join([*(f"x{j}" for j in range(X.shape[1])), "label"])
            np.savetxt(path, np.column_stack([X.round(6), y]), delimiter=",", header=header, comments="", fmt="%g")
            start = time.perf_counter()
            run_python(COMMAND, str(path))
            seconds = time.perf_counter() - start
            yield Goal(f"compare, several learners, {name} ≤ {goal} s", f"{seconds:.0f} s", seconds <= goal)
