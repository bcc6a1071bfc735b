"""The bound is the formula, and the search lowers it without breaking a code."""

import numpy as np
import pytest

from ecoc.refinement import ErrorBound
from ecoc.refinement._bound_kernels import descend


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(0)
    k, n = 9, 400
    y = np.concatenate([np.arange(k), rng.integers(k, size=n - k)])
    noise = rng.normal(size=(n, k)) @ (np.eye(k) + 0.3 * rng.normal(size=(k, k))) * 0.4
    return ErrorBound(np.eye(k)[y] + noise, y), y, rng.choice([-1, 1], size=(k, 4)).astype(np.int8)


def formula(bound, code):
    X = code.astype(float)
    total = 0.0
    for i in range(len(X)):
        for j in range(i):
            difference = (bound.means[i] - bound.means[j]) @ X
            total += bound.weights[i, j] * np.exp(
                -difference @ np.linalg.solve(X.T @ bound.covariance @ X, difference) / 8
            )
    return total


def test_value(problem):
    bound, y, code = problem
    assert bound.value(code) == pytest.approx(formula(bound, code), rel=1e-6)
    share = np.bincount(y) / len(y)
    np.testing.assert_allclose(bound.weights, np.sqrt(np.outer(share, share)))


def test_outputs_of_a_code_have_the_moments_that_are_used():
    rng = np.random.default_rng(1)
    y = np.repeat(np.arange(3), 50)
    outputs = rng.normal(size=(150, 3))
    bound = ErrorBound(outputs, y)
    code = np.array([[1, 1], [-1, 1], [1, -1]])
    projected = outputs @ code
    means = np.array([projected[y == i].mean(axis=0) for i in range(3)])
    np.testing.assert_allclose(bound.means @ code, means)
    within = sum(np.cov(projected[y == i].T) for i in range(3)) / 3
    np.testing.assert_allclose(np.diag(code.T @ bound.covariance @ code), np.diag(within), rtol=0.2)


def test_the_cost_of_a_column_is_the_bound_with_it(problem):
    bound, _, code = problem
    distances, means, covariance = bound._left(code[:, :3].astype(float))
    confused = bound.weights * np.exp(-distances / 8)
    column = code[:, 3].astype(float)
    cost = descend(confused, means.copy(), covariance, np.zeros((9, 9)), column, 0.0)
    changed = np.column_stack([code[:, :3], column.astype(np.int8)])
    assert cost == pytest.approx(formula(bound, changed), rel=1e-5)
    assert cost <= formula(bound, code)
    for i in range(9):  # no single flip is better
        flipped = changed.copy()
        flipped[i, 3] *= -1
        if abs(flipped[:, 3].sum()) < 9:
            assert formula(bound, flipped) >= cost * (1 - 1e-6)


@pytest.mark.parametrize("least", [1, 2])
def test_improving_keeps_distances(problem, least):
    bound, _, _ = problem
    start = np.array([[(i >> b) & 1 for b in range(4)] for i in range(9)]) * 2 - 1
    start = np.column_stack([start, start.prod(axis=1), start[:, 0]]).astype(np.int8)  # parity: distance two
    better = bound.improve(start, np.full((9, 9), least), np.random.default_rng(0))
    assert bound.value(better) < bound.value(start)
    distances = (6 - better.astype(int) @ better.T) // 2 + 9 * np.eye(9, dtype=int)
    assert distances.min() >= least
    again = bound.improve(start, np.full((9, 9), least), np.random.default_rng(0))
    np.testing.assert_array_equal(again, better)


def test_extending_keeps_what_was_there_and_each_column_helps(problem):
    bound, _, code = problem
    longer = bound.extend(code, 8, np.random.default_rng(0))
    np.testing.assert_array_equal(longer[:, :4], code)
    values = [bound.value(longer[:, :m]) for m in range(4, 9)]
    assert values == sorted(values, reverse=True)
    assert (np.abs(longer.astype(int).T @ longer)[np.triu_indices(8, 1)] < 9).all()  # no column twice
    assert (np.abs(longer.sum(axis=0)) < 9).all()


def test_there_is_an_end_to_what_columns_can_tell(problem):
    bound, _, code = problem
    with pytest.raises(ValueError, match="No further column"):
        bound.extend(code, 30, np.random.default_rng(0))


def test_best_columns_first(problem):
    bound, _, code = problem
    order = bound.order(code)
    assert sorted(order) == [0, 1, 2, 3]
    assert bound.value(code[:, order[:1]]) == min(bound.value(code[:, [j]]) for j in range(4))


def test_classes_of_one_sample():
    bound = ErrorBound(np.eye(5), np.arange(5))
    code = bound.extend(np.array([[1], [1], [-1], [-1], [1]], dtype=np.int8), 3, np.random.default_rng(0))
    assert np.isfinite(bound.value(code))
