"""Search for a code by ``method="auto"``: a valid start, flips or rows, and a proof of optimality if possible."""

from dataclasses import dataclass, field

import numpy as np

from ecoc.codes.design.checks import Matrix
from ecoc.codes.factorization import exact
from ecoc.codes.factorization.budget import WORK_PER_EFFORT, Budget
from ecoc.codes.factorization.descent import RowDescent
from ecoc.codes.factorization.feasibility import valid_start
from ecoc.codes.factorization.lower_bounds import parity_bound
from ecoc.codes.factorization.problem import Code, Problem
from ecoc.codes.factorization.search import FlipSearch, fits_flip_search
from ecoc.codes.factorization.search_limits import LIMITS
from ecoc.utils.progress import Progress


@dataclass
class Outcome:
    """The code that a search found, the objective over time, and why the search stopped."""

    code: Code
    history: list[float] = field(default_factory=list)
    stopped_by: str = "effort"
    proven: bool = False
    objective: float | None = None  # if it is known exactly, without the rounding of many small changes


def search(problem: Problem, rng: np.random.Generator, budget: Budget, progress: bool = True) -> Outcome:
    """Search for the best valid code within the budget."""
    with Progress("factorizing", progress) as bar:
        x = valid_start(problem, rng, budget)
        improve = _search_flips if fits_flip_search(problem) else _search_rows
        return improve(problem, x, rng, budget, bar)


def _search_flips(problem: Problem, x: Matrix, rng: np.random.Generator, budget: Budget, bar: Progress) -> Outcome:
    """Alternate between the flip search and, for a small problem, branch and bound.

    What is done next never depends on the budget that is left. So a search with a small budget is the beginning of a
    search with a larger one, and more effort never gives a worse code.
    """
    outcome = Outcome(x.astype(np.int8))
    seed = int(rng.integers(2**63))
    flips = FlipSearch(problem, x, seed)
    floor = parity_bound(problem) * (1 + 1e-12) + 1e-9
    tree = exact.BranchAndBound(problem) if exact.is_small(problem) else None
    while True:
        outcome.history.append(flips.objective)
        bar.update(budget.share, f"objective {flips.objective:.6g}")
        if flips.objective <= floor or (tree is not None and tree.complete):
            outcome.stopped_by, outcome.proven = "optimal", True
            break
        if budget.exhausted:
            outcome.stopped_by = budget.stopped_by
            break
        flips.advance(budget)
        if tree is not None and budget.spent >= LIMITS.effort_before_proof * WORK_PER_EFFORT and not budget.exhausted:
            better = tree.advance(budget, flips.objective)
            if better is not None:
                flips = FlipSearch(problem, better.astype(np.float64), seed)
    outcome.code = flips.best.astype(np.int8)
    return outcome


def _search_rows(problem: Problem, x: Matrix, rng: np.random.Generator, budget: Budget, bar: Progress) -> Outcome:
    """Descend, replace a few columns of the best code, and repeat."""
    best, objective = x, problem.objective(x)
    outcome = Outcome(x.astype(np.int8), [objective])
    n_columns = x.shape[1]
    start = x
    while objective > 1e-9 and not budget.exhausted:
        # A first descent ignores the distances, which leads to lower objectives. Then the code is repaired, and a
        # second descent improves the valid code.
        for free in (True, False):
            descent = RowDescent(problem, start, free)
            valid = free or descent.repair(rng, budget)
            budget.spend(descent.setup_work + descent.take_work())
            if valid:
                for _ in descent.descend(rng, budget):
                    bar.update(budget.share, f"objective {objective:.6g}")
            start = descent.x
        if valid and (candidate := problem.objective(start)) < objective:
            best, objective = start, candidate
        outcome.history.append(objective)
        start = best.copy()
        replaced = rng.choice(n_columns, size=max(1, int(n_columns * LIMITS.replaced_share)), replace=False)
        start[:, replaced] = rng.choice([-1.0, 1.0], size=(len(x), len(replaced)))
    outcome.proven = objective <= 1e-9
    outcome.stopped_by = "optimal" if outcome.proven else budget.stopped_by
    outcome.code, outcome.objective = best.astype(np.int8), objective
    return outcome
