import os
import pickle
import subprocess
import sys
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from joblib import parallel_config
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_digits, load_iris, load_wine, make_blobs
from sklearn.dummy import DummyRegressor
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from ecoc import CodeBook, PersistenceError, load, save
from ecoc_paper import HierarchyDisplay, RelaxedHierarchyClassifier
from ecoc_paper.hierarchy.colouring import objective


def blobs(k, *, n=12, d=4, spread=2.0, seed=0):
    """Overlapping classes of n samples each."""
    return make_blobs([n] * k, d, centers=np.random.default_rng(seed).normal(size=(k, d)) * spread, random_state=seed)


@pytest.fixture(scope="module")
def overlapping():
    return blobs(8, n=20, spread=1.5)


@pytest.fixture(scope="module")
def fitted(overlapping):
    """A model with ignored classes, shared nodes and several rounds."""
    model = RelaxedHierarchyClassifier(RidgeClassifier(), rho=0.6, random_state=0).fit(*overlapping)
    assert any(len(node.ignored) for node in model.tree_)
    return model


# The hierarchy -------------------------------------------------------------------------------------------------------


def check_structure(model):
    tree, k = model.tree_, len(model.classes_)
    assert [node.index for node in tree] == list(range(len(tree)))
    assert len({tuple(node.members) for node in tree}) == len(tree)  # nodes with the same classes are merged
    assert sum(node.is_leaf for node in tree) == k
    assert model.n_nodes_ == len(tree) == model.n_dichotomizers_ + k
    assert len(model.estimators_) == model.n_dichotomizers_ >= k - 1
    assert tree[0].classes.tolist() == model.classes_.tolist()
    parents = {i: [node for node in tree if i in node.children] for i in range(len(tree))}
    for node in tree:
        assert node.depth == max((parent.depth + 1 for parent in parents[node.index]), default=0)
        assert node.classes.tolist() == model.classes_[node.members].tolist()
        if node.is_leaf:
            assert len(node.classes) == 1
            assert node.children == ()
            assert node.estimator is None
            assert len(node.ignored) == 0
            continue
        left, right = (tree[child] for child in node.children)
        assert min(left.index, right.index) > node.index
        assert len(node.positive)
        assert len(node.negative)
        assert sorted([*node.negative, *node.ignored]) == left.classes.tolist()
        assert sorted([*node.positive, *node.ignored]) == right.classes.tolist()
    assert model.depth_ == max(node.depth for node in tree)


