"""What scikit-learn tests of its own multi-class estimators holds for ours; each case is written anew."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import is_classifier
from sklearn.datasets import load_iris, make_classification
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression, LogisticRegression, SGDClassifier
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.naive_bayes import MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils import get_tags

from ecoc import ECOCClassifier

X, Y = load_iris(return_X_y=True)
ORDER = np.random.default_rng(0).permutation(150)
X, Y = X[ORDER], Y[ORDER]
CODES = ["ova", "ovo", "dense", "ecf", "auto"]


@pytest.fixture(params=CODES)
def make(request):
    def make(estimator, **options):
        return ECOCClassifier(estimator, coding=request.param, random_state=0, **options)

    return make


def test_not_fitted(make):
    for method in ("predict", "predict_proba", "decision_function"):
        with pytest.raises(NotFittedError):
            getattr(make(LinearSVC()), method)(X)


@pytest.mark.parametrize("target", [X, X[:, :2], np.ones((150, 2), dtype=int), X[:, 0] + 0.5], ids=range(4))
def test_targets_that_are_no_classes_are_refused(make, target):
    """Several labels for a sample, several outputs, and numbers that are measured."""
    with pytest.raises(ValueError, match=r"[Uu]nknown label type|should be a 1d array|multilabel targets"):
        make(LogisticRegression()).fit(X, target)


def test_one_class_is_no_choice(make):
    for constant in (np.ones(150), np.zeros(150, dtype=int), np.full(150, "only")):
        with pytest.raises(ValueError, match="one class"):
            make(LinearSVC()).fit(X, constant)


@pytest.mark.parametrize(("ours", "theirs"), [("ova", OneVsRestClassifier), ("ovo", OneVsOneClassifier)])
@pytest.mark.parametrize("learner", [LinearSVC(), SVC(), MultinomialNB(), KNeighborsClassifier()], ids=str)
def test_as_many_models_and_the_same_predictions(ours, theirs, learner):
    model = ECOCClassifier(learner, coding=ours, decoding="linear" if ours == "ova" else "hamming").fit(X, Y)
    other = theirs(learner).fit(X, Y)
    assert len(model.estimators_) == len(other.estimators_) == 3
    if ours == "ovo" or not isinstance(learner, KNeighborsClassifier):  # votes of neighbours tie
        assert np.mean(model.predict(X) == other.predict(X)) > 0.97


@pytest.mark.parametrize("learner", [LinearRegression(), DecisionTreeRegressor(random_state=0)], ids=str)
def test_regressors(make, learner):
    assert make(learner).fit(X, Y).score(X, Y) > 0.75


@pytest.mark.parametrize("container", [sparse.csr_matrix, sparse.csr_array, sparse.csc_matrix, sparse.coo_array])
@pytest.mark.parametrize("learner", [MultinomialNB(), LinearSVC()], ids=str)
def test_sparse_samples(make, learner, container):
    dense, thin = make(learner, cv=3).fit(X, Y), make(learner, cv=3).fit(container(X), Y)
    assert np.mean(dense.predict(X) == thin.predict(container(X))) > 0.95
    assert get_tags(thin).input_tags.sparse


def test_two_classes_have_one_column_of_scores():
    two = Y < 2
    for coding in ("ova", "ovo", "auto"):
        model = ECOCClassifier(LogisticRegression(), coding=coding, random_state=0).fit(X[two], Y[two])
        scores, proba = model.decision_function(X[two]), model.predict_proba(X[two])
        assert scores.shape == (100,)
        assert proba.shape == (100, 2)
        np.testing.assert_array_equal(model.predict(X[two]), (scores > 0).astype(int))
        np.testing.assert_array_equal(model.predict(X[two]), proba.argmax(axis=1))


def test_scores_and_probabilities_name_the_prediction(make):
    model = make(LogisticRegression(max_iter=500)).fit(X, Y)
    proba = model.predict_proba(X)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    assert model.decision_function(X).shape == proba.shape == (150, 3)
    np.testing.assert_array_equal(model.predict(X), proba.argmax(axis=1))
    np.testing.assert_array_equal(model.predict(X), model.decision_function(X).argmax(axis=1))


@pytest.mark.parametrize(
    "labels",
    [np.array(["d", "b", "c"]), np.array([0.0, 5.0, 7.0]), np.array([-3, 9, 4]), np.array([True, False])],
    ids=str,
)
def test_labels_of_any_kind_in_any_order(make, labels):
    y = labels[Y % len(labels)]
    plain, named = make(LogisticRegression()).fit(X, Y % len(labels)), make(LogisticRegression()).fit(X, y)
    np.testing.assert_array_equal(named.classes_, np.unique(y))
    assert named.predict(X).dtype == y.dtype
    assert np.mean(named.predict(X) == labels[plain.predict(X)]) > 0.95


def test_lists_are_samples(make):
    model = make(LinearSVC())
    np.testing.assert_array_equal(model.fit(X.tolist(), Y.tolist()).predict(X.tolist()), model.fit(X, Y).predict(X))


@pytest.mark.parametrize("decoding", ["linear", "hinge"])
def test_names_of_classes_do_not_decide_between_tied_votes(decoding):
    """Three classes that beat each other in a circle have one vote each; margins decide, not the order of classes."""
    rng = np.random.default_rng(0)
    points, y = rng.normal(size=(60, 2)), np.arange(60) % 3
    model = ECOCClassifier(LogisticRegression(), coding="ovo", decoding=decoding, probability=False)
    before = model.fit(points, y).predict(points)
    votes = OneVsOneClassifier(LogisticRegression()).fit(points, y).decision_function(points)
    assert (np.sort(votes.round(), axis=1) == 1).all(axis=1).any()  # there are such samples
    for names in ([1, 2, 0], [2, 1, 0]):
        after = model.fit(points, np.array(names)[y]).predict(points)
        np.testing.assert_array_equal(after, np.array(names)[before])


def test_grid_search(make):
    grid = GridSearchCV(make(LinearSVC(random_state=0), probability=False), {"estimator__C": [0.1, 0.8]}, cv=3)
    assert grid.fit(X, Y).best_estimator_.estimators_[0].C in (0.1, 0.8)


def test_in_a_pipeline_and_around_one(make):
    steps = Pipeline([("keep", "passthrough"), ("model", LogisticRegression(max_iter=500))])
    around = make(steps, decoding="linear", probability=False).fit(X, Y)
    bare = make(LogisticRegression(max_iter=500), decoding="linear", probability=False).fit(X, Y)
    inside = Pipeline([("keep", "passthrough"), ("model", bare)]).fit(X, Y)
    for other in (around, inside):
        assert np.mean(other.predict(X) == bare.predict(X)) > 0.97


def test_streams_reach_what_fit_reaches():
    for coding in ("ova", "ovo", "dense"):
        whole = ECOCClassifier(MultinomialNB(), coding=coding, decoding="linear", random_state=0).fit(X, Y)
        parts = ECOCClassifier(MultinomialNB(), coding=coding, decoding="linear", random_state=0)
        for rows in np.array_split(np.arange(150), 5):
            parts.partial_fit(X[rows], Y[rows], classes=[0, 1, 2])
        np.testing.assert_allclose(parts.outputs(X), whole.outputs(X))
        np.testing.assert_array_equal(parts.predict(X), whole.predict(X))


def test_methods_that_the_learner_lacks():
    with pytest.raises(AttributeError, match="partial_fit"):
        ECOCClassifier(SVC()).partial_fit(X, Y, classes=[0, 1, 2])
    with pytest.raises(ValueError, match="needs classes"):
        ECOCClassifier(SGDClassifier()).partial_fit(X, Y)
    assert not hasattr(ECOCClassifier(LinearSVC(), decoding="hamming", probability=False), "predict_proba")
    assert is_classifier(ECOCClassifier(LinearRegression()))


def test_precomputed_kernels(make):
    linear, given = make(SVC(kernel="linear"), cv=3), make(SVC(kernel="precomputed"), cv=3)
    assert get_tags(given).input_tags.pairwise
    assert not get_tags(linear).input_tags.pairwise
    assert given.fit(X @ X.T, Y).n_features_in_ == 150
    if "ecf" not in str(given.coding) and given.coding != "auto":  # a design sees the kernel instead of the samples
        scores = [cross_val_score(model, data, Y, cv=4) for model, data in ((linear, X), (given, X @ X.T))]
        np.testing.assert_allclose(scores[0], scores[1], atol=0.03)


def test_missing_values_that_the_learner_understands(make):
    holes = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)
    assert make(HistGradientBoostingClassifier(max_iter=5)).fit(holes, Y).score(holes, Y) > 0.85


def test_two_classes_are_judged_as_one_vs_one_judges_them():
    data, y = make_classification(200, random_state=0)
    for learner in (KNeighborsClassifier(), LogisticRegression(max_iter=500)):
        ours, theirs = ECOCClassifier(learner, coding="ovo").fit(data, y), OneVsOneClassifier(learner).fit(data, y)
        np.testing.assert_array_equal(ours.predict(data), theirs.predict(data))
