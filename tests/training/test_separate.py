"""Dichotomies trained each on its own."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_selection import RFE
from sklearn.linear_model import LogisticRegression, Perceptron, SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR, LinearSVC, NuSVC
from sklearn.tree import DecisionTreeClassifier

from ecoc.training.binary import Constant, margins, probabilities
from ecoc.training.choosing import choose_training
from ecoc.training.interfaces import Options, Task
from ecoc.training.separate import LinearDichotomizers, SeparateTraining

X, y = load_iris(return_X_y=True)
OVO = np.array([[-1, -1, 0], [1, 0, -1], [0, 1, 1]], dtype=np.int8)
MIRRORED = np.array([[1, -1, 0, 0], [-1, 1, 1, -1], [-1, 1, -1, 1]], dtype=np.int8)  # 1 = -0, 3 = -2


def train(estimator, code, **options):
    return SeparateTraining(estimator, Task(code, X, y), Options(**options)).fit()


@pytest.mark.parametrize(
    "estimator", [GaussianNB(), SVC(), SVR(), LinearSVC(dual=False), LogisticRegression(solver="liblinear")], ids=repr
)
def test_each_column_is_a_model_of_its_samples(estimator):
    models = train(estimator, OVO)
    for j, column in enumerate(OVO.T):
        used = column[y] != 0
        alone = clone(estimator).fit(X[used], column[y][used])
        np.testing.assert_allclose(models.margins(X)[:, j], margins(alone, X), atol=1e-10)
        np.testing.assert_allclose(margins(models.estimators[j], X), margins(alone, X), atol=1e-10)
        if hasattr(estimator, "predict_proba"):
            np.testing.assert_allclose(models.probabilities(X)[:, j], probabilities(alone, X), atol=1e-10)


@pytest.mark.parametrize(
    "estimator",
    [
        GaussianNB(priors=[0.1, 0.9]),
        LogisticRegression(class_weight={0: 1, 1: 20}),
        LinearSVC(class_weight={0: 1, 1: 20}, dual=False),
        SVC(class_weight={0: 1, 1: 20}),
        SVC(class_weight={0: 1, 1: 20}, gamma=0.5),
        DecisionTreeClassifier(monotonic_cst=[1, 0, 0, 0], max_depth=2, random_state=0),
        HistGradientBoostingClassifier(class_weight={0: 1, 1: 20}, max_iter=3),
        make_pipeline(StandardScaler(), SVC(class_weight={0: 1, 1: 20})),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_learners_that_treat_the_sides_differently_share_no_model_of_opposite_columns(estimator):
    code = MIRRORED[:, [0, 1, 0]]
    models = choose_training(estimator, Task(code, X, y), Options(kernel_memory=1e9)).fit()
    for j, column in enumerate(code.T):
        alone = clone(estimator).fit(X, column[y] > 0)
        np.testing.assert_allclose(models.margins(X)[:, j], margins(alone, X), atol=1e-2)


@pytest.mark.parametrize("estimator", [SVC(class_weight="balanced"), NuSVC(nu=0.2)], ids=repr)
def test_columns_equal_up_to_sign_share_a_model(estimator):
    models = train(estimator, MIRRORED)
    assert len(models.models) == 2
    f = models.margins(X)
    np.testing.assert_array_equal(f[:, [1, 3]], -f[:, [0, 2]])
    assert np.mean((f[:, 1] > 0) == (y > 0)) > 0.95  # and not the wrong way round
    assert np.mean((f[y > 0, 3] > 0) == (y[y > 0] == 2)) > 0.85


def test_equal_columns_of_different_estimators_do_not():
    one, other = SVC(), SVC(C=0.1)
    assert len(train([one, other, one, one], MIRRORED).models) == 3
    assert len(train([one] * 4, MIRRORED).models) == 2


@pytest.mark.parametrize(
    ("estimator", "linear"),
    [
        (LogisticRegression(solver="liblinear"), True),
        (LinearSVC(dual=False), True),
        (SGDClassifier(random_state=0), True),
        (Perceptron(random_state=0), True),
        (GaussianNB(), False),
        (SVC(kernel="linear"), False),
        (RFE(LogisticRegression(solver="liblinear"), n_features_to_select=2), False),
    ],
    ids=lambda value: type(value).__name__,
)
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_linear_models_are_stacked(estimator, linear, make):
    if make is sparse.csr_array and isinstance(estimator, GaussianNB):
        pytest.skip("takes no sparse data")
    Z = make(X)
    models = SeparateTraining(estimator, Task(MIRRORED, Z, y), Options()).fit()
    assert isinstance(models, LinearDichotomizers) is linear
    expected = np.column_stack([margins(model, Z) for model in models.estimators]) * models.signs
    np.testing.assert_allclose(models.margins(Z), expected, atol=1e-9)


def test_probabilities_of_stacked_models():
    huber = SGDClassifier(loss="modified_huber", random_state=0)  # not the logistic function of the margin
    for estimator in (LogisticRegression(solver="liblinear"), huber):
        models = train(estimator, OVO)
        expected = np.column_stack([model.predict_proba(X)[:, 1] for model in models.estimators])
        np.testing.assert_allclose(models.probabilities(X), expected, atol=1e-12)


def test_one_sided_columns_are_constant():
    seen = y < 2  # class 2 is held out: columns 1 and 2 see one side
    models = SeparateTraining(LogisticRegression(solver="liblinear"), Task(OVO, X[seen], y[seen]), Options()).fit()
    assert [isinstance(model, Constant) for model in models.estimators] == [False, True, True]
    assert [models.estimators[j].side for j in (1, 2)] == [-1, -1]
    np.testing.assert_array_equal(models.margins(X)[:, 1:], -1)
    np.testing.assert_array_equal(models.probabilities(X)[:, 1:], 0)
    only = y == 0
    models = SeparateTraining(GaussianNB(), Task(OVO, X[only], y[only]), Options()).fit()
    np.testing.assert_array_equal(models.margins(X[:1]), [[-1, -1, 0]])  # the last has seen nothing
    np.testing.assert_array_equal(models.probabilities(X[:1]), [[0, 0, 0.5]])


def test_a_mirrored_constant():
    only = y == 1
    models = SeparateTraining(GaussianNB(), Task(MIRRORED, X[only], y[only]), Options()).fit()
    np.testing.assert_array_equal(models.margins(X[:1]), [[-1, 1, 1, -1]])
    np.testing.assert_array_equal(models.probabilities(X[:1]), [[0, 1, 1, 0]])


def test_seeds_and_weights():
    weight = np.linspace(0.1, 2, 150)
    task = Task(OVO, X, y, weight)
    models = SeparateTraining(SGDClassifier(), task, Options(seeds=[5, 6, 7])).fit()
    assert [model.random_state for model in models.estimators] == [5, 6, 7]
    used = y != 0
    alone = SGDClassifier(random_state=7).fit(X[used], OVO[y, 2][used], sample_weight=weight[used])
    np.testing.assert_allclose(models.margins(X)[:, 2], alone.decision_function(X))


def test_support_vectors_are_rows_of_the_training_set():
    models = train(SVC(), OVO)
    for j, (model, support) in enumerate(zip(models.estimators, models.supports())):
        np.testing.assert_array_equal(X[support], model.support_vectors_)
        assert OVO[y[support], j].all()
    assert train(GaussianNB(), OVO).supports() is None
    mixed = train([SVC(), GaussianNB(), SVC()], OVO).supports()
    assert [len(support) > 0 for support in mixed] == [True, False, True]


def test_a_list_is_trained_separately_even_if_all_are_regressors():
    models = choose_training([SVR(), SVR(), SVR()], Task(OVO, X, y)).fit()
    assert [type(model) for model in models.estimators] == [SVR] * 3
