"""Operating points: a method with a setting on a data set, for a tuning and a decoding, over all folds."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ecoc_paper.experiments.evaluation import OWN
from ecoc_paper.experiments.protocol import in_order
from ecoc_paper.experiments.store import Row

DECODINGS = {"hamming": "HD", "loss_weighted": "LWD", "discriminant": "discriminant"}
MEASURES = {"support": "support vectors", "columns": "classifiers"}


@dataclass(frozen=True)
class Point:
    """An operating point.

    Attributes
    ----------
    dataset, tuning, decoding, method : str
        What it is a point of.
    setting : str
        The setting, or several with commas if they predict the same class for every test row.
    correct, n_test : tuple of int
        Correct test rows and test rows of each fold.
    columns, support : float
        Mean number of columns, and of different support vectors; NaN for a method without them.
    complexity : dict
        Both relative to the largest of any method on the data set.
    correlation : float
        Mean correlation of codeword distances with class distances; NaN if all codewords are equally far apart.
    digests : tuple of str
        What it predicts on each fold.
    seed : int
        Seed of the repetition: of folds, rows and codes.
    """

    dataset: str
    tuning: str
    decoding: str
    method: str
    setting: str
    correct: tuple[int, ...]
    n_test: tuple[int, ...]
    columns: float
    support: float
    complexity: dict[str, float]
    correlation: float
    digests: tuple[str, ...]
    seed: int = 0

    @property
    def accuracy(self) -> float:
        """Share of the test rows of all folds that are correct."""
        return sum(self.correct) / sum(self.n_test)

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of the accuracy."""
        return wilson(sum(self.correct), sum(self.n_test))


def points(rows: Iterable[Row]) -> list[Point]:
    """Return the operating points of finished cells, without those that lack a fold that others have.

    Repetitions have points of their own: see `merged` and `pooled`.

    A method that has no decoding has a point for every decoding of the others.
    """
    groups: dict[tuple[int, str, str, str], list[dict[str, Any]]] = defaultdict(list)
    for row in sorted(rows, key=lambda row: row.cell.fold):
        if "correct" in row.result:
            groups[row.seed, row.cell.dataset, row.cell.method, row.cell.setting].append(row.result)
    n_folds: dict[tuple[int, str], int] = defaultdict(int)
    for (seed, dataset, _, _), results in groups.items():
        n_folds[seed, dataset] = max(n_folds[seed, dataset], len(results))
    whole = {key: results for key, results in groups.items() if len(results) == n_folds[key[:2]]}
    tunings = in_order(t for results in whole.values() for t in results[0]["correct"])
    names = {name for results in whole.values() for each in results[0]["correct"].values() for name in each} - {OWN}
    decodings = [name for name in DECODINGS if name in names] + sorted(names - DECODINGS.keys()) or [OWN]
    found = [
        _point(*key, tuning, decoding, results)
        for key, results in whole.items()
        for tuning in tunings
        for decoding in decodings
    ]
    return _with_complexity(found)


def _point(
    seed: int, dataset: str, method: str, setting: str, tuning: str, decoding: str, results: list[dict[str, Any]]
) -> Point:
    name = decoding if decoding in results[0]["correct"][tuning] else OWN
    return Point(
        dataset,
        tuning,
        decoding,
        method,
        setting,
        tuple(result["correct"][tuning][name] for result in results),
        tuple(result["n_test"] for result in results),
        _mean([result["n_columns"] for result in results]),
        _mean([result["n_support"][tuning] for result in results]),
        {},
        _mean([result.get("correlation") for result in results]),
        tuple(result["predictions"][tuning][name] for result in results),
        seed,
    )


def _with_complexity(found: Sequence[Point]) -> list[Point]:
    most: dict[tuple[Any, ...], float] = defaultdict(float)
    for point in found:
        for measure in MEASURES:
            key = (point.seed, point.dataset, point.tuning, measure)
            most[key] = max(most[key], np.nan_to_num(getattr(point, measure)))
    return [
        replace(
            point,
            complexity={
                measure: getattr(point, measure) / (most[point.seed, point.dataset, point.tuning, measure] or np.nan)
                for measure in MEASURES
            },
        )
        for point in found
    ]


def merged(found: Iterable[Point]) -> list[Point]:
    """Make one point of those of a method that predict the same; its settings are joined."""
    groups: dict[tuple[Any, ...], list[Point]] = defaultdict(list)
    for point in found:
        groups[point.seed, point.dataset, point.tuning, point.decoding, point.method, point.digests].append(point)
    return [replace(same[0], setting=", ".join(point.setting for point in same)) for same in groups.values()]


def pooled(found: Iterable[Point]) -> list[Point]:
    """Make one point of those of all repetitions: correct rows of all, and means of the other numbers."""
    groups: dict[tuple[str, ...], list[Point]] = defaultdict(list)
    for point in found:
        groups[point.dataset, point.tuning, point.decoding, point.method, point.setting].append(point)
    return [
        replace(
            same[0],
            correct=tuple(n for point in same for n in point.correct),
            n_test=tuple(n for point in same for n in point.n_test),
            columns=_mean([point.columns for point in same]),
            support=_mean([point.support for point in same]),
            complexity={m: _mean([point.complexity[m] for point in same]) for m in MEASURES},
            correlation=_mean([point.correlation for point in same]),
        )
        for same in groups.values()
    ]


def wilson(right: int, n: int, z: float = 1.959964) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share."""
    share = right / n
    centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    return float(centre - half), float(centre + half)


def _mean(values: Sequence[float | None]) -> float:
    known = [value for value in values if value is not None and np.isfinite(value)]
    return float(np.mean(known)) if known else np.nan
