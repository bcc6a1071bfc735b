"""Accuracies, ranks and differences of codes of equal length."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import rankdata

from ecoc_paper.experiments.points import Point
from ecoc_paper.experiments.wins import N_BOOTSTRAP

ALLOCATIONS = {"ECF-E": -1.0, "ECF-balanced": -0.5, "ECF a=0": 0.0, "ECF a=0.5": 0.5, "ECF-H": 1.0}


class Difference(NamedTuple):
    """Accuracy of one method minus that of another, mean over data sets in percentage points.

    `low` and `high` are the ends of the 95 % interval when data sets and their seeds are drawn again; `lowest` and
    `highest` are means of single seeds; `better` and `worse` count the data sets by their mean over seeds.
    """

    mean: float
    low: float
    high: float
    lowest: float
    highest: float
    better: int
    worse: int


def at_length(points: Sequence[Point], length: str) -> dict[tuple[str, str], Point]:
    """Return the points of a length by data set and method; of each repetition, if there are several, the last."""
    return {(p.dataset, p.method): p for p in points if length in p.setting.split(", ")}


def length_table(points: Sequence[Point], lengths: Sequence[str]) -> list[dict[str, Any]]:
    """Return the mean accuracy and the mean rank of each method at each length, over the same data sets for all.

    A method that has no code of a length on some data set, as S-ECOC for l ≥ k, is left out there. With several
    repetitions, the lowest and the highest mean accuracy of them follow.
    """
    methods = list(dict.fromkeys(point.method for point in points))
    table = []
    for length in lengths:
        repetitions = [at_length(own, length) for own in _by_seed(points).values()]
        datasets = list(dict.fromkeys(dataset for there in repetitions for dataset, _ in there))
        have = [m for m in methods if datasets and all((d, m) in there for d in datasets for there in repetitions)]
        if not have:
            continue
        scores = np.array([[[there[d, m].accuracy for m in have] for d in datasets] for there in repetitions])
        ranks = rankdata(-scores.round(12), axis=2).mean(axis=(0, 1))
        means = 100 * scores.mean(axis=1)
        row: dict[str, Any] = {"l / k": length, "data sets": len(datasets)}
        for method in methods:
            i = have.index(method) if method in have else None
            row[method] = None if i is None else f"{means[:, i].mean():.1f} ({ranks[i]:.1f})"
            if i is not None and len(means) > 1:
                row[method] += f" {means[:, i].min():.1f}–{means[:, i].max():.1f}"
        table.append(row)
    return table


def difference(points: Sequence[Point], length: str, one: str, other: str, seed: int = 0) -> Difference | None:
    """Compare two methods at a length; None if no data set has both."""
    gains: dict[str, list[float]] = defaultdict(list)
    for own in _by_seed(points).values():
        there = at_length(own, length)
        for dataset in dict.fromkeys(d for d, _ in there):
            if (dataset, one) in there and (dataset, other) in there:
                gains[dataset].append(100 * (there[dataset, one].accuracy - there[dataset, other].accuracy))
    if not gains:
        return None
    rng = np.random.default_rng(seed)
    drawn = np.array([rng.choice(each, N_BOOTSTRAP) for each in gains.values()])
    sets = rng.multinomial(len(gains), np.full(len(gains), 1 / len(gains)), N_BOOTSTRAP)
    low, high = np.percentile((sets * drawn.T).sum(axis=1) / len(gains), [2.5, 97.5])
    means = np.array([np.mean(each) for each in gains.values()])
    n_seeds = min(map(len, gains.values()))
    by_seed = [float(np.mean([each[i] for each in gains.values()])) for i in range(n_seeds)]
    better, worse = int((means > 0).sum()), int((means < 0).sum())
    return Difference(float(means.mean()), float(low), float(high), min(by_seed), max(by_seed), better, worse)


def _by_seed(points: Sequence[Point]) -> dict[int, list[Point]]:
    groups: dict[int, list[Point]] = defaultdict(list)
    for point in points:
        groups[point.seed].append(point)
    return groups


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
            "seeds": f"{each.lowest:+.1f} to {each.highest:+.1f}" if each.lowest < each.highest else None,
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