@pytest.mark.parametrize("rho", [0, 0.4, 2])
@pytest.mark.parametrize("balance", [0, 1, 0.5, None])
def test_structure(overlapping, rho, balance):
    model = RelaxedHierarchyClassifier(
        RidgeClassifier(), rho=rho, balance=balance, max_dichotomizers=200, random_state=0
    ).fit(*overlapping)
    check_structure(model)
    for node in model.tree_.inner:
        bound = {0: 0, 1: 1, 0.5: max(1, len(node.classes) // 2), None: 8}[balance]
        assert abs(len(node.positive) - len(node.negative)) <= bound
    book = model.code_book_
    assert isinstance(book, CodeBook)
    assert book.shape == (8, model.n_dichotomizers_)


def test_node_is_optimal_and_every_round_an_improvement(overlapping, fitted):
    X, y = overlapping
    several = 0
    for node in fitted.tree_.inner:
        assert all(after < before for before, after in zip(node.history, node.history[1:]))
        several += len(node.history) > 1
        if len(node.classes) == 2:
            continue
        mine = np.isin(y, node.classes)
        f = node.estimator.decision_function(X)
        plus, minus = (
            np.array([np.maximum(0, 1 - s * f[y == c]).sum() - fitted.rho * (y == c).sum() for c in node.classes])
            for s in (1, -1)
        )
        value = objective(plus, minus, node.colouring)
        assert value / mine.sum() == pytest.approx(node.history[-1])
        every = (np.array(mu) for mu in product((-1, 0, 1), repeat=len(node.classes)))
        allowed = [mu for mu in every if abs(mu.sum()) <= 1 and 1 in mu and -1 in mu]
        assert value == pytest.approx(min(objective(plus, minus, mu) for mu in allowed))
    assert several
    assert fitted.n_iter_ == max(len(node.history) for node in fitted.tree_)


def test_more_rounds_and_starts_are_never_worse(overlapping):
    def value(**parameters):
        model = RelaxedHierarchyClassifier(RidgeClassifier(), rho=0.6, random_state=0, **parameters).fit(*overlapping)
        return model.tree_[0].history[-1]

    rounds = [value(max_iter=n, n_init=1) for n in (1, 2, 10)]
    assert rounds == sorted(rounds, reverse=True)
    starts = [value(n_init=n) for n in (1, 2, 8)]
    assert starts == sorted(starts, reverse=True)
    assert starts[-1] < starts[0]


def walk(model, x):
    node = model.tree_[0]
    while not node.is_leaf:
        output = node.estimator.decision_function(x[None])[0]
        node = model.tree_[node.right if output > 0 else node.left]
    return node.classes[0]


def test_predict_is_a_walk_down(overlapping, fitted):
    X, _ = overlapping
    assert fitted.predict(X).tolist() == [walk(fitted, x) for x in X]


def least_change(model, x):
    """Smallest sum of outputs whose signs must change, for each class, by enumeration of all paths."""
    best = dict.fromkeys(model.classes_, np.inf)
    stack = [(0, 0.0)]
    while stack:
        index, so_far = stack.pop()
        node = model.tree_[index]
        if node.is_leaf:
            best[node.classes[0]] = min(best[node.classes[0]], so_far)
        else:
            output = node.estimator.decision_function(x[None])[0]
            stack += [(node.left, so_far + max(output, 0)), (node.right, so_far + max(-output, 0))]
    return np.array([best[label] for label in model.classes_])


def test_decision_function_is_the_least_change(overlapping, fitted):
    X, _ = overlapping
    X = X[::9]
    scores = fitted.decision_function(X)
    assert scores.shape == (len(X), 8)
    assert (fitted.classes_[scores.argmax(axis=1)] == fitted.predict(X)).all()
    changes = np.array([least_change(fitted, x) for x in X])
    winner = changes == 0
    np.testing.assert_allclose(scores[~winner], -changes[~winner])
    np.testing.assert_allclose(scores[winner], np.sort(changes, axis=1)[:, 1])


@given(st.integers(0, 10**6), st.integers(3, 6), st.floats(0, 1))
@settings(max_examples=15, deadline=None)
def test_highest_score_is_predicted(seed, k, rho):
    X, y = blobs(k, n=6, d=2, spread=1, seed=seed)
    # Outputs of a tree are ±1 or between, and often equal in magnitude.
    model = RelaxedHierarchyClassifier(DecisionTreeClassifier(max_depth=2), rho=rho, random_state=seed).fit(X, y)
    check_structure(model)
    X = np.random.default_rng(seed).normal(size=(40, 2))
    assert (model.decision_function(X).argmax(axis=1) == model.predict(X)).all()


def test_output_of_zero_goes_left(overlapping):
    X, y = overlapping
    model = RelaxedHierarchyClassifier(DummyRegressor(strategy="constant", constant=0), random_state=0).fit(X, y)
    node = model.tree_[0]
    while not node.is_leaf:
        node = model.tree_[node.left]
    assert set(model.predict(X)) == set(node.classes)
    assert (model.decision_function(X).argmax(axis=1) == node.members[0]).all()


def test_two_classes_are_plain_binary():
    X, y = load_iris(return_X_y=True)
    X, y = X[50:], np.array(["versicolor", "virginica"])[y[50:] - 1]
    model, plain = RelaxedHierarchyClassifier(SVC()).fit(X, y), SVC().fit(X, y)
    assert model.decision_function(X).shape == (100,)
    np.testing.assert_allclose(model.decision_function(X), plain.decision_function(X))
    assert (model.predict(X) == plain.predict(X)).all()
    assert (model.n_dichotomizers_, model.depth_, model.n_nodes_) == (1, 1, 3)
    assert model.n_support_ == len(plain.support_)


@pytest.mark.parametrize("load", [load_iris, load_wine, load_digits])
@pytest.mark.parametrize("estimator", [SVC(), LogisticRegression(solver="newton-cholesky")], ids=["SVC", "logistic"])
def test_accuracy_is_near_one_vs_rest(load, estimator):
    X, y = load(return_X_y=True)
    X, y = StandardScaler().fit_transform(X[:400]), y[:400]
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    reference = cross_val_score(OneVsRestClassifier(estimator), X, y, cv=folds).mean()
    model = RelaxedHierarchyClassifier(estimator, random_state=0)
    # Over three shuffles, accuracy was up to 0.02 lower, and 0.03 to 0.045 for a linear model on digits.
    assert cross_val_score(model, X, y, cv=folds).mean() > reference - 0.05
    assert model.fit(X, y).n_dichotomizers_ <= 2 * len(model.classes_)


# Parameters ----------------------------------------------------------------------------------------------------------


def n_ignored(model):
    return sum(len(node.ignored) for node in model.tree_)


def test_smaller_rho_ignores_more(overlapping):
    models = [RelaxedHierarchyClassifier(RidgeClassifier(), rho=rho, random_state=0) for rho in (0.2, 0.6, 0.9, 3)]
    ignored = [n_ignored(model.fit(*overlapping)) for model in models]
    assert ignored == sorted(ignored, reverse=True)
    assert ignored[0] > ignored[1] > ignored[-1] == 0
    assert models[-1].n_dichotomizers_ == 7


def test_slacks_of_held_out_samples(overlapping):
    X, y = overlapping
    training = RelaxedHierarchyClassifier(DecisionTreeClassifier(), random_state=0).fit(X, y)
    held_out = RelaxedHierarchyClassifier(DecisionTreeClassifier(), n_folds=3, random_state=0).fit(X, y)
    assert n_ignored(training) == 0  # a full tree has no slack on its training samples
    assert n_ignored(held_out) > 0
    check_structure(held_out)


def test_size_is_limited(overlapping):
    def size(limit):
        model = RelaxedHierarchyClassifier(RidgeClassifier(), rho=0, max_dichotomizers=limit, random_state=0)
        check_structure(model.fit(*overlapping))
        return model.n_dichotomizers_

    assert size(7) == 7
    assert 7 < size(12) <= 12
    assert size(None) <= 28


def test_small_rho_does_not_explode():
    X, y = blobs(14, n=2, spread=1)
    model = RelaxedHierarchyClassifier(Ridge(), rho=0, n_init=1, random_state=0).fit(X, y)
    check_structure(model)
    assert model.n_dichotomizers_ <= 14 * 13 / 2


def test_seed_decides_all_and_jobs_nothing(overlapping):
    X, y = overlapping

    def scores(**parameters):
        estimator = DecisionTreeClassifier(max_depth=2, max_features=1)
        model = RelaxedHierarchyClassifier(estimator, n_folds=2, **parameters).fit(X, y)
        return model.decision_function(X)

    first = scores(random_state=3)
    np.testing.assert_array_equal(first, scores(random_state=3))
    with parallel_config(backend="threading"):
        np.testing.assert_array_equal(first, scores(random_state=3, n_jobs=2))
    assert (first != scores(random_state=4)).any()


def test_estimator_keeps_a_seed_of_its_own(overlapping):
    estimator = DecisionTreeClassifier(random_state=5)
    model = RelaxedHierarchyClassifier(estimator, random_state=0).fit(*overlapping)
    assert {dichotomizer.random_state for dichotomizer in model.estimators_} == {5}
    assert not hasattr(estimator, "tree_")


def test_verbose_tells_of_each_level(overlapping, capsys):
    RelaxedHierarchyClassifier(RidgeClassifier(), verbose=1, random_state=0).fit(*overlapping)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "[RelaxedHierarchyClassifier] binary classifiers: 1 trained, 2 or more to train"
    assert lines[-1].endswith("none to train")


# Data ----------------------------------------------------------------------------------------------------------------


class LabelsOnly(ClassifierMixin, BaseEstimator):
    """Nearest mean, with no method but predict."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.means_ = np.array([X[y == label].mean(axis=0) for label in self.classes_])
        return self

    def predict(self, X):
        return self.classes_[((X[:, None] - self.means_) ** 2).sum(axis=2).argmin(axis=1)]


@pytest.mark.parametrize(
    "estimator",
    [SVC(), LinearSVC(), LogisticRegression(), DecisionTreeClassifier(), GaussianNB(), Ridge(), LabelsOnly()],
    ids=lambda estimator: type(estimator).__name__,
)
def test_any_estimator_will_do(estimator):
    X, y = load_wine(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    names = np.array(["barolo", "grignolino", "barbera"])[y]
    model = RelaxedHierarchyClassifier(estimator, random_state=0).fit(X[::2], names[::2])
    assert model.classes_.tolist() == ["barbera", "barolo", "grignolino"]
    assert model.score(X[1::2], names[1::2]) > 0.8
    assert (model.classes_[model.decision_function(X).argmax(axis=1)] == model.predict(X)).all()


def test_classes_of_a_single_sample():
    X, y = blobs(6, n=8)
    X, y = np.vstack([X, [[30, 30, 30, 30], [-30, 30, -30, 30]]]), np.append(y, [6, 7])
    for parameters in ({}, {"n_folds": 3}, {"rho": 0}):
        model = RelaxedHierarchyClassifier(SVC(kernel="linear"), random_state=0, **parameters).fit(X, y)
        assert model.predict(X[-2:]).tolist() == [6, 7]
        check_structure(model)
    X, y = np.eye(5), np.arange(5)
    for n_folds in (None, 2):
        model = RelaxedHierarchyClassifier(SVC(kernel="linear"), n_folds=n_folds, random_state=0).fit(X, y)
        assert model.predict(X).tolist() == [0, 1, 2, 3, 4]


def test_identical_samples_do_not_stop_it():
    model = RelaxedHierarchyClassifier(RidgeClassifier(), random_state=0).fit(np.ones((12, 3)), np.arange(12) % 4)
    check_structure(model)


def test_sparse_is_as_dense():
    X, y = load_digits(return_X_y=True)
    X, y = X[:300], y[:300]
    model = RelaxedHierarchyClassifier(RidgeClassifier(solver="lsqr", tol=1e-10), random_state=0)
    dense = clone(model).fit(X, y)
    sparse = clone(model).fit(csr_array(X), y)
    assert str(dense.tree_) == str(sparse.tree_)
    assert (dense.predict(X) == sparse.predict(csr_array(X))).all()


def test_precomputed_kernel_is_as_the_kernel(overlapping):
    X, y = overlapping
    # The starts depend on the rows of the kernel instead of the samples, so use a case with one start only.
    X, y = X[y < 3], y[y < 3]
    K = X @ X.T
    settings = {"rho": 0, "max_iter": 1, "n_init": 1, "balance": 0, "random_state": 0}
    kernel = RelaxedHierarchyClassifier(SVC(kernel="precomputed"), **settings).fit(K, y)
    linear = RelaxedHierarchyClassifier(SVC(kernel="linear"), **settings).fit(X, y)
    assert str(kernel.tree_) == str(linear.tree_)
    np.testing.assert_allclose(kernel.decision_function(K[::5]), linear.decision_function(X[::5]), atol=1e-6)
    assert (kernel.predict(K[::5]) == linear.predict(X[::5])).all()
    assert kernel.support_.tolist() == linear.support_.tolist()
    with pytest.raises(ValueError, match="square matrix"):
        kernel.fit(K[:, :9], y)


def test_missing_values_are_left_to_an_estimator_that_takes_them(overlapping):
    X, y = overlapping
    X = np.where(np.random.default_rng(0).random(X.shape) < 0.05, np.nan, X)
    assert RelaxedHierarchyClassifier(DecisionTreeClassifier(), random_state=0).fit(X, y).score(X, y) > 0.9
    with pytest.raises(ValueError, match="contains NaN"):
        RelaxedHierarchyClassifier(SVC()).fit(X, y)


def test_data_frame():
    frame, y = load_iris(return_X_y=True, as_frame=True)
    model = RelaxedHierarchyClassifier(LogisticRegression(), random_state=0).fit(frame, y)
    assert model.feature_names_in_.tolist() == list(frame.columns)
    assert model.n_features_in_ == 4
    assert model.score(frame, y) > 0.9


def test_weights_are_repetitions(overlapping):
    X, y = overlapping
    weight = np.random.default_rng(0).integers(0, 4, size=len(y))
    model = RelaxedHierarchyClassifier(RidgeClassifier(), rho=0.6, random_state=0)
    weighted = clone(model).fit(X, y, sample_weight=weight)
    repeated = clone(model).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert str(weighted.tree_) == str(repeated.tree_)
    np.testing.assert_allclose(weighted.decision_function(X), repeated.decision_function(X), rtol=1e-8, atol=1e-8)


def test_weights_reach_a_pipeline_by_routing(overlapping):
    X, y = overlapping
    weight = np.where(y == 0, 3.0, 1.0)
    with sklearn.config_context(enable_metadata_routing=True):
        inner = make_pipeline(
            StandardScaler().set_fit_request(sample_weight=False), RidgeClassifier().set_fit_request(sample_weight=True)
        )
        model = RelaxedHierarchyClassifier(inner, random_state=0).set_fit_request(sample_weight=True)
        routed = model.fit(X, y, sample_weight=weight).decision_function(X)
        plain = model.fit(X, y).decision_function(X)
    assert (routed != plain).any()


# Support vectors, drawing, company -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "wrap",
    [
        lambda svc: svc,
        lambda svc: make_pipeline(StandardScaler(), svc),
        lambda svc: GridSearchCV(svc, {"C": [1, 2]}, cv=2),
    ],
    ids=["plain", "pipeline", "search"],
)
def test_support_vectors_are_counted_once(overlapping, wrap):
    X, y = overlapping
    model = RelaxedHierarchyClassifier(wrap(SVC(kernel="linear")), rho=0.3, n_init=1, random_state=0).fit(X, y)
    assert n_ignored(model)
    vectors = set()
    for node in model.tree_.inner:
        dichotomizer = getattr(node.estimator, "best_estimator_", node.estimator)
        inner = dichotomizer[-1] if hasattr(dichotomizer, "steps") else dichotomizer
        rows = X if inner is dichotomizer else dichotomizer[0].transform(X)
        assert np.allclose(rows[node.support], inner.support_vectors_)
        assert np.isin(y[node.support], node.classes).all()
        vectors |= set(node.support.tolist())
    assert model.n_support_ == len(vectors) == len(model.support_)
    assert set(model.support_.tolist()) == vectors


def test_no_support_vectors_without_a_support_vector_machine(overlapping):
    model = RelaxedHierarchyClassifier(SVC(), random_state=0).fit(*overlapping)
    assert model.n_support_ > 0
    model.set_params(estimator=make_pipeline(SelectKBest(k=3), RidgeClassifier())).fit(*overlapping)
    assert not hasattr(model, "n_support_")
    assert not hasattr(model, "support_")


def test_drawing(fitted):
    drawn = fitted.export_text()
    assert drawn == str(fitted.tree_)
    assert drawn.splitlines()[0] == repr(fitted.tree_[0])
    assert ", both {" in drawn
    assert "#0" in drawn
    for node in fitted.tree_.inner:  # each once in full
        assert sum(line.endswith(repr(node)) for line in drawn.splitlines()) == 1
    assert f"8 classes: {fitted.n_dichotomizers_} binary classifiers, depth {fitted.depth_}" in repr(fitted.tree_)


def test_drawing_of_many_classes_and_shared_nodes():
    X, y = blobs(40, n=2)
    labels = np.array([f"class {c}" for c in range(40)])[y]
    model = RelaxedHierarchyClassifier(Ridge(), n_init=1, rho=0.5, random_state=0).fit(X, labels)
    check_structure(model)
    assert "… 12 more}" in str(model.tree_[0]) or ", both" in str(model.tree_[0])
    assert ", above" in str(model.tree_)


def test_works_inside_grid_search_and_outlives_pickling(overlapping):
    X, y = overlapping
    search = GridSearchCV(
        RelaxedHierarchyClassifier(RidgeClassifier(), random_state=0),
        {"rho": [0.3, 0.9], "estimator__alpha": [0.1, 10]},
        cv=2,
    ).fit(X, y)
    model = search.best_estimator_
    assert model.score(X, y) > 0.5
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    assert "RidgeClassifier" in model._repr_html_()


# Refusals ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"estimator": StandardScaler()}, "'estimator' parameter .* implementing 'fit' and 'predict'"),
        ({"rho": -1}, "'rho' parameter"),
        ({"balance": -1}, "'balance' parameter"),
        ({"balance": 1.5}, "'balance' parameter"),
        ({"n_folds": 1}, "'n_folds' parameter"),
        ({"n_init": 0}, "'n_init' parameter"),
        ({"max_iter": 0}, "'max_iter' parameter"),
        ({"max_dichotomizers": 6}, "max_dichotomizers=6 is too small: a hierarchy of 8 classes needs at least 7"),
    ],
)
def test_bad_parameters(overlapping, parameters, message):
    with pytest.raises(ValueError, match=message):
        RelaxedHierarchyClassifier(**{"estimator": SVC(), **parameters}).fit(*overlapping)


def test_bad_data(overlapping, fitted):
    X, y = overlapping
    model = RelaxedHierarchyClassifier(SVC())
    with pytest.raises(NotFittedError, match="not fitted"):
        model.predict(X)
    with pytest.raises(NotFittedError, match="not fitted"):
        model.export_text()
    with pytest.raises(ValueError, match="at least 2 classes; y has 1 class only, 'one'"):
        model.fit(X, ["one"] * len(X))
    with pytest.raises(ValueError, match="contains infinity"):
        model.fit(np.where(X > 3, np.inf, X), y)
    with pytest.raises(ValueError, match="Unknown label type"):
        model.fit(X, y + 0.5)
    with pytest.raises(ValueError, match="minimum of 1 is required"):
        model.fit(X[:0], y[:0])
    with pytest.raises(ValueError, match="X has 3 features, but RelaxedHierarchyClassifier is expecting 4"):
        fitted.predict(X[:, :3])
    with pytest.raises(ValueError, match="positive sample_weight; class 3 has none"):
        model.fit(X, y, sample_weight=np.where(y == 3, 0, 1))
    with pytest.raises(ValueError, match="Negative values in data passed to `sample_weight`"):
        model.fit(X, y, sample_weight=np.where(y == 3, -1, 1))
    with pytest.raises(ValueError, match=r"KNeighborsClassifier.fit does not accept sample_weight"):
        RelaxedHierarchyClassifier(KNeighborsClassifier()).fit(X, y, sample_weight=np.ones(len(y)))


class Twice(LabelsOnly):
    def decision_function(self, X):
        return np.ones((len(X), 2))


class NotANumber(LabelsOnly):
    def decision_function(self, X):
        return np.full(len(X), np.nan)


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (Twice(), r"one output for each sample; Twice gave \(160, 2\)"),
        (NotANumber(), "NotANumber returned NaN for sample 0"),
    ],
)
def test_bad_outputs(overlapping, estimator, message):
    with pytest.raises(ValueError, match=message):
        RelaxedHierarchyClassifier(estimator).fit(*overlapping)


# Tight tolerances, since scikit-learn compares weighted samples with repeated ones to seven digits.
@parametrize_with_checks(
    [
        RelaxedHierarchyClassifier(LogisticRegression(solver="newton-cholesky", tol=1e-10)),
        RelaxedHierarchyClassifier(SVC(kernel="precomputed", tol=1e-10), rho=0.1),
        RelaxedHierarchyClassifier(Ridge(solver="sparse_cg", tol=1e-12), rho=0, balance=None, n_init=1),
    ]
)
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


@pytest.mark.parametrize("rho", [0.05, 1.0])
def test_decision_paths_go_from_the_root_to_the_class_predicted(rho):
    X, y = load_digits(return_X_y=True)
    model = RelaxedHierarchyClassifier(SVC(kernel="linear"), rho=rho, random_state=0).fit(X[:500], y[:500])
    path = model.decision_path(X[500:700]).toarray()
    assert path.shape == (200, model.n_nodes_)
    assert path[:, 0].all()
    leaves = [node.index for node in model.tree_ if node.is_leaf]
    ends = np.array([model.tree_[leaf].classes[0] for leaf in leaves])[path[:, leaves].argmax(axis=1)]
    np.testing.assert_array_equal(path[:, leaves].sum(axis=1), 1)
    np.testing.assert_array_equal(ends, model.predict(X[500:700]))
    for node in model.tree_.inner:  # each sample at a node goes to one of its children
        assert (path[path[:, node.index] == 1][:, [node.left, node.right]].sum(axis=1) >= 1).all()


def test_a_hierarchy_is_a_tree_of_leaves_in_order():
    X, Y = load_digits(return_X_y=True)
    X = X / 16
    names = np.array(["zero", "one", "$two", "a_b", "<four>", "five\nlines", "six" * 20, "seven", "eight", "9"])
    model = RelaxedHierarchyClassifier(Ridge(), rho=2.0, random_state=0).fit(X[:300], names[Y[:300]])
    display = HierarchyDisplay.from_estimator(model)
    tree = model.tree_
    assert len(tree.inner) == 9  # no class goes both ways
    assert len(display.edges) == 18
    for node in tree:  # the classes of a node stand together, those at −1 above those at +1
        places = np.flatnonzero(np.isin(display.order, node.members))
        assert np.ptp(places) == len(places) - 1
        assert display.positions[node.index, 1] == places.mean()
        if not node.is_leaf:
            assert display.positions[node.left, 1] < display.positions[node.right, 1]
    assert [tick.get_text() for tick in display.ax_.get_yticklabels()] == [
        " ".join(n.split())[:23] + "…" * (len(n) > 24) for n in display.tree[0].classes[display.order].tolist()
    ]
    relaxed = RelaxedHierarchyClassifier(Ridge(), rho=0.3, random_state=0).fit(X[:300], Y[:300])
    display = HierarchyDisplay.from_estimator(relaxed)
    assert len(display.edges) == 2 * len(relaxed.tree_.inner)
    assert sum(bool(len(node.ignored)) for node in relaxed.tree_.inner) == len(display.ax_.texts) > 0
    with pytest.raises(TypeError, match="expected a RelaxedHierarchyClassifier"):
        HierarchyDisplay.from_estimator(GaussianNB().fit(X, Y))


def test_a_saved_hierarchy_is_loaded_by_who_trusts_it(tmp_path, overlapping):
    pytest.importorskip("skops")
    X, y = overlapping
    model = RelaxedHierarchyClassifier(SVC(kernel="linear"), random_state=0).fit(X, y)
    save(model, tmp_path / "hierarchy.skops")
    with pytest.raises(PersistenceError, match=r"not known, ecoc_paper\.hierarchy\."):
        load(tmp_path / "hierarchy.skops")
    types = ("classifier.RelaxedHierarchyClassifier", "tree.ClassHierarchy", "tree.HierarchyNode")
    loaded = load(tmp_path / "hierarchy.skops", trusted=[f"ecoc_paper.hierarchy.{name}" for name in types])
    assert str(loaded.tree_) == str(model.tree_)
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))


def test_the_example_runs():
    example = Path(__file__).parents[1] / "examples" / "hierarchy.py"
    environment = {**os.environ, "MPLBACKEND": "Agg"}
    done = subprocess.run([sys.executable, example], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "n_folds=3" in done.stdout
