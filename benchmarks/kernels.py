"""What does a code of SVC cost with many samples, and with 1,000 classes? Fits against one-vs-rest, in CPU seconds.

Codes and their decodings are the default ones. Characters have one sample in each of five typefaces, and other drawings
in the same typefaces are predicted.
"""

import warnings
from collections.abc import Callable, Mapping
from time import process_time
from typing import Any, NamedTuple

import numpy as np
from sklearn.decomposition import PCA
from sklearn.model_selection import train_test_split
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from benchmarks._characters import find_fonts
from benchmarks._datasets import load as load_development
from benchmarks._many import load
from benchmarks._measure import in_fresh_process
from benchmarks._report import Goal, Results, Table
from benchmarks.price import ONE_THREAD
from ecoc import DataError, ECOCClassifier

ON_REQUEST = True
ROWS, CLASSES, CHARACTERS = 10_600, 43, 1000
COLUMNS = ("data", "model", "columns", "fit, s", "accuracy, %")


class Split(NamedTuple):
    """Training and test samples."""

    X: Any
    y: Any
    X_test: Any
    y_test: Any


def run(quick: bool) -> Results:
    """Measure each set in a process of its own."""
    rows = []
    for data in SETS:
        try:
            if data == "characters":
                find_fonts()
        except DataError as error:
            yield f"{data}: {error}"
            continue
        found = in_fresh_process(measure, environment=ONE_THREAD, data=data, quick=quick)
        if not found:
            yield f"{data} is not there."
            continue
        rows += [(data, model, *each) for model, each in found.items()]
        fits = {model: each[1] for model, each in found.items()}
        if data == "characters":
            yield Goal(f"{CHARACTERS:,} characters: fit ≤ 60 s", f"{fits['code']:.0f} s", fits["code"] <= 60)
        else:
            ratio = fits["code"] / fits["one-vs-rest"]
            yield Goal(f"{data}: fit ≤ 2 × one-vs-rest", f"{ratio:.2f} ×", ratio <= 2)
    yield Table("SVC: medians of CPU seconds", COLUMNS, rows)


def measure(data: str, quick: bool) -> dict[str, tuple[int | None, float, float]]:
    """Fit models in turn; return the number of columns, the median of the seconds, and the accuracy of each."""
    warnings.simplefilter("ignore")
    make_split, strength, repeats = SETS[data]
    split = make_split(quick)
    if split is None:
        return {}
    models: Mapping[str, Callable[[], Any]] = {
        "code": lambda: ECOCClassifier(SVC(C=strength), random_state=0),
        "one-vs-all": lambda: ECOCClassifier(
            SVC(C=strength), coding="ova", decoding="linear", probability=False, random_state=0
        ),
    }
    if data != "characters":
        models |= {"one-vs-rest": lambda: OneVsRestClassifier(SVC(C=strength)), "SVC itself": lambda: SVC(C=strength)}
    taken: dict[str, list[tuple[int | None, float, float]]] = {name: [] for name in models}
    models["code"]().fit(*blobs(4000, 43)[:2])  # loads or compiles the solver
    for _ in range(1 if quick else repeats):
        for name, make in models.items():
            start = process_time()
            model = make().fit(split.X, split.y)
            seconds = process_time() - start
            right = float(np.mean(model.predict(split.X_test) == split.y_test))
            taken[name].append((getattr(model, "n_columns_", None), seconds, 100 * right))
    return {name: (each[0][0], float(np.median([one[1] for one in each])), each[0][2]) for name, each in taken.items()}


def blobs(n: int, n_classes: int) -> Split:
    """Generate classes of two clusters each."""
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(2 * n_classes, 40))
    cluster = rng.integers(0, len(centres), n + 2000)
    X, y = 0.8 * centres[cluster] + rng.normal(size=(n + 2000, 40)), cluster % n_classes
    return Split(X[:n], y[:n], X[n:], y[n:])


def letters(quick: bool) -> Split | None:
    """Return letters, standardised."""
    found = load_development("letter")
    if found is None:
        return None
    A, B, u, v = train_test_split(
        *found, train_size=1000 if quick else ROWS, test_size=2000, stratify=found[1], random_state=0
    )
    scaler = StandardScaler().fit(A)
    return Split(scaler.transform(A), u, scaler.transform(B), v)


def characters(quick: bool) -> Split:
    """Return Chinese characters, reduced to 64 components."""
    data = load("characters", n_classes=70 if quick else CHARACTERS, n_samples=2)
    X, first = data.X / 255, np.arange(len(data.y)) % 2 == 0
    components = PCA(64, random_state=0).fit(X[first])
    A, B = components.transform(X[first]), components.transform(X[~first])
    return Split(A / A.std(), data.y[first], B / A.std(), data.y[~first])


def generated(quick: bool) -> Split:
    """Return 43 generated classes."""
    return blobs(1000 if quick else ROWS, CLASSES)


SETS: dict[str, tuple[Callable[[bool], Split | None], float, int]] = {  # samples, C, repeats
    "43 generated classes, 10,600 rows": (generated, 1.0, 3),
    "26 letters, 10,600 rows": (letters, 1.0, 3),
    "characters": (characters, 10.0, 1),
}
