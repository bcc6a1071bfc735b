"""Linear models and decodings choose by one product, and choose what the scores of outputs say."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from ecoc import ECF, ECOCClassifier

X, y = make_blobs(240, 5, centers=12, cluster_std=4.0, random_state=0)


@pytest.mark.parametrize("decoding", ["discriminant", "linear", "centroid", "structured", "hamming"])
@pytest.mark.parametrize("learner", [LogisticRegression(), LinearSVC(fit_intercept=False)], ids=repr)
def test_prediction_is_that_of_the_scores(learner, decoding):
    coding = ECF(n_columns=12, refine=False)
    model = ECOCClassifier(learner, coding=coding, decoding=decoding, probability=False, random_state=0).fit(X, y)
    joined = model.fitted_._linear_choice()
    assert (joined is None) is (decoding in ("structured", "hamming"))
    for new in (X, X[:1], X * 1e-9, X * 1e12, np.zeros((2, 5)), X.astype(np.float32)):  # of zeros, all scores may tie
        expected = model.classes_[model.fitted_.decision.choose(model.fitted_.outputs_to_decode(model.validate(new)))]
        np.testing.assert_array_equal(model.predict(new), expected)
    if joined is not None:
        _, unsure = joined.choose(np.vstack([X, np.full((1, 5), 1e200)]))
        assert len(unsure) < len(X) / 2  # most are clear
        assert len(X) in unsure  # squares that are not finite
        assert pickle.loads(pickle.dumps(model)).fitted_._joined is None
        assert model.truncate(11).fitted_._joined is None
