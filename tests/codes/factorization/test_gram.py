import numpy as np
import pytest

from ecoc import factorize
from ecoc.codes.factorization.budget import Budget
from ecoc.codes.factorization.constructions import code_with_products
from ecoc.codes.factorization.feasibility import random_columns
from ecoc.codes.factorization.search import columns_are_valid


@pytest.mark.parametrize(("k", "l"), [(4, 3), (9, 4), (12, 12), (24, 24), (32, 32), (40, 20), (64, 28)])
def test_a_code_is_found_by_its_inner_products(k, l):
    rng = np.random.default_rng(k)
    for _ in range(5):
        code = random_columns(k, l, rng)
        found = code_with_products(code @ code.T, l, rng, Budget(1, np.inf))
        assert found is not None
        assert columns_are_valid(found)
        assert np.array_equal(found @ found.T, code @ code.T)


def test_products_of_no_code():
    rng, unlimited = np.random.default_rng(0), Budget(1, np.inf)
    code = random_columns(8, 6, rng)
    products = code @ code.T
    assert code_with_products(products, 5, rng, unlimited) is None  # another number of columns
    assert code_with_products(products - 7 * np.eye(8), 6, rng, unlimited) is None  # not positive semidefinite
    assert code_with_products(5.0 * np.eye(5), 5, rng, unlimited) is None  # a Hadamard matrix of order 5
    doubled = np.hstack([code[:, :3], code[:, :3]])
    assert code_with_products(doubled @ doubled.T, 6, rng, unlimited) is None  # equal columns


def test_the_search_ends_with_its_budget():
    rng = np.random.default_rng(0)
    code, budget = random_columns(60, 60, rng), Budget(0.01, np.inf)
    assert code_with_products(code @ code.T, 60, rng, budget) is None
    assert budget.spent < 1.01 * budget.allowed
    assert code_with_products(code @ code.T, 60, rng, Budget(np.inf, 0)) is None


@pytest.mark.parametrize("k", [24, 32])
def test_demands_that_are_copied_from_a_code(k, assert_valid):
    code = random_columns(k, k, np.random.default_rng(k))
    demands = ((k - code @ code.T) // 2).astype(int)
    found = factorize(np.eye(k), k, min_distance=demands, effort=0.02, random_state=0)
    assert_valid(found.code, k, demands)
