"""Prove the optimum by branch and bound, for few classes and columns."""

import numpy as np

from ecoc.codes.factorization.budget import Budget
from ecoc.codes.factorization.problem import Code, Problem
from ecoc.codes.factorization.search_limits import LIMITS


def is_small(problem: Problem) -> bool:
    """Tell whether a problem is small enough for the tables of the branch and bound."""
    return problem.n_columns <= LIMITS.most_proven_columns and problem.n_classes <= LIMITS.most_proven_classes


class BranchAndBound:
    """A search for the best code with an objective below `upper`, which can be stopped and resumed."""

    def __init__(self, problem: Problem, upper: float = np.inf) -> None:
        from ecoc.codes.factorization import _exact_kernels as kernels

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
        budget.spend(self._kernels.advance(tree, max(1, int(min(LIMITS.chunk, budget.allowed - budget.spent)))))
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
