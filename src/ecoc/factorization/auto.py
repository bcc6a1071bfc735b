"""The best code we can make: a valid start, descent, tabu search, and a proof of optimality where it is in reach."""

from dataclasses import dataclass, field

import numpy as np

from ecoc.design.checks import Matrix
from ecoc.factorization import exact
from ecoc.factorization.budget import WORK_PER_EFFORT, Budget
from ecoc.factorization.descent import RowDescent
from ecoc.factorization.feasibility import valid_start
from ecoc.factorization.lower_bounds import parity_bound
from ecoc.factorization.problem import Code, Problem
from ecoc.factorization.search import FlipSearch, fits_flip_search
from ecoc.utils.progress import Progress

_FIRST_LOOK = 0.05  # effort spent on a good code before its optimality is tried to be proven


@dataclass
class Outcome:
    """What a search found, and how it went."""

    code: Code
    history: list[float] = field(default_factory=list)
    stopped_by: str = "effort"
    proven: bool = False


def search(problem: Problem, rng: np.random.Generator, budget: Budget, progress: bool = True) -> Outcome:
    """Search for the best valid code within the budget; the same steps in the same order whatever its size."""
    with Progress("factorizing", progress) as bar:
        x = valid_start(problem, rng, budget)
        improve = _search_flips if fits_flip_search(problem) else _search_rows
        return improve(problem, x, rng, budget, bar)


def _search_flips(problem: Problem, x: Matrix, rng: np.random.Generator, budget: Budget, bar: Progress) -> Outcome:
    outcome = Outcome(x.astype(np.int8))
    seed = int(rng.integers(2**63))
    hunt = FlipSearch(problem, x, seed)
    floor = parity_bound(problem) * (1 + 1e-12) + 1e-9
    tree = exact.BranchAndBound(problem) if exact.is_small(problem) else None
    while True:
        outcome.history.append(hunt.objective)
        bar.update(budget.share, f"objective {hunt.objective:.6g}")
        if hunt.objective <= floor or (tree is not None and tree.complete):
            outcome.stopped_by, outcome.proven = "optimal", True
            break
        if budget.exhausted:
            outcome.stopped_by = budget.stopped_by
            break
        hunt.advance(budget)
        # In turn with a proof that no code is better. What is done next never depends on how much budget is left, so
        # that a smaller budget's search is the beginning of a larger one's, and more effort never worse.
        if tree is not None and budget.spent >= _FIRST_LOOK * WORK_PER_EFFORT and not budget.exhausted:
            better = tree.advance(budget, hunt.objective)
            if better is not None:
                hunt = FlipSearch(problem, better.astype(np.float64), seed)
    outcome.code = hunt.best.astype(np.int8)
    return outcome


def _search_rows(problem: Problem, x: Matrix, rng: np.random.Generator, budget: Budget, bar: Progress) -> Outcome:
    """Descend, then again and again draw a few columns anew and descend, keeping what is better."""
    best, objective = x, problem.objective(x)
    outcome = Outcome(x.astype(np.int8), [objective])
    n_columns = x.shape[1]
    start = x
    while objective > 1e-9 and not budget.exhausted:
        # Without regard to distances first, as that gets further; then repaired, and improved as a valid code.
        for free in (True, False):
            descent = RowDescent(problem, start, free)
            valid = free or descent.repair(rng)
            budget.spend(descent.setup_work + descent.take_work())
            if valid:
                for _ in descent.descend(rng, budget):
                    bar.update(budget.share, f"objective {objective:.6g}")
            start = descent.x
        if valid and (candidate := problem.objective(start)) < objective:
            best, objective = start, candidate
        outcome.history.append(objective)
        start = best.copy()
        again = rng.choice(n_columns, size=max(1, n_columns // 32), replace=False)
        start[:, again] = rng.choice([-1.0, 1.0], size=(len(x), len(again)))
    outcome.proven = objective <= 1e-9
    outcome.stopped_by = "optimal" if outcome.proven else budget.stopped_by
    outcome.code = best.astype(np.int8)
    return outcome
