"""Bound the share of confused samples under a code, and find codes that lower the bound.

Suppose that the outputs of class i scatter around its mean, with a covariance that is the same for all classes. Then a
discriminant confuses two classes that are d standard deviations apart in a share of at most exp(−d²/8) of the samples.
The sum of these shares over pairs of classes, weighted by √(π_i π_j) with the shares π of the classes, is made small.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from ecoc.codes.refinement.limits import LIMITS, Limits
from ecoc.codes.refinement.moments import Moments
from ecoc.codes.refinement.proxy import HeldOut
from ecoc.codes.refinement.search import ColumnSearch, near_pairs
from ecoc.utils.linalg import definite_root
from ecoc.utils.threads import one_blas_thread

Array = NDArray[np.float64]
Code = NDArray[np.int8]
Ints = NDArray[np.int64]


class ErrorBound:
    """Bound on the errors under any code, from held-out outputs.

    Parameters
    ----------
    held_out : HeldOut
        Held-out outputs, see `proxy_outputs`.
    limits : Limits, default=LIMITS
        Numbers of sweeps, starts and pairs.

    Attributes
    ----------
    moments : Moments
        Class means and covariance of one-vs-all outputs.

    Examples
    --------
    >>> import numpy as np
    >>> from ecoc.codes.refinement import ErrorBound, proxy_outputs
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> bound = ErrorBound(proxy_outputs(X, y, np.random.default_rng(0)))

    With one column, two of the three classes share a codeword and are confused:

    >>> code = np.array([[1, -1], [-1, 1], [-1, -1]], dtype=np.int8)
    >>> bound.value(code[:, :1]) > bound.value(code)
    True
    >>> bound.extend(code, 3, np.random.default_rng(0)).shape
    (3, 3)
    """

    def __init__(self, held_out: HeldOut, limits: Limits = LIMITS) -> None:
        self.moments = Moments(held_out)
        self.limits = limits

    def value(self, code: Code) -> float:
        """Compute the bound for a code.

        Parameters
        ----------
        code : int8 ndarray of shape (n_classes, n_columns)
            Entries ±1.

        Returns
        -------
        float
            Sum over all pairs of classes, weighted by their samples. With more than 1,000 classes, an estimate from
            the pairs of 1,000 of them.
        """
        with one_blas_thread():
            points, root = self._points(code), np.sqrt(self.moments.shares)
            k = len(points)
            rows = (
                np.arange(k)
                if k <= self.limits.value_rows
                else np.linspace(0, k - 1, self.limits.value_rows).astype(np.intp)
            )
            squares = np.einsum("ij,ij->i", points, points)
            distances = squares[rows, None] + squares - 2 * points[rows] @ points.T
            terms = np.exp(-np.maximum(distances, 0) / 8) * root
            terms[np.arange(len(rows)), rows] = 0
        return float(root[rows] @ terms.sum(axis=1)) / 2 * k / len(rows)

    def improve(
        self, code: Code, min_distance: Ints, rng: np.random.Generator, n_sweeps: int = LIMITS.n_sweeps
    ) -> Code:
        """Change columns, one after the other, while that lowers the bound.

        Parameters
        ----------
        code : int8 ndarray of shape (n_classes, n_columns)
            Entries ±1, with codewords at the smallest distances at least.
        min_distance : ndarray of shape (1, 1) or (n_classes, n_classes)
            Smallest Hamming distances. They are kept.
        rng : numpy.random.Generator
            Draws columns to start from.
        n_sweeps : int, default=6
            Largest number of sweeps over all columns. Many classes get fewer.

        Returns
        -------
        int8 ndarray of shape (n_classes, n_columns)
            A code of the same length.
        """
        k, l = code.shape
        with one_blas_thread():
            pairs = near_pairs(self._points(code), self.limits)
            search = ColumnSearch(self.moments, code, pairs, min_distance)
            every = 2**62 if pairs.is_complete else max(1, min(l // self.limits.n_renewals, k * l // 10_000))
            last, visited = np.inf, 0
            for _ in range(max(1, min(n_sweeps, int(self.limits.sweep_work / (k * l))))):
                for j in range(l):
                    search.replace(j, self.limits.n_random if pairs.is_complete else 0, rng)
                    visited += 1
                    if visited % every == 0:
                        search = ColumnSearch(
                            self.moments, search.code, near_pairs(search.points, self.limits), min_distance
                        )
                value = search.value()
                if value > last * (1 - self.limits.small_gain) or value < self.limits.negligible:
                    break
                last = value
        return search.code.astype(np.int8)

    def extend(self, code: Code, n_columns: int, rng: np.random.Generator) -> Code:
        """Add columns, each of them the best after those before it.

        Parameters
        ----------
        code : int8 ndarray of shape (n_classes, n_columns)
            Entries ±1.
        n_columns : int
            Number of columns of the result.
        rng : numpy.random.Generator
            Draws columns to start from.

        Returns
        -------
        int8 ndarray of shape (n_classes, n_columns)
            The code, followed by the new columns.

        Raises
        ------
        ValueError
            If no further column tells the classes apart in a new way.
        """
        anything = np.zeros((1, 1), dtype=np.int64)
        with one_blas_thread():
            search = ColumnSearch(self.moments, code, near_pairs(self._points(code), self.limits), anything)
            while (l := search.code.shape[1]) < n_columns:
                if not search.append(self._starts(search, rng)):
                    raise ValueError(f"After {l} columns, no further column tells the classes apart in a new way.")
                if not search.pairs.is_complete:
                    search = ColumnSearch(self.moments, search.code, near_pairs(search.points, self.limits), anything)
        return search.code.astype(np.int8)

    def order(self, code: Code) -> NDArray[np.intp]:
        """Put columns in an order in which each adds most to those before it.

        Parameters
        ----------
        code : int8 ndarray of shape (n_classes, n_columns)
            Entries ±1.

        Returns
        -------
        ndarray of shape (n_columns,)
            The columns in that order. After 64 columns, the others stay as they are.
        """
        from ecoc.codes.refinement._bound_kernels import add_squares, values_with

        with one_blas_thread():
            pairs = near_pairs(self._points(code), self.limits)
            X = code.astype(np.float64)
            means, covariance = self.moments.means(X), X.T @ self.moments.covariance(X)
        root = np.sqrt(self.moments.shares)
        weights, distances = root[pairs.own] * root[pairs.other], np.zeros(len(pairs.other))
        left: list[int] = list(range(X.shape[1]))
        order: list[int] = []
        while left and len(order) < self.limits.most_ordered:
            # `means` and `covariance` are what the chosen columns leave of those of the others.
            variances = np.maximum(np.diag(covariance), 1e-12 * covariance.max())
            columns = np.array(left)
            values = values_with(*pairs[:2], weights, distances, np.ascontiguousarray(means.T), variances, columns)
            best = left.pop(int(np.argmin(values)))
            order.append(best)
            add_squares(distances, *pairs[:2], 1 / variances[best], means[:, best].copy())
            ties = covariance[best] / variances[best]
            means, covariance = means - np.outer(means[:, best], ties), covariance - np.outer(covariance[best], ties)
        return np.array(order + left)

    def _points(self, code: Code) -> Array:
        """Return class means in coordinates in which the outputs of the code have the identity as their covariance."""
        X = code.astype(np.float64)
        if X.shape[1] == 0:
            return np.zeros((len(X), 1))
        root = definite_root(X.T @ self.moments.covariance(X), self.limits.ridge)
        return np.asarray(solve_triangular(root, self.moments.means(X).T, lower=True).T)

    def _starts(self, search: ColumnSearch, rng: np.random.Generator) -> list[Array]:
        leading = search.directions(rng, self.limits.n_starts // 2)
        random = [rng.choice([-1.0, 1.0], size=len(leading[0])) for _ in range(self.limits.n_starts)]
        starts = [vector - np.median(vector) for vector in leading] + leading
        return starts + (random if search.pairs.is_complete else [])
