"""Alternating projections, Algorithm 2 of the paper, which make a design representable."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ecoc.codes.design.checks import Matrix, check_between_classes
from ecoc.utils.threads import one_blas_thread


class Alternated(NamedTuple):
    """A matrix between two sets, and how far it is from both.

    Attributes
    ----------
    matrix : ndarray of shape (n_classes, n_classes)
        Unit diagonal, entries in [−1, 1], positive semi-definite up to `least_eigenvalue`.
    n_iter : int
        Number of rounds.
    least_eigenvalue : float
        Smallest eigenvalue of the matrix. It is negative unless the rounds have converged to the last bit.
    """

    matrix: Matrix
    n_iter: int
    least_eigenvalue: float


def alternating_projections(D: ArrayLike, *, tol: float = 1e-9, max_iter: int = 1000) -> Alternated:
    """Alternate between positive semi-definite matrices and those with unit diagonal and entries in [−1, 1].

    This is the paper's Algorithm 2. Without Dykstra's correction the rounds end at a matrix in both sets that is near
    D, but not the nearest; :func:`~ecoc.nearest_correlation` finds that.

    Parameters
    ----------
    D : array-like of shape (n_classes, n_classes)
        Symmetric design matrix.
    tol : float, default=1e-9
        Largest change of an entry in a round at which to stop.
    max_iter : int, default=1000
        Most rounds.

    Returns
    -------
    Alternated
        The matrix, the number of rounds, and its smallest eigenvalue.

    Examples
    --------
    >>> from ecoc.codes.design import alternating_projections
    >>> alternating_projections([[1, -1, -1], [-1, 1, -1], [-1, -1, 1]]).matrix.round(3)
    array([[ 1. , -0.5, -0.5],
           [-0.5,  1. , -0.5],
           [-0.5, -0.5,  1. ]])
    """
    matrix = check_between_classes(D, "D")
    np.fill_diagonal(matrix, 1)
    with one_blas_thread():
        n_iter, change = 0, np.inf
        while change > tol and n_iter < max_iter:
            n_iter += 1
            values, vectors = np.linalg.eigh(matrix)
            projected = np.clip((vectors * np.maximum(values, 0)) @ vectors.T, -1, 1)
            projected = (projected + projected.T) / 2
            np.fill_diagonal(projected, 1)
            change = np.abs(projected - matrix).max()
            matrix = projected
        least = float(np.linalg.eigvalsh(matrix)[0])
    return Alternated(matrix, n_iter, least)
