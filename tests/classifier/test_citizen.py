"""ECOCClassifier among the other tools of scikit-learn: pipelines, searches, cloning, saving, weights, routing."""

import copy
import io
import pickle

import joblib
import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils import estimator_html_repr

from ecoc import ECF, ECOCClassifier
from ecoc.decoding import LossWeighted

X, y = load_iris(return_X_y=True)
X = StandardScaler().fit_transform(X)
LINEAR = LogisticRegression(solver="liblinear")


def model(**params):
    return ECOCClassifier(**{"estimator": clone(LINEAR), "random_state": 0, **params})


# Composition


def test_pipeline():
    pipeline = make_pipeline(StandardScaler(), model())
    assert pipeline.fit(X, y).score(X, y) > 0.85
    np.testing.assert_array_equal(pipeline.predict_proba(X).argmax(axis=1), pipeline.predict(X))
    pipeline.set_params(ecocclassifier__coding__allocation="hard", ecocclassifier__estimator__C=5)
    assert pipeline[-1].coding.allocation == "hard"
    assert pipeline[-1].estimator.C == 5


@pytest.mark.parametrize("coding", ["ecf", ECF()])
def test_grid_search(coding):
    # The first parameter decides what is possible at all, so that only a search that sets it finds it.
    grid = {"coding__allocation": ["hard", "easy"], "decoding": ["hamming", "linear"], "estimator__C": [1e-6, 10]}
    search = GridSearchCV(model(coding=coding, probability=False), grid, cv=2, error_score="raise").fit(X, y)
    assert len(search.cv_results_["params"]) == 8
    assert search.best_params_["estimator__C"] == 10
    fitted = search.best_estimator_
    assert fitted.coding_.allocation == fitted.coding.allocation == search.best_params_["coding__allocation"]
    assert coding == "ecf" or coding.allocation == "balanced"  # the one that was given is as it was


def test_grid_search_over_codings_and_decodings():
    codings = ["ova", "ovo", ECF(n_columns=3), [[1, 1, 0], [-1, 0, 1], [0, -1, -1]]]
    decodings = ["hamming", LossWeighted("linear")]
    grid = {"coding": codings, "decoding": decodings}
    search = GridSearchCV(model(probability=False), grid, cv=2, error_score="raise").fit(X, y)
    scores = search.cv_results_["mean_test_score"]
    assert len(scores) == 8
    assert len(set(scores)) > 1
    assert search.score(X, y) > 0.85


def test_set_params_makes_an_object_of_a_name():
    changed = model().set_params(coding__n_columns=4, decoding="loss_weighted", decoding__loss="hinge")
    assert (changed.coding.n_columns, changed.decoding.loss) == (4, "hinge")
    changed.set_params(coding="dense", coding__n_columns=3, estimator__C=7.0)
    assert repr(changed.coding) == "DenseRandom(n_columns=3)"
    assert changed.estimator.C == 7
    assert changed.set_params(coding="ovo").coding == "ovo"
    assert model().get_params()["coding"] == "auto"


def test_cross_validation():
    p = cross_val_predict(model(), X, y, cv=3, method="predict_proba")
    assert np.mean(p.argmax(axis=1) == y) > 0.85
    scores = cross_validate(model(), X, y, cv=3, scoring=["neg_log_loss", "roc_auc_ovr"], error_score="raise")
    assert scores["test_neg_log_loss"].min() > -np.log(3)
    assert scores["test_roc_auc_ovr"].min() > 0.9


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_calibration_around(method):
    calibrated = CalibratedClassifierCV(model(coding="ova", probability=False), method=method, cv=3).fit(X, y)
    p = calibrated.predict_proba(X)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert calibrated.score(X, y) > 0.85


def test_a_classifier_of_classifiers():
    """The estimator may itself be one of ours."""
    nested = ECOCClassifier(ECOCClassifier(LINEAR), coding="ovo", decoding="hamming", random_state=0).fit(X, y)
    plain = ECOCClassifier(LINEAR, coding="ovo", decoding="hamming").fit(X, y)
    np.testing.assert_array_equal(nested.predict(X), plain.predict(X))


