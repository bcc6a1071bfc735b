"""Dichotomies trained in one call."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestRegressor
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge, RidgeClassifier
from sklearn.model_selection import LeaveOneOut
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR

from ecoc.training.choosing import choose_training, out_of_fold_outputs
from ecoc.training.interfaces import Options, Task
from ecoc.training.together import JointTraining

X, y = load_iris(return_X_y=True)
X = StandardScaler().fit_transform(X)
CODE = np.array([[1, 1, -1], [1, -1, 1], [-1, 1, 1]], dtype=np.int8)
OVO = np.array([[-1, -1, 0], [1, 0, -1], [0, 1, 1]], dtype=np.int8)
TASK = Task(CODE, X, y)


@pytest.mark.parametrize(
    "estimator",
    [Ridge(), Ridge(alpha=5, fit_intercept=False), LinearRegression(), KernelRidge(kernel="rbf"), RidgeClassifier()],
    ids=repr,
)
@pytest.mark.parametrize("weight", [None, np.linspace(0.1, 2, 150)], ids=["even", "weighted"])
def test_joint_is_separate(estimator, weight):
    joint = choose_training(estimator, Task(CODE, X, y, weight)).fit().margins(X)
    alone = Ridge() if isinstance(estimator, RidgeClassifier) else estimator
    options = {} if weight is None else {"sample_weight": weight}
    separate = [clone(alone).fit(X, CODE[y, j].astype(float), **options).predict(X) for j in range(3)]
    np.testing.assert_allclose(joint, np.column_stack(separate), atol=1e-8)


def test_one_call_for_all_columns():
    models = choose_training(RandomForestRegressor(3), TASK, Options(seeds=[7, 8, 9])).fit()
    assert len({id(model) for model in models.estimators}) == 1
    assert models.estimators[0].random_state == 7
    assert models.estimators[0].n_outputs_ == 3
    with pytest.raises(AttributeError, match="RandomForestRegressor is a regressor and has no probabilities"):
        models.probabilities(X)


@pytest.mark.parametrize(
    ("estimator", "code", "way"),
    [
        (Ridge(), CODE, JointTraining),
        (RidgeClassifier(), CODE, JointTraining),
        (KernelRidge(), CODE, JointTraining),
        (Ridge(alpha=[1, 2, 3]), CODE, JointTraining),
        (Ridge(positive=True), CODE, JointTraining),
        (RandomForestRegressor(), CODE, JointTraining),
        (make_pipeline(StandardScaler(), Ridge()), CODE, JointTraining),
        (Ridge(), OVO, None),
        (SVR(), CODE, None),
        (RidgeClassifier(class_weight="balanced"), CODE, None),
        (LogisticRegression(), CODE, None),
        ([Ridge()] * 3, CODE, None),
    ],
)
def test_which_way(estimator, code, way):
    training = choose_training(estimator, Task(code, X, y))
    assert type(training) is way if way else not isinstance(training, JointTraining)


def test_a_column_that_leaves_classes_out_is_trained_without_them():
    f = choose_training(Ridge(), Task(OVO, X, y)).fit().margins(X)
    used = y != 0
    np.testing.assert_allclose(f[:, 2], Ridge().fit(X[used], OVO[y, 2][used].astype(float)).predict(X))


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize(
    "estimator",
    [Ridge(0.5), Ridge(1e-9), RidgeClassifier(2), KernelRidge(0.1, kernel="rbf", gamma=0.3), LinearRegression()],
    ids=repr,
)
def test_held_out_outputs_are_those_of_real_folds(estimator, wide):
    rows = np.arange(0, 150, 6)
    Z = np.random.default_rng(0).normal(size=(25, 40)) if wide else X[rows]
    labels = y[rows]
    regressor = Ridge(2) if isinstance(estimator, RidgeClassifier) else estimator
    expected = []
    for i in range(25):
        rest = np.arange(25) != i
        expected.append(clone(regressor).fit(Z[rest], CODE[labels[rest]].astype(float)).predict(Z[[i]])[0])
    training = choose_training(estimator, Task(CODE, Z, labels))
    np.testing.assert_allclose(out_of_fold_outputs(training, "margins", LeaveOneOut()), expected, atol=1e-8)
    signs = out_of_fold_outputs(training, "signs", LeaveOneOut())
    np.testing.assert_array_equal(signs, np.where(np.array(expected) > 0, 1, -1))


def test_ridge_keeps_to_a_splitter():
    from sklearn.model_selection import KFold

    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 3)), np.arange(30) % 3
    code = np.array([[1, 1], [-1, 1], [1, -1]], dtype=np.int8)
    splitter = KFold(3)
    held_out = out_of_fold_outputs(choose_training(Ridge(), Task(code, X, y)), "margins", splitter)
    for train, test in splitter.split(X):
        expected = Ridge().fit(X[train], code[y[train]].astype(float)).predict(X[test])
        np.testing.assert_allclose(held_out[test], expected, atol=1e-8)


@pytest.mark.parametrize("size", [1e160, 1e300])
def test_huge_features_are_named(size):
    with pytest.raises(ValueError, match=r"Features are as large as .*e\+\d+, .* scale them"):
        choose_training(Ridge(), Task(CODE, size * X, y)).fit()
