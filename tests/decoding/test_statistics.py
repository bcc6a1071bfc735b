"""Statistics of outputs and features, by which new classes are placed."""

import numpy as np
import pytest

from ecoc.decoding.limits import LIMITS
from ecoc.decoding.statistics import OutputStatistics


@pytest.mark.parametrize(("n_features", "signal"), [(3, 0.0), (256, 1.0)])
def test_features_beside_outputs_of_any_size(n_features, signal):
    """Outputs with features may be judged by fewer folds than outputs alone, but both by the same."""
    rng = np.random.default_rng(0)
    n, k = 8500, 4
    y = rng.integers(k, size=n)
    outputs = rng.normal(size=(n, 2)) + 0.3 * y[:, None]
    features = rng.normal(size=(n, n_features)) + signal * rng.normal(size=(k, n_features))[y]
    is_large = outputs.size <= LIMITS.most_described // 4 < outputs.size + features.size
    assert is_large == (n_features == 256)
    found = OutputStatistics.of(outputs, y, None, k, features=features)
    assert found.n_features == n_features  # they do no harm
    assert found.scaled(found.beside(outputs[:5], features[:5])).shape == (5, 2 + n_features)
