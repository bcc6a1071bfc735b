"""What is the best code within a budget? A tabu search over single flips; all k·l effects are known at every step."""

import numpy as np

from ecoc.design.checks import Matrix
from ecoc.factorization.budget import Budget
from ecoc.factorization.problem import Problem

MOST_CLASSES = 1024  # the tables are k × k
_MOST_ENTRIES = 4000  # k·l above which descent by rows gets further in the same time …
_SHORT = 16  # … unless codewords are so short that most of them are in use
_PATIENCE = 2  # a round ends after this many times k·l steps without improvement
_CHUNK = 2e7  # work between two looks at the clock, some 10 ms


def fits_flip_search(problem: Problem) -> bool:
    """Whether a problem is small enough for single flips to be the best way to improve a code."""
    k, l = problem.n_classes, problem.n_columns
    return k * l <= _MOST_ENTRIES or (k <= MOST_CLASSES and l <= _SHORT)


class FlipSearch:
    """A resumable search from a given code; `best` is the best code so far that keeps every demand.

    With `feasibility` the objective counts nothing: the search is for any code that keeps its distances.
    """

    def __init__(self, problem: Problem, start: Matrix, seed: int, feasibility: bool = False) -> None:
        from ecoc.factorization import _search_kernels as kernels

        k, l = start.shape
        self._kernels = kernels
        self._weight = 0.0 if feasibility else 1.0
        # A pair one column too close must cost more than any single flip can gain. Rounds without a penalty in between
        # find their way between valid codes through codes that are not.
        hard = 4.0 * l * k
        self._penalties = np.array([hard]) if feasibility else np.array([0.0, hard])
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
        """Objective of `best`; infinite while no code that keeps every demand has been found."""
        return float(self._log.best[0])

    def advance(self, budget: Budget, work: float = _CHUNK) -> None:
        """Search on for about this much work, and count it."""
        n_steps = max(1, int(min(work, max(0.0, budget.allowed - budget.spent)) / self._step_work))
        patience = _PATIENCE * self.best.size
        self._kernels.tabu(
            self._tables, self._weight, self._penalties, n_steps, patience, self._log, self._local, self.best
        )
        budget.spend(n_steps * self._step_work)
