"""Held-out outputs are those of models that were trained without the sample."""

from itertools import combinations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GroupKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC, NuSVC
from sklearn.tree import DecisionTreeClassifier

from ecoc.policy import make_plan
from ecoc.training.binary import margins
from ecoc.training.choosing import choose_training, train
from ecoc.training.interfaces import HeldOut, Options, Task
from ecoc.training.linear import LinearTraining
from ecoc.training.trees import ForestTraining
from ecoc.utils.folds import make_folds

X, y = load_digits(return_X_y=True)
MORE, MORE_LABELS = StandardScaler().fit_transform(X[:400])[:, 10:30], y[:400] % 4
X = StandardScaler().fit_transform(X[:60])[:, [10, 18, 20, 26, 36, 42, 43, 51]]
y = y[:60] % 4
CODE = np.array([[1, 1, -1], [1, -1, 1], [-1, 1, 1], [-1, -1, -1]], dtype=np.int8)
TERNARY = np.array([[1, 0, 1], [-1, 1, 0], [0, -1, 1], [1, 1, -1]], dtype=np.int8)
WEIGHT = np.random.default_rng(0).uniform(0.2, 3, len(y))


def held_out(estimator, task, kind="margins", **options):
    """Held-out outputs in the way that the rules choose."""
    plan = make_plan(estimator, "ova", "auto", task.y, len(task.code), sparse=False, cv="auto")
    options = {"held_out": plan.held_out, **options}
    return train(estimator, task, Options(**options), kind, held_out=True, cv="auto", random_state=0)


@pytest.mark.parametrize("weight", [None, np.resize(WEIGHT, 400)], ids=["plain", "weighted"])
@pytest.mark.parametrize("code", [CODE, TERNARY], ids=["binary", "ternary"])
@pytest.mark.parametrize(
    "estimator",
    [
        LogisticRegression(C=100, tol=1e-8, max_iter=1000),
        LinearSVC(C=0.01, tol=1e-8, max_iter=100_000, random_state=0),
        SVC(gamma=0.1, tol=1e-6),
        SVC(gamma=0.1, C=100, tol=1e-6),
        NuSVC(nu=0.2, gamma=0.1, tol=1e-6),
        GaussianNB(),
    ],
    ids=repr,
)
def test_held_out_outputs_are_those_of_real_folds(estimator, code, weight):
    task = Task(code, MORE, MORE_LABELS, weight)
    trained = held_out(estimator, task)
    assert trained.rows is None
    for rows, test in make_folds(5, MORE_LABELS, 0):
        for j in range(code.shape[1]):
            used = rows[code[MORE_LABELS[rows], j] != 0]
            sides = code[MORE_LABELS[used], j] > 0
            model = clone(estimator).fit(MORE[used], sides, None if weight is None else weight[used])
            real = margins(model, MORE[test])
            np.testing.assert_allclose(trained.held_out[test, j], real, atol=2e-3 * np.abs(real).max())
    signs = held_out(estimator, task, "signs").held_out
    np.testing.assert_array_equal(signs, np.where(trained.held_out > 0, 1, -1))


def test_outputs_of_more_pairs_than_features_tell_no_class():
    """Samples left out one by one would give their classes away: outputs of different models span more dimensions."""
    labels = np.random.default_rng(1).integers(0, 8, 400)
    noise = np.random.default_rng(2).normal(size=(400, 4))
    pairs = list(combinations(range(8), 2))
    code = np.zeros((8, len(pairs)), dtype=np.int8)
    for j, (one, other) in enumerate(pairs):
        code[one, j], code[other, j] = 1, -1
    for estimator in (LogisticRegression(), LinearSVC()):
        outputs = held_out(estimator, Task(code, noise, labels)).held_out
        assert cross_val_score(LinearDiscriminantAnalysis(), outputs, labels, cv=4).mean() < 0.2


def test_probabilities_of_a_logistic_model():
    margins, p = (
        held_out(LogisticRegression(), Task(CODE, X, y), kind).held_out for kind in ("margins", "probabilities")
    )
    np.testing.assert_allclose(p, 1 / (1 + np.exp(-margins)))


def test_a_machine_without_free_support_vectors():
    few = np.array([[0.0], [1.0], [2.0], [3.0]])
    trained = held_out(SVC(C=1e-3, gamma=0.1), Task(CODE[:, :2], few, np.arange(4)))
    assert np.isfinite(trained.held_out).all()


@pytest.mark.parametrize(
    "estimator",
    [
        LogisticRegression(class_weight="balanced"),
        LogisticRegression(C=np.inf),
        LinearSVC(loss="hinge"),
        LinearSVC(penalty="l1", dual=False),
        RandomForestClassifier(bootstrap=False),
        BaggingClassifier(SVC()),
    ],
    ids=repr,
)
def test_others_need_folds(estimator):
    assert type(choose_training(estimator, Task(CODE, X, y))) not in (LinearTraining, ForestTraining)


