"""Standardise the features of samples, which stand beside the outputs where new classes are placed."""

from typing import Any, NamedTuple, Self

import numpy as np
from scipy.sparse import issparse

from ecoc.decoding.evidence import Array
from ecoc.decoding.limits import LIMITS


class FeatureScale(NamedTuple):
    """Mean and standard deviation of each feature."""

    centre: Array
    deviation: Array

    @classmethod
    def of(cls, X: Array) -> Self:
        """Return the scale of samples; missing values do not count, and features that are constant never will."""
        known = np.isfinite(X)
        n = np.maximum(known.sum(axis=0), 1)
        rounding = 1e-9  # relative to the largest value
        with np.errstate(over="ignore", invalid="ignore"):
            centre = np.where(known, X, 0.0).sum(axis=0) / n
            deviation = np.sqrt((np.where(known, X - centre, 0.0) ** 2).sum(axis=0) / n)
        largest = np.abs(np.where(known, X, 0.0)).max(axis=0, initial=0.0)
        return cls(centre, np.where(deviation > rounding * largest, deviation, np.inf))

    def __call__(self, X: Array) -> Array:
        """Return standardised features; a missing value becomes the mean, and an outlier does not count fully."""
        with np.errstate(over="ignore", invalid="ignore"):
            z = (X - self.centre) / self.deviation
        return np.clip(np.nan_to_num(z), -LIMITS.farthest_feature, LIMITS.farthest_feature)


def numbers_of(X: Any) -> Array | None:
    """Return X as an array of numbers; None if it is sparse, has anything else in it, or has too many features."""
    if issparse(X) or not hasattr(X, "shape"):
        return None
    array = np.asarray(X)
    if array.ndim != 2 or array.dtype.kind not in "biuf" or array.shape[1] > LIMITS.most_features:
        return None
    return array.astype(np.float64, copy=False)
