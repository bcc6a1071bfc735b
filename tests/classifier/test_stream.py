"""ECOCClassifier on data that comes in batches."""

import numpy as np
import pytest
import sklearn
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_digits, load_iris
from sklearn.linear_model import LogisticRegression, SGDClassifier, SGDRegressor
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.preprocessing import StandardScaler

from ecoc import ECOCClassifier
from ecoc.classifier.stream import Stream
from ecoc.decoding import DECODINGS

X, y = load_iris(return_X_y=True)
ORDER = np.random.default_rng(0).permutation(150)
SIZES, X, y = X[ORDER], StandardScaler().fit_transform(X)[ORDER], y[ORDER]
CLASSES = [0, 1, 2]


def stream(model, X, y, size=30, epochs=1, classes=CLASSES):
    for _ in range(epochs):
        for start in range(0, len(y), size):
            model.partial_fit(X[start : start + size], y[start : start + size], classes=classes)
    return model


@pytest.mark.parametrize("coding", ["ecf", "ova"])
def test_close_to_fit(coding):
    X, y = load_digits(return_X_y=True)
    X = X / 16
    model = ECOCClassifier(SGDClassifier(average=True), coding=coding, random_state=0)
    whole = clone(model).fit(X[:1000], y[:1000]).score(X[1000:], y[1000:])
    batches = stream(clone(model), X[:1000], y[:1000], 100, epochs=2, classes=range(10))
    assert batches.score(X[1000:], y[1000:]) > whole - 0.03
    assert whole > 0.85


@pytest.mark.parametrize("decoding", DECODINGS)
def test_every_decoding(decoding):
    model = stream(ECOCClassifier(GaussianNB(), coding="ovo", decoding=decoding), X, y)
    assert model.score(X, y) > 0.9
    p = model.predict_proba(X)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    np.testing.assert_array_equal(p.argmax(axis=1), model.predict(X))


def test_counting_models_do_not_notice_the_batches():
    """Naive Bayes is exact in batches: all that may differ is the decoding, and of these Hamming learns nothing."""
    options = {"coding": "ovo", "decoding": "hamming", "probability": False}
    batches = stream(ECOCClassifier(MultinomialNB(), **options), SIZES, y, 10)
    whole = ECOCClassifier(MultinomialNB(), **options).fit(SIZES, y)
    np.testing.assert_array_equal(batches.decision_function(SIZES), whole.decision_function(SIZES))


def test_regressors():
    model = ECOCClassifier(SGDRegressor(eta0=0.05, random_state=0), coding="ova")
    assert stream(model, X, y, epochs=5).score(X, y) > 0.75
    assert set(np.sign(model.estimators_[0].predict(X))) == {-1, 1}


def test_sparse_batches():
    thin, dense = (stream(ECOCClassifier(MultinomialNB()), Z, y) for Z in (sparse.csr_array(SIZES), SIZES))
    np.testing.assert_allclose(thin.predict_proba(SIZES), dense.predict_proba(SIZES))


def test_a_list_of_estimators():
    model = stream(ECOCClassifier([GaussianNB(), SGDClassifier(random_state=0), SGDRegressor()], coding="ova"), X, y)
    assert [type(estimator) for estimator in model.estimators_] == [GaussianNB, SGDClassifier, SGDRegressor]
    assert model.score(X, y) > 0.6


def test_random_state():
    one, two = (stream(ECOCClassifier(SGDClassifier(), coding="dense", random_state=3), X, y) for _ in range(2))
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))


@pytest.mark.parametrize("decoding", ["probabilistic", "loss_weighted", "discriminant"])
def test_classes_that_come_late(decoding):
    """A coding that needs no data may begin with any class; a column is undecided until it has seen a sample."""
    model = ECOCClassifier(MultinomialNB(), coding="ovo", decoding=decoding)
    model.partial_fit(SIZES[y == 0], y[y == 0], classes=CLASSES)
    assert model.score(SIZES[y == 0], y[y == 0]) == 1
    assert stream(model, SIZES, y, epochs=2).score(SIZES, y) > 0.85


def test_columns_without_samples_are_undecided():
    model = ECOCClassifier(MultinomialNB(), coding="ovo", decoding="probabilistic")
    p = model.partial_fit(SIZES[y == 0], y[y == 0], classes=CLASSES).predict_proba(SIZES)
    np.testing.assert_allclose(p[:, 1], p[:, 2])  # nothing is known of them