# Copies


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"coding": ECF("hard", n_columns=2), "decoding": LossWeighted("linear")},
        {"coding": np.array([[1, 1], [1, -1], [-1, 1]])},
        {"coding": "ovo", "estimator": [LINEAR, SVC(), Ridge()]},
        {"estimator": SVC(), "decoding": "discriminant"},
        {"estimator": Ridge()},
        {"estimator": GaussianNB(), "decoding": "probabilistic"},
    ],
)
def test_copies(params):
    fitted = model(**params).fit(X, y)
    expected = fitted.predict_proba(X)
    file = io.BytesIO()
    joblib.dump(fitted, file)
    file.seek(0)
    for other in (pickle.loads(pickle.dumps(fitted)), joblib.load(file), copy.deepcopy(fitted), copy.copy(fitted)):
        np.testing.assert_array_equal(other.predict_proba(X), expected)
    again = clone(fitted)
    assert not hasattr(again, "classes_")
    np.testing.assert_array_equal(again.fit(X, y).predict_proba(X), expected)


def test_fit_leaves_parameters_alone():
    coding, decoding, estimator = ECF(), LossWeighted(), LogisticRegression()
    fitted = ECOCClassifier(estimator, coding=coding, decoding=decoding, random_state=0).fit(X, y)
    assert (fitted.coding, fitted.decoding, fitted.estimator) == (coding, decoding, estimator)
    for given in (coding, decoding, estimator):
        assert not [name for name in vars(given) if name.endswith("_")]
    assert estimator.random_state is None


def test_refit_forgets():
    fitted = model().fit(X, y).fit(X[:100], np.array(["a", "b"])[y[:100]])
    assert fitted.classes_.tolist() == ["a", "b"]
    assert fitted.n_columns_ == 1
    assert fitted.design_ is None  # two classes need no design
    assert fitted.score(X[:100], np.array(["a", "b"])[y[:100]]) == 1


def test_representation():
    assert repr(ECOCClassifier(SVC(), coding="ova")) == "ECOCClassifier(coding='ova', estimator=SVC())"
    for shown in (model(), model().fit(X, y), ECOCClassifier([SVC(), LINEAR])):
        html = estimator_html_repr(shown)
        assert "ECOCClassifier" in html
        assert ("<span>Fitted</span>" in html) == hasattr(shown, "classes_")
    assert "LogisticRegression" in estimator_html_repr(model())


# Weights and routing


@pytest.mark.parametrize("decoding", ["linear", "loss_weighted", "hamming"])
def test_a_weight_of_zero_is_removing(decoding):
    weight = np.random.default_rng(0).integers(0, 2, 150).astype(float)
    estimator = LogisticRegression(tol=1e-10, max_iter=1000)
    options = {"estimator": estimator, "coding": "ova", "decoding": decoding, "probability": False}
    weighted = model(**options).fit(X, y, sample_weight=weight)
    removed = model(**options).fit(X[weight > 0], y[weight > 0])
    np.testing.assert_allclose(weighted.decision_function(X), removed.decision_function(X), atol=1e-5)
    unweighted = model(**options).fit(X, y).decision_function(X)
    assert not np.allclose(weighted.decision_function(X), unweighted, atol=1e-3)


def test_a_weight_of_zero_is_removing_from_design_and_folds_too():
    weight = np.random.default_rng(0).integers(0, 2, 150).astype(float)
    options = {"estimator": GaussianNB(), "coding": "ecf"}
    weighted = model(**options).fit(X, y, sample_weight=weight)
    removed = model(**options).fit(X[weight > 0], y[weight > 0])
    np.testing.assert_allclose(weighted.design_, removed.design_)
    np.testing.assert_allclose(weighted.predict_proba(X), removed.predict_proba(X))


