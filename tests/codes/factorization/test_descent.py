import numpy as np
import pytest

from ecoc.codes.factorization.budget import Budget
from ecoc.codes.factorization.feasibility import random_columns
from ecoc.codes.factorization.problem import make_problem
from ecoc.codes.factorization.search import RowDescent, columns_are_valid

UNLIMITED = Budget(np.inf, np.inf)


@pytest.mark.parametrize("free", [False, True])
def test_each_sweep_lowers_the_objective_by_what_it_yields(assert_valid, correlation, free):
    problem = make_problem(correlation(80, 6), 24, 5)
    rng = np.random.default_rng(0)
    descent = RowDescent(problem, random_columns(80, 24, rng), free)
    if not free:
        assert descent.repair(rng, UNLIMITED)
    objectives, changes = [problem.objective(descent.x)], []
    for change in descent.descend(rng, Budget(1, np.inf)):
        changes.append(change)
        objectives.append(problem.objective(descent.x))
    assert len(changes) > 2
    np.testing.assert_allclose(np.diff(objectives), changes, rtol=1e-9)
    assert max(changes) <= 0
    assert columns_are_valid(descent.x)
    if not free:
        assert_valid(descent.x, 24, 5)


def test_without_regard_to_distances_it_gets_further_and_can_break_them(correlation):
    problem = make_problem(correlation(60, 2), 12, 3)
    final = {}
    for free in (False, True):
        rng = np.random.default_rng(0)
        descent = RowDescent(problem, random_columns(60, 12, rng), free)
        assert free or descent.repair(rng, UNLIMITED)
        for _ in descent.descend(rng, Budget(1, np.inf)):
            pass
        final[free] = descent.x
    assert problem.objective(final[True]) < problem.objective(final[False])
    H = (12 - final[True] @ final[True].T) / 2
    np.fill_diagonal(H, 12)
    assert H.min() < 3


@pytest.mark.parametrize("free", [False, True])
def test_columns_stay_different_even_where_the_design_wants_them_alike(free):
    """Rank one: the best real-valued code would repeat one column."""
    signs = np.random.default_rng(1).choice([-1.0, 1.0], size=(40, 1))
    problem = make_problem(signs, 10, 1)
    rng = np.random.default_rng(0)
    descent = RowDescent(problem, random_columns(40, 10, rng), free)
    assert free or descent.repair(rng, UNLIMITED)
    before = problem.objective(descent.x)
    for _ in descent.descend(rng, Budget(1, np.inf)):
        assert columns_are_valid(descent.x)
    assert problem.objective(descent.x) < 0.5 * before


def test_a_planted_code_is_a_place_to_stay(planted):
    X = planted(40, 9)
    problem = make_problem(X @ X.T / 9, 9, 1)
    descent = RowDescent(problem, X)
    assert list(descent.descend(np.random.default_rng(0), Budget(1, np.inf))) == []
    np.testing.assert_array_equal(descent.x, X)


@pytest.mark.parametrize("demands", [1, 3, "matrix"])
def test_repair_keeps_every_demand(assert_valid, demands):
    if demands == "matrix":
        demands = np.ones((50, 50), dtype=int)
        demands[:5] = demands[:, :5] = 6
    x = random_columns(50, 16, np.random.default_rng(0))
    x[10:30] = x[10]  # twenty equal codewords
    descent = RowDescent(make_problem(np.eye(50), 16, demands), x)
    assert descent.repair(np.random.default_rng(1), UNLIMITED)
    assert_valid(descent.x, 16, demands)


def test_repair_gets_out_of_a_crowd(assert_valid):
    """All neighbours of the repeated codewords are codewords, too: no single flip lowers the deficit."""
    words = np.array([0] * 6 + [1 << j for j in range(12)])
    rest = np.setdiff1d(np.random.default_rng(0).permutation(2**12)[:400], words)
    words = np.concatenate([words[6:], rest, words[:6]])
    x = 1.0 - 2.0 * ((words[:, None] >> np.arange(12)) & 1)
    descent = RowDescent(make_problem(np.ones((len(x), 1)), 12, 1, factor=True), x)
    assert descent.repair(np.random.default_rng(1), UNLIMITED)
    assert_valid(descent.x, 12, 1)
    assert (descent.x == x).all(axis=1).sum() >= len(x) - 6  # nothing else moved


def test_repair_says_when_it_fails():
    # five codewords of length 3 at distance 2 do not exist
    x = random_columns(5, 3, np.random.default_rng(0))
    assert not RowDescent(make_problem(np.eye(5), 3, 2), x).repair(np.random.default_rng(0), UNLIMITED)
    # repaired rows do not help if a column is constant
    x = np.ones((4, 3))
    x[:, :2] = [[1, 1], [1, -1], [-1, 1], [-1, -1]]
    assert not RowDescent(make_problem(np.eye(4), 3, 1), x).repair(np.random.default_rng(0), UNLIMITED)


def test_the_clock_ends_a_descent(correlation):
    problem = make_problem(correlation(80, 6), 24, 1)
    descent = RowDescent(problem, random_columns(80, 24, np.random.default_rng(0)))
    assert not list(descent.descend(np.random.default_rng(0), Budget(np.inf, 1e-9)))


def test_work_is_counted(correlation):
    problem = make_problem(correlation(80, 6), 24, 1)
    descent = RowDescent(problem, random_columns(80, 24, np.random.default_rng(0)))
    budget = Budget(1, np.inf)
    sweeps = len(list(descent.descend(np.random.default_rng(0), budget)))
    assert budget.spent >= sweeps * 80 * 24 * 24
    assert descent.take_work() == 0  # the second call returns only new work


@pytest.mark.parametrize(
    ("column", "valid"),
    [([1, 1, -1, 1], True), ([1, 1, 1, 1], False), ([1, 1, -1, -1], False), ([-1, -1, 1, 1], False)],
)
def test_valid_columns(column, valid):
    x = np.column_stack([[1.0, 1, -1, -1], [1, -1, 1, -1], column])
    assert columns_are_valid(x) is valid
