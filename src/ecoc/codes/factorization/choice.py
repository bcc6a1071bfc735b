"""Choose the columns of a code with few classes by an integer program over all possible columns."""

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from ecoc.codes.design.checks import Matrix
from ecoc.codes.factorization.budget import WORK_PER_EFFORT, Budget
from ecoc.codes.factorization.problem import Problem


def choose_columns(columns: Matrix, problem: Problem, limit: Budget) -> Matrix | None:
    """Return l of these columns that make a code with the demanded distances; None if none is found in time.

    The columns are all different. So a choice of them is a valid code if enough of them separate each pair of classes.
    The solver rounds numbers. So it is no proof if no code is found.
    """
    most_nodes = 10_000  # of the tree that is searched. Each of 1,050 problems of 5 to 7 classes took one
    effort = 0.01  # that is counted for a program. The solver does not count its work; most programs take 3 ms
    if limit.out_of_time:
        return None
    n, l = columns.shape[1], problem.n_columns
    i, j = np.triu_indices(problem.n_classes, 1)
    separates = (columns[i] != columns[j]).astype(np.float64)  # [pair, column]
    demands = np.broadcast_to(problem.demands, (len(columns), len(columns)))[i, j]
    solution = milp(
        np.zeros(n),
        integrality=np.ones(n),
        bounds=Bounds(0, 1),
        constraints=[LinearConstraint(separates, demands), LinearConstraint(np.ones((1, n)), l, l)],
        options={"time_limit": limit.seconds_left, "node_limit": most_nodes},
    )
    limit.spend(effort * WORK_PER_EFFORT)
    if solution.x is None:
        return None
    chosen = solution.x > 0.5
    if chosen.sum() != l or (separates[:, chosen].sum(axis=1) < demands).any():
        return None
    return np.ascontiguousarray(columns[:, chosen])
