"""Every coding with every decoding and every kind of estimator: it fits, and predicts better than chance."""

from functools import cache

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from ecoc import ECOCClassifier
from ecoc.codes.coding import CODINGS
from ecoc.decoding import DECODINGS
from ecoc.policy.learner import offers_probabilities
from ecoc.training.choosing import choose_training

ESTIMATORS = [
    SVC(),
    LogisticRegression(C=0.1, solver="liblinear"),
    DecisionTreeClassifier(max_depth=4, random_state=0),
    Ridge(),
    GaussianNB(),
]


def iris():
    X, y = load_iris(return_X_y=True)
    return StandardScaler().fit_transform(X), y


def six_digits():
    X, y = load_digits(return_X_y=True)
    X, y = X[y < 6][:240], y[y < 6][:240]
    return StandardScaler().fit_transform(PCA(8, random_state=0).fit_transform(X)), y


@pytest.fixture
def train_once(monkeypatch):
    """The dichotomizers do not depend on the decoding, so those of a code book are trained for all of them at once."""
    trainings = {}

    def choose(estimator, task, options):
        key = task.code.tobytes()
        if key not in trainings:
            trainings[key] = choose_training(estimator, task, options)
            trainings[key].fit = cache(trainings[key].fit)
        return trainings[key]

    monkeypatch.setattr("ecoc.training.choosing.choose_training", choose)
    return trainings


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda estimator: type(estimator).__name__)
@pytest.mark.parametrize("coding", [name for name in CODINGS if name != "plain"])  # which takes no regressors
@pytest.mark.parametrize("data", [iris, six_digits])
def test_better_than_chance(data, coding, estimator, train_once):
    X, y = data()
    chance = 1 / len(np.unique(y))
    enough = chance + 3 * np.sqrt(chance * (1 - chance) / len(y[1::2]))
    accuracies = {}
    for decoding in DECODINGS:
        model = ECOCClassifier(estimator, coding=coding, decoding=decoding, probability=False, random_state=0)
        if decoding == "probabilistic" and not offers_probabilities(estimator):
            with pytest.raises(ValueError, match="needs probabilities"):
                model.fit(X[::2], y[::2])
        else:
            accuracies[decoding] = model.fit(X[::2], y[::2]).score(X[1::2], y[1::2])
            coding = model.code_book_  # the next decoding's, too
    assert len(train_once) == 1
    assert min(accuracies.values()) > enough, accuracies
