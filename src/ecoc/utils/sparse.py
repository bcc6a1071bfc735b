"""Sparse samples in the form that all computations may rely on."""

from typing import Any

from scipy.sparse import issparse


def without_duplicates(X: Any) -> Any:
    """Return samples whose sparse rows name each feature once, in order. The user's matrix is not changed.

    A sparse matrix may hold several entries for one element, which means their sum. LIBSVM and functions that square
    the entries get such a matrix wrong.
    """
    if not issparse(X) or X.has_canonical_format:
        return X
    X = X.copy()
    X.sum_duplicates()
    return X
