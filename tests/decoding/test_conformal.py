"""Do thresholds keep their promise, whatever the probabilities look like?"""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from ecoc import ECOCClassifier
from ecoc.decoding.conformal import OrderStatistics, SetPredictor


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


def test_weights_that_are_counts_repeat_the_samples():
    rng = np.random.default_rng(2)
    probabilities, y = rng.dirichlet(np.ones(3), size=400), rng.integers(3, size=400)
    for most in (400, 40):  # all order statistics, and some of them
        weight = rng.integers(0, 4, size=400).astype(float)
        misses = 1 - probabilities[np.arange(400), y]
        weighted = OrderStatistics.of(misses, weight, most)
        repeated = np.sort(np.repeat(misses, weight.astype(int)))
        for confidence in (0.3, 0.9):
            covered = np.mean(repeated <= weighted.at(confidence))
            assert confidence <= covered <= confidence + 3 / min(most, 400) + 3 * 3 / len(repeated)
    equal = SetPredictor(probabilities, y, np.full(400, 0.25)).thresholds(0.9, [0, 1])
    np.testing.assert_array_equal(equal, SetPredictor(probabilities, y).thresholds(0.9, [0, 1]))


def test_one_heavy_sample_promises_nothing():
    weight = np.array([1000.0] + 99 * [1e-3])
    assert SetPredictor(np.full((100, 2), 0.5), np.zeros(100, dtype=int), weight).thresholds(0.9)[0] == np.inf
    assert SetPredictor(np.full((100, 2), 0.5), np.zeros(100, dtype=int), 0 * weight).thresholds(0.9)[0] == np.inf


@pytest.mark.parametrize(
    "options", [{}, {"coding": "dense"}, {"decoding": "hamming"}, {"decoding": "discriminant", "cv": 3}], ids=str
)
def test_the_promise_is_for_the_weighted_population(options):
    """Samples of the hard region are rare but heavy."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6000, 2))
    hard = X[:, 0] > 0.8
    y = np.where(hard & (rng.random(6000) < 0.6), rng.integers(3, size=6000), np.digitize(X[:, 1], [-0.5, 0.5]))
    weight = np.where(hard, 8.0, 0.5)
    model = ECOCClassifier(LogisticRegression(), random_state=0, **options).fit(X[:3000], y[:3000], weight[:3000])
    inside = model.predict_sets(X[3000:], 0.9)[np.arange(3000), y[3000:]]
    assert np.average(inside, weights=weight[3000:]) > 0.87
