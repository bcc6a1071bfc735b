"""The scale at which scores are as sure as they are right."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import log_softmax, softmax

from ecoc.decoding.calibration import Calibration, fit_calibration, fit_temperature


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


def with_lapses(seed, n=3000, k=6, share=0.1):
    """Scores that are right about the classes of most samples, and say nothing about those of a share of them."""
    scores, y = drawn(seed, n, k, scale=8.0)
    lapsed = np.random.default_rng(seed + 1).random(n) < share
    return scores, np.where(lapsed, np.random.default_rng(seed + 2).integers(0, k, n), y)


def test_doubt_is_the_share_of_samples_that_scores_say_nothing_about():
    scores, y = with_lapses(0)
    found = fit_calibration(scores, y, np.ones(len(y)), fit_temperature(scores, y))
    assert found.doubt == pytest.approx(0.1, abs=0.02)
    assert found.temperature == pytest.approx(8, rel=0.1)
    assert fit_temperature(scores, y) < 5  # one factor alone makes all samples unsure


def test_if_all_samples_are_right_new_ones_may_still_be_wrong():
    """Half an error in n samples is counted; what is ahead by less is less sure."""
    for n in (30, 300):
        y = np.arange(n) % 3
        scores = np.eye(3)[y] * np.random.default_rng(0).uniform(1, 3, size=(n, 1))
        found = fit_calibration(scores, y, np.ones(n), fit_temperature(scores, y))
        sure = found.probabilities(scores).max(axis=1)
        assert 0.1 / n < np.mean(1 - sure) < 2 / n
        assert found.probabilities(np.array([[0.3, 0.0, 0.0]])).max() < sure.min() < sure.max()


def test_no_probability_is_below_0_or_above_1():
    """A doubt of -2e-16, by rounding, made probabilities of other classes negative where all scores are right."""
    for n in range(20, 420, 20):
        y = np.random.default_rng(n).integers(3, size=n)
        scores = 5.0 * np.eye(3)[y]
        found = fit_calibration(scores, y, np.ones(n), fit_temperature(scores, y))
        assert 0 <= found.doubt < 1e-6
        assert found.probabilities(scores).min() >= 0
        assert found.probabilities(scores).max() <= 1


def test_no_doubt_where_the_scores_are_right():
    scores, y = drawn(3, 5000)
    t = fit_temperature(scores, y)
    found = fit_calibration(scores, y, np.ones(len(y)), t)
    assert found.doubt < 0.03
    assert found.temperature == pytest.approx(t, rel=0.1)


@given(st.integers(0, 1000), st.floats(0, 0.5))
@settings(max_examples=15, deadline=None)
def test_calibration_is_never_worse_than_the_temperature_alone_and_keeps_the_order(seed, share):
    scores, y = with_lapses(seed, 200, 4, share)
    weight = np.random.default_rng(seed).random(200)
    t = fit_temperature(scores, y, weight)
    found = fit_calibration(scores, y, weight, t)
    assert 0 <= found.doubt <= 1
    probabilities = found.probabilities(scores)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    assert np.array_equal(probabilities.argmax(axis=1), scores.argmax(axis=1))
    losses = found.losses(scores, y)
    np.testing.assert_allclose(losses, -np.log(probabilities[np.arange(200), y]), rtol=1e-6, atol=1e-9)
    assert weight @ losses <= weight @ Calibration(t).losses(scores, y) + 1e-9
