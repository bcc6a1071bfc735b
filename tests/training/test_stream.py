"""Dichotomizers that learn from batches."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import Ridge, SGDClassifier, SGDRegressor
from sklearn.naive_bayes import MultinomialNB

from ecoc.training.binary import Constant, margins
from ecoc.training.choosing import choose_training
from ecoc.training.interfaces import Task
from ecoc.training.stream import StreamDichotomizers

X, y = load_iris(return_X_y=True)
OVO = np.array([[-1, -1, 0], [1, 0, -1], [0, 1, 1]], dtype=np.int8)


def test_each_model_learns_its_samples():
    models = StreamDichotomizers(MultinomialNB(), OVO, None)
    for part in (slice(0, None, 2), slice(1, None, 2)):
        models.learn(Task(OVO, X[part], y[part]))
    for j, column in enumerate(OVO.T):
        used = column[y] != 0
        alone = MultinomialNB().fit(X[used], column[y][used])
        np.testing.assert_allclose(models.probabilities(X)[:, j], alone.predict_proba(X)[:, 1])
        np.testing.assert_allclose(models.margins(X)[:, j], margins(alone, X))


def test_a_model_that_has_seen_nothing_is_undecided():
    models = StreamDichotomizers(MultinomialNB(), OVO, None)
    np.testing.assert_array_equal(models.margins(X), 0)
    np.testing.assert_array_equal(models.probabilities(X), 0.5)
    models.learn(Task(OVO, X[y == 0], y[y == 0]))
    assert [isinstance(model, Constant) for model in models.estimators] == [False, False, True]
    assert (models.outputs(X[y == 0], "signs") == -1).all()
    np.testing.assert_array_equal(models.probabilities(X)[:, 2], 0.5)


def test_equal_columns_share_a_model():
    code = np.array([[1, -1, 0, -1], [-1, 1, 1, 1], [-1, 1, -1, 1]], dtype=np.int8)
    models = StreamDichotomizers(MultinomialNB(), code, None)
    models.learn(Task(code, X, y))
    assert [models.estimators[1] is models.estimators[j] for j in range(4)] == [False, True, False, True]
    assert np.mean((models.margins(X)[:, 1] > 0) == (y > 0)) > 0.95


def test_models_that_were_trained_at_once_go_on():
    half, rest = np.arange(0, 150, 2), np.arange(1, 150, 2)
    trained = choose_training(MultinomialNB(), Task(OVO, X[half], y[half])).fit()
    models = StreamDichotomizers.resume(trained, MultinomialNB(), OVO, None)
    np.testing.assert_array_equal(models.margins(X), trained.margins(X))
    models.learn(Task(OVO, X[rest], y[rest]))
    whole = choose_training(MultinomialNB(), Task(OVO, X, y)).fit()
    np.testing.assert_allclose(models.probabilities(X), whole.probabilities(X))
    # One that had seen one side only begins now.
    only = choose_training(MultinomialNB(), Task(OVO, X[y < 2], y[y < 2])).fit()
    models = StreamDichotomizers.resume(only, MultinomialNB(), OVO, None)
    models.learn(Task(OVO, X, y))
    assert not any(isinstance(model, Constant) for model in models.estimators)


def test_what_was_trained_in_one_call_does_not():
    code = np.array([[1, -1], [-1, 1], [-1, -1]], dtype=np.int8)
    trained = choose_training(Ridge(), Task(code, X, y)).fit()
    with pytest.raises(ValueError, match="partial_fit cannot continue from these binary classifiers"):
        StreamDichotomizers.resume(trained, SGDRegressor(), code, None)


def test_weights_and_targets():
    weight = np.arange(150.0)
    models = StreamDichotomizers([MultinomialNB(), SGDRegressor(), SGDClassifier()], OVO, [4, 5, 6])
    models.learn(Task(OVO, X, y, weight))
    assert models.estimators[0].class_count_.tolist() == [weight[y == 0].sum(), weight[y == 1].sum()]
    assert models.estimators[2].classes_.tolist() == [0, 1]
    assert [model.random_state for model in models.estimators[1:]] == [5, 6]
    expected = SGDRegressor(random_state=5).partial_fit(X[y != 1], OVO[y, 1][y != 1], sample_weight=weight[y != 1])
    np.testing.assert_array_equal(models.margins(X)[:, 1], expected.predict(X))
