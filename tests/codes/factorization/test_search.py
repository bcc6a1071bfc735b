import numpy as np
import pytest

from ecoc.codes.factorization.budget import Budget
from ecoc.codes.factorization.feasibility import random_columns
from ecoc.codes.factorization.problem import make_problem
from ecoc.codes.factorization.search import FlipSearch, fits_flip_search


@pytest.mark.parametrize("feasibility", [False, True])
def test_the_best_code_is_valid_and_what_it_claims_to_be(assert_valid, correlation, feasibility):
    problem = make_problem(correlation(12, 4), 10, 3)
    hunt = FlipSearch(problem, random_columns(12, 10, np.random.default_rng(0)), 7, feasibility)
    objectives = [hunt.objective]
    for _ in range(20):
        hunt.advance(Budget(1, np.inf), work=1e5)
        objectives.append(hunt.objective)
    assert np.isfinite(hunt.objective)
    assert objectives == sorted(objectives, reverse=True)
    assert_valid(hunt.best, 10, 3)
    assert hunt.objective == pytest.approx(problem.objective(hunt.best))


def test_no_valid_code_yet_is_infinitely_bad(correlation):
    x = random_columns(6, 5, np.random.default_rng(0))
    x[1] = x[0]
    assert FlipSearch(make_problem(correlation(6, 3), 5, 1), x, 0).objective == np.inf


def test_pieces_of_a_search_are_the_search(correlation):
    problem = make_problem(correlation(12, 4), 8, 2)
    start = random_columns(12, 8, np.random.default_rng(0))
    whole, pieces = FlipSearch(problem, start, 3), FlipSearch(problem, start, 3)
    work = 400 + 4 * 12 * 8.0
    whole.advance(Budget(1, np.inf), work=work * 30000)
    for n in (1, 999, 14000, 15000):
        pieces.advance(Budget(1, np.inf), work=work * n)
    np.testing.assert_array_equal(pieces.best, whole.best)
    assert pieces.objective == whole.objective < FlipSearch(problem, start, 3).objective


def test_the_start_is_left_alone(correlation):
    start = random_columns(8, 5, np.random.default_rng(0))
    before = start.copy()
    hunt = FlipSearch(make_problem(correlation(8, 3), 5, 1), start, 3)
    hunt.advance(Budget(1, np.inf), work=1e6)
    np.testing.assert_array_equal(start, before)


def test_work_ends_with_the_budget(correlation):
    budget = Budget(1e-3, np.inf)
    hunt = FlipSearch(make_problem(correlation(12, 3), 6, 1), random_columns(12, 6, np.random.default_rng(0)), 3)
    hunt.advance(budget, work=1e12)
    assert 0.99 * budget.allowed < budget.spent <= budget.allowed


@pytest.mark.parametrize(
    ("k", "l", "yes"), [(100, 40, True), (100, 41, False), (1024, 16, True), (1024, 17, False), (1025, 16, False)]
)
def test_which_problems_are_searched_flip_by_flip(k, l, yes):
    assert fits_flip_search(make_problem(np.ones((k, 1)), l, 1, factor=True)) is yes
