"""Improve a large code one row at a time, keeping it valid."""

from collections.abc import Iterator
from math import isqrt

import numpy as np

from ecoc.codes.design.checks import Matrix
from ecoc.codes.factorization.budget import Budget
from ecoc.codes.factorization.problem import Problem
from ecoc.codes.factorization.search_limits import LIMITS
from ecoc.utils.threads import one_blas_thread


class RowDescent:
    """A code `x` that is improved row by row, without k × k tables. A valid code stays valid.

    With `free`, the demands on distances are ignored; the columns still stay valid.
    """

    def __init__(self, problem: Problem, start: Matrix, free: bool = False) -> None:
        from ecoc.codes.factorization import _descent_kernels as kernels

        k, l = start.shape
        self._kernels = kernels
        self._problem = problem
        self._low_rank = problem.factor is not None
        left = problem.factor if problem.factor is not None else problem.design
        assert left is not None
        distance = np.atleast_2d(np.asarray(0 if free else problem.demands, dtype=np.int64))
        self._state = kernels.State(
            x=start.copy(),
            words=np.empty((k, -(-l // 64)), dtype=np.uint64),
            overlap=np.empty((l, l + 1)),
            left=np.ascontiguousarray(left),
            right=np.empty((left.shape[1], l)),
            distance=distance,
            work=np.zeros(1, dtype=np.int64),
        )
        self._refresh()

    def _refresh(self) -> None:
        state, l = self._state, self.x.shape[1]
        with one_blas_thread():
            state.overlap[:, :l] = state.x.T @ state.x
            state.overlap[:, l] = state.x.sum(axis=0)
        self._kernels.pack_all(state.x, state.words)

    @property
    def x(self) -> Matrix:
        """The code."""
        return self._state.x

    def repair(self, rng: np.random.Generator, budget: Budget) -> bool:
        """Move codewords that are too close to others; return whether the code is then valid, and not out of time."""
        k, l = self.x.shape
        orders = np.array([rng.permutation(l) for _ in range(16)])
        far_enough, first = True, 0
        while far_enough and first < k:
            last = min(k, isqrt(first**2 + 2 * LIMITS.chunk_pairs) + 1)
            far_enough = bool(self._kernels.repair(self._state, orders, first, last)) and not budget.out_of_time
            first = last
        self._refresh()
        return far_enough and columns_are_valid(self.x)

    def multiply(self, budget: Budget) -> bool:
        """Compute D X or FᵀX, which sweeps need; return whether there was time for it."""
        state = self._state
        with one_blas_thread():
            for first in range(0, len(state.right), LIMITS.product_rows):
                if budget.out_of_time:
                    return False
                state.right[first : first + LIMITS.product_rows] = (
                    state.left[:, first : first + LIMITS.product_rows].T @ state.x
                )
        return True

    def descend(self, rng: np.random.Generator, budget: Budget) -> Iterator[float]:
        """Sweep over the rows in random order until little changes; yield how each sweep changes the objective."""
        k, l = self.x.shape
        if not self.multiply(budget):
            return
        objective = self._problem.objective(self.x)
        # Rows, if most of their entries are flipped
        step = max(1, int(LIMITS.chunk / (l * (l + self._state.left.shape[1]))))
        gain = np.inf
        while gain > LIMITS.small_gain * objective and objective > 1e-9:
            order = rng.permutation(k)
            change = 0.0
            for first in range(0, k, step):
                change += self._kernels.sweep(self._state, order[first : first + step], self._low_rank)
                if budget.out_of_time:
                    break
            gain = -change
            objective += change
            budget.spend(float(k * l * (l + (self._state.left.shape[1] if self._low_rank else 0))) + self.take_work())
            yield change
            if budget.out_of_time:
                return

    @property
    def setup_work(self) -> float:
        """Work of products with D or F at the start of a descent; BLAS is about ten times as fast as table updates."""
        k, l = self.x.shape
        return float(k * l * (l + 5 * self._state.left.shape[1])) / 10

    def take_work(self) -> float:
        """Return the work done on comparing codewords since the last call."""
        work = int(self._state.work[0]) * self._state.words.shape[1]
        self._state.work[0] = 0
        return float(work)


def columns_are_valid(x: Matrix) -> bool:
    """Tell whether no column is constant, equal to another column or its complement."""
    with_constant = np.column_stack([x, np.ones(len(x))])
    overlap = np.abs(with_constant.T @ with_constant)
    np.fill_diagonal(overlap, 0)
    return bool(overlap.max() < len(x))
