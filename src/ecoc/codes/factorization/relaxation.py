"""The paper's relaxation (Algorithm 1): constrained least squares for each row in turn, then rounding."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from ecoc.codes.design.checks import Matrix
from ecoc.codes.factorization.problem import Code, Problem
from ecoc.utils.optional import optional
from ecoc.utils.progress import Progress
from ecoc.utils.threads import one_blas_thread

_UNBOUNDED = 1e30
_PROXIMAL = 1e-9


def _solver() -> Callable[..., Any]:
    """Return the function of daqp that solves a quadratic program."""
    solve: Callable[..., Any] = optional("daqp", "method='paper' needs the solver daqp", "'ecoc[paper]'").solve
    return solve


def solve_row(others: Matrix, goal: Matrix, cap: Matrix, start: Matrix, proximal: float = _PROXIMAL) -> Matrix | None:
    """Minimise ‖X'x − d‖² + proximal·‖x − start‖² subject to −1 ≤ x ≤ 1 and X'x ≤ p, by an active-set method.

    The proximal term makes the problem strictly convex if X' has fewer rows than columns. Return None if no x satisfies
    the constraints.
    """
    n_others, l = others.shape
    hessian = others.T @ others
    hessian.flat[:: l + 1] += proximal
    upper = np.concatenate([np.ones(l), cap])
    lower = np.concatenate([-np.ones(l), np.full(n_others, -_UNBOUNDED)])
    x, _, status, _ = _solver()(
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
    diagonal: bool = False,
) -> tuple[Matrix, list[float], str]:
    """Minimise the relaxed objective from a random start in [−1, 1]. A cycle is k row updates.

    Return the relaxed code, the relaxed objective before the first and after every cycle, and what stopped the search.
    The random start may violate the constraints. Once it satisfies them, no row update increases the objective. With
    `diagonal`, the objective includes the diagonal: ‖l·D − XXᵀ‖².
    """
    from ecoc.codes.factorization._relaxation_kernels import update_rows

    _solver()  # a run may need it late: better an error now
    k, l = problem.n_classes, problem.n_columns
    x = rng.uniform(-1, 1, (k, l))
    H, goal, row = np.empty((l, l)), np.empty(l), np.empty(l)
    end = time.perf_counter() + time_limit
    history = [relaxed_objective(problem, x, diagonal)]
    with one_blas_thread(), Progress("relaxing", progress) as bar:
        for cycle in range(max_cycles):
            rows, place = np.arange(k) if order == "cyclic" else rng.integers(0, k, k), -1
            while True:
                place = update_rows(x, problem.target, problem.cap, rows, place + 1, _PROXIMAL, H, goal, row)
                if place == k:
                    break
                _update_with_caps(x, problem, rows[place], H, goal, row)
                if time.perf_counter() > end:
                    return x, [*history, relaxed_objective(problem, x, diagonal)], "time"
            history.append(relaxed_objective(problem, x, diagonal))
            bar.update((cycle + 1) / max_cycles, f"objective {history[-1]:.4g}")
            if history[-1] < 1e-16 * problem.scale**2 or abs(history[-2] - history[-1]) < tol * history[-2]:
                return x, history, "converged"
    return x, history, "cycles"


def _update_with_caps(x: Matrix, problem: Problem, i: int, H: Matrix, goal: Matrix, row: Matrix) -> None:
    """Minimise ½xᵀHx − goalᵀx in the box, from its solution without caps: few bind, and the broken ones are added."""
    excess = 1e-9  # excess over a cap that is no rounding
    l, others = len(row), np.arange(len(x)) != i
    caps = np.zeros(len(x), dtype=bool)
    while (broken := others & ~caps & (x @ row > problem.cap[i] + excess)).any():
        caps |= broken
        upper = np.concatenate([np.ones(l), problem.cap[i, caps]])
        lower = np.concatenate([-np.ones(l), np.full(len(upper) - l, -_UNBOUNDED)])
        found, _, status, _ = _solver()(H, -goal, x[caps], upper, lower, np.zeros(len(upper), dtype=np.int32))
        if status <= 0:
            return  # no row keeps the caps: it stays as it is
        row = np.clip(found, -1, 1)
    if caps.any():
        x[i] = row
        return
    rest = x[others]  # the compiled method failed
    solved = solve_row(rest, problem.target[i, others], problem.cap[i, others], x[i])
    x[i] = x[i] if solved is None else solved


def relaxed_objective(problem: Problem, x: Matrix, diagonal: bool = False) -> float:
    """Σ_{i≠j} (l·d_ij − x_i·x_j)², or the sum over all i and j."""
    from ecoc.codes.factorization._relaxation_kernels import squared_error

    return float(squared_error(np.ascontiguousarray(x, dtype=np.float64), problem.target, diagonal))


def round_to_code(problem: Problem, relaxed: Matrix) -> Code:
    """Round all entries at one threshold: of 1000 in [−1, 1], the one whose objective is nearest to the relaxed one."""
    n_thresholds = 1000
    goal = relaxed_objective(problem, relaxed)
    best, smallest, counts = relaxed, np.inf, -1
    for threshold in np.linspace(-1, 1, n_thresholds):
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
