"""Nothing that happens to other objects after `fit` changes a fitted classifier, and nothing that fails changes it."""

import importlib
import pickle
from copy import copy, deepcopy

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier, SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from ecoc import (
    ECOCClassifier,
    LeastCostClassifier,
    TrainingCache,
)

X, Y = load_iris(return_X_y=True)
X += 0.3 * np.random.default_rng(0).normal(size=X.shape)
WEIGHT = np.random.default_rng(1).uniform(0.5, 2, 150)
DIGITS, DIGIT = (part[:500] for part in load_digits(return_X_y=True))

LEARNERS = {
    "svc": SVC(),
    "polynomial svc": SVC(kernel="poly", degree=2),
    "linear svc": LinearSVC(),
    "logistic regression": LogisticRegression(),
    "ridge": RidgeClassifier(),
    "tree": DecisionTreeClassifier(max_depth=4),
    "forest": RandomForestClassifier(5),
    "sgd": SGDClassifier(),
    "bayes": GaussianNB(),
    "pipeline": make_pipeline(StandardScaler(), LogisticRegression()),
    "xgboost": "xgboost:XGBClassifier",
    "lightgbm": "lightgbm:LGBMClassifier",
}
CHANGED = {"C": 1e-4, "alpha": 1e3, "max_depth": 1, "var_smoothing": 0.9, "learning_rate": 1e-3}


def learner(name):
    found = LEARNERS[name]
    if isinstance(found, str):
        module, _, kind = found.partition(":")
        pytest.importorskip(module)
        options = {"verbose": -1} if module == "lightgbm" else {}
        return getattr(importlib.import_module(module), kind)(n_estimators=5, **options)
    return clone(found)


def spoil(estimator):
    """Change the parameters of an estimator, and of the last step of a pipeline."""
    inner = estimator.steps[-1][1] if hasattr(estimator, "steps") else estimator
    inner.set_params(**{name: value for name, value in CHANGED.items() if name in inner.get_params()})


def answers(model, X=X):
    """Return all that a model says about samples."""
    return [model.predict(X), model.decision_function(X), model.predict_proba(X), model.predict_sets(X, 0.8)]


def assert_same(found, expected):
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)


# "auto" and "hamming" put calibration off on so few samples; True and the discriminant do not.
SETTINGS = {
    "put off": {"coding": "ova"},
    "votes": {"coding": "dense", "decoding": "hamming"},
    "at once": {"coding": "ova", "probability": True},
    "learned": {"coding": "dense", "decoding": "discriminant"},
}


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("name", LEARNERS)
def test_what_was_fitted_is_kept(name, setting):
    data, labels, weight, estimator = X.copy(), Y.copy(), WEIGHT.copy(), learner(name)
    # A pipeline takes weights by metadata routing only.
    weights = {} if name == "pipeline" else {"sample_weight": weight}
    model = ECOCClassifier(estimator, random_state=0, **SETTINGS[setting])
    expected = answers(clone(model).fit(data.copy(), labels.copy(), **deepcopy(weights)))
    model.fit(data, labels, **weights)
    data[:], labels[:], weight[:] = 0, 1, np.arange(150)
    spoil(estimator)
    model.set_params(decoding="exponential", probability=False, cv=2, coding="ovo", random_state=7, reject_cost=0)
    assert_same(answers(model), expected)


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_matrix, "frame"])
def test_sparse_matrices_and_frames(kind):
    frame = kind == "frame"
    data = pytest.importorskip("pandas").DataFrame(X) if frame else kind(X)
    estimator = make_pipeline(StandardScaler(), LogisticRegression()) if frame else LinearSVC()
    model = ECOCClassifier(estimator, coding="ova", random_state=0)
    new = data.copy()
    expected = answers(clone(model).fit(data.copy(), Y), new)
    model.fit(data, Y)
    if frame:
        data.iloc[:, :] = 0.0
    else:
        data.data[:] = 0
    assert_same(answers(model, new), expected)


def test_costs_and_rejection():
    costs = np.array([[0, 1, 9], [1, 0, 9], [1, 1, 0.0]])
    settings = {"costs": costs, "reject_cost": 0.2, "reject_label": -1}
    models = [ECOCClassifier(GaussianNB(), **settings), LeastCostClassifier(GaussianNB(), **settings)]
    for model in models:
        expected = model.fit(X, Y).predict(X)
        assert (expected == -1).any()
        costs[:] = 1 - np.eye(3)
        model.set_params(reject_cost=None, reject_label=-2, costs=None)
        np.testing.assert_array_equal(model.predict(X), expected)
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), expected)
        costs[:] = [[0, 1, 9], [1, 0, 9], [1, 1, 0.0]]


