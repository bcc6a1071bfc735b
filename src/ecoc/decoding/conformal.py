"""Which classes are possible? Sets that hold the true class with a promised probability, from held-out scores."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Classes = NDArray[np.intp]

_MOST = 10_000  # held-out samples that thresholds are computed from


class SetPredictor:
    """Thresholds on class probabilities that keep a promise of coverage.

    A class belongs to the set of a sample if 1 − p of the class is at most a quantile of 1 − p of the true classes of
    held-out samples (Sadinle, Lei and Wasserman, 2019). Every training sample is held out once, so none is lost to
    calibration (cross-conformal prediction; Vovk, 2015).

    Parameters
    ----------
    probabilities : ndarray of shape (n_samples, n_classes)
        Probabilities of held-out samples, each from a decoding that did not learn from the sample.
    y : ndarray of shape (n_samples,)
        True classes.
    """

    def __init__(self, probabilities: Array, y: Classes) -> None:
        self.n_classes = probabilities.shape[1]
        miss = 1.0 - probabilities[np.arange(len(y)), y]
        order = np.argsort(miss, kind="stable")
        if len(order) > _MOST:
            order = order[np.linspace(0, len(order) - 1, _MOST).round().astype(int)]
        self.misses, self.y = miss[order].astype(np.float32), y[order].astype(np.int32)

    def thresholds(self, confidence: float, classes: Any = ()) -> Array:
        """Return the largest 1 − p that belongs to a set, for every class; `classes` have a promise of their own."""
        limits = np.full(self.n_classes, _quantile(self.misses, confidence))
        for c in classes:
            limits[c] = _quantile(self.misses[self.y == c], confidence)
        return limits


def _quantile(ordered: Any, confidence: float) -> float:
    """Return the ⌈(n + 1)·confidence⌉-th smallest value; infinity if there are too few for the promise."""
    n = len(ordered)
    rank = int(np.ceil((n + 1) * confidence - 1e-9))
    return float(ordered[rank - 1]) if 1 <= rank <= n else np.inf
