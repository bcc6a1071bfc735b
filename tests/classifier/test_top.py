import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.linear_model import RidgeClassifier

from ecoc import ECOCClassifier

X, Y = (part[:400] for part in load_digits(return_X_y=True))


@pytest.fixture(scope="module")
def model():
    return ECOCClassifier(RidgeClassifier(), coding="dense", decoding="linear", random_state=0).fit(X, Y)


def test_top_classes_are_those_of_all_scores(model):
    labels, values = model.predict_top(X, 3)
    np.testing.assert_array_equal(labels[:, 0], model.predict(X))
    scores = model.decision_function(X)
    np.testing.assert_allclose(values, -np.sort(-scores, axis=1)[:, :3])
    np.testing.assert_allclose(np.take_along_axis(scores, labels, axis=1), values)


def test_probabilities_of_the_top_classes(model):
    labels, values = model.predict_top(X[:20], 10, probabilities=True)
    np.testing.assert_allclose(values.sum(axis=1), 1)
    np.testing.assert_allclose(np.take_along_axis(model.predict_proba(X[:20]), labels, axis=1), values)


def test_labels_of_any_kind():
    model = ECOCClassifier(RidgeClassifier(), coding="ova").fit(X, np.array(list("abcdefghij"))[Y])
    assert set(model.predict_top(X[:5], 10)[0][0]) == set("abcdefghij")


@pytest.mark.parametrize("n_best", [0, 11, 2.0, True, "3"])
def test_impossible_numbers(model, n_best):
    with pytest.raises(ValueError, match="n_best must be an integer from 1 to 10"):
        model.predict_top(X, n_best)


def test_no_probabilities_where_there_are_none():
    model = ECOCClassifier(RidgeClassifier(), coding="ova", decoding="linear", probability=False).fit(X, Y)
    with pytest.raises(AttributeError, match="probabilit"):
        model.predict_top(X, probabilities=True)
