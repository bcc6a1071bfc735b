"""The learner's own multi-class fit behind the interface of a code: chosen, compared, and like the learner itself."""

import pickle

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_digits, load_iris, make_classification
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Perceptron, Ridge, SGDClassifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import ComplementNB, GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC, NuSVC
from sklearn.tree import DecisionTreeClassifier

from ecoc import ECOCClassifier, LeastCostClassifier, Plain

LEARNERS = {
    "decision function": LogisticRegression(max_iter=500),
    "margins": LinearSVC(random_state=0),
    "logarithms of probabilities": GaussianNB(),
    "counts": KNeighborsClassifier(),
    "a decision value for each pair": SVC(decision_function_shape="ovo"),
    "one tree": DecisionTreeClassifier(random_state=0),
    "pipeline": make_pipeline(StandardScaler(), QuadraticDiscriminantAnalysis(reg_param=0.1)),
}


class OnlyTwo(ClassifierMixin, BaseEstimator):
    """A learner for two classes that does not say so."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        if len(self.classes_) > 2:
            raise RuntimeError("two classes only")
        self.model_ = LogisticRegression(max_iter=500).fit(X, y)
        return self

    def decision_function(self, X):
        return self.model_.decision_function(X)

    def predict(self, X):
        return self.model_.predict(X)


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    rows = np.random.default_rng(0).permutation(len(y))[:600]
    return X[rows], np.array([f"digit {label}" for label in range(10)])[y[rows]]


@pytest.mark.parametrize("learner", LEARNERS.values(), ids=LEARNERS)
def test_predicts_what_the_learner_predicts(learner):
    X, y = load_iris(return_X_y=True)
    labels = load_iris().target_names[y]
    model = ECOCClassifier(learner, coding="plain").fit(X[::2], labels[::2])
    assert np.array_equal(model.predict(X), clone(learner).fit(X[::2], labels[::2]).predict(X))
    assert (model.outputs(X, "signs") > 0).sum(axis=1).max() == 1  # one class at most is ahead
    np.testing.assert_array_equal(
        model.predict_proba(X).argmax(axis=1), np.searchsorted(model.classes_, model.predict(X))
    )


def test_everything_works_that_works_with_a_code(digits, tmp_path):
    X, y = digits
    model = ECOCClassifier(
        GaussianNB(var_smoothing=1e-2), coding="plain", costs={("digit 1", "digit 7"): 5}, reject_cost=0.2,
        reject_label="?", random_state=0,
    ).fit(X[:400], y[:400])  # fmt: skip
    assert isinstance(model.coding_, Plain)
    assert len(set(map(id, model.estimators_))) == 1
    assert model.code_book_.shape == (10, 10)
    sets = model.predict_sets(X[400:], confidence=0.9)
    assert np.mean(sets[np.arange(200), np.searchsorted(model.classes_, y[400:])]) > 0.8
    answered = model.predict(X[400:]) != "?"
    assert 0.3 < answered.mean() < 1
    assert np.mean(model.predict(X[400:])[answered] == y[400:][answered]) > 0.9
    labels, values = model.predict_top(X[400:], 3, probabilities=True)
    assert labels.shape == values.shape == (200, 3)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))
    assert model.truncate(9).predict_proba(X[:2]).shape == (2, 10)


def test_probabilities_of_naive_bayes_are_calibrated(digits):
    X, y = digits
    own = GaussianNB(var_smoothing=1e-2).fit(X[:400], y[:400]).predict_proba(X[400:])
    model = ECOCClassifier(GaussianNB(var_smoothing=1e-2), coding="plain", random_state=0).fit(X[:400], y[:400])
    ours, true = model.predict_proba(X[400:]), np.searchsorted(model.classes_, y[400:])
    losses = [-np.log(np.maximum(p[np.arange(200), true], 1e-12)).mean() for p in (ours, own)]
    assert losses[0] < 0.7 * losses[1]


def test_auto_takes_the_learner_itself_where_a_code_is_worse(digits):
    X, y = digits
    model = ECOCClassifier(GaussianNB(), random_state=0).fit(X, y)
    assert isinstance(model.coding_, Plain)
    assert model.coding_trials_["coding"] == ["OneVsAll()", "Plain()"]
    ours, plain = model.coding_trials_["accuracy"]
    assert plain > ours
    assert f"it predicts {plain:.1%} of held-out samples, OneVsAll() {ours:.1%}" in repr(model.plan_)
    np.testing.assert_array_equal(model.predict(X), GaussianNB().fit(X, y).predict(X))


def test_auto_takes_the_code_where_it_is_better(digits):
    X, y = digits[0][:110], digits[1][:110]  # about eleven samples a class
    planned = ECOCClassifier(LinearSVC(random_state=0)).plan(X, y)
    assert "OneVsOne() or Plain(), whichever predicts more held-out samples" in repr(planned)
    model = ECOCClassifier(LinearSVC(random_state=0), random_state=0).fit(X, y)
    assert not isinstance(model.coding_, Plain)
    assert model.coding_trials_["accuracy"][0] > model.coding_trials_["accuracy"][1]


def test_where_codes_are_better_on_average_nothing_is_compared(digits):
    for learner in (SVC(), LogisticRegression(), DecisionTreeClassifier()):
        assert not ECOCClassifier(learner).plan(*digits).compares_plain
    assert ECOCClassifier(LogisticRegression()).plan(digits[0][:110], digits[1][:110]).compares_plain
    assert ECOCClassifier(Perceptron()).plan(*digits).compares_plain  # its last update may spoil what it knew


def test_a_forest_is_compared():
    """A code of half as many columns as classes was 8 points below the forest itself."""
    X, y = make_classification(
        1200, 20, n_informative=12, n_classes=15, n_clusters_per_class=1, class_sep=1.5, random_state=15
    )
    forest = RandomForestClassifier(20, random_state=0)
    model = ECOCClassifier(forest, random_state=0).fit(X[:300], y[:300])
    assert model.score(X[300:], y[300:]) > clone(forest).fit(X[:300], y[:300]).score(X[300:], y[300:]) - 0.01


@pytest.mark.parametrize("parameters", [{"coding": "ova"}, {"decoding": "hamming"}])
def test_what_the_user_chose_is_not_compared(digits, parameters):
    X, y = digits
    model = ECOCClassifier(GaussianNB(), **parameters).fit(X[:200], y[:200])
    assert model.coding_trials_ is None
    assert not isinstance(model.coding_, Plain)


def test_a_learner_for_two_classes_keeps_its_code():
    X, y = load_iris(return_X_y=True)
    model = ECOCClassifier(OnlyTwo(), random_state=0).fit(X, y)
    assert model.score(X, y) > 0.9
    assert "two classes only" in model.plan_.reasons["coding"]


class OnlySeveral(GaussianNB):
    """Works with three classes, and has no probabilities with two, as label propagation far from all samples."""

    def predict_joint_log_proba(self, X):
        found = super().predict_joint_log_proba(X)
        return found if found.shape[1] > 2 else np.full_like(found, np.nan)


def test_where_binary_classifiers_fail_the_learner_itself_is_taken():
    X, y = load_iris(return_X_y=True)
    model = ECOCClassifier(OnlySeveral(), random_state=0).fit(X, y)
    assert isinstance(model.coding_, Plain)
    assert "binary classifiers fail here" in model.plan_.reasons["coding"]
    assert (model.predict(X) == GaussianNB().fit(X, y).predict(X)).all()


def test_nu_that_no_column_allows():
    """One class of nine has so few samples that nu is infeasible for its column in one-vs-all."""
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(9), [40, 40, 40, 30, 30, 30, 20, 6, 2])
    X = rng.normal(size=(len(y), 3)) + 3 * np.eye(9)[y] @ rng.normal(size=(9, 3))
    model = ECOCClassifier(NuSVC(nu=0.05), random_state=0).fit(X, y)
    assert isinstance(model.coding_, Plain)
    assert "nu is infeasible" in model.plan_.reasons["coding"]


def test_regressors_and_lists_have_no_multi_class_fit():
    X, y = load_iris(return_X_y=True)
    for estimator in (Ridge(), [GaussianNB()] * 3):
        with pytest.raises(ValueError, match="coding='ova'"):
            ECOCClassifier(estimator, coding="plain").fit(X, y)
        assert not ECOCClassifier(estimator, coding="auto").plan(X, y).compares_plain


def test_classes_that_a_fold_lacks():
    X, y = load_iris(return_X_y=True)
    rows = np.r_[:101]  # the third class has one sample
    model = ECOCClassifier(GaussianNB(), coding="plain", random_state=0).fit(X[rows], y[rows])
    assert np.isfinite(model.predict_proba(X)).all()


@pytest.mark.parametrize(
    ("learner", "coding", "own"),
    [
        (SGDClassifier(random_state=0), "plain", SGDClassifier(random_state=0)),
        (SGDClassifier(random_state=0), "auto", OneVsRestClassifier(SGDClassifier(random_state=0))),
        (MLPClassifier([5], random_state=0), "auto", OneVsRestClassifier(MLPClassifier([5], random_state=0))),
    ],
)
def test_a_stream_is_that_of_scikit_learn(learner, coding, own):
    """A decoding learned on an early batch went stale, and networks by themselves learn slowly."""
    X, y = load_iris(return_X_y=True)
    order = np.argsort(y == 2, kind="stable")  # the first batches lack a class
    ours, own = ECOCClassifier(learner, coding=coding), clone(own)
    for batch in np.array_split(order, 5):
        before = pickle.dumps(ours)
        ours.partial_fit(X[batch], y[batch], classes=[0, 1, 2])
        own.partial_fit(X[batch], y[batch], classes=[0, 1, 2])
    np.testing.assert_array_equal(ours.predict(X), own.predict(X))
    copy = pickle.loads(before).partial_fit(X[batch], y[batch])
    np.testing.assert_array_equal(copy.predict(X), own.predict(X))


class Opposite(GaussianNB):
    """Says the opposite if there are two classes."""

    def predict_joint_log_proba(self, X):
        found = super().predict_joint_log_proba(X)
        return found if found.shape[1] > 2 else -found


@pytest.mark.parametrize(("learner", "is_plain"), [(Opposite(), True), (ComplementNB(), False)])
def test_a_stream_of_naive_bayes_is_the_better_one(digits, learner, is_plain):
    """The learner's own stream was taken; with ComplementNB that was up to 32 points below one-vs-rest."""
    X, y = digits
    ours, plain, rest = ECOCClassifier(learner), clone(learner), OneVsRestClassifier(clone(learner))
    for batch in np.array_split(np.arange(500), 5):
        copy = pickle.loads(pickle.dumps(ours))
        for model in (copy, ours, plain, rest):
            model.partial_fit(X[batch], y[batch], classes=np.unique(y))
        assert (copy.predict(X) == ours.predict(X)).all()
        # One-vs-rest itself has ties, because probabilities are 0 and 1.
        odds = np.hstack([np.diff(each.predict_joint_log_proba(X), axis=1) for each in rest.estimators_])
        own = plain.predict(X) if isinstance(ours.coding_, Plain) else rest.classes_[odds.argmax(axis=1)]
        np.testing.assert_array_equal(ours.predict(X), own)
    assert isinstance(ours.coding_, Plain) == is_plain
    assert ours.score(X[500:], y[500:]) > min(m.score(X[500:], y[500:]) for m in (plain, rest)) + 0.02
    assert "on samples not learned yet" in repr(ours.plan_)


def test_warns_if_hardly_anything_is_answered():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 3)), rng.integers(0, 4, 200)
    model = ECOCClassifier(LogisticRegression(), reject_cost=0.1, reject_label=-1, random_state=0)
    with pytest.warns(UserWarning, match=r"100% of the training samples get no answer; reject_cost=0\.\d+"):
        model.fit(X, y)
    # A forest is sure of the samples that it was trained on, and of no others.
    careful = LeastCostClassifier(RandomForestClassifier(random_state=0), reject_cost=0.05, reject_label=-1).fit(X, y)
    with pytest.warns(UserWarning, match="of these samples get no answer"):
        careful.predict(rng.normal(size=(100, 3)))


def test_coupled_probabilities_are_calibrated():
    """One-vs-one coupled by ``decoding="probabilistic"`` had a calibration error of 0.35."""
    X, y = load_digits(return_X_y=True)
    X, y = X[:700] / 16, y[:700]
    model = ECOCClassifier(LogisticRegression(), decoding="probabilistic", random_state=0).fit(X[::2], y[::2])
    largest = model.predict_proba(X[1::2]).max(axis=1).mean()
    assert abs(largest - model.score(X[1::2], y[1::2])) < 0.05
