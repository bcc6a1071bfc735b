"""Class means and common covariance of the outputs of a code, as linear maps.

One-vs-all outputs have class means M (k × k) and a covariance S within the classes (k × k). Those of a code X have the
means MX and the covariance XᵀSX. With few classes, M and S are stored. With many, they are products of thin matrices
plus a diagonal, as the outputs are (see `HeldOut`).
"""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.covariance import ledoit_wolf_shrinkage

from ecoc.codes.refinement.limits import LIMITS
from ecoc.codes.refinement.proxy import HeldOut
from ecoc.utils.threads import one_blas_thread

Array = NDArray[np.float64]
Index = NDArray[np.intp]


class Moments:
    """Class means and common covariance of held-out outputs."""

    def __init__(self, held_out: HeldOut) -> None:
        y, k = held_out.y, held_out.n_classes
        size = np.maximum(np.bincount(y, minlength=k), 1)
        average = csr_array((1 / size[y], (y, np.arange(len(y)))), shape=(k, len(y)))
        self.n_classes = k
        self.shares = np.bincount(y, minlength=k) / len(y)
        self._weights = held_out.weights
        freedom = max(len(y) - k, 1)
        with one_blas_thread():
            self._centres: Array = average @ held_out.features
            self._own: Array = average @ held_out.own
            around = held_out.features - self._centres[y]
            own = held_out.own - self._own[y]
            within = around.T @ around / freedom
            scatter = within if self._weights is None else self._weights.T @ within
            total = csr_array((np.ones(len(y)), (y, np.arange(len(y)))), shape=(k, len(y)))
            # What a sample adds to its own class correlates with its features. Of this, only the variances are kept.
            cross: Array = total @ (around * own[:, None]) / freedom
            on_diagonal: Array = total @ own**2 / freedom
            right = np.eye(k) if self._weights is None else self._weights
            on_diagonal = np.maximum(on_diagonal + 2 * np.einsum("ij,ji->i", cross, right), 0)  # stays a covariance
            raw = np.einsum("ij,ji->i", scatter, right) + on_diagonal
            shrinkage = self._shrinkage(around, own, y, np.sqrt(np.maximum(raw, 0)) + 1e-12)
        self._scatter = (1 - shrinkage) * scatter
        spread = float(np.mean(self.mean_entries(np.arange(k), np.arange(k)) ** 2)) / k
        floor = LIMITS.variance_floor * (raw.mean() + spread) + 1e-12
        self._diagonal = shrinkage * (raw - on_diagonal) + on_diagonal + floor
        self.variances: Array = raw + floor

    def means(self, X: Array) -> Array:
        """Return the class means of the outputs of a code."""
        return np.asarray(self._centres @ self._weigh(X) + _scaled(self._own, X))

    def transposed_means(self, V: Array) -> Array:
        """Return the product of the transposed matrix of means with columns."""
        product = self._centres.T @ V
        return np.asarray((product if self._weights is None else self._weights.T @ product) + _scaled(self._own, V))

    def covariance(self, X: Array) -> Array:
        """Return the covariances between one-vs-all outputs and the outputs of a code."""
        return np.asarray(self._scatter @ self._weigh(X) + _scaled(self._diagonal, X))

    def mean_entries(self, rows: Index, columns: Index) -> Array:
        """Return entries of the matrix of means."""
        return entries_of_product(self._centres, self._weights, rows, columns) + np.where(
            rows == columns, self._own[rows], 0
        )

    def covariance_entries(self, rows: Index, columns: Index) -> Array:
        """Return entries of the covariance."""
        found = entries_of_product(self._scatter, self._weights, rows, columns)
        return found + np.where(rows == columns, self._diagonal[rows], 0)

    def _weigh(self, X: Array) -> Array:
        return X if self._weights is None else self._weights @ X

    def _shrinkage(self, around: Array, own: Array, y: Index, deviation: Array) -> float:
        """Return the share of the diagonal in the covariance, by the estimate of Ledoit and Wolf for correlations."""
        k = self.n_classes
        classes = (
            np.arange(k)
            if k <= LIMITS.shrinkage_classes
            else np.linspace(0, k - 1, LIMITS.shrinkage_classes).astype(np.intp)
        )
        residuals = around[:, classes] if self._weights is None else around @ self._weights[:, classes]
        residuals = residuals + own[:, None] * (y[:, None] == classes)
        return float(ledoit_wolf_shrinkage(residuals / deviation[classes], assume_centered=True))


def _scaled(diagonal: Array, X: Array) -> Array:
    return diagonal * X if X.ndim == 1 else diagonal[:, None] * X


def entries_of_product(left: Array, right: Array | None, rows: Index, columns: Index) -> Array:
    """Return entries of left @ right; None stands for the identity."""
    if right is None:
        return left[rows, columns]
    if len(left) * right.shape[1] <= 2**14:  # cheaper as a whole
        return np.asarray((left @ right)[rows, columns])
    from ecoc.codes.refinement._bound_kernels import dot_products

    return dot_products(np.ascontiguousarray(left), np.ascontiguousarray(right.T), rows, columns)
