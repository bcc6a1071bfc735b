"""A colouring is the best of all that keep the constraints."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from ecoc_paper.hierarchy.colouring import _dynamic_programme, colour, first_colourings, gram_of_means, objective


def feasible(k, bound, relaxed):
    """All colourings of k classes that satisfy the constraints."""
    bound = bound if relaxed else max(bound, k % 2)
    every = product((-1, 0, 1) if relaxed else (-1, 1), repeat=k)
    return [np.array(mu) for mu in every if abs(sum(mu)) <= bound and 1 in mu and -1 in mu]


costs = st.floats(-2, 2) | st.sampled_from([-1.0, 0.0, 1.0])


@given(st.integers(2, 7).flatmap(lambda k: st.tuples(*[st.lists(costs, min_size=k, max_size=k)] * 2)), st.data())
@settings(max_examples=80, deadline=None)
def test_colouring_is_the_best_of_all(prices, data):
    plus, minus = map(np.array, prices)
    k = len(plus)
    bound, relaxed = data.draw(st.integers(0, k + 1)), data.draw(st.booleans())
    allowed = feasible(k, bound, relaxed)
    best = min(objective(plus, minus, mu) for mu in allowed)
    reach = min(bound if relaxed else max(bound, k % 2), k)
    for mu in (colour(plus, minus, bound, relaxed), _dynamic_programme(plus, minus, reach, relaxed)):
        assert any(np.array_equal(mu, other) for other in allowed)
        assert objective(plus, minus, mu) == pytest.approx(best, abs=1e-12)


def test_colouring_of_many_classes_agrees_with_a_linear_relaxation():
    # Costs with plus + minus ≥ 0 are convex in μ, so the linear relaxation is tight and solves the problem, too.
    from scipy.optimize import linprog

    rng = np.random.default_rng(0)
    k, bound = 120, 3
    plus = rng.normal(-0.5, 1, size=k)
    minus = rng.uniform(0, 2, size=k) - plus
    mu = colour(plus, minus, bound)
    total = np.concatenate([np.ones(k), -np.ones(k)])
    one_colour = np.hstack([np.eye(k), np.eye(k)])
    limits = np.concatenate([np.ones(k), [bound, bound]])
    result = linprog(np.concatenate([plus, minus]), np.vstack([one_colour, total, -total]), limits, bounds=(0, 1))
    assert abs(mu.sum()) <= bound
    assert objective(plus, minus, mu) == pytest.approx(result.fun)


@given(st.integers(2, 9), st.integers(0, 9), st.integers(1, 5), st.booleans(), st.integers(0, 1000))
@settings(max_examples=40, deadline=None)
def test_first_colourings_keep_the_constraints(k, bound, n, relaxed, seed):
    points = np.random.default_rng(seed).normal(size=(k, 3)).round(seed % 2)
    found = first_colourings(points @ points.T, bound, n, np.random.RandomState(seed), relaxed)
    assert 1 <= len(found) <= n
    assert len({mu.tobytes() for mu in found}) == len(found)
    for mu in found:
        assert mu.min() == -1
        assert mu.max() == 1
        assert abs(mu.sum()) <= (bound if relaxed else max(bound, k % 2))
        assert mu[mu != 0][0] == -1
        assert mu.all() or (relaxed and bound == 0 and k % 2)


def test_first_colouring_finds_two_groups():
    points = np.array([[0, 0], [9, 9], [1, 0], [9, 8], [0, 1.0]])
    (mu,) = first_colourings(points @ points.T, 5, 1, np.random.RandomState(0))
    assert mu.tolist() == [-1, 1, -1, 1, -1]


@pytest.mark.parametrize("missing", [False, True])
def test_gram_of_means(missing):
    rng = np.random.default_rng(0)
    X, y, weight = rng.normal(3, [1, 5, 0.1], size=(60, 3)), np.arange(60) % 4, rng.uniform(0.5, 2, size=60)
    if missing:
        X[::7, 1] = np.nan
    filled = np.where(np.isnan(X), np.average(X[~np.isnan(X[:, 1]), 1], weights=weight[~np.isnan(X[:, 1])]), X)
    means = np.array([np.average(filled[y == c], axis=0, weights=weight[y == c]) for c in range(4)])
    within = np.average((filled - means[y]) ** 2, axis=0, weights=weight)
    scaled = (means - np.average(filled, axis=0, weights=weight)) / np.sqrt(within)
    np.testing.assert_allclose(gram_of_means(X, y, weight), scaled @ scaled.T, rtol=1e-10)
    if not missing:
        np.testing.assert_allclose(gram_of_means(csr_array(X), y, weight), scaled @ scaled.T, rtol=1e-8)
