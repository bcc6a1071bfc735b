"""Held-out outputs of the proxy are those of regressions that were fitted without the samples."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import Ridge
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import StratifiedKFold

from ecoc.codes.refinement import proxy, proxy_outputs
from ecoc.codes.refinement.limits import LIMITS

with_penalties = proxy._with_penalties


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(4), 30)
    return rng.normal(size=(4, 5))[y] * 1.5 + rng.normal(size=(120, 5)), y


def rows_of(held_out_classes, y):
    """The samples of the outputs: the generator of the tests draws them first."""
    rows, _ = proxy._classes_in_turn(y, len(held_out_classes), np.random.default_rng(0))
    np.testing.assert_array_equal(y[rows], held_out_classes)
    return rows


def outputs_of(held_out):
    return held_out.under(np.eye(held_out.n_classes))


def refitted(kernel, Y, penalty, folds):
    """Kernel ridge regression with an intercept that is not penalised, once a fold."""
    outputs = np.empty_like(Y)
    for train, test in folds:
        inverse = np.linalg.inv(kernel[np.ix_(train, train)] + penalty * np.eye(len(train)))
        intercept = inverse.sum(axis=0) @ Y[train] / inverse.sum()
        outputs[test] = kernel[np.ix_(test, train)] @ inverse @ (Y[train] - intercept) + intercept
    return outputs


@pytest.mark.parametrize("by_fold", [False, True])
def test_kernel_ridge_without_each_sample_or_fold(data, by_fold):
    X, y = data
    limits = replace(LIMITS, penalties=(0.3,), widths=(1.0,), most_landmarks=120, least_landmarks=120)
    pairs = list(StratifiedKFold(3).split(X, y))
    each = [(np.delete(np.arange(120), i), np.array([i])) for i in range(120)]
    held_out = proxy_outputs(X, y, np.random.default_rng(0), folds=pairs if by_fold else None, limits=limits)
    assert (held_out.fold is not None) == by_fold
    expected = refitted(rbf_kernel(X, gamma=1 / (5 * X.var())), np.eye(4)[y], 0.3, pairs if by_fold else each)
    np.testing.assert_allclose(outputs_of(held_out), expected[rows_of(held_out.y, y)], atol=1e-6)


def test_ridge_without_each_sample(data):
    X, y = data
    limits = replace(LIMITS, linear_penalties=(0.01,))
    penalty = 0.01 * np.linalg.eigvalsh(np.cov(X.T) * 119).mean()
    Y = np.eye(4)[y]
    expected = [Ridge(penalty).fit(np.delete(X, i, 0), np.delete(Y, i, 0)).predict(X[[i]])[0] for i in range(120)]
    held_out = proxy_outputs(X, y, np.random.default_rng(0), linear=True, limits=limits)
    np.testing.assert_allclose(outputs_of(held_out), np.array(expected)[rows_of(held_out.y, y)], atol=1e-8)


@pytest.mark.parametrize("linear", [False, True])
def test_outputs_recognise_the_classes_dense_or_sparse(data, linear):
    X, y = data
    held_out = proxy_outputs(X, y, np.random.default_rng(0), linear=linear)
    outputs = outputs_of(held_out)
    assert np.mean(outputs.argmax(axis=1) == held_out.y) > 0.8
    thin = proxy_outputs(sparse.csr_matrix(X), y, np.random.default_rng(0), linear=linear)
    np.testing.assert_allclose(outputs_of(thin), outputs, atol=1e-6)


@pytest.mark.parametrize("by_fold", [False, True])
def test_many_classes_have_no_matrix_of_samples_and_classes(data, by_fold):
    X, y = data
    folds = list(StratifiedKFold(3).split(X, y)) if by_fold else None
    stored = proxy_outputs(X, y, np.random.default_rng(0), folds=folds)
    assert stored.weights is None
    never = replace(LIMITS, stored_share=0.0)
    factored = proxy_outputs(X, y, np.random.default_rng(0), folds=folds, limits=never)
    assert factored.weights is not None
    np.testing.assert_allclose(outputs_of(factored), outputs_of(stored), atol=1e-8)
    code = np.array([[1, 1], [-1, 1], [1, -1], [-1, -1]])
    np.testing.assert_allclose(factored.under(code), outputs_of(stored) @ code, atol=1e-8)


def test_of_many_samples_some_of_every_class_are_taken():
    limits = replace(LIMITS, least_samples=60, samples_per_class=20)
    y = np.array([0] * 300 + [1] * 90 + [2] * 3)
    X = np.eye(3)[y] + np.random.default_rng(0).normal(size=(393, 3)) * 0.1
    held_out = proxy_outputs(X, y, np.random.default_rng(0), limits=limits)
    assert outputs_of(held_out).shape == (60, 3)
    assert np.bincount(held_out.y)[2] == 3
    assert np.bincount(held_out.y)[1] > 20


def test_equal_samples_are_no_problem():
    held_out = proxy_outputs(np.ones((6, 2)), np.array([0, 0, 1, 1, 2, 2]), np.random.default_rng(0))
    assert np.isfinite(outputs_of(held_out)).all()


def test_narrow_kernels_are_tried_where_they_help(monkeypatch):
    """Each class lives in three of 60 short stretches of a line, in random order."""
    rng = np.random.default_rng(0)
    stretch = rng.integers(60, size=1500)
    y = rng.permutation(np.repeat(np.arange(20), 3))[stretch]
    X = (stretch + rng.uniform(size=1500))[:, None]
    kinds = []
    monkeypatch.setattr(proxy, "_with_penalties", lambda *parts: kinds.append(1) or with_penalties(*parts))
    held_out = proxy_outputs(X, y, rng)
    assert (outputs_of(held_out).argmax(axis=1) == held_out.y).mean() > 0.8
    assert len(kinds) == len(LIMITS.widths)
    kinds.clear()
    proxy_outputs(rng.normal(size=(20, 8))[y] + 0.3 * rng.normal(size=(1500, 8)), y, rng)  # smooth
    assert len(kinds) < len(LIMITS.widths)
