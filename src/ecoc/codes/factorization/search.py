"""Improve a code by compiled searches that can be stopped and resumed: single flips, rows, branch and bound."""

from collections.abc import Iterator
from math import isqrt

import numpy as np

from ecoc.codes.design.checks import Matrix
from ecoc.codes.factorization.budget import LIMITS, Budget
from ecoc.codes.factorization.problem import Code, Problem
from ecoc.utils.codewords import pack
from ecoc.utils.threads import one_blas_thread


def fits_flip_search(problem: Problem) -> bool:
    """Tell whether a problem is small enough for the flip search to be better than row descent."""
    k, l = problem.n_classes, problem.n_columns
    return k * l <= LIMITS.most_flip_entries or (k <= LIMITS.most_flip_classes and l <= LIMITS.short_code)


class FlipSearch:
    """A search from a given code that can be stopped and resumed; `best` is the best valid code so far.

    With `feasibility`, the objective is ignored and the search is for any valid code.
    """

    def __init__(self, problem: Problem, start: Matrix, seed: int, feasibility: bool = False) -> None:
        from ecoc.codes.factorization import _search_kernels as kernels

        k, l = start.shape
        self._kernels = kernels
        self._weight = 0.0 if feasibility else 1.0
        # A pair that is one column too close must cost more than any single flip can gain. Every other round has no
        # penalty, so that the search can pass through invalid codes.
        penalty = 4.0 * l * k
        self._penalties = np.array([penalty]) if feasibility else np.array([0.0, penalty])
        self._tables = kernels.Tables(
            x=start.copy(),
            target=problem.target,
            cap=problem.cap,
            g=np.empty((k, k)),
            q=np.empty((k, k)),
            p=np.empty(k),
            s=np.empty((k, l)),
            overlap=np.empty((l, l + 1)),
            blocked=np.zeros((k, l), dtype=np.int64),
            random=np.array([seed | 1], dtype=np.uint64),
        )
        integers, floats = np.zeros((3, 1), dtype=np.int64), np.full((5, 1), np.inf)
        self._log = kernels.Log(*integers, *floats)
        self._log.objective[0], self._log.violation[0] = kernels.build(self._tables, self._weight, self._penalties[0])
        self._local, self.best = start.copy(), start.copy()
        if self._log.violation[0] < 0.5:
            self._log.best[0] = self._log.local[0] = self._log.objective[0]
        self._step_work = 4.0 * k * l + 400.0

    @property
    def objective(self) -> float:
        """Objective of `best`; infinite until a valid code is found."""
        return float(self._log.best[0])

    def advance(self, budget: Budget, work: float | None = None) -> None:
        """Search on for about this much work, and count it against the budget."""
        n_steps = max(
            1, int(min(work or budget.limits.chunk, max(0.0, budget.allowed - budget.spent)) / self._step_work)
        )
        patience = budget.limits.patience * self.best.size
        self._kernels.tabu(
            self._tables, self._weight, self._penalties, n_steps, patience, self._log, self._local, self.best
        )
        budget.spend(n_steps * self._step_work)


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
        state.words[:] = pack(state.x > 0)

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
            last = min(k, isqrt(first**2 + 2 * budget.limits.chunk_pairs) + 1)
            far_enough = bool(self._kernels.repair(self._state, orders, first, last)) and not budget.out_of_time
            first = last
        self._refresh()
        return far_enough and columns_are_valid(self.x)

    def multiply(self, budget: Budget) -> bool:
        """Compute D X or FᵀX, which sweeps need; return whether there was time for it."""
        state, step = self._state, budget.limits.product_rows
        with one_blas_thread():
            for first in range(0, len(state.right), step):
                if budget.out_of_time:
                    return False
                state.right[first : first + step] = state.left[:, first : first + step].T @ state.x
        return True

    def descend(self, rng: np.random.Generator, budget: Budget) -> Iterator[float]:
        """Sweep over the rows in random order until little changes; yield how each sweep changes the objective."""
        k, l = self.x.shape
        if not self.multiply(budget):
            return
        objective = self._problem.objective(self.x)
        # Rows, if most of their entries are flipped
        step = max(1, int(budget.limits.chunk / (l * (l + self._state.left.shape[1]))))
        gain = np.inf
        while gain > budget.limits.small_gain * objective and objective > 1e-9:
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


def is_small(problem: Problem) -> bool:
    """Tell whether a problem is small enough for the tables of the branch and bound."""
    return problem.n_columns <= LIMITS.most_proven_columns and problem.n_classes <= LIMITS.most_proven_classes


class BranchAndBound:
    """A search for the best code with an objective below `upper`, which can be stopped and resumed."""

    def __init__(self, problem: Problem, upper: float = np.inf) -> None:
        from ecoc.codes.factorization import _tree_kernels as kernels

        k, l = problem.n_classes, problem.n_columns
        self._kernels = kernels
        # Classes whose rows of the design are far from zero come first. They leave little choice, which cuts the tree.
        self._order = np.argsort(-np.abs(problem.target).sum(axis=1), kind="stable")
        square = np.ix_(self._order, self._order)
        self._tree = kernels.Tree(
            cost=kernels.pair_costs(
                np.ascontiguousarray(problem.target[square]), np.ascontiguousarray(problem.cap[square])
            ),
            floor=np.zeros(k + 1),
            so_far=np.zeros((k, k, 2**l)),
            order=np.zeros((k, 2**l), dtype=np.int64),
            position=np.zeros(k, dtype=np.int64),
            code=np.zeros(k, dtype=np.int64),
            fixed=np.zeros(k + 1),
            alike=np.zeros(k + 1, dtype=np.int64),
            seen=np.zeros(k + 1, dtype=np.int64),
            weight=np.zeros(2**l, dtype=np.int64),
            depth=np.zeros(1, dtype=np.int64),
            best=np.full(k, -1, dtype=np.int64),
            upper=np.array([upper]),
        )
        kernels.start(self._tree)

    @property
    def complete(self) -> bool:
        """Whether every code was visited or excluded, so that no code is better than the best found or `upper`."""
        return bool(self._tree.depth[0] == 0)

    def advance(self, budget: Budget, upper: float = np.inf) -> Code | None:
        """Search on for a while and count the work; return the best new code, or None if none is below `upper`."""
        tree = self._tree
        tree.upper[0] = before = min(tree.upper[0], upper)
        budget.spend(self._kernels.advance(tree, max(1, int(min(budget.limits.chunk, budget.allowed - budget.spent)))))
        if not tree.upper[0] < before:
            return None
        k, l = len(tree.best), tree.cost.shape[2] - 1
        code = np.empty((k, l), dtype=np.int8)
        code[self._order] = 1 - 2 * ((tree.best[:, None] >> np.arange(l)) & 1)
        return code


def solve(problem: Problem, upper: float, budget: Budget) -> tuple[Code | None, bool]:
    """Return the best code with an objective below `upper`, or None, and whether the search was complete.

    If the search was complete and there is no code, then no valid code has an objective below `upper`.
    """
    tree, code = BranchAndBound(problem, upper), None
    while not tree.complete and not budget.exhausted:
        better = tree.advance(budget)
        code = code if better is None else better
    return code, tree.complete