def test_columns_that_share_an_estimator_still_share_it_when_calibration_is_put_off():
    shared, code = SGDClassifier(), np.array([[1, -1, 1], [1, -1, -1], [-1, 1, 1]])
    models = [
        ECOCClassifier(estimator, coding=code, decoding="linear", random_state=0).fit(X, Y)
        for estimator in (shared, [shared] * 3)
    ]
    assert_same(answers(models[0]), answers(models[1]))


STREAMING = [SGDClassifier(), GaussianNB(), MLPClassifier((8,), max_iter=20)]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("estimator", STREAMING, ids=lambda estimator: type(estimator).__name__)
def test_learning_on_changes_no_other_model(estimator):
    """Neither one that shares a cache, nor one that was copied or cut, nor one that it was copied or cut from."""
    cache = TrainingCache()
    first, second = (
        ECOCClassifier(estimator, coding="dense", warm_start=cache, random_state=0).fit(DIGITS, DIGIT) for _ in range(2)
    )
    cut, copied = first.truncate(first.n_columns_ - 1), copy(first)
    models = [first, second, cut, copied]
    expected = [answers(model, DIGITS) for model in models]
    wrong = (DIGIT + 1) % 10
    for i, model in enumerate(models):
        model.partial_fit(DIGITS, wrong)
        assert not np.array_equal(model.decision_function(DIGITS), expected[i][1])
        for other, answer in list(zip(models, expected))[i + 1 :]:
            assert_same(answers(other, DIGITS), answer)
    assert_same(answers(first.fit(DIGITS, DIGIT), DIGITS), expected[0])  # the cache has what was fitted


def test_streams_that_were_cut_go_on_by_themselves():
    model = ECOCClassifier(SGDClassifier(), coding="dense", random_state=0)
    for _ in range(2):
        model.partial_fit(DIGITS, DIGIT, classes=range(10))
    cut, copied = model.truncate(model.n_columns_ - 1), copy(model)
    expected = answers(model, DIGITS), answers(cut, DIGITS)
    copied.partial_fit(DIGITS, (DIGIT + 1) % 10)
    cut_before = copy(cut)
    cut.partial_fit(DIGITS, (DIGIT + 1) % 10)
    assert_same(answers(model, DIGITS), expected[0])
    assert_same(answers(cut_before, DIGITS), expected[1])


class Moody(GaussianNB):
    """Is interrupted by a sample of millions; in a stream, only where that sample comes first and is on side 1."""

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        if (np.asarray(X) == 1e6).any() and y[0] == 1:
            raise KeyboardInterrupt
        return super().partial_fit(X, y, classes, sample_weight)

    def fit(self, X, y, sample_weight=None):
        if (np.asarray(X) == 1e6).any():
            raise KeyboardInterrupt
        return super().fit(X, y, sample_weight)


def test_a_batch_is_learned_wholly_or_not_at_all():
    model = ECOCClassifier(Moody(), coding="ova", keep_outputs=True).partial_fit(X, Y, classes=[0, 1, 2])
    expected, again = answers(model), deepcopy(model)
    strange = X[100:] + 1
    strange[0] = 1e6  # of class 2: only the last of the three columns is interrupted
    with pytest.raises(KeyboardInterrupt):
        model.partial_fit(strange, Y[100:])
    assert_same(answers(model), expected)
    assert_same(answers(model.partial_fit(X, Y)), answers(again.partial_fit(X, Y)))


@pytest.mark.parametrize(
    "model",
    [
        ECOCClassifier(Moody()),
        ECOCClassifier(Moody(), costs=1 - np.eye(3), coding="ovo"),
        LeastCostClassifier(Moody()),
    ],
    ids=str,
)
@pytest.mark.parametrize("before", ["fitted", "unfitted"])
def test_a_fit_that_fails_leaves_the_model_as_it_was(model, before):
    pandas = pytest.importorskip("pandas")
    model = clone(model)
    if before == "fitted":
        model.fit(pandas.DataFrame(X, columns=list("abcd")), np.array(["x", "y", "z"])[Y])
    state = dict(vars(model))
    strange = np.column_stack([X, X[:, 0]])
    strange[3] = 1e6
    with pytest.raises(KeyboardInterrupt):
        model.fit(strange, Y + 5)
    assert vars(model).keys() == state.keys()
    assert all(vars(model)[name] is value for name, value in state.items())


def test_a_refit_of_another_kind_leaves_nothing_behind():
    pandas = pytest.importorskip("pandas")
    model = ECOCClassifier(GaussianNB()).fit(pandas.DataFrame(X, columns=list("abcd")), Y)
    assert not hasattr(model.fit(X[:, :2], Y), "feature_names_in_")
    assert model.n_features_in_ == 2