@pytest.mark.parametrize("estimator", [Ridge(), LogisticRegression(), SVC()], ids=lambda e: type(e).__name__)
@pytest.mark.parametrize("coding", ["ova", "ecf", "ovo"])
def test_a_class_without_weight_leaves_the_others_as_they_are(estimator, coding):
    fitted = model(estimator=estimator, coding=coding).fit(X, y, sample_weight=(y != 2) * 1.0)
    assert fitted.score(X[y != 2], y[y != 2]) == 1
    assert fitted.predict_proba(X[y != 2])[np.arange(100), y[y != 2]].mean() > 0.95


def test_a_weight_of_two_is_repeating():
    weight = np.random.default_rng(0).integers(1, 3, 150)
    rows = np.repeat(np.arange(150), weight)
    options = {"estimator": Ridge(), "coding": "ova", "decoding": "loss_weighted", "probability": False}
    weighted = model(**options).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(
        weighted.decision_function(X), model(**options).fit(X[rows], y[rows]).decision_function(X)
    )


def test_weights_reach_the_probabilities():
    """Where all weight is on samples with wrong labels, nothing is certain."""
    wrong = np.random.default_rng(0).permutation(50)[:25]
    labels = y.copy()
    labels[wrong] = 1 + wrong % 2
    weight = np.where(labels != y, 20.0, 1.0)
    options = {"coding": "ova", "decoding": "discriminant"}
    plain, weighted = model(**options).fit(X, labels), model(**options).fit(X, labels, sample_weight=weight)
    assert weighted.predict_proba(X[:50])[:, 0].mean() < plain.predict_proba(X[:50])[:, 0].mean() - 0.1


def test_an_estimator_without_weights():
    with pytest.raises(TypeError, match="sample_weight"):
        model(estimator=KNeighborsClassifier()).fit(X, y, sample_weight=np.ones(150))


class Extra(LogisticRegression):
    """Asks for a fit parameter with a value a sample, and one that is plain."""

    def fit(self, X, y, sample_weight=None, cost=None, note=None):
        assert len(cost) == len(y)
        self.cost_, self.note_ = np.array(cost), note
        return super().fit(X, y, sample_weight)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_metadata_routing(n_jobs):
    weight, cost = np.linspace(0.1, 2, 150), np.arange(150)
    with sklearn.config_context(enable_metadata_routing=True):
        asking = Extra(solver="liblinear").set_fit_request(sample_weight=True, cost=True, note=True)
        pairs = {"coding": "ovo", "decoding": "hamming", "probability": False}
        routed = model(estimator=asking, **pairs, n_jobs=n_jobs)
        routed.fit(X, y, sample_weight=weight, cost=cost, note="n")
        inside = make_pipeline(LogisticRegression(solver="liblinear").set_fit_request(sample_weight=True))
        nested = model(estimator=inside, **pairs, n_jobs=n_jobs).fit(X, y, sample_weight=weight)
    assert routed.estimators_[2].cost_.tolist() == list(range(50, 150))  # the samples of classes 1 and 2
    assert routed.estimators_[0].note_ == "n"
    plain = model(**pairs).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(routed.decision_function(X), plain.decision_function(X))
    np.testing.assert_allclose(nested.decision_function(X), plain.decision_function(X))


def test_metadata_that_nobody_asked_for():
    with sklearn.config_context(enable_metadata_routing=True):
        with pytest.raises(sklearn.exceptions.UnsetMetadataPassedError, match="sample_weight"):
            model().fit(X, y, sample_weight=np.ones(150))
        with pytest.raises(TypeError, match="cost"):
            model().fit(X, y, cost=np.ones(150))
        assert model().fit(X, y).score(X, y) > 0.85


def test_metadata_through_a_search():
    with sklearn.config_context(enable_metadata_routing=True):
        asking = LogisticRegression(solver="liblinear").set_fit_request(sample_weight=True)
        search = GridSearchCV(
            model(estimator=asking, coding="ova", probability=False).set_score_request(sample_weight=False),
            {"estimator__C": [1]},
            cv=2,
            error_score="raise",
        )
        search.fit(X, y, sample_weight=np.where(y == 0, 1e-6, 1))
    assert search.score(X[y > 0], y[y > 0]) > 0.85
