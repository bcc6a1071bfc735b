import sys

import numpy as np
import pytest
from scipy import sparse

from ecoc.codes.factorization import factorize
from ecoc.codes.factorization.paper import (
    drop_repeated_columns,
    relax,
    relaxed_objective,
    round_to_code,
    solve_row,
)
from ecoc.codes.factorization.problem import make_problem


def row_problem(n_others, l, c, seed):
    rng = np.random.default_rng(seed)
    others = rng.uniform(-1, 1, (n_others, l))
    goal = l * rng.uniform(-1, 1, n_others)
    return others, goal, np.full(n_others, l - 2.0 * c), rng.uniform(-1, 1, l)


def quadratic(others, goal, cap, start, proximal):
    """The row problem as ½xᵀPx + qᵀx s.t. Gx ≤ h, with half of its objective."""
    l = others.shape[1]
    P = others.T @ others + proximal * np.eye(l)
    q = -others.T @ goal - proximal * start
    G = np.vstack([others, np.eye(l), -np.eye(l)])
    h = np.concatenate([cap, np.ones(2 * l)])
    return P, q, G, h


def by_quadprog(P, q, G, h):
    import quadprog

    return quadprog.solve_qp(P, -q, -G.T, -h)[0]


def by_clarabel(P, q, G, h):
    import clarabel

    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-12
    cones = [clarabel.NonnegativeConeT(len(h))]
    solver = clarabel.DefaultSolver(sparse.csc_matrix(np.triu(P)), q, sparse.csc_matrix(G), h, cones, settings)
    return np.array(solver.solve().x)


SIZES = [(9, 4, 1), (49, 6, 1), (30, 12, 5), (99, 20, 8), (9, 9, 4), (7, 12, 6), (4, 15, 8)]  # the last: l > k − 1


@pytest.mark.parametrize("solver", [by_quadprog, by_clarabel])
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_rows_are_solved_as_by_other_solvers(size, solver):
    binding = 0
    for seed in range(5):
        # a larger proximal term, because otherwise the solution is not unique
        proximal = 1e-9 if size[0] > size[1] else 1e-3
        others, goal, cap, start = row_problem(*size, seed)
        x = solve_row(others, goal, cap, start, proximal)
        expected = solver(*quadratic(others, goal, cap, start, proximal))
        np.testing.assert_allclose(x, expected, atol=1e-6)
        binding += (others @ x > cap - 1e-6).any()
        assert np.abs(x).max() <= 1
        assert (others @ x <= cap + 1e-6).all()
    assert binding or size[2] == 1  # some row constraint was active


@pytest.mark.parametrize("size", [(7, 12, 6), (4, 15, 8)], ids=str)
def test_rows_with_many_solutions_are_solved_as_well(size):
    for seed in range(5):
        others, goal, cap, start = row_problem(*size, seed)
        x = solve_row(others, goal, cap, start)
        other = by_quadprog(*quadratic(others, goal, cap, start, 1e-6))
        assert ((others @ x - goal) ** 2).sum() == pytest.approx(((others @ other - goal) ** 2).sum(), abs=1e-5)


def test_a_row_without_a_solution_is_none():
    others = np.array([[1.0, 1, 1], [-1, -1, -1]])
    assert solve_row(others, np.zeros(2), np.full(2, -1.0), np.zeros(3)) is None


@pytest.mark.parametrize("order", ["cyclic", "random"])
def test_every_cycle_lowers_the_objective(correlation, order):
    problem = make_problem(correlation(25, 5), 8, 1)
    x, history, stopped_by = relax(problem, np.random.default_rng(0), order, max_cycles=12)
    assert len(history) == 13
    assert stopped_by == "cycles"
    assert (np.diff(history) <= 1e-7 * history[0]).all()
    assert history[-1] < 0.5 * history[0]
    assert history[-1] == relaxed_objective(problem, x)
    assert np.abs(x).max() <= 1
    if order == "cyclic":  # by now every row satisfies its constraints
        gram = x @ x.T
        np.fill_diagonal(gram, 0)
        assert (gram <= problem.cap + 1e-6).all()


def test_a_start_too_near_is_moved_even_uphill(correlation):
    """A random start may violate the constraints and have a lower objective; this is not convergence."""
    problem = make_problem(correlation(5, 4, 6), 10, 5)
    x, history, _ = relax(problem, np.random.default_rng(6))
    assert history[1] > history[0]
    assert history[2] < history[1]
    assert (np.diff(history[1:]) <= 1e-7 * history[0]).all()
    gram = x @ x.T
    np.fill_diagonal(gram, -10)
    assert (gram <= problem.cap + 1e-6).all()


def test_it_stops_when_nothing_changes_or_at_the_cycles_or_by_the_clock(planted):
    X = planted(10, 4)
    problem = make_problem(X @ X.T / 4, 4, 1)
    assert relax(problem, np.random.default_rng(0))[2] == "converged"
    _, history, stopped_by = relax(problem, np.random.default_rng(0), max_cycles=2)
    assert (len(history), stopped_by) == (3, "cycles")
    _, history, stopped_by = relax(problem, np.random.default_rng(0), time_limit=1e-9)
    assert (len(history), stopped_by) == (2, "time")
    assert history[1] < history[0]


@pytest.mark.parametrize("diagonal", [False, True])
def test_rounding_takes_the_first_threshold_nearest_to_the_relaxed_objective(correlation, diagonal):
    problem = make_problem(correlation(12, 4), 6, 1)
    for n_cycles in (1, 2, 3):
        relaxed = relax(problem, np.random.default_rng(0), max_cycles=n_cycles)[0]
        relaxed[0, :2] = -1, 1  # entries at the ends stay on their sides
        goal = relaxed_objective(problem, relaxed, diagonal)
        codes = [np.where(relaxed > threshold, 1.0, -1.0) for threshold in np.linspace(-1, 1, 1000)]
        best = np.argmin([abs(relaxed_objective(problem, code, diagonal) - goal) for code in codes])
        code = round_to_code(problem, relaxed, diagonal)
        assert code.dtype == np.int8
        np.testing.assert_array_equal(code, codes[best])


def test_repeated_columns_are_dropped():
    code = np.array([[1, 1, -1, 1, 1], [-1, -1, 1, 1, 1], [1, 1, -1, -1, 1]], dtype=np.int8)
    np.testing.assert_array_equal(drop_repeated_columns(code), code[:, [0, 3, 4]])
    np.testing.assert_array_equal(drop_repeated_columns(code[:, [0, 3, 4]]), code[:, [0, 3, 4]])


def test_only_the_paper_needs_its_solver(monkeypatch):
    monkeypatch.setitem(sys.modules, "daqp", None)
    with pytest.raises(ImportError, match=r"pip install 'ecoc\[paper\]'"):
        factorize(np.eye(4), 3, method="paper", random_state=0)
    assert factorize(np.eye(4), 3, random_state=0).verify()