class Memory(ClassifierMixin, BaseEstimator):
    """Knows what it has seen, and guesses the rest."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def partial_fit(self, X, y, classes=None):
        self.known_ = {**getattr(self, "known_", {}), **{x.tobytes(): label for x, label in zip(X, y)}}
        return self

    def fit(self, X, y):
        raise NotImplementedError

    def decision_function(self, X):
        return np.array([self.known_.get(x.tobytes(), np.sin(self.random_state * x.sum())) for x in X])


def test_a_batch_counts_for_the_decoding_as_it_was_before_learning():
    noise = np.random.default_rng(0).normal(size=(150, 4))
    model = stream(ECOCClassifier(Memory(), coding="ova", decoding="linear", random_state=0), noise, y, 10)
    assert model.score(noise, y) == 1
    assert model.predict_proba(noise).max() < 0.6  # it has never been right about a new sample but by chance


def test_only_recent_batches_count_for_the_decoding(monkeypatch):
    monkeypatch.setattr(Stream, "most_recent", 40)
    wrong = (y + 1) % 3
    model = ECOCClassifier(SGDClassifier(learning_rate="constant", eta0=1e-12, random_state=0), coding="ova")
    model.partial_fit(X, y, classes=CLASSES)
    unsure = stream(clone(model), X, wrong, 20)  # hardly learns, and is wrong all the time
    assert unsure.temperature_ != model.temperature_
    assert len(unsure._stream.recent.outputs) == len(unsure._stream.recent.y) == 40


def test_weights():
    weight = np.random.default_rng(0).integers(0, 2, 150).astype(float)
    kept = weight > 0
    options = {"estimator": GaussianNB(var_smoothing=0), "coding": "ova", "decoding": "discriminant"}
    weighted, removed = ECOCClassifier(**options), ECOCClassifier(**options)
    for part in (slice(0, 60), slice(60, 100), slice(100, 150)):
        weighted.partial_fit(X[part], y[part], classes=CLASSES, sample_weight=weight[part])
        removed.partial_fit(X[part][kept[part]], y[part][kept[part]], classes=CLASSES)
    np.testing.assert_allclose(weighted.decoding_.priors_, removed.decoding_.priors_, atol=0.02)
    np.testing.assert_allclose(weighted.decoding_.means_, removed.decoding_.means_, atol=0.05)
    np.testing.assert_array_equal(weighted.predict(X), removed.predict(X))


def test_metadata_routing():
    with sklearn.config_context(enable_metadata_routing=True):
        asking = GaussianNB().set_partial_fit_request(sample_weight=True)
        model = ECOCClassifier(asking, coding="ova", decoding="hamming")
        model.partial_fit(X, y, classes=CLASSES, sample_weight=np.arange(150.0))
    assert model.estimators_[0].class_count_.sum() == np.arange(150).sum()


def test_the_first_batch():
    model = ECOCClassifier(SGDClassifier(), coding="ecf")
    with pytest.raises(ValueError, match="first call of partial_fit needs classes"):
        model.partial_fit(X, y)
    with pytest.raises(ValueError, match=r"ECF designs its code from the first batch, which lacks \[2\].*'dense'"):
        model.partial_fit(X[y < 2], y[y < 2], classes=CLASSES)
    with pytest.raises(ValueError, match=r"labels that classes did not announce: \[2\]"):
        model.partial_fit(X, y, classes=[0, 1])
    with pytest.raises(ValueError, match="at least 2 classes"):
        model.partial_fit(X[y == 0], y[y == 0], classes=[0])
    # After all these refusals it is as good as new.
    assert stream(model, X, y, 50).classes_.tolist() == CLASSES


def test_later_batches():
    model = stream(ECOCClassifier(SGDClassifier(random_state=0)), X, y, 50)
    before = model.decision_function(X)
    with pytest.raises(ValueError, match=r"labels that classes did not announce: \[7\]"):
        model.partial_fit(X[:2], [0, 7])
    with pytest.raises(ValueError, match="classes must be those of the first call"):
        model.partial_fit(X, y, classes=[0, 1, 2, 3])
    with pytest.raises(ValueError, match="expecting 4 features"):
        model.partial_fit(X[:, :2], y)
    np.testing.assert_array_equal(model.decision_function(X), before)
    assert model.partial_fit(X[:1], y[:1]) is model


def test_on_from_fit():
    half = slice(0, 75), slice(75, 150)
    model = ECOCClassifier(MultinomialNB(), coding="ovo", decoding="hamming").fit(SIZES[half[0]], y[half[0]])
    temperature = model.temperature_
    model.partial_fit(SIZES[half[1]], y[half[1]])
    whole = ECOCClassifier(MultinomialNB(), coding="ovo", decoding="hamming").fit(SIZES, y)
    np.testing.assert_array_equal(model.decision_function(SIZES), whole.decision_function(SIZES))
    assert model.temperature_ == temperature  # one batch is not enough to begin it anew
    with pytest.raises(ValueError, match="classes must be those of the first call"):
        model.partial_fit(SIZES, y, classes=[0, 1])
    with pytest.raises(ValueError, match="did not announce"):
        model.partial_fit(SIZES[:1], [9])


def test_fit_begins_anew():
    model = ECOCClassifier(SGDClassifier(random_state=0), coding="ova", random_state=0)
    begun = stream(clone(model), X, y)
    np.testing.assert_array_equal(begun.fit(X, y).predict_proba(X), model.fit(X, y).predict_proba(X))


def test_the_number_of_estimators_is_checked_again_and_again():
    model = ECOCClassifier([SGDClassifier()] * 2, coding="ova")
    for _ in range(2):
        with pytest.raises(ValueError, match="lists 2 estimators, but the code book has 3 columns"):
            model.partial_fit(X, y, classes=CLASSES)


def test_only_where_the_estimator_has_it():
    assert hasattr(ECOCClassifier(SGDClassifier()), "partial_fit")
    assert not hasattr(ECOCClassifier(LogisticRegression()), "partial_fit")
    assert not hasattr(ECOCClassifier([SGDClassifier(), LogisticRegression()]), "partial_fit")
