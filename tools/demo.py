"""Show what a code is for: 124 letters in an unseen typeface, new letters without training, and protected pairs.

``python tools/demo.py FOLDER`` (``make demo``) prints the figures, and writes a picture, two pages and a model.
"""

import io
import sys
import time
import warnings
from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import Ridge
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

import ecoc
from ecoc import ECF, ECOCClassifier
from ecoc.inspection.studio.page import copy_page
from ecoc.inspection.studio.session import Session
from ecoc.inspection.studio.subject import Subject

UNSEEN = "STIX"  # the typeface of the tests
CHOOSING = "DejaVu Serif"  # the typeface that chooses which pairs to protect
SHORT = ECF(n_columns=0.25)  # a quarter as many columns as classes leave pairs to protect
NEW = ("5", "Q", "Ω", "ж", "ы")
WAYS: dict[str, Callable[[Any], Any]] = {
    "itself": clone,
    "one-vs-rest": OneVsRestClassifier,
    "code": lambda learner: ECOCClassifier(learner, random_state=0),
}
Data = tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]


def learners() -> dict[str, Any]:
    """Return learners that gain by a code: a tree and an SVC, and XGBoost if it is installed."""
    tree = DecisionTreeClassifier(max_features=0.25, random_state=0)  # half the time that all pixels take
    found: dict[str, Any] = {"decision tree": tree, "RBF SVC": SVC(C=10)}
    if find_spec("xgboost"):
        from xgboost import XGBClassifier

        found["XGBoost, 20 rounds"] = XGBClassifier(n_estimators=20, max_depth=4, n_jobs=1, random_state=0)
    return found


def letters() -> Data:
    """Return the letters in three typefaces to train on, and in a fourth to test on."""
    X, y, typeface = ecoc.load_letters(1)
    seen = typeface != UNSEEN
    return X[seen], X[~seen], y[seen], y[~seen]


def measured(learner: Any, way: str, data: Data) -> tuple[Any, float, float, float]:
    """Fit and predict; return the model, the accuracy in percent, and the processor seconds of both."""
    X, X_test, y, y_test = data
    names, codes = np.unique(y, return_inverse=True)  # XGBoost takes numbers only
    model = WAYS[way](learner)
    start = time.process_time()
    model.fit(X, codes if way == "itself" else y)
    fitted = time.process_time()
    found = model.predict(X_test)
    seconds = time.process_time() - fitted
    right = (names[found] if way == "itself" else found) == y_test
    return model, 100 * float(right.mean()), fitted - start, seconds


def be_quiet() -> None:
    """Leave it to the first process to say that code is compiled."""
    warnings.simplefilter("ignore")
    sys.stderr = io.StringIO()


def main(folder: Path, second_core: Executor) -> None:
    """Run the demo and write its files to a folder."""
    warnings.simplefilter("ignore")
    folder.mkdir(parents=True, exist_ok=True)
    data = letters()
    n_train, n_test = len(data[0]), len(data[1])
    print(f"{n_train:,} pictures of 124 letters in three typefaces to train on, {n_test} in a fourth to test on.")
    print("Times are processor seconds. On a new machine, some of them include compiling.\n")
    parts = [second_core.submit(part) for part in (add_letters, protect)]
    model = compare(data, folder / "gain.png")["RBF SVC"]
    for part in parts:
        print(f"\n{part.result()}")
    ecoc.report(model, data[1], data[3], folder / "report.html")
    ecoc.save(model, folder / "model.skops")
    subject = Subject.from_model(model, data[1], data[3], source=f"{len(data[1])} letters of a fourth typeface")
    page = folder / "studio.html"
    page.write_text(copy_page("The studio: 124 letters", Session(subject).snapshot()), encoding="utf-8")
    print("\nPlain models win elsewhere: boosted trees with few classes and many samples, often naive Bayes, nearest")
    print("neighbours and networks. ecoc compare measures codes and plain models on your table, and recommends one.")
    print("\nOpen these files:\n")
    print(f"  {folder}/gain.png     the table above as a picture")
    print(f"  {folder}/report.html  which letters the SVC's code confuses")
    print(f"  {folder}/studio.html  a map of the letters, and a code designed for them")
    print("\nNext, with a table of your own:\n")
    print("  ecoc compare data.csv --target label --report report.html")
    print("  ecoc fit data.csv --target label -o model.skops")
    print("  ecoc predict model.skops new.csv -o predicted.csv")


