"""What held-out outputs cost, and when they are computed."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from ecoc import ECF, ECOCClassifier, TrainingCache
from ecoc.decoding import LossBased

X, y = load_iris(return_X_y=True)
X = StandardScaler().fit_transform(X)


class Counting(LogisticRegression):
    """Counts how often it is trained."""

    trained = 0

    def fit(self, X, y, sample_weight=None):
        Counting.trained += 1
        return super().fit(X, y, sample_weight)


def trainings(make):
    Counting.trained = 0
    made = make()
    return made, Counting.trained


def test_codewords_are_calibrated_when_probabilities_are_first_asked_for():
    options = {"estimator": Counting(), "coding": "ova", "decoding": "linear", "random_state": 0}
    model, n = trainings(lambda: ECOCClassifier(**options).fit(X, y))
    assert n == 3
    assert trainings(lambda: model.predict(X))[1] == 0
    p, n = trainings(lambda: model.predict_proba(X))
    assert n > 3
    assert trainings(lambda: model.predict_proba(X))[1] == 0  # once
    at_once, n = trainings(lambda: ECOCClassifier(**options, probability=True).fit(X, y))
    assert n > 3
    np.testing.assert_allclose(p, at_once.predict_proba(X))
    assert trainings(lambda: ECOCClassifier(**options, probability=False).fit(X, y))[1] == 3
    assert trainings(lambda: ECOCClassifier(**options, reject_cost=0.5, reject_label=-1).fit(X, y))[1] > 3


def test_a_copy_is_calibrated_and_holds_no_samples():
    many = np.repeat(X, 20, axis=0)
    model = ECOCClassifier(LogisticRegression(), coding="ova", decoding="linear", random_state=0)
    model.fit(many, np.repeat(y, 20))
    short = model.truncate(2)
    saved = pickle.dumps(model)
    assert len(saved) < many.nbytes / 2
    np.testing.assert_allclose(pickle.loads(saved).predict_proba(X), model.predict_proba(X))
    assert short.predict_proba(X).shape == (150, 3)


def test_few_samples_of_one_vs_all_go_by_codewords():
    quick = ECOCClassifier(LogisticRegression(), coding="ova").fit(X, y)
    assert quick.decoding_trials_ is None
    assert isinstance(quick.decoding_, LossBased)
    assert quick.predict_proba(X).shape == (150, 3)
    assert ECOCClassifier(LogisticRegression(), coding="ova", cv=3).fit(X, y).decoding_trials_ is not None


@pytest.mark.parametrize(
    "estimator",
    [LogisticRegression(max_iter=500), RandomForestClassifier(20), HistGradientBoostingClassifier(max_iter=20)],
    ids=repr,
)
def test_folds_of_groups_are_used_whatever_the_learner(estimator):
    """Each sample has a copy in its group. Without folds by group, held-out samples would be recognised."""
    noise, labels = np.random.default_rng(0).normal(size=(150, 3)), np.random.default_rng(1).integers(0, 4, 150)
    model = ECOCClassifier(estimator, coding=ECF(n_columns=3), random_state=0)  # one-vs-all of boosters has no choice
    model.fit(np.repeat(noise, 2, axis=0), np.repeat(labels, 2), groups=np.repeat(np.arange(150), 2))
    assert max(model.decoding_trials_["accuracy"]) < 0.45


def test_a_grid_of_parameters_has_one_design(monkeypatch):
    designed = []
    build = ECF.build
    monkeypatch.setattr(ECF, "build", lambda *a, **k: designed.append(1) or build(*a, **k))
    cache = TrainingCache()
    base = ECOCClassifier(SVC(), coding=ECF(n_columns=3), warm_start=cache, random_state=0)
    models = [clone(base).set_params(estimator__C=C).fit(X, y) for C in (0.1, 1, 10)]
    assert len(designed) == 1
    fresh = clone(base).set_params(warm_start=False, estimator__C=10).fit(X, y)
    np.testing.assert_array_equal(models[2].decision_function(X), fresh.decision_function(X))
    clone(base).set_params(coding=ECF(n_columns=2)).fit(X, y)
    clone(base).set_params(estimator=LogisticRegression()).fit(X, y)  # a linear model has another design
    clone(base).set_params(random_state=1).fit(X, y)
    clone(base).fit(X[1:], y[1:])
    assert len(designed) == 6


@pytest.mark.parametrize("estimator", [LogisticRegression(max_iter=500), DecisionTreeClassifier(random_state=0)])
def test_groups_judge_a_decoding_but_do_not_teach_it(estimator):
    """Samples of a group are alike: predictions are those without groups, but probabilities are less sure."""
    rng = np.random.default_rng(0)
    labels, groups = np.arange(600) % 6, np.arange(600) // 60
    centres = 2 * rng.normal(size=(6, 4))
    samples = centres[labels] + 2 * rng.normal(size=(10, 6, 4))[groups, labels] + 0.3 * rng.normal(size=(600, 4))
    model = ECOCClassifier(estimator, coding=ECF(n_columns=4), decoding="discriminant", random_state=0)
    with_groups = clone(model).fit(samples, labels, groups=groups)
    without = model.fit(samples, labels)
    np.testing.assert_array_equal(with_groups.predict(samples), without.predict(samples))
    assert with_groups.temperature_ < 0.8 * without.temperature_
    assert with_groups.truncate(3).temperature_ < 0.8 * without.truncate(3).temperature_
    sizes = [each.predict_sets(samples, 0.9).sum() for each in (with_groups, without)]
    assert sizes[0] > sizes[1]
