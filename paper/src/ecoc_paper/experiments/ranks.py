"""Average ranks over data sets, Friedman's test and Nemenyi's critical difference."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ecoc_paper.experiments.points import Point


@dataclass(frozen=True)
class Ranking:
    """Average ranks over data sets, 1 the best, with Friedman's p-value and Nemenyi's critical difference."""

    methods: list[str]
    ranks: NDArray[np.float64]
    n_datasets: int
    p_value: float
    critical_difference: float


def accuracy_table(points: Sequence[Point]) -> tuple[list[str], list[str], NDArray[np.float64]]:
    """Return data sets, methods, and for each pair the mean accuracy over settings and seeds, with its range."""
    datasets = list(dict.fromkeys(point.dataset for point in points))
    methods = list(dict.fromkeys(point.method for point in points))
    table = np.full((len(datasets), len(methods), 3), np.nan)
    for i, dataset in enumerate(datasets):
        for j, method in enumerate(methods):
            own = [point for point in points if (point.dataset, point.method) == (dataset, method)]
            if own:
                seeds = [
                    np.mean([p.accuracy for p in own if p.seed == seed]) for seed in dict.fromkeys(p.seed for p in own)
                ]
                table[i, j] = np.mean(seeds), min(seeds), max(seeds)
    return datasets, methods, table


def ranking(methods: Sequence[str], scores: NDArray[np.float64], alpha: float = 0.05) -> Ranking | None:
    """Test scores (data sets × methods) of the methods that have all; None if there is nothing to compare."""
    from scipy.stats import friedmanchisquare, rankdata, studentized_range

    complete = np.flatnonzero(np.isfinite(scores).all(axis=0)).tolist()
    methods, scores = [methods[i] for i in complete], scores[:, complete]
    n, k = scores.shape
    if n < 2 or k < 3:
        return None
    ranks = rankdata(-scores.round(12), axis=1).mean(axis=0)
    p_value = float(friedmanchisquare(*scores.T).pvalue)
    q = float(studentized_range.ppf(1 - alpha, k, np.inf)) / np.sqrt(2)
    return Ranking(methods, ranks, n, p_value, float(q * np.sqrt(k * (k + 1) / (6 * n))))
