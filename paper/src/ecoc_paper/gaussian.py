"""Train many Gaussian machines on the same samples, on one Gram matrix in single precision for each γ.

This is for grids of C and γ. Decisions agree with LIBSVM's within the tolerance, not to the last bit.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics.pairwise import rbf_kernel

from ecoc.utils.threads import one_blas_thread

Array = NDArray[np.float64]
Single = NDArray[np.float32]

_TOGETHER = 8  # columns of a product
_FEW = 0.6  # a column that uses a smaller share of the samples is trained on a copy of their part of the Gram matrix


@dataclass(frozen=True)
class Machines:
    """Machines of several columns on the same samples.

    Attributes
    ----------
    coefficients : float32 ndarray of shape (n_samples, n_columns)
        Weight of the kernel value with each sample; 0 where a sample is no support vector.
    intercepts : ndarray of shape (n_columns,)
        The intercepts.
    is_bounded : bool ndarray of shape (n_columns,)
        Whether a multiplier is at its bound C. If none is, every larger C has the same solution.
    is_stopped : bool ndarray of shape (n_columns,)
        Whether the training was stopped after `max_iter` steps, before it converged.
    """

    coefficients: Single
    intercepts: Array
    is_bounded: NDArray[np.bool_]
    is_stopped: NDArray[np.bool_]

    def margins(self, kernel: Single) -> Array:
        """Compute margins from kernel values between some rows and the samples, several columns in one product.

        The margins of a column are the same to the last bit, whatever columns are beside it: all products have the same
        number of columns.
        """
        n_columns = self.coefficients.shape[1]
        padded = np.zeros((len(self.coefficients), -(-n_columns // _TOGETHER) * _TOGETHER), dtype=np.float32)
        padded[:, :n_columns] = self.coefficients
        found = np.empty((len(kernel), padded.shape[1]), dtype=np.float32)
        with one_blas_thread():
            for start in range(0, n_columns, _TOGETHER):
                block = np.ascontiguousarray(padded[:, start : start + _TOGETHER])
                found[:, start : start + _TOGETHER] = kernel @ block
        return found[:, :n_columns].astype(np.float64) + self.intercepts


def gaussian_gram(X: Any, gamma: float, B: Any = None) -> Single:
    """Compute kernel values in single precision between rows of X and of B, by default X itself.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Samples.
    gamma : float
        Inverse width of the kernel.
    B : ndarray of shape (n_others, n_features), default=None
        Other samples.

    Returns
    -------
    float32 ndarray of shape (n_samples, n_others)
        The kernel values; symmetric, with a diagonal of ones, for X itself.
    """
    with one_blas_thread():
        values: Single = rbf_kernel(X, B, gamma=gamma).astype(np.float32)
    if B is None:
        values = (values + values.T) / np.float32(2)
        np.fill_diagonal(values, 1.0)
    return values


def fit_machines(
    gram: Single, sides: NDArray[Any], C: float, *, start: int = 0, tol: float = 1e-3, max_iter: int = 100_000
) -> Machines:
    """Train a machine for each column of sides.

    Parameters
    ----------
    gram : float32 ndarray
        A Gram matrix of :func:`gaussian_gram`.
    sides : ndarray of shape (n_samples, n_columns)
        +1, −1, or 0 for samples that a column leaves out; for the samples `start`, `start` + 1, … of the matrix.
    C : float
        Bound of the multipliers.
    start : int, default=0
        The first sample to train on.
    tol : float, default=1e-3
        Largest violation of the optimality conditions at which a machine is finished, as in LIBSVM.
    max_iter : int, default=100000
        Most steps of a machine.

    Returns
    -------
    Machines
        The trained machines. A column whose samples are all on one side predicts this side for every sample.

    Examples
    --------
    >>> import numpy as np
    >>> from ecoc_paper.gaussian import fit_machines, gaussian_gram
    >>> X = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    >>> gram = gaussian_gram(X, gamma=0.5)
    >>> machines = fit_machines(gram, np.array([[-1], [-1], [1], [1]]), C=10.0)
    >>> machines.margins(gaussian_gram(np.array([[-1.5], [1.5]]), 0.5, X)).round(1).ravel()
    array([-1.1,  1.1])
    """
    coefficients = np.zeros(sides.shape, dtype=np.float32)
    intercepts = np.zeros(sides.shape[1])
    is_bounded, is_stopped = np.zeros((2, sides.shape[1]), dtype=bool)
    for j, y in enumerate(np.ascontiguousarray(sides.T, dtype=np.float64)):
        beta, intercepts[j], steps = _fit(gram, start, y, C, tol, max_iter)
        coefficients[:, j] = beta
        is_bounded[j], is_stopped[j] = bool(np.abs(beta).max() >= C), steps < 0
    return Machines(coefficients, intercepts, is_bounded, is_stopped)


def _fit(gram: Single, start: int, y: Array, C: float, tol: float, max_iter: int) -> tuple[Array, float, int]:
    """Return the coefficients, the intercept and the steps of a machine; the steps are negative if it was stopped."""
    from ecoc_paper._gaussian_kernels import solve

    used = np.flatnonzero(y)
    if len(used) == 0 or (y[used] == y[used[0]]).all():
        return np.zeros(len(y)), float(y[used[:1]].sum()), 0
    if len(used) >= _FEW * len(y):
        return solve(gram, start, y, float(C), tol, max_iter)
    part = gram[np.ix_(start + used, start + used)]
    beta = np.zeros(len(y))
    beta[used], intercept, steps = solve(part, 0, y[used], float(C), tol, max_iter)
    return beta, intercept, steps
