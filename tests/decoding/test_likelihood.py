"""Log-losses and their derivatives are those of independent formulas, whatever the blocks."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from scipy.special import log_softmax
from sklearn.linear_model import LogisticRegression

from ecoc.decoding.likelihood import fit_columns, loss_and_slopes, loss_by_factor


@pytest.fixture(params=[(7, 3), (6000, 5), (3, 20_000)], ids=str)  # one block, several, and rows longer than a block
def problem(request):
    n, k = request.param
    rng = np.random.default_rng(0)
    return 3 * rng.normal(size=(n, k)), rng.integers(k, size=n), rng.random(n)


def loss(scores, y, weight):
    return float(-weight @ log_softmax(scores, axis=1)[np.arange(len(y)), y])


def test_loss_and_slopes(problem):
    scores, y, weight = problem
    slopes = scores.copy()
    assert loss_and_slopes(slopes, y, weight) == pytest.approx(loss(scores, y, weight), rel=1e-12)
    share = np.exp(log_softmax(scores, axis=1))
    share[np.arange(len(y)), y] -= 1
    np.testing.assert_allclose(slopes, weight[:, None] * share, atol=1e-12)


def test_derivatives_by_a_factor(problem):
    scores, y, weight = problem
    behind = scores.max(axis=1) - scores[np.arange(len(y)), y]
    value, first, second = loss_by_factor(scores, behind, weight, 0.7)
    assert value == pytest.approx(loss(0.7 * scores, y, weight), rel=1e-12)
    by_factor = approx_fprime([0.7], lambda t: loss_by_factor(scores, behind, weight, t[0])[:2], 1e-7)
    np.testing.assert_allclose(by_factor.ravel(), [first, second], rtol=1e-4)


def test_columns_are_logistic_regressions():
    rng = np.random.default_rng(1)
    v = rng.normal(size=(9000, 2)) * [1.0, 4.0]
    side, counts = v + rng.normal(size=v.shape) > 0.3, rng.random(v.shape)
    for j, (slope, intercept) in enumerate(zip(*fit_columns(v, side.astype(float), counts), strict=True)):
        with_constant = np.column_stack([v[:, j], np.ones(len(v))])  # the constant has the ridge, too
        model = LogisticRegression(C=1000, fit_intercept=False, tol=1e-8).fit(with_constant, side[:, j], counts[:, j])
        np.testing.assert_allclose(model.coef_[0], [slope, intercept], rtol=1e-3)
    slope, intercept = fit_columns(1000 * v, side.astype(float), counts)  # far beyond what exp can compute
    assert np.isfinite([slope, intercept]).all()
