"""How differently two columns err, against the definitions as loops."""

import numpy as np

from ecoc import ECOCClassifier
from ecoc.inspection import ColumnDisplay


def test_diversity_is_counted_over_the_samples_that_both_columns_use():
    rng = np.random.default_rng(0)
    margins = rng.normal(size=(60, 4))
    margins[rng.random(margins.shape) < 0.2] = np.nan
    display = ColumnDisplay(margins, np.nanmean(margins < 0, axis=0))
    for i in range(4):
        for j in range(4):
            pairs = [(a > 0, b > 0) for a, b in margins[:, [i, j]] if not (np.isnan(a) or np.isnan(b))]
            n11, n10, n01, n00 = (pairs.count(p) for p in ((True, True), (True, False), (False, True), (False, False)))
            assert np.isclose(display.disagreement[i, j], (n10 + n01) / len(pairs))
            assert np.isclose(display.q_statistic[i, j], (n11 * n00 - n10 * n01) / (n11 * n00 + n10 * n01))
    assert np.allclose(display.q_statistic.diagonal(), 1)


def test_columns_without_common_samples_have_none():
    display = ColumnDisplay(np.array([[1.0, np.nan], [np.nan, -1.0]]), np.array([0.0, 1.0]))
    assert np.isnan(display.disagreement[0, 1])
    assert np.isnan(display.q_statistic[0, 1])


def test_equal_columns_agree():
    from sklearn.datasets import load_iris
    from sklearn.linear_model import Ridge

    X, y = load_iris(return_X_y=True)
    display = ColumnDisplay.from_estimator(ECOCClassifier(Ridge(), coding="ova").fit(X, y), X, y)
    assert (display.disagreement.diagonal() == 0).all()
    assert display.disagreement.shape == (3, 3)
