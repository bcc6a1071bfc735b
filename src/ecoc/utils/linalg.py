"""Cholesky factor of a covariance that rounding made indefinite, with as small a ridge as it takes."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def definite_root(covariance: Array, ridge: float) -> Array:
    """Return the Cholesky factor of a covariance with a ridge, which is raised until the matrix is definite.

    Parameters
    ----------
    covariance : ndarray of shape (n, n)
        Symmetric, and definite but for rounding.
    ridge : float
        Share of the mean variance that is added to the variances, at least.

    Returns
    -------
    ndarray of shape (n, n)
        Lower triangular.

    Examples
    --------
    >>> import numpy as np
    >>> from ecoc.utils.linalg import definite_root
    >>> definite_root(np.array([[1.0, 1.0], [1.0, 1.0 - 1e-12]]), 1e-15).shape
    (2, 2)
    """
    steps = (1.0, 1e3, 1e6, 1e9)
    n = len(covariance)
    unit = max(float(np.trace(covariance)) / max(n, 1), 1e-300) * np.eye(n)
    for step in steps[:-1]:
        try:
            return np.asarray(np.linalg.cholesky(covariance + step * ridge * unit))
        except np.linalg.LinAlgError:
            continue
    return np.asarray(np.linalg.cholesky(covariance + steps[-1] * ridge * unit))
