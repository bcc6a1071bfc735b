"""How often would classes be mistaken for each other under a code? A bound, and codes that lower it.

If outputs of class i scatter around its mean with a covariance that all classes share, a discriminant confuses two
classes at a distance d (in standard deviations) at most in a share of exp(−d²/8). One-vs-all outputs of a least-squares
proxy have means M and covariance S; those of a code X have means MX and covariance XᵀSX, whence d² for every pair. The
sum over pairs, weighted by √(π_i π_j), is what is made small, one column at a time: given the other columns, a column x
adds (u_i − u_j)²/q to d², where u = Rx and q = xᵀQx are what the others have left of M and S.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve, eigh
from sklearn.covariance import ledoit_wolf_shrinkage

from ecoc.utils.threads import one_blas_thread

Array = NDArray[np.float64]

# Measured as the mean accuracy of SVC(C=10) on letter and pendigits (600 training samples, k/4 and k/2 columns,
# one split, standard error about 1 point): 86.4 as they are.
_STARTS = 12  # columns that a new column starts from; half 86.4, double 86.2
_RESTARTS = 3  # columns that a changed column starts from; half 87.0, double 85.9
_SWEEPS = 6  # most passes over the columns; half 86.3, double 86.4
_SPREAD = 0.01  # weight of a pair at Hamming distance 0, a quarter of it at 1, and so on; half 86.3, double 87.4
_RIDGE = 1e-9  # of variances, relative to the total
_NOTHING_NEW = 1e-7


class ErrorBound:
    """Bound on the errors under any code, from held-out one-vs-all outputs.

    Parameters
    ----------
    outputs : ndarray of shape (n_samples, n_classes)
        Held-out one-vs-all outputs, see `proxy_outputs`.
    y : ndarray of shape (n_samples,)
        Classes of the samples, 0 to n_classes − 1.

    Attributes
    ----------
    means : ndarray of shape (n_classes, n_classes)
        Mean outputs of each class.
    covariance : ndarray of shape (n_classes, n_classes)
        How outputs scatter around them, shrunk.
    weights : ndarray of shape (n_classes, n_classes)
        How much a pair of classes counts, by its samples.

    Examples
    --------
    >>> import numpy as np
    >>> from ecoc.refinement import ErrorBound, proxy_outputs
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> held_out = proxy_outputs(X, y, np.random.default_rng(0))

    With one column, two of the classes share a codeword, and are bound to be confused:

    >>> bound = ErrorBound(held_out.outputs, held_out.y)
    >>> code = np.array([[1, -1], [-1, 1], [-1, -1]], dtype=np.int8)
    >>> bound.value(code[:, :1]) > bound.value(code)
    True
    >>> bound.extend(code, 3, np.random.default_rng(0)).shape
    (3, 3)
    """

    def __init__(self, outputs: Array, y: NDArray[np.intp]) -> None:
        k = outputs.shape[1]
        size = np.bincount(y, minlength=k)
        self.means = np.zeros((k, k))
        np.add.at(self.means, y, outputs)
        self.means /= np.maximum(size, 1)[:, None]
        residuals = outputs - self.means[y]
        covariance = residuals.T @ residuals / max(len(y) - k, 1)
        deviation = np.sqrt(np.diag(covariance)) + 1e-12
        shrinkage = ledoit_wolf_shrinkage(residuals / deviation, assume_centered=True)
        covariance = (1 - shrinkage) * covariance + shrinkage * np.diag(np.diag(covariance))
        floor = 1e-6 * (np.trace(covariance) / k + outputs.var()) + 1e-12  # classes of one sample each have no scatter
        self.covariance = covariance + floor * np.eye(k)
        self.weights = np.sqrt(np.outer(size, size)) / len(y)

    def value(self, code: NDArray[np.int8]) -> float:
        """Compute the bound for a code.

        Parameters
        ----------
        code : int8 ndarray of shape (n_classes, n_columns)
            Entries ±1.

        Returns
        -------
        float
            Sum over pairs of classes, weighted by how many samples they have.
        """
        distances, _, _ = self._left(code.astype(np.float64))
        pairs = np.tril_indices(len(code), -1)
        return float((self.weights[pairs] * np.exp(-distances[pairs] / 8)).sum())

    def improve(
        self, code: NDArray[np.int8], min_distance: NDArray[np.int64], rng: np.random.Generator
    ) -> NDArray[np.int8]:
        """Change columns, one after the other, while that lowers the bound; codewords keep their distances.

        Parameters
        ----------
        code : int8 ndarray of shape (n_classes, n_columns)
            Entries ±1.
        min_distance : ndarray of shape (n_classes, n_classes)
            Smallest Hamming distances.
        rng : numpy.random.Generator
            Draws columns to start from.

        Returns
        -------
        int8 ndarray of shape (n_classes, n_columns)
            A code of the same length.
        """
        X = code.astype(np.float64)
        last = np.inf
        for _ in range(_SWEEPS):
            reached = np.inf
            for j in range(X.shape[1]):
                others = np.delete(X, j, axis=1)
                starts = [X[:, j], *rng.choice([-1.0, 1.0], size=(_RESTARTS - 1, len(X)))]
                reached, X[:, j] = self._best_column(others, starts, min_distance)
            if reached > last * (1 - 1e-4):
                break
            last = reached
        return X.astype(np.int8)

    def extend(self, code: NDArray[np.int8], n_columns: int, rng: np.random.Generator) -> NDArray[np.int8]:
        """Add columns, each the best there is after those before it.

        Parameters
        ----------
        code : int8 ndarray of shape (n_classes, n_columns)
            Entries ±1.
        n_columns : int
            How many there are to be.
        rng : numpy.random.Generator
            Draws columns to start from.

        Returns
        -------
        int8 ndarray of shape (n_classes, n_columns)
            The code, and the new columns after it.

        Raises
        ------
        ValueError
            If no further column tells the classes apart in a new way.
        """
        X = code.astype(np.float64)
        anything = np.zeros((len(X), len(X)), dtype=np.int64)
        while X.shape[1] < n_columns:
            value, column = self._best_column(X, self._directions(X, rng), anything)
            if not np.isfinite(value):
                raise ValueError("No further column tells the classes apart in a new way.")
            X = np.column_stack([X, column])
        return X.astype(np.int8)

    def order(self, code: NDArray[np.int8]) -> NDArray[np.intp]:
        """Put columns in an order in which each adds most to those before it.

        Parameters
        ----------
        code : int8 ndarray of shape (n_classes, n_columns)
            Entries ±1.

        Returns
        -------
        ndarray of shape (n_columns,)
            The columns in that order.
        """
        left = list(range(code.shape[1]))
        order: list[int] = []
        while left:
            values = [self.value(code[:, np.array([*order, j])]) for j in left]
            order.append(left.pop(int(np.argmin(values))))
        return np.array(order)

    def _left(self, X: Array) -> tuple[Array, Array, Array]:
        """Squared distances of the classes under a code, and what it leaves of means and covariance for others."""
        k = len(self.means)
        if X.shape[1] == 0:
            return np.zeros((k, k)), self.means, self.covariance
        with one_blas_thread():
            across = self.covariance @ X
            within = X.T @ across
            within += _RIDGE * np.trace(within) / len(within) * np.eye(len(within))
            factor = cho_factor(within)
            projected = self.means @ X
            gram = projected @ cho_solve(factor, projected.T)
            explained = cho_solve(factor, across.T)
            squares = np.diag(gram)
            distances = np.maximum(squares[:, None] + squares - 2 * gram, 0.0)
            covariance = self.covariance - across @ explained
        covariance = (covariance + covariance.T) / 2 + _RIDGE * np.trace(self.covariance) / k * np.eye(k)
        return distances, self.means - projected @ explained, covariance

    def _best_column(self, others: Array, starts: list[Array], min_distance: NDArray[np.int64]) -> tuple[float, Array]:
        from ecoc.refinement._bound_kernels import descend

        hamming = (others.shape[1] - others @ others.T) / 2
        equal = _SPREAD * self.weights.mean() * 0.75 * 4.0**-hamming  # what it costs two classes to be on one side
        equal += 100.0 * self.weights.max() * len(equal) * (hamming < min_distance)
        distances, means, covariance = self._left(others)
        confused = self.weights * np.exp(-distances / 8)
        least = _NOTHING_NEW * np.trace(self.covariance)
        best, column = np.inf, starts[0]
        for start in starts:
            x = np.where(start > 0, 1.0, -1.0)
            if abs(x.sum()) == len(x):
                x[0] = -x[0]
            value = descend(confused, np.ascontiguousarray(means), covariance, equal, x, least)
            if value < best * (1 - 1e-9):
                best, column = value, x
        return best, column

    def _directions(self, X: Array, rng: np.random.Generator) -> list[Array]:
        """Where the classes that are still confused lie apart, as signs, and some signs at random."""
        distances, means, covariance = self._left(X)
        confused = self.weights * np.exp(-distances / 8)
        laplacian = np.diag(confused.sum(axis=1)) - confused
        ridge = 1e-3 * np.trace(covariance) / len(X) * np.eye(len(X))
        with one_blas_thread():
            _, vectors = eigh(means.T @ laplacian @ means, covariance + ridge)
        leading = list(vectors.T[::-1][:3])
        starts = [vector - np.median(vector) for vector in leading] + leading
        return starts + list(rng.choice([-1.0, 1.0], size=(_STARTS - len(starts), len(X))))
