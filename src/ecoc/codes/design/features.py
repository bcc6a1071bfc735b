"""Make sparse features dense, or reduce them to their leading singular directions."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.decomposition import TruncatedSVD

from ecoc.codes.design.distances import class_distances
from ecoc.utils.folds import Folds

Metric = str | Callable[[Any, NDArray[Any]], ArrayLike]

_MOST_DENSE = 2**25  # entries of a sparse X that are worth a dense copy: 256 MB


def data_distances(X: Any, y: NDArray[Any] | None, metric: Metric, folds: Folds | None = None) -> NDArray[np.float64]:
    """Return :func:`ecoc.class_distances`; "mahalanobis" also takes a sparse X, and "confusion" the user's folds."""
    name = metric if isinstance(metric, str) else ""
    options = {"cv": folds} if name == "confusion" and folds is not None else {}
    return class_distances(dense_features(X) if name == "mahalanobis" else X, y, metric, **options)  # type: ignore[arg-type]


def dense_features(X: Any) -> Any:
    """Return X, made dense if it is sparse; a large sparse X by its leading singular directions."""
    if not issparse(X):
        return X
    if X.shape[0] * X.shape[1] <= _MOST_DENSE:
        return X.toarray()
    return TruncatedSVD(min(100, *X.shape), random_state=0).fit_transform(X)
