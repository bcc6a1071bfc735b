"""Do thresholds keep their promise, whatever the probabilities look like?"""

import numpy as np
import pytest

from ecoc.decoding.conformal import SetPredictor


@pytest.mark.parametrize("share", [0.1, 1 / 3, 0.7, 0.987654321])
def test_equal_probabilities_stay_in_the_set(share):
    """Votes give many samples the same probability. Rounding of the threshold must not leave all of them out."""
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=2000)
    probabilities = np.full((2000, 3), (1 - share) / 2)
    probabilities[np.arange(2000), y] = share
    limits = SetPredictor(probabilities[:1000], y[:1000]).thresholds(0.9)
    inside = 1 - probabilities[1000:] <= limits
    assert inside[np.arange(1000), y[1000:]].all()


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95])
def test_coverage(confidence):
    rng = np.random.default_rng(1)
    probabilities = rng.dirichlet(np.ones(4) / 2, size=20000)
    y = (rng.random(20000)[:, None] > probabilities.cumsum(axis=1)).sum(axis=1)
    limits = SetPredictor(probabilities[:10000], y[:10000]).thresholds(confidence)
    inside = (1 - probabilities[10000:] <= limits)[np.arange(10000), y[10000:]]
    assert abs(inside.mean() - confidence) < 0.012


def test_too_few_samples_promise_nothing_less_than_everything():
    assert SetPredictor(np.full((5, 2), 0.5), np.zeros(5, dtype=int)).thresholds(0.9).tolist() == [np.inf, np.inf]
