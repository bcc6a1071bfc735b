"""Which allocation is best at which length? Accuracies, ranks and differences of codes of equal length."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from ecoc_paper.experiments.points import Point
from ecoc_paper.experiments.wins import N_BOOTSTRAP

ALLOCATIONS = {"ECF-E": -1.0, "ECF-balanced": -0.5, "ECF a=0": 0.0, "ECF a=0.5": 0.5, "ECF-H": 1.0}


class Difference(NamedTuple):
    """Accuracy of one method minus that of another, mean over data sets in percentage points.

    `low` and `high` are the ends of the 95 % interval when data sets and folds are drawn again; `better` and `worse`
    count the data sets.
    """

    mean: float
    low: float
    high: float
    better: int
    worse: int


def at_length(points: Sequence[Point], length: str) -> dict[tuple[str, str], Point]:
    """Return the points of a length by data set and method."""
    return {(p.dataset, p.method): p for p in points if length in p.setting.split(", ")}


def length_table(points: Sequence[Point], lengths: Sequence[str]) -> list[dict[str, Any]]:
    """Return the mean accuracy and the mean rank of each method at each length, over the same data sets for all.

    A method that has no code of a length on some data set, as S-ECOC for l ≥ k, is left out there.
    """
    methods = list(dict.fromkeys(point.method for point in points))
    table = []
    for length in lengths:
        there = at_length(points, length)
        datasets = list(dict.fromkeys(dataset for dataset, _ in there))
        have = [m for m in methods if datasets and all((d, m) in there for d in datasets)]
        if not have:
            continue
        scores = np.array([[there[d, m].accuracy for m in have] for d in datasets])
        ranks = rankdata(-scores.round(12), axis=1).mean(axis=0)
        row: dict[str, Any] = {"l / k": length, "data sets": len(datasets)}
        for method in methods:
            i = have.index(method) if method in have else None
            row[method] = None if i is None else f"{100 * scores[:, i].mean():.1f} ({ranks[i]:.1f})"
        table.append(row)
    return table


def difference(points: Sequence[Point], length: str, one: str, other: str, seed: int = 0) -> Difference | None:
    """Compare two methods at a length; None if no data set has both."""
    there = at_length(points, length)
    datasets = [d for d in dict.fromkeys(d for d, _ in there) if (d, one) in there and (d, other) in there]
    if not datasets:
        return None
    rng = np.random.default_rng(seed)
    drawn = np.array([_drawn(there[d, one], there[d, other], rng) for d in datasets])
    means = np.array([100 * (there[d, one].accuracy - there[d, other].accuracy) for d in datasets])
    sets = rng.multinomial(len(datasets), np.full(len(datasets), 1 / len(datasets)), N_BOOTSTRAP)
    low, high = np.percentile((sets * drawn.T).sum(axis=1) / len(datasets), [2.5, 97.5])
    return Difference(float(means.mean()), float(low), float(high), int((means > 0).sum()), int((means < 0).sum()))


def _drawn(one: Point, other: Point, rng: np.random.Generator) -> NDArray[np.float64]:
    n = np.array(one.n_test, float)
    folds = rng.multinomial(len(n), np.full(len(n), 1 / len(n)), N_BOOTSTRAP)
    gain = np.array(one.correct, float) - np.array(other.correct, float)
    return np.asarray(100 * (folds @ gain) / (folds @ n))


def difference_table(
    points: Sequence[Point], lengths: Sequence[str], pairs: Sequence[tuple[str, str]]
) -> list[dict[str, Any]]:
    """Return the differences of pairs of methods at each length."""
    found = [
        ((one, other), length, difference(points, length, one, other)) for one, other in pairs for length in lengths
    ]
    return [
        {
            "methods": f"{one} − {other}",
            "l / k": length,
            "points of accuracy": round(each.mean, 2),
            "95 % interval": f"{each.low:+.1f} to {each.high:+.1f}",
            "better on": each.better,
            "worse on": each.worse,
        }
        for (one, other), length, each in found
        if each is not None
    ]


def correlation_table(points: Sequence[Point], settings: Sequence[str], name: str) -> list[dict[str, Any]]:
    """Return for each method and setting how codeword distances follow class distances, mean over data sets."""
    methods = dict.fromkeys(point.method for point in points)
    table = []
    for setting in settings:
        there = at_length(points, setting)
        row: dict[str, Any] = {name: setting}
        for method in methods:
            known = np.array([p.correlation for (_, m), p in there.items() if m == method])
            finite = known[np.isfinite(known)]
            row[method] = f"{finite.mean():+.2f}" if len(finite) else None
            if len(finite) and len(finite) < len(known):
                row[method] += f", {len(known) - len(finite)} equidistant"
        table.append(row)
    return table
