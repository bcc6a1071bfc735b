"""Numerical routines against SciPy, NumPy and the definition."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.sparse import coo_array, csr_array

from ecoc.utils.numerics import definite_root, generator, lbfgs, without_duplicates


def test_lbfgs_finds_the_minimum_that_scipy_finds():
    rng = np.random.default_rng(0)
    A, b = rng.normal(size=(30, 4)), rng.choice([-1, 1], 30)

    def loss(x):
        margins = b * (A @ x)
        slope = -b / (1 + np.exp(margins))
        return np.logaddexp(0, -margins).mean() + x @ x / 2, A.T @ slope / len(b) + x

    found, n_steps = lbfgs(loss, np.zeros(4), 100, 1e-14)
    np.testing.assert_allclose(found, minimize(loss, np.zeros(4), jac=True, tol=1e-12).x, atol=1e-5)
    assert 1 < n_steps < 100
    assert lbfgs(loss, np.zeros(4), 1, 1e-14)[1] == 1


def test_the_root_of_a_definite_matrix_is_its_cholesky_factor():
    covariance = np.cov(np.random.default_rng(0).normal(size=(3, 20)))
    root = definite_root(covariance, 1e-12)
    np.testing.assert_allclose(root @ root.T, covariance, rtol=1e-9, atol=1e-12)
    assert not np.triu(root, 1).any()


def test_a_matrix_that_rounding_made_indefinite_has_a_root():
    nearly = np.array([[1.0, 1.0], [1.0, 1.0 - 1e-12]])
    with pytest.raises(np.linalg.LinAlgError):
        np.linalg.cholesky(nearly)
    root = definite_root(nearly, 1e-15)
    np.testing.assert_allclose(root @ root.T, nearly, atol=1e-5)
    with pytest.raises(np.linalg.LinAlgError):
        definite_root(-np.eye(2), 1e-15)


def test_sparse_rows_name_each_feature_once():
    twice = csr_array((np.array([1.0, 2.0, 4.0]), np.array([1, 1, 0]), np.array([0, 3])), shape=(1, 2))
    assert not twice.has_canonical_format
    assert without_duplicates(twice).data.tolist() == [4.0, 3.0]
    assert len(twice.data) == 3
    plain = np.eye(2)
    assert without_duplicates(plain) is plain
    sound = coo_array(plain).tocsr()
    assert without_duplicates(sound) is sound


def test_a_generator_from_any_random_state():
    draws = [generator(state).integers(100, size=5).tolist() for state in (3, 3, np.random.default_rng(3))]
    assert draws[0] == draws[1] == draws[2]
    state = np.random.RandomState(3)
    assert generator(state).integers(2**62) != generator(state).integers(2**62)  # it advances
    assert generator(rng := np.random.default_rng(0)) is rng
