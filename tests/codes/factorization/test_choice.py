"""Are codes of few classes found whatever the effort?"""

import numpy as np
import pytest

from ecoc import factorize
from ecoc.codes.factorization.budget import Budget
from ecoc.codes.factorization.constructions import choose_columns
from ecoc.codes.factorization.feasibility import random_columns
from ecoc.codes.factorization.problem import Problem
from tests.attacks.designs import all_distances, draw_code

ANY_TIME = Budget(1, np.inf)


@pytest.mark.parametrize("seed", range(40))
def test_an_integer_program_finds_a_code_exactly_if_one_exists(seed):
    rng = np.random.default_rng(seed)
    k = int(rng.integers(3, 6))
    l = int(rng.integers(2, 2 ** (k - 1)))
    demands = np.maximum(1, rng.integers(0, max(2, (l + 3) // 2), size=(k, k)))
    demands = np.triu(demands, 1) + np.triu(demands, 1).T
    pairs = np.triu_indices(k, 1)
    exists = (all_distances(k, l) >= demands[pairs]).all(axis=1).any()
    problem = Problem(design=np.eye(k), n_columns=l, demands=demands)
    code = choose_columns(random_columns(k, 2 ** (k - 1) - 1, rng), problem, ANY_TIME)
    assert (code is not None) == exists
    if exists:
        assert code.shape == (k, l)
        assert ((l - code @ code.T) / 2 >= demands).all()


def test_no_column_is_chosen_after_the_time_limit():
    problem = Problem(design=np.eye(4), n_columns=3, demands=1)
    assert choose_columns(random_columns(4, 7, np.random.default_rng(0)), problem, Budget(1, 0)) is None


@pytest.mark.parametrize("effort", [1e-9, 1e-3])
def test_opposite_codewords_are_found_with_the_least_effort(effort):
    demands = {(0, 3): 7, "default": 1}
    found = factorize(np.eye(5), 7, min_distance=demands, labels=range(5), effort=effort, random_state=51808)
    assert found.verify()


@pytest.mark.parametrize("seed", range(20))
def test_demands_of_a_code_with_more_columns_than_classes_are_met_with_the_least_effort(seed):
    rng = np.random.default_rng(seed)
    k = int(rng.integers(5, 8))
    code = draw_code(rng, k, int(rng.integers(k + 1, 2 * k)))
    demands = (code.shape[1] - code @ code.T) // 2
    if (demands + np.eye(k) == 0).any():
        pytest.skip("two codewords are equal")
    found = factorize(np.eye(k), code.shape[1], min_distance=demands, effort=1e-6, random_state=seed)
    assert found.verify()
