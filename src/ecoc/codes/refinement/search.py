"""Find the column that lowers the bound on the errors most, given the other columns.

Given the other columns, a column x adds (u_i − u_j)²/q to the squared distance of classes i and j, with u = Rx and
q = xᵀQx. The matrices R = M − Z A⁻¹ Cᵀ and Q = S − C A⁻¹ Cᵀ are what the other columns leave of the means M and of the
covariance S of one-vs-all outputs. Z holds the means of the other columns, C their covariances with one-vs-all outputs,
and A their covariance among themselves.

Entries of R and Q are stored for pairs of classes that are likely to be confused. If a column is replaced, R and Q
change by matrices of rank one, so these tables are cheap to update.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_solve
from scipy.sparse import coo_array, csr_array

from ecoc.codes.refinement.limits import LIMITS, Limits
from ecoc.codes.refinement.moments import Moments, entries_of_product
from ecoc.utils.codewords import pack
from ecoc.utils.numerics import definite_root
from ecoc.utils.threads import one_blas_thread

Array = NDArray[np.float64]
Ints = NDArray[np.int64]


class Pairs(NamedTuple):
    """Pairs of classes. A pair is stored twice, once for each of its classes; entries are sorted by class."""

    start: Ints  # the partners of class c are other[start[c]:start[c + 1]]
    other: Ints
    twin: Ints  # where the same pair is stored for its other class

    @property
    def own(self) -> Ints:
        """The class that each entry is stored for."""
        return np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))

    @property
    def is_complete(self) -> bool:
        """Whether all pairs are there."""
        k = len(self.start) - 1
        return len(self.other) == k * (k - 1)


def near_pairs(points: Array, limits: Limits = LIMITS) -> Pairs:
    """Return every class with the classes whose points are nearest; all pairs if there are few classes."""
    k = len(points)
    if k <= limits.all_pairs:
        rows, columns = np.nonzero(~np.eye(k, dtype=bool))
    else:
        columns = _nearest(points, min(limits.n_partners, k - 1), limits.block_distances).ravel()
        rows = np.repeat(np.arange(k), len(columns) // k)
    both = np.concatenate([rows, columns]), np.concatenate([columns, rows])
    joined = coo_array((np.ones(len(both[0])), both), shape=(k, k)).tocsr()
    joined.data = np.arange(joined.nnz, dtype=np.int64)
    twin = joined.T.tocsr()
    twin.sort_indices()
    return Pairs(joined.indptr.astype(np.int64), joined.indices.astype(np.int64), twin.data)


def _nearest(points: Array, n: int, block: int) -> Ints:
    """Return the n nearest other points of each point, in no particular order."""
    k = len(points)
    squares = np.einsum("ij,ij->i", points, points)
    found = np.empty((k, n), dtype=np.int64)
    step = max(1, block // k)
    for first in range(0, k, step):
        rows = np.arange(first, min(first + step, k))
        with one_blas_thread():
            distances = squares - 2 * points[rows] @ points.T
        distances[np.arange(len(rows)), rows] = np.inf
        found[rows] = np.argpartition(distances, n - 1, axis=1)[:, :n]
    return found


class Tables(NamedTuple):
    """What the columns of a code leave: entries of R and Q, and distances. One for each pair marked with (p)."""

    mean: Array  # (p) R[other, own]
    own_mean: Array  # diagonal of R
    covariance: Array  # (p) Q[other, own]
    own_variance: Array  # diagonal of Q
    distances: Array  # (p) squared distances under the columns

    def explain(self, pairs: Pairs, u: Array, s: Array, q: float, sign: int) -> None:
        """Take from R and Q what a column explains and add its part to the distances; with sign −1 the reverse."""
        own, other, factor = pairs.own, pairs.other, sign / q
        self.mean[:] -= factor * u[other] * s[own]
        self.covariance[:] -= factor * s[other] * s[own]
        self.distances[:] += factor * (u[own] - u[other]) ** 2
        self.own_mean[:] -= sign * u * s / q
        self.own_variance[:] -= sign * s * s / q


class ColumnSearch:
    """A code whose columns can be replaced by better ones."""

    def __init__(
        self, moments: Moments, code: NDArray[Any], pairs: Pairs, min_distance: Ints, limits: Limits = LIMITS
    ) -> None:
        self.moments, self.pairs, self.min_distance, self.limits = moments, pairs, min_distance, limits
        self.code = np.array(code, dtype=np.float64, order="F")
        self.words = pack(self.code > 0)
        self.means = np.asfortranarray(moments.means(self.code))
        self.across = np.asfortranarray(moments.covariance(self.code))
        self._within = self.code.T @ self.across
        self.least_variance = self.limits.nothing_new * moments.variances.sum()
        self._own, root = pairs.own, np.sqrt(moments.shares)
        self._weights = root[self._own] * root[pairs.other]
        self._invert()
        self.tables = self._make_tables()

    @property
    def points(self) -> Array:
        """Class means in coordinates in which the outputs of the columns have the identity as their covariance."""
        return np.asarray(self.means @ definite_root(self._inverse, 1e-15))

    def value(self) -> float:
        """Return the bound: a sum over the pairs."""
        return float(self.confusions().sum() / 2)

    def confusions(self) -> Array:
        """Return the bound on the confusion of each pair, by the columns in the tables."""
        confused: Array = self._weights * np.exp(-np.maximum(self.tables.distances, 0) / 8)
        return confused

    def replace(self, j: int, n_random: int = 0, rng: np.random.Generator | None = None) -> None:
        """Replace a column by the best of the descents from the column itself and from random columns."""
        share, ties = self._inverse[j, j], self._inverse[:, j]
        self.tables.explain(self.pairs, self.means @ ties / share, self.across @ ties / share, 1 / share, -1)
        others = np.delete(np.arange(self.code.shape[1]), j)
        inverse = self._inverse[np.ix_(others, others)] - np.outer(ties[others], ties[others]) / share
        problem = ColumnProblem(self, others, inverse, j)
        starts = [self.code[:, j].copy()]
        starts += [] if rng is None else [problem.random_start(rng) for _ in range(n_random)]
        self._put(j, problem.best_of(starts)[1], problem)

    def append(self, starts: list[Array]) -> bool:
        """Add the best column of the descents from given columns; return whether there is one."""
        k, l = self.code.shape
        problem = ColumnProblem(self, np.arange(l), self._inverse, l)
        value, x = problem.best_of(starts)
        if not np.isfinite(value):
            return False
        self.code, self.means, self.across = (
            np.asfortranarray(np.column_stack([old, np.zeros(k)])) for old in (self.code, self.means, self.across)
        )
        self.words = problem.words
        self._within = np.pad(self._within, (0, 1))
        self._put(l, x, problem)
        return True

    def directions(self, rng: np.random.Generator, n: int) -> list[Array]:
        """Return real-valued columns along which classes that are still confused lie apart.

        They are leading eigenvectors of RᵀLR relative to the variances, where L is the Laplacian of the confusions, by
        a block power iteration.
        """
        k = len(self.code)
        graph = csr_array((self.confusions(), self.pairs.other, self.pairs.start), shape=(k, k))
        degrees = np.asarray(graph.sum(axis=1))[:, None]
        scale = 1 / np.sqrt(np.maximum(self.tables.own_variance, 1e-3 * self.moments.variances.mean()))[:, None]
        block = rng.normal(size=(k, 2 * n))
        values = np.ones(2 * n)
        for _ in range(self.limits.power_steps):
            block = scale * np.linalg.qr(block)[0]
            outputs = self.moments.means(block) - self.means @ (self._inverse @ (self.across.T @ block))
            pulled = degrees * outputs - graph @ outputs
            image = self.moments.transposed_means(pulled) - self.across @ (self._inverse @ (self.means.T @ pulled))
            values = np.einsum("ij,ij->j", block, image)
            block, last = scale * image, block
        return [last[:, i] for i in np.argsort(-values)[:n]]

    def _put(self, j: int, x: Array, problem: "ColumnProblem") -> None:
        """Make x column j, and update the tables."""
        self.tables.explain(self.pairs, *problem.exact(x), 1)
        self.code[:, j] = x
        self.words = problem.words_with(x)
        self.means[:, j], self.across[:, j] = self.moments.means(x), self.moments.covariance(x)
        self._within[j] = self._within[:, j] = self.code.T @ self.across[:, j]
        self._invert()

    def _make_tables(self) -> Tables:
        own, other, moments = self._own, self.pairs.other, self.moments
        classes = np.arange(len(self.code))
        explained, scaled = self.across @ self._inverse, self.means @ self._inverse
        squares = np.einsum("ij,ij->i", self.means, scaled)
        return Tables(
            moments.mean_entries(other, own) - entries_of_product(self.means, explained.T, other, own),
            moments.mean_entries(classes, classes) - np.einsum("ij,ij->i", self.means, explained),
            moments.covariance_entries(other, own) - entries_of_product(self.across, explained.T, other, own),
            moments.variances - np.einsum("ij,ij->i", self.across, explained),
            squares[own] + squares[other] - 2 * entries_of_product(self.means, scaled.T, own, other),
        )

    def _invert(self) -> None:
        """Invert the covariance of the columns, with a small ridge."""
        l = len(self._within)
        inverse = (
            cho_solve((definite_root(self._within, self.limits.ridge), True), np.eye(l)) if l else np.zeros((0, 0))
        )
        self._inverse = (inverse + inverse.T) / 2


class ColumnProblem:
    """Find a column, given others."""

    def __init__(self, search: ColumnSearch, others: Ints, inverse: Array, j: int) -> None:
        self._search, self._inverse, self._j = search, inverse, j
        self._means, self._across = search.means[:, others], search.across[:, others]
        self._pairs, k = search.pairs, len(search.code)
        self.words = search.words if j < 64 * search.words.shape[1] else np.pad(search.words, ((0, 0), (0, 1)))
        self._confused = search.confusions()
        costs = search.limits.equal_cost * search.moments.shares.mean() * 0.75 * 4.0 ** -np.arange(64.0)
        words = self.words_with(np.ones(k))  # equal in column j, so that the other columns count
        apart = np.bitwise_count(words[self._pairs.own] ^ words[self._pairs.other]).sum(axis=1)
        self._alike = costs[np.minimum(apart, len(costs) - 1)]
        self._most = 2**62 if self._pairs.is_complete else max(16, int(search.limits.flips_per_round * k))

    def exact(self, x: Array) -> tuple[Array, Array, float]:
        """Return u = Rx, Qx and q = xᵀQx for a column."""
        moments = self._search.moments
        coefficients = self._inverse @ (self._across.T @ x)
        u = moments.means(x) - self._means @ coefficients
        s = moments.covariance(x) - self._across @ coefficients
        return u, s, max(float(x @ s), 1e-300)

    def words_with(self, x: Array) -> NDArray[np.uint64]:
        """Return the packed codewords with x as the new column."""
        word, bit = self._j >> 6, np.uint64(1) << np.uint64(self._j & 63)
        words = self.words.copy()
        words[:, word] = np.where(x > 0, words[:, word] | bit, words[:, word] & ~bit)
        return words

    def random_start(self, rng: np.random.Generator) -> Array:
        """Draw a column that keeps the distances. Classes that need this column to be told apart flip together."""
        search, old = self._search, self._search.code[:, self._j]
        code = np.delete(search.code, self._j, axis=1)
        together = (code.shape[1] - code @ code.T) / 2 < search.min_distance
        np.fill_diagonal(together, True)
        for _ in range(len(code).bit_length()):  # until classes that are linked by others are together, too
            together = together @ together
        return np.asarray(old * rng.choice([-1.0, 1.0], size=len(code))[together.argmax(axis=1)])

    def best_of(self, starts: list[Array]) -> tuple[float, Array]:
        """Return the smallest bound that descents reach, and its column; infinite if no start is a possible column."""
        best, column = np.inf, starts[0]
        for start in starts:
            value, x = self._descend(np.where(start > 0, 1.0, -1.0))
            if value < best * (1 - 1e-9):
                best, column = value, x
        return best, column

    def _descend(self, x: Array) -> tuple[float, Array]:
        from ecoc.codes.refinement._bound_kernels import Column, descend

        search, k = self._search, len(x)
        if abs(x.sum()) == k:
            x[0] = -x[0]
        best, column = np.inf, x
        for _ in range(self._search.limits.n_rounds):
            u, s, q = self.exact(x)
            if q <= search.least_variance:
                break
            value, gradient = self._value_and_gradient(x, u, q)
            if value >= best * (1 - 1e-6):
                break
            best, column = value, x.copy()
            state = Column(
                *(x, u, s, *self._pairs, self._confused, self._alike, *search.tables[:4]),
                *(self._far_effect(gradient), self.words_with(x), search.min_distance),
            )
            if descend(state, self._j, q, search.least_variance, self._most) == 0:
                break
        return best, column

    def _value_and_gradient(self, x: Array, u: Array, q: float) -> tuple[float, Array]:
        """Return the bound with a column and the cost of pairs on one side, and its derivatives by u."""
        own, other = self._pairs.own, self._pairs.other
        apart = u[own] - u[other]
        terms = self._confused * np.exp(apart**2 / (-8.0 * q))
        gradient: Array = np.bincount(own, terms * apart / (-4.0 * q), minlength=len(u)).astype(np.float64)
        return float(terms.sum() + self._alike[x[own] == x[other]].sum()) / 2, gradient

    def _far_effect(self, gradient: Array) -> Array:
        """Return the derivative of the bound by each sign, from pairs that are not in the tables."""
        search, k = self._search, len(gradient)
        if self._pairs.is_complete:
            return np.zeros(k)
        whole = search.moments.transposed_means(gradient)
        whole -= self._across @ (self._inverse @ (self._means.T @ gradient))
        near = np.bincount(self._pairs.own, search.tables.mean * gradient[self._pairs.other], minlength=k)
        return np.asarray(whole - search.tables.own_mean * gradient - near)
