"""Conformal prediction: sets that contain the true class with a given probability, from held-out scores."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecoc.decoding.evidence import Array, Classes


class OrderStatistics(NamedTuple):
    """Some of n sorted values, with their ranks: thresholds without the samples that they come from.

    With weights, a rank is a sum of weights, in units of the weight that a new sample is expected to have, and n is the
    sum of all: the effective number of samples.
    """

    values: NDArray[np.float32]
    ranks: NDArray[np.float64]
    n: float

    @classmethod
    def of(cls, values: Array, weight: Array, most: int) -> "OrderStatistics":
        """Return at most `most` order statistics, evenly spaced."""
        order = np.argsort(values)
        order = order[weight[order] > 0]
        values, weight = values[order], weight[order]
        # A sample of the weighted population has the weight Σw² / Σw on average.
        ranks = weight.cumsum() * (weight.sum() / max(weight @ weight, 1e-300))
        n = float(ranks[-1]) if len(ranks) else 0.0
        kept = np.arange(len(ranks))
        if len(ranks) > most:
            kept = np.unique(np.searchsorted(ranks, np.linspace(ranks[0], n, most)))
        # Rounded up: many samples may have the same value, as with votes, and all of them must stay below it.
        return cls(np.nextafter(values[kept].astype(np.float32), np.float32(np.inf)), ranks[kept], n)

    def at(self, confidence: float, margin: float = 0.5) -> float:
        """Return the ⌈(n + 1)·confidence⌉-th smallest value, rounded up by a margin; infinity if n is too small."""
        rank = (self.n + 1) * confidence
        if rank <= self.n:
            # Round coverage up by half of a standard deviation: held-out models differ from the final one. With
            # 60 samples of noise and 8 learners, 90 % sets cover 89 % without it, 92 with it, 94 with double; with 300
            # samples 93, 94 and 95.
            rank = min(rank + margin * np.sqrt(self.n * confidence * (1 - confidence)), self.n)
        place = int(np.searchsorted(self.ranks, rank - 1e-9))
        return float(self.values[place]) if place < len(self.values) else np.inf


class SetPredictor:
    """Thresholds on class probabilities that keep a promise of coverage.

    A class belongs to the set of a sample if 1 − p of the class is at most a quantile of 1 − p of the true classes of
    held-out samples (Sadinle, Lei and Wasserman, 2019). Every training sample is held out once, so none is lost to
    calibration (cross-conformal prediction; Vovk, 2015). The probabilities of a sample must come from a decoding
    that did not learn from it. With weights, the promise is for the weighted population.
    """

    def __init__(self, probabilities: Array, y: Classes, weight: Array | None = None) -> None:
        most, most_by_class = 512, 64  # order statistics that are kept: enough for shares of 0.2 and 2 percent
        misses = 1.0 - probabilities[np.arange(len(y)), y]
        weight = np.ones(len(y)) if weight is None else weight
        self.overall = OrderStatistics.of(misses, weight, most)
        self.by_class = [
            OrderStatistics.of(misses[y == c], weight[y == c], most_by_class) for c in range(probabilities.shape[1])
        ]

    def thresholds(self, confidence: float, classes: Any = ()) -> Array:
        """Return the largest 1 − p that belongs to a set, for every class; `classes` have a promise of their own."""
        limits = np.full(len(self.by_class), self.overall.at(confidence))
        for c in classes:
            # Few samples make the quantile of a class uncertain, and one looks at the worst class: twice the margin.
            limits[c] = self.by_class[c].at(confidence, margin=1.0)
        return limits
