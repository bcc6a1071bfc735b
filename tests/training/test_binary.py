"""What one binary model says, whatever it is."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris, make_classification
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier, SGDClassifier
from sklearn.metrics import fbeta_score, make_scorer, recall_score
from sklearn.model_selection import FixedThresholdClassifier, GridSearchCV, TunedThresholdClassifierCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from ecoc import ECOCClassifier
from ecoc.policy.learner import offers_probabilities
from ecoc.training.binary import (
    Constant,
    check_squares,
    margins,
    probabilities,
    seeded_clone,
    targets,
)

X, y = make_classification(60, random_state=0)
SIDES = 2 * y - 1


@pytest.mark.parametrize(
    "learner",
    [
        FixedThresholdClassifier(GaussianNB(), threshold=0.9),
        FixedThresholdClassifier(GaussianNB(), threshold=0.9, pos_label=0),
        FixedThresholdClassifier(LogisticRegression(), threshold=1.5, response_method="decision_function"),
        FixedThresholdClassifier(LinearSVC(), threshold=-0.5, pos_label=0),
        FixedThresholdClassifier(DecisionTreeClassifier(max_depth=1)),
        FixedThresholdClassifier(DummyClassifier(strategy="uniform", random_state=0), threshold=0.5),
        TunedThresholdClassifierCV(GaussianNB(), scoring=make_scorer(fbeta_score, beta=4)),
        TunedThresholdClassifierCV(LinearSVC(), scoring=make_scorer(recall_score, pos_label=0)),
    ],
    ids=str,
)
def test_the_sign_is_the_side_that_a_threshold_decides_for(learner):
    search = GridSearchCV(make_pipeline(StandardScaler(), clone(learner)), {"standardscaler__with_std": [True]}, cv=2)
    for model in (learner, make_pipeline("passthrough", clone(learner)), search):
        model.fit(X, y)
        np.testing.assert_array_equal(margins(model, X) > 0, model.predict(X) == 1)
    usual = margins(FixedThresholdClassifier(GaussianNB()).fit(X, y), X)
    np.testing.assert_allclose(usual, 2 * GaussianNB().fit(X, y).predict_proba(X)[:, 1] - 1)


def test_a_threshold_changes_what_a_classifier_predicts():
    iris, species = load_iris(return_X_y=True)
    shares = [
        ECOCClassifier(FixedThresholdClassifier(GaussianNB(), threshold=threshold), coding="ova", decoding="hamming")
        .fit(iris, species)
        .outputs(iris, "signs")
        .mean()
        for threshold in (0.001, 0.5, 0.999)
    ]
    assert shares[0] > shares[1] > shares[2]


class Labels(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.where(X[:, 0] > 0, 1, 0)


class Everything(Labels):
    """The decision function is asked first, then probabilities, then labels."""

    def decision_function(self, X):
        return np.full((len(X), 1), 7)

    def predict_proba(self, X):
        return np.tile([0.9, 0.1], (len(X), 1))


def test_margins_come_from_the_best_there_is():
    svc = SVC().fit(X, SIDES)
    np.testing.assert_array_equal(margins(svc, X), svc.decision_function(X))
    bayes = GaussianNB().fit(X, SIDES)
    np.testing.assert_allclose(margins(bayes, X), bayes.predict_proba(X) @ [-1, 1], atol=0.05)
    labels = Labels().fit(X, y)
    assert margins(labels, X).dtype == float
    np.testing.assert_array_equal(margins(labels, X), 2 * labels.predict(X) - 1)
    regressor = SVR().fit(X, SIDES)
    np.testing.assert_array_equal(margins(regressor, X), regressor.predict(X))
    column = Ridge().fit(X, SIDES[:, None].astype(float))
    assert margins(column, X).shape == (60,)
    both = Everything().fit(X, SIDES)
    np.testing.assert_array_equal(margins(both, X), np.full(60, 7.0))
    np.testing.assert_array_equal(probabilities(both, X), np.full(60, 0.1))


def test_probabilities_are_those_of_the_plus_side():
    model = LogisticRegression().fit(X, SIDES)
    assert probabilities(model, X)[SIDES > 0].mean() > 0.5 > probabilities(model, X)[SIDES < 0].mean()


@pytest.mark.parametrize(
    ("estimator", "offers"),
    [
        (GaussianNB(), True),
        (SVC(), False),
        (Ridge(), False),
        (CalibratedClassifierCV(SVC()), True),
        (make_pipeline(StandardScaler(), LogisticRegression()), True),
        (make_pipeline(StandardScaler(), SVC()), False),
        (SGDClassifier(loss="log_loss"), True),
        (SGDClassifier(), False),
        (Labels(), False),
    ],
)
def test_whether_there_are_probabilities_is_known_before_fit(estimator, offers):
    assert offers_probabilities(estimator) is offers


@pytest.mark.parametrize(("side", "probability"), [(1, 1), (-1, 0), (0, 0.5)])
def test_constant(side, probability):
    model = Constant(side)
    np.testing.assert_array_equal(margins(model, X), np.full(60, float(side)))
    np.testing.assert_array_equal(probabilities(model, X), np.full(60, probability))
    np.testing.assert_array_equal(model.predict_proba(X).sum(axis=1), np.ones(60))


def test_targets():
    sides = np.array([1, -1, 1], dtype=np.int8)
    assert targets(SVC(), sides).tolist() == [1, 0, 1]
    assert targets(SVC(), sides).dtype.kind == "i"
    assert targets(make_pipeline(StandardScaler(), Ridge()), sides).tolist() == [1.0, -1.0, 1.0]


def test_samples_may_be_texts():
    texts = ["a", "b", "c"]
    assert margins(Constant(1), texts).tolist() == [1, 1, 1]
    assert Constant(-1).predict_proba(texts).tolist() == [[1, 0]] * 3


def test_one_output_for_each_sample():
    model = DummyClassifier().fit(X, np.arange(60) % 3)
    model.decision_function = model.predict_proba
    with pytest.raises(ValueError, match=r"DummyClassifier gave \(60, 3\) for 60 samples"):
        margins(model, X)


def test_seeded_clone():
    assert seeded_clone(SGDClassifier(), 5).random_state == 5
    assert seeded_clone(SGDClassifier(random_state=0), 5).random_state == 0
    assert seeded_clone(SGDClassifier(), None).random_state is None
    assert seeded_clone(GaussianNB(), 5).get_params() == GaussianNB().get_params()
    nested = CalibratedClassifierCV(make_pipeline(StandardScaler(), SGDClassifier()))
    assert seeded_clone(nested, 5).estimator[-1].random_state == 5
    given = SGDClassifier()
    seeded_clone(given, 5)
    assert given.random_state is None


@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning")
@pytest.mark.parametrize("estimator", [Ridge(), RidgeClassifier(), LogisticRegression(), LinearSVC(), SVC()])
@pytest.mark.parametrize("coding", ["ova", "ovo"])
def test_features_with_infinite_squares_are_named(estimator, coding):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=r"Features are as large as 7(\.9)?e\+200, .* scale them"):
        ECOCClassifier(estimator, coding=coding).fit(1e200 * X, y)


def test_other_errors_of_estimators_stay():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="no such kernel"):
        ECOCClassifier(Refusing()).fit(X, y)


class Refusing(GaussianNB):
    def fit(self, X, y):
        raise ValueError("no such kernel")


@pytest.mark.parametrize(
    "X", [["a text", "another"], np.array([[np.nan, 1e10]]), csr_array(np.eye(3)), np.eye(2, dtype=int)]
)
def test_other_samples_have_no_such_squares(X):
    check_squares(X)


def test_naive_bayes_orders_samples_beyond_probability_one():
    """With many features its probabilities are 0 and 1, and one-vs-all had ties."""
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    X = rng.normal(size=(40, 50)) + 20 * y[:, None]
    scaled = StandardScaler().fit_transform(X)
    model = make_pipeline(StandardScaler(), GaussianNB()).fit(X, y)
    outputs, p = margins(model, X), model.predict_proba(X)[:, 1]
    odds = model[-1].predict_joint_log_proba(scaled) @ [-1, 1]
    assert len(np.unique(p)) < 30
    np.testing.assert_array_equal(np.argsort(outputs), np.argsort(odds))
    np.testing.assert_array_equal(outputs, margins(model[-1], scaled))
    np.testing.assert_allclose(outputs, 2 * p - 1, atol=0.1)
