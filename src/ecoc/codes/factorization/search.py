"""Improve a small code by a tabu search over single flips."""

import numpy as np

from ecoc.codes.design.checks import Matrix
from ecoc.codes.factorization.budget import Budget
from ecoc.codes.factorization.problem import Problem
from ecoc.codes.factorization.search_limits import LIMITS


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

    def advance(self, budget: Budget, work: float = LIMITS.chunk) -> None:
        """Search on for about this much work, and count it against the budget."""
        n_steps = max(1, int(min(work, max(0.0, budget.allowed - budget.spent)) / self._step_work))
        patience = LIMITS.patience * self.best.size
        self._kernels.tabu(
            self._tables, self._weight, self._penalties, n_steps, patience, self._log, self._local, self.best
        )
        budget.spend(n_steps * self._step_work)
