"""The bound is the formula, and the search lowers it without breaking a code."""

from copy import copy
from dataclasses import replace

import numpy as np
import pytest

from ecoc.codes.refinement.bound import ErrorBound
from ecoc.codes.refinement.limits import LIMITS
from ecoc.codes.refinement.moments import Moments
from ecoc.codes.refinement.proxy import HeldOut, proxy_outputs
from ecoc.codes.refinement.search import ColumnProblem, ColumnSearch, near_pairs

ANY = np.zeros((1, 1), dtype=np.int64)


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(0)
    k, n = 9, 400
    y = np.concatenate([np.arange(k), rng.integers(k, size=n - k)])
    noise = rng.normal(size=(n, k)) @ (np.eye(k) + 0.3 * rng.normal(size=(k, k))) * 0.4
    return ErrorBound(HeldOut.of_outputs(np.eye(k)[y] + noise, y)), y, rng.choice([-1, 1], size=(k, 4)).astype(np.int8)


@pytest.fixture(scope="module")
def many():
    """Of 80 classes, only near pairs are in the tables."""
    rng = np.random.default_rng(1)
    y = np.repeat(np.arange(80), 12)
    X = rng.normal(size=(80, 6))[y] + 0.4 * rng.normal(size=(960, 6))
    bits = (np.arange(80)[:, None] >> np.arange(7)) & 1
    code = np.column_stack([2 * bits - 1, rng.choice([-1, 1], size=(80, 5))]).astype(np.int8)
    return ErrorBound(proxy_outputs(X, y, rng)), code


def formula(bound, code):
    X, k = code.astype(float), len(code)
    means, within = bound.moments.means(X), X.T @ bound.moments.covariance(X)
    root = np.sqrt(bound.moments.shares)
    total = 0.0
    for i in range(k):
        for j in range(i):
            difference = means[i] - means[j]
            total += root[i] * root[j] * np.exp(-difference @ np.linalg.solve(within, difference) / 8)
    return total


def hamming(code):
    return (code.shape[1] - code.astype(int) @ code.T) // 2 + len(code) * np.eye(len(code), dtype=int)


def test_value(problem):
    bound, y, code = problem
    assert bound.value(code) == pytest.approx(formula(bound, code), rel=1e-6)
    np.testing.assert_allclose(bound.moments.shares, np.bincount(y) / len(y))


def test_outputs_of_a_code_have_the_moments_that_are_used():
    rng = np.random.default_rng(1)
    y = np.repeat(np.arange(3), 50)
    outputs = rng.normal(size=(150, 3))
    moments = Moments(HeldOut.of_outputs(outputs, y))
    code = np.array([[1, 1], [-1, 1], [1, -1]])
    projected = outputs @ code
    np.testing.assert_allclose(moments.means(code), [projected[y == i].mean(axis=0) for i in range(3)])
    within = sum(np.cov(projected[y == i].T) for i in range(3)) / 3
    np.testing.assert_allclose(np.diag(code.T @ moments.covariance(code)), np.diag(within), rtol=0.2)


def test_moments_of_factors_are_those_of_the_outputs():
    rng = np.random.default_rng(2)
    y = np.repeat(np.arange(6), 40)
    features, weights, own = rng.normal(size=(240, 4)), rng.normal(size=(4, 6)), rng.normal(size=240)
    factored = HeldOut(features, weights, own, y, None, 6)
    stored = Moments(HeldOut.of_outputs(factored.under(np.eye(6)), y))
    moments, identity, (rows, columns) = Moments(factored), np.eye(6), np.indices((6, 6)).reshape(2, -1)
    np.testing.assert_allclose(moments.means(identity), stored.means(identity), atol=1e-12)
    np.testing.assert_allclose(moments.transposed_means(identity), stored.means(identity).T, atol=1e-12)
    np.testing.assert_allclose(moments.mean_entries(rows, columns), stored.means(identity).ravel(), atol=1e-12)
    # Covariances of a sample's own part with other outputs are left out; the variances are complete.
    np.testing.assert_allclose(moments.variances, stored.variances, rtol=1e-4)
    covariance = moments.covariance(identity)
    np.testing.assert_allclose(np.diag(covariance), moments.variances, rtol=1e-9)
    np.testing.assert_allclose(moments.covariance_entries(rows, columns), covariance.ravel(), atol=1e-12)


def test_tables_follow_the_code(problem, many):
    for bound, code in ((problem[0], problem[2]), many):
        search = ColumnSearch(bound.moments, code, near_pairs(bound._points(code)), ANY)
        for j in range(code.shape[1]):
            search.replace(j)
        fresh = ColumnSearch(bound.moments, search.code, search.pairs, ANY)
        for kept, made in zip(search.tables, fresh.tables):
            np.testing.assert_allclose(kept, made, atol=1e-6 * np.abs(made).max())
        np.testing.assert_array_equal(search.words, fresh.words)