# Bags -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "estimator",
    [
        RandomForestClassifier(30, random_state=0),
        ExtraTreesClassifier(30, bootstrap=True, random_state=0),
        BaggingClassifier(GaussianNB(), 30, max_features=0.5, random_state=0),
        BaggingClassifier(None, 30, random_state=0),
    ],
    ids=repr,
)
def test_out_of_bag_outputs_are_those_of_scikit_learn(estimator):
    mirrored = np.column_stack([CODE, -CODE[:, 1]])
    task = Task(mirrored, X, y)
    assert type(choose_training(estimator, task)) is ForestTraining
    trained = held_out(estimator, task, "probabilities")
    assert trained.rows is None
    for j in range(4):
        sign, column = (-1, 1) if j == 3 else (1, j)
        alone = clone(estimator).set_params(oob_score=True).fit(X, CODE[y, column] > 0)
        p = alone.oob_decision_function_[:, 1]
        np.testing.assert_allclose(trained.held_out[:, j], p if sign > 0 else 1 - p, rtol=1e-5)
    margins = held_out(estimator, task).held_out
    np.testing.assert_allclose(margins, 2 * trained.held_out - 1)


def test_samples_in_every_bag_have_no_held_out_output():
    trained = held_out(RandomForestClassifier(3, random_state=0), Task(CODE, X, y), held_out=HeldOut("bag", 3))
    assert len(trained.rows) == len(trained.held_out) < len(y)
    assert np.isfinite(trained.held_out).all()


def test_bags_of_columns_that_leave_classes_out():
    forest = RandomForestClassifier(30, random_state=0)
    trained = held_out(forest, Task(TERNARY, X, y))
    used = np.flatnonzero(TERNARY[y, 1])
    alone = clone(forest).set_params(oob_score=True).fit(X[used], TERNARY[y[used], 1] > 0)
    np.testing.assert_allclose(trained.held_out[used, 1], 2 * alone.oob_decision_function_[:, 1] - 1)
    left_out = np.flatnonzero(TERNARY[y, 1] == 0)
    np.testing.assert_allclose(trained.held_out[left_out, 1], trained.models.margins(X)[left_out, 1])


# Whatever the learner -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "estimator",
    [Ridge(), NuSVC(nu=0.2), GaussianNB(), DecisionTreeClassifier(random_state=0), LogisticRegression(), SVC()],
    ids=repr,
)
def test_random_labels_are_not_learned(estimator):
    """Labels that have nothing to do with X: whoever finds something in held-out outputs has looked at the answers."""
    labels = np.random.default_rng(1).integers(0, 4, 300)
    noise = np.random.default_rng(2).normal(size=(300, 5))
    trained = held_out(estimator, Task(CODE, noise, labels))
    rows = np.arange(300) if trained.rows is None else trained.rows
    assert abs(np.mean(np.sign(trained.held_out) == CODE[labels[rows]]) - 0.5) < 0.08


@pytest.mark.parametrize("estimator", [Ridge(), SVC(), LogisticRegression(), RandomForestClassifier(10)], ids=repr)
def test_folds_that_the_user_gives_are_used(estimator):
    """Every sample has a copy. Leaving out one of them, or one bag, would leak; folds by group do not."""
    labels = np.random.default_rng(1).integers(0, 4, 100).repeat(2)
    noise = np.random.default_rng(2).normal(size=(100, 5)).repeat(2, axis=0)
    task, groups = Task(CODE, noise, labels), np.arange(100).repeat(2)
    folds = list(GroupKFold(4).split(noise, labels, groups))
    outputs = train(estimator, task, Options(), held_out=True, cv=folds, random_state=0).held_out
    assert abs(np.mean(np.where(outputs > 0, 1, -1) == CODE[labels]) - 0.5) < 0.1
    for rows, test in folds:
        models = choose_training(estimator, task.part(rows), Options(seeds=[0, 1, 2])).fit()
        if not isinstance(estimator, RandomForestClassifier | SVC):
            np.testing.assert_allclose(outputs[test], models.margins(noise[test]), atol=1e-6)


def test_seen_outputs_are_those_of_the_models():
    iris, target = load_iris(return_X_y=True)
    task = Task(CODE[:3], iris, target)
    trained = train(LogisticRegression(max_iter=1000), task, Options(), seen=True, held_out=True, cv="auto")
    np.testing.assert_array_equal(trained.seen, trained.models.margins(iris))
    assert not np.array_equal(trained.seen, trained.held_out)
    only = train(LogisticRegression(max_iter=1000), task, Options())
    assert only.seen is None
    assert only.held_out is None
