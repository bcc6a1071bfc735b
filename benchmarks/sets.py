"""Do sets of classes keep their promise, and does a code know that a sample is of none of its classes?"""

import warnings
from importlib.util import find_spec
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split

from benchmarks._datasets import available
from benchmarks._frontier import prepared
from benchmarks._models import LEARNERS, SETS, make, samples, splits
from benchmarks._report import Goal, Results, Table

ON_REQUEST = True
CONFIDENCES = (0.9, 0.95)
ROWS = 600  # of a set; there are many fits
UNKNOWN = 6  # classes that are left out in turn


def run(quick: bool) -> Results:
    """Measure coverage and size beside split-conformal sets, then samples of unknown classes."""
    names = list(available(SETS))[: 1 if quick else None]
    cases = [(name, learner) for name in names for learner in list(LEARNERS)[: 1 if quick else None]]
    parallel = Parallel(n_jobs=1 if quick else 2)
    yield from promises(cases, parallel(delayed(measure)(*case, 2 if quick else 20) for case in cases))
    yield from unknown_classes(cases, parallel(delayed(unknown)(*case, 2 if quick else UNKNOWN) for case in cases))


def promises(cases: list[Any], found: list[Any]) -> Results:
    rows = [(*case, *(value for row in figures for value in row)) for case, figures in zip(cases, found)]
    columns = ("data", "learner")
    for confidence in CONFIDENCES:
        columns += tuple(
            f"{100 * confidence:g} %: {what}" for what in ("coverage", "size", "split coverage", "split size")
        )
    yield Table("coverage in %, and mean size of the sets; split-conformal has the same data", columns, rows)
    for place, confidence in enumerate(CONFIDENCES):
        ours = np.array([figures[place] for figures in found])
        error = float(np.mean(ours[:, 0])) - 100 * confidence
        yield Goal(f"{100 * confidence:g} %: coverage within ±1 point", f"{error:+.2f} on average", abs(error) <= 1)
        ratio = float(np.exp(np.mean(np.log(ours[:, 1] / ours[:, 3]))))
        yield Goal(f"{100 * confidence:g} %: size at most split-conformal's", f"{ratio:.2f} × on average", ratio <= 1)


def measure(name: str, learner: str, n: int) -> list[tuple[float, ...]]:
    """Return coverage and mean size of our sets and of split-conformal sets, for each confidence."""
    warnings.simplefilter("ignore")
    X, y, group = samples(name)
    taken = np.zeros((len(CONFIDENCES), 4))
    for train, test in splits(y, group, n):
        train, test = train[:ROWS], test[:ROWS]
        train = train[np.bincount(y[train], minlength=y.max() + 1)[y[train]] >= 4]
        test = test[np.isin(y[test], y[train])]
        A, B = prepared(name, X, train, test)
        ours = make("ours", learner).fit(A, y[train], groups=None if group is None else group[train])
        true = np.searchsorted(ours.classes_, y[test])
        peer = split_conformal(learner, A, y[train], B)
        for place, confidence in enumerate(CONFIDENCES):
            for first, members in ((0, ours.predict_sets(B, confidence)), (2, peer[place])):
                taken[place, first] += 100 * members[np.arange(len(true)), true].mean() / n
                taken[place, first + 1] += members.sum(axis=1).mean() / n
    return [tuple(row) for row in taken.tolist()]


def split_conformal(learner: str, X: Any, y: Any, new: Any) -> list[Any]:
    """Return MAPIE's sets of the same kind (LAC) around our model, which sets a quarter of the samples aside."""
    fit, rest = train_test_split(np.arange(len(y)), test_size=0.25, stratify=y, random_state=0)
    model = make("ours", learner).fit(X[fit], y[fit])
    if find_spec("mapie") is None:  # the same formula
        miss = 1 - model.predict_proba(X[rest])[np.arange(len(rest)), np.searchsorted(model.classes_, y[rest])]
        ranks = [int(np.ceil((len(rest) + 1) * confidence)) for confidence in CONFIDENCES]
        limits = [np.sort(miss)[rank - 1] if rank <= len(rest) else np.inf for rank in ranks]
        return [1 - model.predict_proba(new) <= limit for limit in limits]
    from mapie.classification import SplitConformalClassifier

    peer = SplitConformalClassifier(model, confidence_level=list(CONFIDENCES), conformity_score="lac", prefit=True)
    sets = peer.conformalize(X[rest], y[rest]).predict_set(new)[1]
    return [sets[:, :, place] for place in range(len(CONFIDENCES))]


def unknown_classes(cases: list[Any], found: list[Any]) -> Results:
    columns = ("data", "learner", "codeword distance", "largest probability", "both")
    yield Table(
        "area under the curve for samples of an unknown class", columns, [(*c, *f) for c, f in zip(cases, found)]
    )
    distance, largest, both = np.mean(found, axis=0)
    text = f"distance {distance:.3f}, probability {largest:.3f}, both {both:.3f}"
    yield Goal(
        "codeword distance detects unknown classes better than the largest probability", text, distance > largest
    )


def unknown(name: str, learner: str, n: int) -> tuple[float, ...]:
    """Leave classes out of the training in turn; how well do the scores tell their samples from the others?"""
    warnings.simplefilter("ignore")
    X, y, group = samples(name)
    train, test = splits(y, group, 1)[0]
    train, areas = train[:ROWS], []
    A, B = prepared(name, X, train, test)
    for c in np.unique(y[train])[:: max(1, len(np.unique(y[train])) // n)][:n]:
        known = y[train] != c
        model = make("ours", learner).fit(A[known], y[train][known])
        distance, largest = model.codeword_distance(B) / model.n_columns_, model.predict_proba(B).max(axis=1)
        is_unknown = y[test] == c
        if is_unknown.any():
            areas.append([roc_auc_score(is_unknown, score) for score in (distance, -largest, distance - largest)])
    return tuple(np.mean(areas, axis=0).tolist())
