import numpy as np
import pytest

from ecoc.codes.factorization import _tree_kernels as kernels
from ecoc.codes.factorization.problem import make_problem


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 16, 17, 1024])
def test_cheapest_first(n):
    rng = np.random.default_rng(n)
    weights = np.array([number.bit_count() for number in range(n)], dtype=float)
    for keys in (rng.normal(size=n), weights, -weights, np.zeros(n), np.where(weights % 2, np.inf, weights)):
        order = np.full(n, -1)
        kernels.cheapest_first(keys, order)
        assert sorted(order) == list(range(n))
        np.testing.assert_array_equal(keys[order], np.sort(keys))


def test_pair_costs(correlation):
    demands = np.array([[0, 1, 3], [1, 0, 2], [3, 2, 0]])
    D = correlation(3, 2)
    problem = make_problem(D, 4, demands)
    cost = kernels.pair_costs(problem.target, problem.cap)
    assert cost.shape == (3, 3, 5)
    for i, r in ((0, 1), (0, 2), (1, 2)):
        for h in range(5):
            expected = 2 * (4 * D[i, r] - (4 - 2 * h)) ** 2 if h >= demands[i, r] else np.inf
            assert cost[i, r, h] == cost[r, i, h] == pytest.approx(expected)


def test_work_is_what_was_done(correlation):
    from ecoc.codes.factorization.search import BranchAndBound

    tree = BranchAndBound(make_problem(correlation(8, 4), 6, 1))._tree
    assert kernels.advance(tree, 1) >= 1
    done = kernels.advance(tree, 10**9)
    assert tree.depth[0] == 0
    assert 0 < done < 10**9
    assert kernels.advance(tree, 10**9) == 0
