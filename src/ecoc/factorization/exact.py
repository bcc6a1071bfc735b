"""Can the optimum be proven? Branch and bound for codes of few classes and columns."""

import numpy as np

from ecoc.factorization.budget import Budget
from ecoc.factorization.problem import Code, Problem

_MOST_COLUMNS = 14
_MOST_CLASSES = 20
_CHUNK = 2e7  # work between two looks at the clock


def is_small(problem: Problem) -> bool:
    """Whether every codeword of every class fits into the tables of the branch and bound."""
    return problem.n_columns <= _MOST_COLUMNS and problem.n_classes <= _MOST_CLASSES


class BranchAndBound:
    """A resumable search for the best code with an objective below `upper`."""

    def __init__(self, problem: Problem, upper: float = np.inf) -> None:
        from ecoc.factorization import _exact_kernels as kernels

        k, l = problem.n_classes, problem.n_columns
        self._kernels = kernels
        # Classes with strong wishes first: their codewords leave little choice, so the tree is cut early.
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
        kernels.plant(self._tree)

    @property
    def complete(self) -> bool:
        """Whether every code has been tried or excluded: none is better than the best found, or than `upper`."""
        return bool(self._tree.depth[0] == 0)

    def advance(self, budget: Budget, upper: float = np.inf) -> Code | None:
        """Search on for a while, counting the work; returns the best new code if one is better than `upper`."""
        tree = self._tree
        tree.upper[0] = before = min(tree.upper[0], upper)
        budget.spend(self._kernels.walk(tree, max(1, int(min(_CHUNK, budget.allowed - budget.spent)))))
        if not tree.upper[0] < before:
            return None
        k, l = len(tree.best), tree.cost.shape[2] - 1
        code = np.empty((k, l), dtype=np.int8)
        code[self._order] = 1 - 2 * ((tree.best[:, None] >> np.arange(l)) & 1)
        return code


def solve(problem: Problem, upper: float, budget: Budget) -> tuple[Code | None, bool]:
    """Search for the best code with an objective below `upper`; also whether the search was complete.

    Complete and None means that no valid code is better than `upper`.
    """
    tree, code = BranchAndBound(problem, upper), None
    while not tree.complete and not budget.exhausted:
        better = tree.advance(budget)
        code = code if better is None else better
    return code, tree.complete
