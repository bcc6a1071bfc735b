"""Is a tenth of one-vs-all's classifiers enough with many classes? Accuracy of short codes, tuned alike.

Each learner is tuned on parts of the training samples: once by itself, once with one-vs-all, and once with an ECF
code of k/10 columns for all codes. Characters are tested on typefaces that are not in training.
"""

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from math import ceil
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.model_selection import GroupShuffleSplit, StratifiedShuffleSplit, train_test_split
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from threadpoolctl import threadpool_limits

from benchmarks._datasets import load as load_development
from benchmarks._many import load
from benchmarks._report import Goal, Results, Table
from ecoc import ECF, DataError, DenseRandom, ECOCClassifier, Spectral

ON_REQUEST = True
_STRENGTHS = (1.0, 10.0, 100.0)
_WIDTHS = (1 / 16, 1 / 4, 1.0)  # gamma of SVC, times 1 / (d · variance)
_MOST_TUNED, _TUNED = 500, 200  # with more classes than the first number, learners are tuned on so many of them


class Split(NamedTuple):
    """Training and test samples, the groups of the former, and the widths of kernels that may suit."""

    X: Any
    y: Any
    groups: Any
    X_test: Any
    y_test: Any
    widths: tuple[float, ...] = _WIDTHS


def run(quick: bool) -> Results:
    """Measure all learners on all sets that are there."""
    rows = []
    for name, (split_of, learners) in _SETS.items():
        try:
            split = split_of(quick)
        except DataError as error:
            yield f"{name}: {error}"
            continue
        for learner in learners[: 1 if quick else None]:
            rows += [(name, learner, *row) for row in measured(split, learner, quick)]
    columns = ("set", "learner", "method", "columns", "accuracy, %", "fit, s")
    yield Table("Accuracy on held-out samples; seconds of one core", columns, rows)
    yield from goals(rows)


def measured(split: Split, learner: str, quick: bool) -> Iterator[tuple[Any, ...]]:
    """Yield method, number of columns, accuracy and seconds of each method."""
    k = len(np.unique(split.y))
    lengths = {"k/10": a_tenth(k), "2 log2 k": 2 * (k - 1).bit_length()}
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # learners that did not converge, and columns appended to Spectral codes
        part = split if k <= _MOST_TUNED else some_classes(split, _TUNED)
        code = ECF(n_columns=a_tenth(len(np.unique(part.y))))
        for_codes = tuned(learner, code, part, quick)
        methods = [("one-vs-all", "ova", tuned(learner, "ova", part, quick))]
        if learner != "LinearSVC":  # which is one-vs-all by itself
            methods.append(("itself", None, tuned(learner, None, part, quick)))
        for name, l in lengths.items():
            kinds = (ECF, Spectral, DenseRandom)
            methods += [(f"{kind.__name__} {name}", kind(n_columns=l), for_codes) for kind in kinds]
        for name, coding, estimator in methods:
            start = time.process_time()
            model = fitted(estimator, coding, "auto", split, np.arange(len(split.y)))
            seconds = time.process_time() - start
            accuracy = 100 * float(np.mean(model.predict(split.X_test) == split.y_test))
            l = getattr(model, "n_columns_", "")
            print(learner, name, l, round(accuracy, 1), f"{seconds:.1f} s", file=sys.stderr, flush=True)
            yield name, l, round(accuracy, 1), round(seconds, 1)


def a_tenth(k: int) -> int:
    """Return a tenth of the number of classes, but enough columns for different codewords."""
    return max(ceil(k / 10), (k - 1).bit_length() + 3)


def some_classes(split: Split, n_classes: int) -> Split:
    """Return the training samples of the first classes."""
    rows = np.flatnonzero(split.y < n_classes)
    return split._replace(X=split.X[rows], y=split.y[rows], groups=None if split.groups is None else split.groups[rows])


def fitted(estimator: Any, coding: Any, decoding: str, split: Split, rows: Any) -> Any:
    """Fit the learner itself if there is no coding, one-vs-all decoded by codewords, or a code."""
    X, y = split.X[rows], split.y[rows]
    if coding is None:
        return clone(estimator).fit(X, y)
    decoding = "linear" if coding == "ova" else decoding
    model = ECOCClassifier(clone(estimator), coding=coding, decoding=decoding, probability=False, random_state=0)
    return model.fit(X, y, groups=None if split.groups is None else split.groups[rows])


def inner_folds(split: Split) -> list[tuple[Any, Any]]:
    """Return training and test rows among the training samples: without each group, or a third of the samples."""
    if split.groups is None:
        kind: Any = StratifiedShuffleSplit(1, test_size=1 / 3, random_state=0)
        return list(kind.split(split.X, split.y))
    parts = np.unique(split.groups)
    return [(np.flatnonzero(split.groups != g), np.flatnonzero(split.groups == g)) for g in parts]


def tuned(learner: str, coding: Any, split: Split, quick: bool) -> Any:
    """Choose the learner that is most accurate with a coding."""
    best, most = None, -1.0
    candidates = list(candidates_of(learner, split))
    for estimator in candidates[: 1 if quick else None]:
        accuracy = 0.0
        for train, test in inner_folds(split) if not quick else ():
            model = fitted(estimator, coding, "auto", split, train)
            accuracy += float(np.mean(model.predict(split.X[test]) == split.y[test]))
        if accuracy > most:
            best, most = estimator, accuracy
    return best


