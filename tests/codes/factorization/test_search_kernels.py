import numpy as np
import pytest

from ecoc.codes.factorization import _search_kernels as kernels
from ecoc.codes.factorization.problem import make_problem
from ecoc.codes.factorization.search import FlipSearch


def tables_of(problem, x):
    return FlipSearch(problem, x, seed=1)._tables


@pytest.fixture(params=[0.0, 37.0], ids=["objective only", "with penalty"])
def penalty(request):
    return request.param


@pytest.fixture
def problem(correlation):
    demands = np.random.default_rng(5).integers(1, 5, (9, 9))
    return make_problem(correlation(9, 4), 7, np.minimum(demands, demands.T))


@pytest.fixture
def x():
    return np.random.default_rng(1).choice([-1.0, 1.0], size=(9, 7))


def merit(problem, x, penalty):
    """The objective and its penalty from their definitions; pairs count twice."""
    g = x @ x.T
    np.fill_diagonal(over := np.maximum(0, g - problem.cap), 0)
    return ((problem.target - g) ** 2).sum() + penalty * (over**2).sum()


def test_build_gives_objective_violation_and_every_effect(problem, x, penalty):
    t = tables_of(problem, x)
    objective, violation = kernels.build(t, 1.0, penalty)
    assert objective == pytest.approx(problem.objective(x))
    assert violation > 0
    assert objective + penalty * violation == pytest.approx(merit(problem, x, penalty))
    for i, j in np.ndindex(x.shape):
        flipped = x.copy()
        flipped[i, j] *= -1
        change = merit(problem, flipped, penalty) - merit(problem, x, penalty)
        assert t.p[i] + x[i, j] * t.s[i, j] == pytest.approx(change, abs=1e-8)


def test_flips_keep_the_tables_as_if_rebuilt(problem, x, penalty):
    t = tables_of(problem, x)
    objective, violation = kernels.build(t, 1.0, penalty)
    rng = np.random.default_rng(2)
    for _ in range(200):
        i, j = int(rng.integers(9)), int(rng.integers(7))
        expected = t.p[i] + t.x[i, j] * t.s[i, j]
        changes = kernels.flip(t, 1.0, penalty, i, j)
        assert changes[0] + penalty * changes[1] == pytest.approx(expected, abs=1e-6)
        objective, violation = objective + changes[0], violation + changes[1]
        x[i, j] *= -1
    np.testing.assert_array_equal(t.x, x)
    fresh = tables_of(problem, x)
    rebuilt = kernels.build(fresh, 1.0, penalty)
    assert (objective, violation) == pytest.approx(rebuilt)
    for name in ("g", "q", "p", "s", "overlap"):
        np.testing.assert_allclose(getattr(t, name), getattr(fresh, name), atol=1e-6, err_msg=name)
    np.testing.assert_array_equal(fresh.overlap, np.column_stack([x.T @ x, x.sum(axis=0)]))


def test_a_flip_that_repeats_a_column_is_seen(problem):
    # columns 0 and 1 differ in row 0 alone, column 2 is the complement of column 0 but for row 1,
    # and column 3 is constant but for row 2
    x = np.random.default_rng(3).choice([-1.0, 1.0], size=(9, 7))
    x[:, 1] = x[:, 0]
    x[0, 1] *= -1
    x[:, 2] = -x[:, 0]
    x[1, 2] *= -1
    x[:, 3] = 1
    x[2, 3] = -1
    t = tables_of(problem, x)

    def is_valid(code):
        columns = np.column_stack([np.ones(9), code])
        return np.abs(np.triu(columns.T @ columns, 1)).max() < 9

    assert is_valid(x)
    refused = set()
    for i, j in np.ndindex(x.shape):
        flipped = x.copy()
        flipped[i, j] *= -1
        assert kernels.column_stays_valid(t, i, j) == is_valid(flipped)
        if not is_valid(flipped):
            refused.add((i, j))
    assert refused >= {(0, 0), (0, 1), (1, 0), (1, 2), (2, 3)}


def test_replaced_columns_stay_different_dichotomies(correlation):
    # 5 classes have 15 columns, 13 of them in use: most draws would repeat one
    problem = make_problem(correlation(5, 3), 13, 1)
    numbers = np.arange(1, 14)
    x = 1.0 - 2.0 * ((numbers[None, :] >> np.arange(5)[:, None]) & 1)
    t = tables_of(problem, x)
    for _ in range(50):
        kernels.replace_columns(t, 13)
        columns = np.column_stack([np.ones(5), t.x])
        assert np.abs(np.triu(columns.T @ columns, 1)).max() < 5
    assert (t.x != x).any()


def test_random_numbers_are_even_and_cover_their_range():
    state = np.array([12345], dtype=np.uint64)
    counts = np.bincount([kernels.random_below(state, 7) for _ in range(7000)])
    assert len(counts) == 7
    assert counts.min() > 850
    assert counts.max() < 1150
