"""Precomputed kernels go where OneVsRestClassifier takes them, also in folds, codes with zeros and searches."""

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from ecoc import ECOCClassifier

RNG = np.random.default_rng(0)
Y = np.arange(90) % 3
X = RNG.normal(size=(3, 4))[Y] * 1.5 + RNG.normal(size=(90, 4))
K = rbf_kernel(X, gamma=0.3)
MACHINE = SVC(kernel="precomputed")


@pytest.mark.parametrize("coding", ["ova", "ovo", "ecf"])
@pytest.mark.parametrize("options", [{"cv": 3}, {"decoding": "linear", "probability": False}, {"cv": "auto"}])
def test_as_with_the_kernel_itself(coding, options):
    inside = ECOCClassifier(SVC(gamma=0.3), coding=coding if coding != "ecf" else "ova", random_state=0, **options)
    model = ECOCClassifier(MACHINE, coding=coding, random_state=0, **options).fit(K[:60, :60], Y[:60])
    inside.fit(X[:60], Y[:60])
    if coding == "ecf":  # the design has other features
        assert model.score(K[60:, :60], Y[60:]) > 0.6
    else:
        np.testing.assert_allclose(model.outputs(K[60:, :60]), inside.outputs(X[60:]), atol=1e-3)
        if options.get("cv") == 3:
            np.testing.assert_allclose(model.predict_proba(K[60:, :60]), inside.predict_proba(X[60:]), atol=1e-2)


def test_same_as_one_vs_rest_in_cross_validation():
    ours = ECOCClassifier(MACHINE, coding="ova", decoding="linear", probability=False)
    np.testing.assert_array_equal(
        cross_val_score(ours, K, Y, cv=3), cross_val_score(OneVsRestClassifier(MACHINE), K, Y, cv=3)
    )
    search = GridSearchCV(ECOCClassifier(MACHINE, cv=3), {"estimator__C": [0.1, 1]}, cv=3).fit(K, Y)
    assert search.best_score_ > 0.6


def test_weights_of_zero_leave_samples_out():
    weight = (np.arange(90) % 4 > 0).astype(float)
    kept = np.flatnonzero(weight)
    model = ECOCClassifier(MACHINE, coding="ova", cv=3, random_state=0).fit(K, Y, sample_weight=weight)
    fewer = ECOCClassifier(MACHINE, coding="ova", cv=3, random_state=0).fit(K[np.ix_(kept, kept)], Y[kept])
    np.testing.assert_allclose(model.predict_proba(K), fewer.predict_proba(K[:, kept]), atol=1e-6)


def test_distances_and_a_matrix_that_is_not_square():
    distances = np.linalg.norm(X[:, None] - X, axis=2)
    model = ECOCClassifier(KNeighborsClassifier(metric="precomputed"), coding="ova").fit(distances, Y)
    assert model.score(distances, Y) > 0.7
    with pytest.raises(ValueError, match="must be square"):
        ECOCClassifier(MACHINE).fit(K[:, :80], Y)