def candidates_of(learner: str, split: Split) -> Iterator[Any]:
    """Yield the learners that tuning chooses from."""
    if learner == "SVC":
        gamma = 1 / (split.X.shape[1] * split.X.var())
        yield from (SVC(C=C, gamma=width * gamma) for width in split.widths for C in _STRENGTHS)
    elif learner == "LinearSVC":
        yield from (LinearSVC(C=C, max_iter=300) for C in (0.001, 0.01, 0.1, 1.0))
    else:
        from xgboost import XGBClassifier

        for rounds, depth in ((30, 4), (30, 6), (100, 4), (100, 6)):
            yield XGBClassifier(n_estimators=rounds, max_depth=depth, learning_rate=0.3, n_jobs=1)


def leaves(quick: bool) -> Split:
    """Return 100 species of leaves."""
    found = load_development("leaves100")
    if found is None:
        raise DataError("leaves100 is not in the folder ECOC_DATA.")
    return standardised(*found, 0.33)


def regions(quick: bool) -> Split:
    """Return 457 regions, a part of their cities, by latitude and longitude: an RBF kernel cannot ignore features."""
    data = load("regions")
    y = np.unique(data.y, return_inverse=True)[1]
    order = np.random.default_rng(0).permutation(len(y))
    order = order[np.argsort(y[order], kind="stable")]
    first = np.searchsorted(y[order], y[order])
    rows = order[np.arange(len(y)) - first < (6 if quick else 20)]  # so many cities of each region
    return standardised(data.X[rows, :2], y[rows], 0.4)._replace(widths=(16.0, 256.0, 2048.0))


def characters(quick: bool, n_classes: int = 200, n_samples: int = 4) -> Split:
    """Return characters; one typeface is for tests."""
    data = load("characters", n_classes=70 if quick else n_classes, n_samples=n_samples)
    y, groups = np.unique(data.y, return_inverse=True)[1], data.groups
    train, test = next(GroupShuffleSplit(1, test_size=0.2, random_state=0).split(data.X, y, groups))
    model = PCA(64, random_state=0).fit(data.X[train] / 255)
    A, B = model.transform(data.X[train] / 255), model.transform(data.X[test] / 255)
    return Split(A / A.std(), y[train], groups[train], B / A.std(), y[test])


def diseases(quick: bool) -> Split:
    """Return texts of the 400 largest categories of diseases, as sparse features."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    data = load("icd10")
    _, y, size = np.unique(data.y, return_inverse=True, return_counts=True)
    largest = np.argsort(-size, kind="stable")[: 80 if quick else 400]
    rows = np.flatnonzero(np.isin(y, largest))
    rows, _ = train_test_split(rows, train_size=min(len(rows) - 1, 8000), stratify=y[rows], random_state=0)
    texts, y = np.asarray(data.X)[rows], np.unique(y[rows], return_inverse=True)[1]
    A, B, u, v = train_test_split(texts, y, test_size=0.3, stratify=y, random_state=0)
    model = TfidfVectorizer(sublinear_tf=True, min_df=2).fit(A)
    return Split(model.transform(A), u, None, model.transform(B), v)


def standardised(X: Any, y: Any, test_size: float) -> Split:
    """Split samples and standardise their features."""
    A, B, u, v = train_test_split(X, y, test_size=test_size, stratify=y, random_state=0)
    model = StandardScaler().fit(A)
    return Split(model.transform(A), u, None, model.transform(B), v)


def goals(rows: list[tuple[Any, ...]]) -> Iterator[Goal]:
    """Yield the goals and what was measured."""
    accuracy = {(name, learner, method): value for name, learner, method, _, value, _ in rows}
    for learner in dict.fromkeys(row[1] for row in rows):
        names = [name for name in dict.fromkeys(row[0] for row in rows) if (name, learner, "one-vs-all") in accuracy]
        over = {n: accuracy[n, learner, "ECF k/10"] - accuracy[n, learner, "one-vs-all"] for n in names}
        mean, worst = float(np.mean(list(over.values()))), min(over, key=over.__getitem__)
        least = 3 if learner == "SVC" else 0
        text = f"mean {mean:+.1f}, worst {over[worst]:+.1f} ({worst})"
        yield Goal(f"{learner}: ECF k/10 at least {least} points above one-vs-all on average", text, mean >= least)
        short = [accuracy[n, learner, "ECF 2 log2 k"] - accuracy[n, learner, "one-vs-all"] for n in names]
        yield Goal(f"{learner}: ECF 2 log2 k within 2 points", f"mean {np.mean(short):+.1f}", np.mean(short) >= -2)
        ahead = {
            (n, length, peer): accuracy[n, learner, f"ECF {length}"] - accuracy[n, learner, f"{peer} {length}"]
            for n in names
            for length in ("k/10", "2 log2 k")
            for peer in ("Spectral", "DenseRandom")
        }
        worst_of_all = min(ahead, key=ahead.__getitem__)
        text = f"worst {ahead[worst_of_all]:+.1f} ({', '.join(worst_of_all)})"
        yield Goal(f"{learner}: ECF never 0.3 points below a code of its length", text, ahead[worst_of_all] >= -0.3)


_SETS: dict[str, tuple[Callable[[bool], Split], tuple[str, ...]]] = {
    "leaves100": (leaves, ("SVC", "LinearSVC", "XGBoost")),
    "characters200": (characters, ("SVC", "LinearSVC", "XGBoost")),
    "characters1000": (partial(characters, n_classes=1000, n_samples=2), ("SVC",)),
    "regions457": (regions, ("SVC", "XGBoost")),
    "diseases400": (diseases, ("LinearSVC",)),
}
