"""Show what a code is for: 124 letters in an unseen typeface, new letters without training, and protected pairs.

``python tools/demo.py FOLDER`` (``make demo``) prints the figures, and writes a picture, two pages and a model.
"""

import sys
import time
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from joblib import parallel_config
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.linear_model import RidgeClassifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import ecoc
from ecoc import ECF, ECOCClassifier
from ecoc.inspection.studio.page import copy_page
from ecoc.inspection.studio.session import Session
from ecoc.inspection.studio.subject import Subject

UNSEEN = "STIX"  # the typeface of the tests
CHOOSING = "DejaVu Serif"  # the typeface that chooses which pairs to protect
NEW = ("5", "Q", "Ω", "ж", "ы")
WAYS: dict[str, Callable[[Any], Any]] = {
    "itself": clone,
    "one-vs-rest": OneVsRestClassifier,
    "code": lambda learner: ECOCClassifier(learner, random_state=0),
}
Data = tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]


def learners() -> dict[str, Any]:
    """Return learners that gain by a code: a tree and an SVC, and XGBoost if it is installed."""
    found: dict[str, Any] = {"decision tree": DecisionTreeClassifier(random_state=0), "RBF SVC": SVC(C=10)}
    if find_spec("xgboost"):
        from xgboost import XGBClassifier

        found["XGBoost, 20 rounds"] = XGBClassifier(n_estimators=20, max_depth=4, n_jobs=1, random_state=0)
    return found


def letters() -> Data:
    """Return the letters in three typefaces to train on, and in a fourth to test on."""
    X, y, typeface = ecoc.load_letters(1)
    seen = typeface != UNSEEN
    return X[seen], X[~seen], y[seen], y[~seen]


def measured(learner: Any, way: str, data: Data, clock: Callable[[], float]) -> tuple[Any, float, float, float]:
    """Fit and predict; return the model, the accuracy in percent, and the seconds of both."""
    X, X_test, y, y_test = data
    names, codes = np.unique(y, return_inverse=True)  # XGBoost takes numbers only
    model = WAYS[way](learner)
    start = clock()
    model.fit(X, codes if way == "itself" else y)
    fitted = clock()
    found = model.predict(X_test)
    seconds = clock() - fitted
    right = (names[found] if way == "itself" else found) == y_test
    return model, 100 * float(right.mean()), fitted - start, seconds


def main(folder: Path) -> None:
    """Run the demo and write its files to a folder."""
    warnings.simplefilter("ignore")
    folder.mkdir(parents=True, exist_ok=True)
    data = letters()
    print(
        f"{len(data[0]):,} pictures of 124 letters in three typefaces to train on, {len(data[1])} in a fourth to test\n"
    )
    models = compare(data, folder / "gain.png")
    add_letters(models["RBF SVC"], data)
    protect()
    model = models["RBF SVC"]
    ecoc.report(model, data[1], data[3], folder / "report.html")
    ecoc.save(model, folder / "model.skops")
    subject = Subject.from_model(model, data[1], data[3], source=f"{len(data[1])} letters of a fourth typeface")
    page = folder / "studio.html"
    page.write_text(copy_page("The studio: 124 letters", Session(subject).snapshot()), encoding="utf-8")
    print(f"\nOpen {folder}/gain.png, {folder}/report.html (confused letters) and {folder}/studio.html (the code).")
    print("On which data does the learner by itself win? ecoc compare measures it. For a table of your own:\n")
    print("  ecoc compare data.csv --target label --report report.html")
    print("  ecoc fit data.csv --target label -o model.skops")
    print("  ecoc predict model.skops new.csv -o predicted.csv")
    print(f"\nThe studio shows the code, and which letters it protects: {page.resolve().as_uri()}")


def compare(data: Data, picture: Path) -> dict[str, Any]:
    """Print and draw what each learner has by itself, in one-vs-rest and in a code; return the codes."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    print(f"{'':20}{'accuracy':>10}{'fit':>9}{'predict':>10}{'models':>9}")
    codes = {}
    figure, ax = plt.subplots(figsize=(7, 3), layout="constrained")
    for place, (name, learner) in enumerate(learners().items()):
        print(name)
        for i, way in enumerate(WAYS):
            model, accuracy, fit, predict = measured(learner, way, data, time.perf_counter)
            count = {"itself": 1, "one-vs-rest": 124}.get(way) or model.n_columns_
            print(f"  {way:18}{accuracy:8.1f} %{fit:7.1f} s{predict:8.2f} s{count:9,}")
            ax.bar_label(
                ax.bar(place + 0.27 * (i - 1), accuracy, 0.25, color=f"C{i}", label=way * (place == 0)), fmt="%.0f"
            )
        codes[name] = model
    ax.set_xticks(range(len(codes)), codes)
    ax.set(ylabel="accuracy, %", title="124 letters in a typeface that was not in training")
    ax.legend(frameon=False)
    figure.savefig(picture, dpi=120)
    return codes


def add_letters(full: Any, data: Data) -> None:
    """Leave five letters out of training, and add them from the samples alone."""
    X, X_test, y, y_test = data
    known, known_test = ~np.isin(y, NEW), ~np.isin(y_test, NEW)
    model = ECOCClassifier(SVC(C=10), random_state=0).fit(X[known], y[known])
    before = model.score(X_test[known_test], y_test[known_test])
    start = time.perf_counter()
    model.add_classes(X[~known], y[~known])
    seconds = time.perf_counter() - start
    print(f"\nFive letters that the model was not trained on ({' '.join(NEW)}), added in {1000 * seconds:.0f} ms:")
    print(f"  the new letters {model.score(X_test[~known_test], y_test[~known_test]):.1%}", end="; ")
    print(f"the others {before:.1%} before, {model.score(X_test[known_test], y_test[known_test]):.1%} now")
    print(f"  all letters {model.score(X_test, y_test):.1%}; trained on all at once {full.score(X_test, y_test):.1%}")


def protect() -> None:
    """Protect the three pairs of letters that a linear model confuses most in a typeface it was not trained on."""
    X, y, typeface = ecoc.load_letters(1)
    chooses = typeface == CHOOSING
    train = ~chooses & (typeface != UNSEEN)
    model = ECOCClassifier(RidgeClassifier(), random_state=0).fit(X[train], y[train])
    worst = ecoc.confusion_report(model, X[chooses], y[chooses]).pairs()[:3]
    pairs = [(pair.first, pair.second) for pair in worst]
    names = ", ".join(f"{a} and {b}" for a, b in pairs)
    print(f"\nIn {CHOOSING}, a linear model trained on other typefaces confuses these letters most: {names}.")
    train |= chooses
    model = ECOCClassifier(RidgeClassifier(), coding=ECF(protect=pairs), random_state=0).fit(X[train], y[train])
    print("With a column for each pair, on held-out samples of all training typefaces:")
    print("  " + str(model.protection_).replace("\n", "\n  "))


if __name__ == "__main__":
    with parallel_config(n_jobs=-1):
        main(Path(sys.argv[1] if len(sys.argv) > 1 else "demo"))