def test_the_cost_of_a_column_is_the_bound_with_it(problem):
    bound, _, code = problem
    near, limits = near_pairs(bound._points(code)), replace(LIMITS, equal_cost=0.0)
    search = ColumnSearch(bound.moments, code[:, :3], near, ANY, limits)
    cost, column = ColumnProblem(search, np.arange(3), search._inverse, 3).best_of([code[:, 3].astype(float)])
    changed = np.column_stack([code[:, :3], column]).astype(np.int8)
    assert cost == pytest.approx(formula(bound, changed), rel=1e-5)
    assert cost <= formula(bound, code)
    for i in range(9):  # no single flip is better
        flipped = changed.copy()
        flipped[i, 3] *= -1
        if abs(flipped[:, 3].sum()) < 9:
            assert formula(bound, flipped) >= cost * (1 - 1e-6)


@pytest.mark.parametrize("least", [1, 2])
@pytest.mark.parametrize("for_each_pair", [False, True])
def test_improving_keeps_distances(problem, least, for_each_pair):
    bound, _, _ = problem
    start = np.array([[(i >> b) & 1 for b in range(4)] for i in range(9)]) * 2 - 1
    start = np.column_stack([start, start.prod(axis=1), start[:, 0]]).astype(np.int8)  # parity: distance two
    demands = np.full((9, 9) if for_each_pair else (1, 1), least)
    better = bound.improve(start, demands, np.random.default_rng(0))
    assert bound.value(better) < bound.value(start)
    assert hamming(better).min() >= least
    again = bound.improve(start, demands, np.random.default_rng(0))
    np.testing.assert_array_equal(again, better)


def test_improving_many_classes(many):
    bound, start = many
    better = bound.improve(start, np.ones((1, 1), dtype=np.int64), np.random.default_rng(0))
    assert bound.value(better) < 0.8 * bound.value(start)
    assert hamming(better).min() >= 1


def test_near_pairs_decide_about_as_well_as_all_pairs(many):
    bound, start = many
    one, rng = np.ones((1, 1), dtype=np.int64), np.random.default_rng(0)
    near = bound.value(bound.improve(start, one, rng))
    every = copy(bound)
    every.limits = replace(LIMITS, all_pairs=80)
    assert near < 1.15 * bound.value(every.improve(start, one, rng))


def test_extending_keeps_what_was_there_and_each_column_helps(problem):
    bound, _, code = problem
    longer = bound.extend(code, 8, np.random.default_rng(0))
    np.testing.assert_array_equal(longer[:, :4], code)
    values = [bound.value(longer[:, :m]) for m in range(4, 9)]
    assert values == sorted(values, reverse=True)
    assert (np.abs(longer.astype(int).T @ longer)[np.triu_indices(8, 1)] < 9).all()  # no column twice
    assert (np.abs(longer.sum(axis=0)) < 9).all()


def test_extending_many_classes(many):
    bound, code = many
    longer = bound.extend(code, 15, np.random.default_rng(0))
    values = [bound.value(longer[:, :m]) for m in range(12, 16)]
    assert values == sorted(values, reverse=True)


def test_there_is_an_end_to_what_columns_can_tell(problem):
    bound, _, code = problem
    with pytest.raises(ValueError, match="no further column"):
        bound.extend(code, 30, np.random.default_rng(0))


def test_best_columns_first(problem):
    bound, _, code = problem
    order = bound.order(code)
    assert sorted(order) == [0, 1, 2, 3]
    assert bound.value(code[:, order[:1]]) == min(bound.value(code[:, [j]]) for j in range(4))
    pairs_of_columns = {j: bound.value(code[:, [order[0], j]]) for j in order[1:]}
    assert order[1] == min(pairs_of_columns, key=pairs_of_columns.get)


def test_classes_of_one_sample():
    bound = ErrorBound(HeldOut.of_outputs(np.eye(5), np.arange(5)))
    code = bound.extend(np.array([[1], [1], [-1], [-1], [1]], dtype=np.int8), 3, np.random.default_rng(0))
    assert np.isfinite(bound.value(code))


@pytest.mark.parametrize("stored", [True, False])
def test_more_classes_than_features(stored):
    """What samples add to the outputs of their own classes may outweigh the few features."""
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(14), 5)
    X = np.column_stack([np.cos(y), np.sin(y)]) + 0.05 * rng.normal(size=(70, 2))
    bound = ErrorBound(proxy_outputs(X, y, rng, linear=True, limits=replace(LIMITS, stored_share=float(stored))))
    assert np.linalg.eigvalsh(bound.moments.covariance(np.eye(14))).min() > 0
    start = (2 * ((np.arange(14)[:, None] >> np.arange(4)) & 1) - 1).astype(np.int8)
    better = bound.improve(start, np.ones((1, 1), dtype=np.int64), rng)
    assert bound.value(better) <= bound.value(start)
