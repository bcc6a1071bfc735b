"""What does the paper do? It solves a constrained least squares problem for each row in turn (Alg. 1), then rounds."""

import time

import numpy as np

from ecoc.design.checks import Matrix
from ecoc.factorization.problem import Code, Problem
from ecoc.utils.progress import Progress
from ecoc.utils.threads import one_blas_thread

_UNBOUNDED = 1e30
_N_THRESHOLDS = 1000


def solve_row(others: Matrix, goal: Matrix, cap: Matrix, start: Matrix, proximal: float = 1e-9) -> Matrix | None:
    """Minimise ‖X'x − d‖² + proximal·‖x − start‖² subject to −1 ≤ x ≤ 1 and X'x ≤ p, by an active-set method.

    The proximal term makes the problem strictly convex if X' has fewer rows than columns. Return None if no x satisfies
    the constraints.
    """
    try:
        import daqp
    except ImportError as error:
        raise ImportError("method='paper' needs the solver daqp: pip install 'ecoc[paper]'") from error

    n_others, l = others.shape
    hessian = others.T @ others
    hessian.flat[:: l + 1] += proximal
    upper = np.concatenate([np.ones(l), cap])
    lower = np.concatenate([-np.ones(l), np.full(n_others, -_UNBOUNDED)])
    x, _, status, _ = daqp.solve(
        hessian,
        -(others.T @ goal) - proximal * start,
        others,
        upper,
        lower,
        np.zeros(l + n_others, dtype=np.int32),
    )
    return np.clip(x, -1, 1) if status > 0 else None


def relax(
    problem: Problem,
    rng: np.random.Generator,
    order: str = "cyclic",
    max_cycles: int = 100,
    tol: float = 1e-6,
    time_limit: float = np.inf,
    progress: bool = True,
) -> tuple[Matrix, list[float], str]:
    """Minimise the relaxed objective from a random start in [−1, 1]. A cycle is k row updates.

    Return the relaxed code, the relaxed objective before the first and after every cycle, and what stopped the search.
    The random start may violate the constraints. Once it satisfies them, no row update increases the objective.
    """
    k, l = problem.n_classes, problem.n_columns
    x = rng.uniform(-1, 1, (k, l))
    other = ~np.eye(k, dtype=bool)
    end = time.perf_counter() + time_limit
    history = [relaxed_objective(problem, x)]
    with one_blas_thread(), Progress("relaxing", progress) as bar:
        for cycle in range(max_cycles):
            for i in range(k) if order == "cyclic" else rng.integers(0, k, k):
                rest = other[i]
                row = solve_row(x[rest], problem.target[i, rest], problem.cap[i, rest], x[i])
                if row is not None:
                    x[i] = row
                if time.perf_counter() > end:
                    return x, [*history, relaxed_objective(problem, x)], "time"
            history.append(relaxed_objective(problem, x))
            bar.update((cycle + 1) / max_cycles, f"objective {history[-1]:.4g}")
            if history[-1] < 1e-16 * problem.scale**2 or abs(history[-2] - history[-1]) < tol * history[-2]:
                return x, history, "converged"
    return x, history, "cycles"


def relaxed_objective(problem: Problem, x: Matrix) -> float:
    """Compute Σ_{i≠j} (l·d_ij − x_i·x_j)², the objective without its diagonal."""
    error = problem.target - x @ x.T
    np.fill_diagonal(error, 0)
    return float((error**2).sum())


def round_to_code(problem: Problem, relaxed: Matrix) -> Code:
    """Round all entries at one threshold: of 1000 in [−1, 1], the one whose objective is nearest to the relaxed one."""
    goal = relaxed_objective(problem, relaxed)
    best, smallest, counts = relaxed, np.inf, -1
    for threshold in np.linspace(-1, 1, _N_THRESHOLDS):
        above = relaxed > threshold
        if (count := int(above.sum())) == counts:
            continue  # no entry lies between this threshold and the last one, so that the code is the same
        counts = count
        code = np.where(above, 1.0, -1.0)
        if (difference := abs(relaxed_objective(problem, code) - goal)) < smallest:
            best, smallest = code, difference
    return best.astype(np.int8)


def drop_repeated_columns(code: Code) -> Code:
    """Drop columns that are equal or complementary to an earlier one, as the paper does after rounding."""
    same = np.abs(code.T.astype(np.int64) @ code) == len(code)
    return np.ascontiguousarray(code[:, ~np.triu(same, 1).any(axis=0)])
