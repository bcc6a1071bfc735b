"""The scale at which scores are as sure as they are right."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import log_softmax, softmax

from ecoc.decoding.calibration import fit_temperature


def drawn(seed, n=400, k=5, scale=2.0):
    """Scores, and labels drawn from softmax(2·scores)."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(n, k))
    y = (softmax(scale * scores, axis=1).cumsum(axis=1) < rng.random((n, 1))).sum(axis=1)
    return scores, y


def log_loss(t, scores, y, weight=None):
    return -np.average(log_softmax(t * scores, axis=1)[np.arange(len(y)), y], weights=weight)


def test_recovers_the_scale():
    scores, y = drawn(0, 20_000)
    assert fit_temperature(scores, y) == pytest.approx(2, rel=0.05)


@given(st.integers(0, 1000), st.sampled_from([1e-6, 1.0, 1e5]))
@settings(max_examples=25, deadline=None)
def test_is_the_best(seed, unit):
    scores, y = drawn(seed)
    scores = scores * unit
    t = fit_temperature(scores, y)
    best = log_loss(t, scores, y)
    assert all(best <= log_loss(t * factor, scores, y) + 1e-6 for factor in (0.5, 0.9, 1.1, 2))


def test_unit_of_the_scores_does_not_matter():
    scores, y = drawn(1)
    assert fit_temperature(scores * 1000, y) == pytest.approx(fit_temperature(scores, y) / 1000, rel=1e-2)
    assert fit_temperature(scores + 50, y) == pytest.approx(fit_temperature(scores, y), rel=1e-2)


def test_weights():
    scores, y = drawn(2)
    weight = np.random.default_rng(0).integers(0, 4, len(y)).astype(float)
    rows = np.repeat(np.arange(len(y)), weight.astype(int))
    weighted = fit_temperature(scores, y, weight)
    assert weighted == pytest.approx(fit_temperature(scores[rows], y[rows]), rel=1e-2)
    assert weighted == pytest.approx(fit_temperature(scores, y, 100 * weight), rel=1e-2)
    assert weighted != pytest.approx(fit_temperature(scores, y), rel=1e-2)


def test_worthless_scores_make_nothing_sure():
    rng = np.random.default_rng(0)
    scores, y = rng.normal(size=(1000, 4)), rng.integers(0, 4, 1000)
    assert softmax(fit_temperature(scores, y) * scores, axis=1).max() < 0.4


def test_all_scores_equal():
    t = fit_temperature(np.zeros((10, 3)), np.arange(10) % 3)
    assert 0 < t < np.inf


@pytest.mark.parametrize("most", [-20, -12])
def test_scores_that_are_rounding_say_nothing(most):
    """Scores of a kernel that is far too narrow: those of a new sample may be many times as large as all before."""
    rng = np.random.default_rng(0)
    scores, y = 10.0 ** rng.uniform(most - 8, most, size=(60, 5)), rng.integers(5, size=60)
    y[:30] = scores[:30].argmax(axis=1)  # chance, in which large factors seem to be right
    assert fit_temperature(scores, y) * 1e-12 < 0.1
