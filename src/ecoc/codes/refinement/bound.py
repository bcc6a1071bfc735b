"""Bound the share of confused samples under a code, and find codes that lower the bound.

Suppose that the outputs of class i scatter around its mean, with a covariance that is the same for all classes. Then a
discriminant confuses two classes that are d standard deviations apart in a share of at most exp(−d²/8) of the samples.
The sum of these shares over pairs of classes, weighted by √(π_i π_j) with the shares π of the classes, is made small.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from ecoc.codes.refinement.limits import LIMITS, Limits
from ecoc.codes.refinement.moments import Moments
from ecoc.codes.refinement.proxy import HeldOut
from ecoc.codes.refinement.search import ColumnSearch, near_pairs
from ecoc.utils.numerics import definite_root
from ecoc.utils.threads import one_blas_thread

Array = NDArray[np.float64]
Code = NDArray[np.int8]
Ints = NDArray[np.int64]


class ErrorBound:
    """Bound on the errors under any code, from held-out outputs."""

    def __init__(self, held_out: HeldOut, limits: Limits = LIMITS) -> None:
        self.moments = Moments(held_out)
        self.limits = limits

    def value(self, code: Code) -> float:
        """Compute the bound for a code."""
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
        """Change columns, one after the other, while that lowers the bound."""
        k, l = code.shape
        with one_blas_thread():
            search = self._search(code, self._points(code), min_distance)
            is_complete = search.pairs.is_complete
            every = 2**62 if is_complete else max(1, min(l // self.limits.n_renewals, k * l // 10_000))
            last, visited = np.inf, 0
            for _ in range(max(1, min(n_sweeps, int(self.limits.sweep_work / (k * l))))):
                for j in range(l):
                    search.replace(j, self.limits.n_random if is_complete else 0, rng)
                    visited += 1
                    if visited % every == 0:
                        search = self._search(search.code, search.points, min_distance)
                value = search.value()
                if value > last * (1 - self.limits.small_gain) or value < self.limits.negligible:
                    break
                last = value
        return search.code.astype(np.int8)

    def extend(self, code: Code, n_columns: int, rng: np.random.Generator) -> Code:
        """Add columns, each of them the best after those before it."""
        anything = np.zeros((1, 1), dtype=np.int64)
        with one_blas_thread():
            search = self._search(code, self._points(code), anything)
            while (l := search.code.shape[1]) < n_columns:
                if not search.append(self._starts(search, rng)):
                    raise ValueError(f"After {l} columns, no further column tells the classes apart in a new way.")
                if not search.pairs.is_complete:
                    search = self._search(search.code, search.points, anything)
        return search.code.astype(np.int8)

    def order(self, code: Code) -> NDArray[np.intp]:
        """Put columns in an order in which each adds most to those before it."""
        with one_blas_thread():
            pairs = near_pairs(self._points(code), self.limits)
            X = code.astype(np.float64)
            means, covariance = self.moments.means(X), X.T @ self.moments.covariance(X)
        root = np.sqrt(self.moments.shares)
        once = pairs.own < pairs.other  # each pair is stored twice
        own, other = pairs.own[once], pairs.other[once]
        weights, distances = root[own] * root[other], np.zeros(len(own))
        left: list[int] = list(range(X.shape[1]))
        order: list[int] = []
        while left and len(order) < self.limits.most_ordered:
            # `means` and `covariance` are what the chosen columns leave of those of the others.
            variances = np.maximum(np.diag(covariance), 1e-12 * covariance.max())
            squares = [(means[own, j] - means[other, j]) ** 2 / variances[j] for j in left]
            values = [weights @ np.exp((distances + square) / -8) for square in squares]
            best = left.pop(int(np.argmin(values)))
            order.append(best)
            distances += (means[own, best] - means[other, best]) ** 2 / variances[best]
            ties = covariance[best] / variances[best]
            means, covariance = means - np.outer(means[:, best], ties), covariance - np.outer(covariance[best], ties)
        return np.array(order + left)

    def _search(self, code: NDArray[Any], points: Array, min_distance: Ints) -> ColumnSearch:
        """Return a search over the pairs of classes that are near each other under the code."""
        return ColumnSearch(self.moments, code, near_pairs(points, self.limits), min_distance, self.limits)

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
