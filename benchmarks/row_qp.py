"""Is the row QP right, and fast? ``solve_row`` against quadprog and Clarabel, on QPs from real runs.

Two times are measured: the solver alone, with its matrices ready, and the whole row, from X', d and p to x. Clarabel is
an interior-point method, so its accuracy depends on its tolerance. It is timed at its default, 1e-8, where its error is
up to 2e-4. Its solutions are compared at 1e-13. (At 1e-12, one of 260 still had an error of 2e-6; at 1e-14 it fails on
some.)
"""

from collections.abc import Callable
from typing import Any
from unittest import mock

import numpy as np

from benchmarks._instances import Instance, letter_like, planted
from benchmarks._measure import in_turn, timed
from benchmarks._report import Goal, Results, Table
from ecoc import factorize
from ecoc.codes.factorization import paper

_PROXIMAL = 1e-9  # the default of solve_row, for all solvers
_SAME = 1e-6
_TIGHT = 1e-13  # Clarabel's tolerance when solutions are compared

QP = tuple[Any, Any, Any, Any]  # X', d, p, start


def run(quick: bool) -> Results:
    """Collect row QPs of a few cycles and solve each with all three solvers."""
    try:
        import clarabel  # noqa: F401
        import quadprog  # noqa: F401
    except ImportError as error:
        yield f"Skipped, {error}: pip install quadprog clarabel, or the extra 'test'."
        return
    from threadpoolctl import threadpool_limits

    letters = letter_like("hard")
    instances = [
        Instance("planted-l20-c1", planted(100, 20, seed=0), 20, 1),
        letters,
        Instance("letterlike-hard-l21-c8", letters.design, 21, 8),  # a large distance, so many constraints are active
    ]
    rows, differences = [], []
    ratios: dict[str, list[float]] = {"quadprog": [], "clarabel": []}
    for instance in instances:
        qps = collect(instance, n_cycles=2 if quick else 10, n_qps=10 if quick else 300)
        n_active = float(np.mean([np.sum(qp[0] @ paper.solve_row(*qp) > qp[2] - 1e-7) for qp in qps]))
        with threadpool_limits(1):
            apart, alone, whole = compare(qps)
        for solver in SOLVERS:
            times = (1e6 * alone[solver], alone[solver] / alone["daqp"], 1e6 * whole[solver])
            ratio = whole[solver] / whole["daqp"]
            rows.append((instance.name, len(qps), n_active, solver, apart[solver], *times, ratio))
            if solver in ratios:
                ratios[solver].append(ratio)
        differences += apart.values()
    columns = ("rows of", "QPs", "active", "solver", "largest difference", "solver µs", "× daqp", "row µs", "× daqp")
    yield Table("Row QPs of the relaxation: medians, one thread, solvers in turn", columns, rows)
    yield (
        "active: mean number of row constraints X'x ≤ p that hold with equality. The row time of daqp is that of "
        "``solve_row``. Differences are measured against its solutions."
    )
    yield Goal(f"same solutions to {_SAME:g}", f"{max(differences):.1e}", max(differences) <= _SAME)
    for solver, found in ratios.items():
        measured = f"{min(found):.2f} to {max(found):.2f} × as fast"
        yield Goal(f"a whole row faster than with {solver}", measured, min(found) > 1)


def collect(instance: Instance, n_cycles: int, n_qps: int) -> list[QP]:
    """Record the row QPs of method='paper' on an instance, and return some from all cycles."""
    met: list[QP] = []
    solve_row = paper.solve_row

    def recording(*qp: Any) -> Any:
        met.append(tuple(np.array(part) for part in qp))
        return solve_row(*qp)

    with mock.patch.object(paper, "solve_row", recording):
        factorize(
            instance.design,
            instance.n_columns,
            min_distance=instance.min_distance,
            method="paper",
            max_cycles=n_cycles,
            random_state=0,
            progress=False,
        )
    return [met[i] for i in np.linspace(0, len(met) - 1, min(n_qps, len(met))).astype(int)]


