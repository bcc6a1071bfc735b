"""Newton's method finds the models of scikit-learn's solvers, and comes nearer to the minimum."""

import numpy as np
import pytest
from scipy.optimize import check_grad
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from ecoc.training import linear
from ecoc.training.binary import Constant
from ecoc.training.choosing import train
from ecoc.training.interfaces import Options, Task
from ecoc.training.linear import LOGISTIC, SQUARED_HINGE, hessian, minimise

CODE = np.array([[1, 1, 0], [1, -1, 1], [-1, 1, -1], [-1, -1, 1]])
ESTIMATORS = [
    LogisticRegression(tol=1e-10, max_iter=10_000),
    LogisticRegression(C=0.01, fit_intercept=False, tol=1e-10, solver="newton-cg"),
    LogisticRegression(C=30, tol=1e-10, max_iter=10_000, solver="liblinear", intercept_scaling=3),
    LinearSVC(tol=1e-10, max_iter=1_000_000, random_state=0),
    LinearSVC(C=0.01, fit_intercept=False, tol=1e-10, max_iter=1_000_000, random_state=0),
    LinearSVC(intercept_scaling=0.5, tol=1e-10, max_iter=1_000_000, random_state=0),
]


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(4), 30)
    return rng.normal(size=(4, 5))[y] + rng.normal(size=(120, 5)), y, rng.choice([0.0, 0.5, 3.0], size=120)


@pytest.mark.parametrize("loss", [LOGISTIC, SQUARED_HINGE])
def test_derivatives(loss):
    labels = np.array([1.0])
    for at in (-2.0, 0.3, 4.0):
        assert check_grad(lambda f: loss.values(f, labels)[0], lambda f: loss.slopes(f, labels)[0], [at]) < 1e-6
        assert check_grad(lambda f: loss.slopes(f, labels)[0][0], lambda f: loss.slopes(f, labels)[1], [at]) < 1e-6


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
@pytest.mark.parametrize("weighted", [False, True])
def test_models_are_those_of_scikit_learn(data, estimator, weighted):
    X, y, weight = data
    models = train(estimator, Task(CODE, X, y, weight if weighted else None), Options()).models.estimators
    for j, model in enumerate(models):
        used = np.flatnonzero(CODE[y, j])
        sides = (CODE[y[used], j] > 0).astype(int)
        other = estimator.__class__(**estimator.get_params())
        other.fit(X[used], sides, sample_weight=weight[used] if weighted else None)
        np.testing.assert_allclose(model.coef_, other.coef_, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(model.intercept_, other.intercept_, rtol=1e-4, atol=1e-5)
        np.testing.assert_array_equal(model.predict(X), other.predict(X))
        assert set(vars(model)) >= set(vars(other)) - {"feature_names_in_"}


def test_the_gradient_is_zero_at_the_minimum(data):
    X, y, _ = data
    labels, C, penalty = (y > 1).astype(float), np.full(len(y), 5.0), np.ones(X.shape[1])
    for loss in (LOGISTIC, SQUARED_HINGE):
        weights, n_steps = minimise(X, labels, C, penalty, loss)
        slope = X.T @ (C * loss.slopes(X @ weights, labels)[0]) + penalty * weights
        assert np.abs(slope).max() < 1e-6
        assert n_steps < 20


def test_the_hessian_leaves_out_samples_without_curvature(data):
    X = data[0]
    curvature = np.where(np.arange(len(X)) % 3 == 0, 2.0, 0.0)
    np.testing.assert_allclose(hessian(X, curvature, np.ones(5)), (X.T * curvature) @ X + np.eye(5))


def test_scikit_learn_trains_what_newton_cannot(data, monkeypatch):
    X, y, _ = data
    task = Task(CODE, X, y)
    expected = train(LogisticRegression(), task, Options()).models.margins(X)

    def fail(*problem):
        raise np.linalg.LinAlgError

    monkeypatch.setattr(linear, "minimise", fail)
    np.testing.assert_allclose(train(LogisticRegression(), task, Options()).models.margins(X), expected, atol=0.01)
    assert train(LogisticRegression(solver="sag"), task, Options()).models.margins(X).shape == expected.shape


def test_a_column_with_one_side_is_constant(data):
    X, y, _ = data
    weight = (y < 2).astype(float)
    first = train(LogisticRegression(), Task(CODE, X, y, weight), Options()).models.estimators[0]
    assert isinstance(first, Constant)
    assert first.side == 1


def test_invalid_parameters_are_named(data):
    with pytest.raises(ValueError, match="'C' parameter"):
        train(LogisticRegression(C=-1.0), Task(CODE, *data[:2]), Options())
