import numpy as np
import pytest
from numba import njit

from ecoc.codes.factorization import _descent_kernels as kernels
from ecoc.codes.factorization.budget import Budget
from ecoc.codes.factorization.feasibility import random_columns
from ecoc.codes.factorization.problem import make_problem
from ecoc.codes.factorization.search import RowDescent

UNLIMITED = Budget(np.inf, np.inf)


def state_of(problem, x, free=False):
    descent = RowDescent(problem, x, free)
    assert descent.multiply(UNLIMITED)
    return descent._state


def test_popcount():
    @njit
    def count(word):
        return kernels.popcount(word)

    rng = np.random.default_rng(0)
    words = [0, 1, 2**63, 2**64 - 1, 0x5555555555555555, *map(int, rng.integers(0, 2**64, 50, dtype=np.uint64))]
    for word in words:
        assert count(np.uint64(word)) == word.bit_count()


@pytest.mark.parametrize("l", [1, 63, 64, 65, 130])
def test_packed_signs(l):
    codeword = np.random.default_rng(l).choice([-1.0, 1.0], size=l)
    words = np.full(-(-l // 64), 2**64 - 1, dtype=np.uint64)  # old values, which must be overwritten
    kernels.pack(codeword, words)
    number = sum(int(word) << (64 * w) for w, word in enumerate(words))
    assert number == sum(1 << j for j in range(l) if codeword[j] > 0)


@pytest.mark.parametrize("l", [7, 70])
def test_deficit_counts_what_is_missing(l):
    rng = np.random.default_rng(l)
    x = rng.choice([-1.0, 1.0], size=(12, l))
    demands = rng.integers(1, l + 1, (12, 12))
    demands = np.maximum(demands, demands.T)
    state = state_of(make_problem(np.eye(12), l, demands), x)
    H = (l - x @ x.T) / 2
    for i in range(12):
        for last in (0, i, 12):
            missing = sum(max(0, demands[i, r] - H[i, r]) for r in range(last) if r != i)
            assert kernels.deficit(state, state.words[i], i, last, 2**62) == missing
            assert min(3, missing) <= kernels.deficit(state, state.words[i], i, last, 3) <= missing


@pytest.mark.parametrize("factored", [False, True])
@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize(("k", "l", "c"), [(30, 6, 1), (60, 20, 4), (40, 70, 25)])
def test_a_sweep_gains_what_it_says(assert_valid, k, l, c, factored, free):
    F = np.random.default_rng(k).normal(size=(k, 5))
    F /= np.linalg.norm(F, axis=1, keepdims=True)
    D = F @ F.T
    np.fill_diagonal(D, 1)
    problem = make_problem(F, l, c) if factored else make_problem((D + D.T) / 2, l, c)
    descent = RowDescent(problem, random_columns(k, l, np.random.default_rng(2)), free)
    rng = np.random.default_rng(3)
    assert free or descent.repair(rng, UNLIMITED)
    assert descent.multiply(UNLIMITED)
    total = 0.0
    for _ in range(3):
        before = problem.objective(descent.x)
        gained = kernels.sweep(descent._state, rng.permutation(k), factored)
        assert gained <= 0
        assert problem.objective(descent.x) - before == pytest.approx(gained, abs=1e-7 * problem.scale**2)
        total += gained
    assert total < 0
    if not free:
        assert_valid(descent.x, l, c)


@pytest.mark.parametrize("factored", [False, True])
def test_the_state_after_sweeps_is_as_if_rebuilt(correlation, factored):
    D = correlation(25, 4)
    F = np.random.default_rng(1).normal(size=(25, 4))
    problem = make_problem(F if factored else D, 9, 2)
    descent = RowDescent(problem, random_columns(25, 9, np.random.default_rng(2)))
    rng = np.random.default_rng(3)
    descent.repair(rng, UNLIMITED)
    assert descent.multiply(UNLIMITED)
    for _ in range(3):
        kernels.sweep(descent._state, rng.permutation(25), factored)
    fresh = state_of(problem, descent.x)
    for name in ("words", "overlap", "right"):
        np.testing.assert_allclose(getattr(descent._state, name), getattr(fresh, name), atol=1e-9, err_msg=name)


def test_a_row_that_would_repeat_a_column_is_refused():
    x = random_columns(8, 4, np.random.default_rng(0))
    x[:, 1] = x[:, 0]
    x[0, 1] *= -1
    state = state_of(make_problem(np.eye(8), 4, 1), x)
    assert kernels.columns_stay_valid(state, 0, x[0].copy())
    repeated, both = x[0].copy(), x[0].copy()
    repeated[0] *= -1
    assert not kernels.columns_stay_valid(state, 0, repeated)
    both[:2] *= -1
    assert kernels.columns_stay_valid(state, 0, both)
    x[:, 2] = [1, -1, -1, -1, -1, -1, -1, -1]
    constant = x[0].copy()
    constant[2] = -1
    assert not kernels.columns_stay_valid(state_of(make_problem(np.eye(8), 4, 1), x), 0, constant)