def compare(qps: list[QP]) -> tuple[dict[str, float], dict[str, float], dict[str, float]]:
    """Return for each solver: largest difference from ``solve_row``, median seconds alone and for the whole row."""
    apart = dict.fromkeys(SOLVERS, 0.0)
    alone: dict[str, list[float]] = {name: [] for name in SOLVERS}
    whole: dict[str, list[float]] = {name: [] for name in SOLVERS}
    for qp in qps:
        ours = paper.solve_row(*qp, proximal=_PROXIMAL)
        ready = {name: prepare(*qp) for name, prepare in SOLVERS.items()}
        rows = {name: lambda prepare=prepare, qp=qp: prepare(*qp)() for name, prepare in SOLVERS.items()}
        rows["daqp"] = lambda qp=qp: paper.solve_row(*qp, proximal=_PROXIMAL)
        accurate = ready | {"clarabel": with_clarabel(*qp, tolerance=_TIGHT)}
        for solver, solve in accurate.items():
            apart[solver] = max(apart[solver], float(np.abs(solve() - ours).max()))
        for solves, seconds in ((ready, alone), (rows, whole)):
            for solver, taken in in_turn({name: _clock(solve) for name, solve in solves.items()}, repeats=3).items():
                seconds[solver].append(float(np.median(taken)))
    return apart, _medians(alone), _medians(whole)


def with_daqp(others: Any, goal: Any, cap: Any, start: Any) -> Callable[[], Any]:
    """Prepare the QP for daqp: the box and the rows as lower and upper bounds."""
    import daqp

    G, a, _, _ = _standard_form(others, goal, cap, start)
    n_others, l = others.shape
    upper, lower = np.concatenate([np.ones(l), cap]), np.concatenate([-np.ones(l), np.full(n_others, -1e30)])
    sense = np.zeros(l + n_others, dtype=np.int32)
    return lambda: daqp.solve(G, -a, others, upper, lower, sense)[0]


def with_quadprog(others: Any, goal: Any, cap: Any, start: Any) -> Callable[[], Any]:
    """Prepare the QP for quadprog: min ½xᵀGx − aᵀx subject to Cᵀx ≥ b."""
    import quadprog

    G, a, A, upper = _standard_form(others, goal, cap, start)
    C = np.asfortranarray(-A.T)
    return lambda: quadprog.solve_qp(G, a, C, -upper)[0]


def with_clarabel(others: Any, goal: Any, cap: Any, start: Any, tolerance: float = 1e-8) -> Callable[[], Any]:
    """Prepare the QP for Clarabel: min ½xᵀPx + qᵀx subject to upper − Ax ≥ 0."""
    import clarabel
    from scipy import sparse

    G, a, A, upper = _standard_form(others, goal, cap, start)
    P, A_sparse = sparse.csc_matrix(np.triu(G)), sparse.csc_matrix(A)
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tolerance
    cones = [clarabel.NonnegativeConeT(len(upper))]
    return lambda: np.array(clarabel.DefaultSolver(P, -a, A_sparse, upper, cones, settings).solve().x)


def _standard_form(others: Any, goal: Any, cap: Any, start: Any) -> tuple[Any, Any, Any, Any]:
    """½xᵀGx − aᵀx is half of ‖X'x − d‖² + proximal·‖x − start‖², up to a constant; Ax ≤ upper has all constraints."""
    l = others.shape[1]
    G = others.T @ others + _PROXIMAL * np.eye(l)
    a = others.T @ goal + _PROXIMAL * start
    A = np.vstack([np.eye(l), -np.eye(l), others])
    return G, a, A, np.concatenate([np.ones(2 * l), cap])


SOLVERS: dict[str, Callable[..., Callable[[], Any]]] = {
    "daqp": with_daqp,
    "quadprog": with_quadprog,
    "clarabel": with_clarabel,
}


def _clock(solve: Callable[[], Any]) -> Callable[[], float]:
    return lambda: timed(solve)[1]


def _medians(seconds: dict[str, list[float]]) -> dict[str, float]:
    return {solver: float(np.median(taken)) for solver, taken in seconds.items()}