def compare(data: Data, picture: Path) -> dict[str, Any]:
    """Print and draw how accurate each learner is by itself, in one-vs-rest and in a code; return the codes."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    print(f"{'':20}{'accuracy':>10}{'fit':>9}{'predict':>10}{'models':>9}")
    codes = {}
    figure, ax = plt.subplots(figsize=(7, 3), layout="constrained")
    for place, (name, learner) in enumerate(learners().items()):
        print(name)
        for i, way in enumerate(WAYS):
            codes[name], accuracy = shown(learner, way, data)
            bar = ax.bar(place + 0.27 * (i - 1), accuracy, 0.25, color=f"C{i}", label=way * (place == 0))
            ax.bar_label(bar, fmt="%.0f")
    ax.set_xticks(range(len(codes)), codes)
    ax.set(ylabel="accuracy, %", title="124 letters in a typeface that was not in training")
    ax.margins(y=0.12)
    ax.legend(frameon=False)
    figure.savefig(picture, dpi=120)
    print("random forest, for comparison")
    shown(RandomForestClassifier(random_state=0), "itself", data)
    return codes


def shown(learner: Any, way: str, data: Data) -> tuple[Any, float]:
    """Print a line of the table; return the model and its accuracy."""
    model, accuracy, fit, predict = measured(learner, way, data)
    count = {"itself": 1, "one-vs-rest": 124}.get(way) or model.n_columns_
    print(f"  {way:18}{accuracy:8.1f} %{fit:7.1f} s{predict:8.2f} s{count:9,}", flush=True)
    return model, accuracy


def add_letters() -> str:
    """Leave five letters out of training, add them from their samples alone, and describe the result."""
    X, X_test, y, y_test = letters()
    known, known_test = ~np.isin(y, NEW), ~np.isin(y_test, NEW)
    model = ECOCClassifier(SVC(C=10), random_state=0).fit(X[known], y[known])
    before = model.score(X_test[known_test], y_test[known_test])
    start = time.process_time()
    model.add_classes(X[~known], y[~known])
    seconds = time.process_time() - start
    return f"""New classes. The SVC's code is trained without five letters ({" ".join(NEW)}), which are then added
in {1000 * seconds:.0f} ms, without training. Accuracy on the unseen typeface:
  the five new letters {model.score(X_test[~known_test], y_test[~known_test]):6.1%}
  the other letters    {model.score(X_test[known_test], y_test[known_test]):6.1%}, and {before:.1%} before
  all letters          {model.score(X_test, y_test):6.1%}; the table has the accuracy after training on all of them"""


def protect() -> str:
    """Protect the three pairs of letters that a linear model confuses most in a typeface it was not trained on."""
    X, y, typeface = ecoc.load_letters(4)
    chooses = typeface == CHOOSING
    train = ~chooses & (typeface != UNSEEN)
    model = ECOCClassifier(Ridge(), coding=SHORT, random_state=0).fit(X[train], y[train])
    worst = ecoc.confusion_report(model, X[chooses], y[chooses]).pairs()[:3]
    pairs = [(pair.first, pair.second) for pair in worst]
    names = ", ".join(f"{a} and {b}" for a, b in pairs)
    train |= chooses
    coding = clone(SHORT).set_params(protect=pairs)
    model = ECOCClassifier(Ridge(), coding=coding, random_state=0).fit(X[train], y[train])
    result = str(model.protection_).replace("\n", "\n  ")
    return f"""Protected pairs. A short code of linear models, trained on two typefaces, confuses these letters most in
{CHOOSING}: {names}. A column for each pair, measured on held-out samples of all three:
  {result}"""


if __name__ == "__main__":
    with threadpool_limits(1), ProcessPoolExecutor(1, get_context("spawn"), be_quiet) as second_core:
        main(Path(sys.argv[1] if len(sys.argv) > 1 else "demo"), second_core)
