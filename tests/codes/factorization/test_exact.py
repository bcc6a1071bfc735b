from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ecoc.codes.factorization.budget import LIMITS, Budget
from ecoc.codes.factorization.problem import make_problem
from ecoc.codes.factorization.search import BranchAndBound, is_small, solve

PLENTY = 50


def unlimited():
    return Budget(PLENTY, np.inf)


def in_small_pieces():
    return Budget(PLENTY, np.inf, replace(LIMITS, chunk=1e4))


@settings(deadline=None, max_examples=80)
@given(
    k=st.integers(2, 5),
    l=st.integers(1, 7),
    rank=st.integers(1, 5),
    seed=st.integers(0, 2**32 - 1),
    uniform=st.booleans(),
)
def test_finds_what_enumeration_finds(brute_force, assert_valid, correlation, k, l, rank, seed, uniform):
    D = correlation(k, rank, seed)
    rng = np.random.default_rng(seed)
    demands = int(rng.integers(1, l + 1)) if uniform else np.triu(rng.integers(1, l + 1, (k, k)), 1)
    if not uniform:
        demands = demands + demands.T + np.eye(k, dtype=int)
    problem = make_problem(D, l, demands)
    code, complete = solve(problem, np.inf, unlimited())
    assert complete
    optimum = brute_force(D, l, demands)
    if optimum is None:
        assert code is None
    else:
        assert_valid(code, l, demands)
        assert problem.objective(code) == pytest.approx(optimum, abs=1e-9)


def test_six_classes(brute_force, correlation):
    D = correlation(6, 3)
    code, complete = solve(make_problem(D, 4, 2), np.inf, unlimited())
    assert complete
    assert make_problem(D, 4, 2).objective(code) == pytest.approx(brute_force(D, 4, 2))


def test_an_upper_limit_leaves_only_what_is_better(brute_force, correlation):
    D = correlation(5, 3)
    problem, optimum = make_problem(D, 4, 1), brute_force(D, 4, 1)
    assert solve(problem, optimum, unlimited()) == (None, True)
    code, complete = solve(problem, optimum + 1e-6, unlimited())
    assert complete
    assert problem.objective(code) == pytest.approx(optimum)


def test_a_search_in_small_pieces_is_the_same_search(correlation):
    problem = make_problem(correlation(9, 4), 7, 2)
    whole, complete = solve(problem, np.inf, unlimited())
    assert complete
    tree, codes = BranchAndBound(problem), []
    while not tree.complete:
        better = tree.advance(in_small_pieces())
        if better is not None:
            codes.append(better)
    objectives = [problem.objective(code) for code in codes]
    assert len(objectives) > 1
    assert objectives == sorted(objectives, reverse=True)
    np.testing.assert_array_equal(codes[-1], whole)


def test_it_learns_from_better_codes_found_elsewhere(correlation):
    problem = make_problem(correlation(10, 5), 8, 1)
    alone, helped = in_small_pieces(), in_small_pieces()
    optimum = problem.objective(solve(problem, np.inf, alone)[0])
    tree = BranchAndBound(problem)
    while not tree.complete:
        assert tree.advance(helped, optimum) is None
    assert helped.spent < alone.spent


def test_an_unfinished_search_says_so(correlation):
    budget = Budget(1e-3, np.inf)
    _, complete = solve(make_problem(correlation(14, 5), 9, 1), np.inf, budget)
    assert not complete
    assert budget.exhausted
    assert solve(make_problem(correlation(14, 5), 9, 1), np.inf, Budget(np.inf, 1e-9)) == (None, False)


@pytest.mark.parametrize(("k", "l", "small"), [(2, 1, True), (20, 14, True), (21, 5, False), (5, 15, False)])
def test_what_is_small(k, l, small):
    assert is_small(make_problem(np.eye(k), l, 1)) is small
