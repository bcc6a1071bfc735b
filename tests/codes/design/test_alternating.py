import numpy as np
import pytest

from ecoc import nearest_correlation
from ecoc.codes.design import alternating_projections


def design(k, seed):
    D = np.random.default_rng(seed).uniform(-1, 1, (k, k))
    D = np.triu(D, 1)
    return D + D.T + np.eye(k)


@pytest.mark.parametrize("k", [3, 8, 20])
def test_the_result_is_in_both_sets(k):
    found = alternating_projections(design(k, k))
    assert np.array_equal(found.matrix, found.matrix.T)
    assert (np.diag(found.matrix) == 1).all()
    assert np.abs(found.matrix).max() <= 1
    assert found.least_eigenvalue > -1e-6


def test_it_is_near_the_nearest_and_not_nearer():
    for seed in range(5):
        D = design(10, seed)
        printed, nearest = alternating_projections(D).matrix, nearest_correlation(D)
        ratio = np.linalg.norm(printed - D) / np.linalg.norm(nearest - D)
        assert 1 - 1e-6 <= ratio < 1.2


def test_a_correlation_matrix_stays_as_it_is():
    D = nearest_correlation(design(6, 0))
    found = alternating_projections(D)
    assert np.allclose(found.matrix, D, atol=1e-8)


def test_few_rounds_end_early():
    assert alternating_projections(design(8, 1), max_iter=3).n_iter == 3
