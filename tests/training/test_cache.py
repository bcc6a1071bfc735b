"""What was trained before is not trained again, and nobody can tell from the results."""

import copy
import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from ecoc import ECOCClassifier, TrainingCache
from ecoc.training import linear
from ecoc.training.linear import minimise

CODE = np.array([[1, 1, 1], [1, -1, 1], [-1, 1, 1], [-1, -1, -1]])
LONGER = np.column_stack([[1, -1, -1, 1], CODE])


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(4), 40)
    return rng.normal(size=(4, 6))[y] * 1.2 + rng.normal(size=(160, 6)), y


@pytest.fixture
def fits(monkeypatch):
    """Counts the trainings of each class of estimator."""
    counts = []
    for learner in (SVC, LogisticRegression, DecisionTreeClassifier):
        fit = learner.fit
        monkeypatch.setattr(
            learner, "fit", lambda self, *args, fit=fit, **kwargs: counts.append(1) or fit(self, *args, **kwargs)
        )
    monkeypatch.setattr(linear, "minimise", lambda *problem: counts.append(1) or minimise(*problem))
    return counts


@pytest.mark.parametrize("estimator", [LogisticRegression(), DecisionTreeClassifier(), SVC(), SVC(kernel="linear")])
def test_only_new_columns_are_trained(data, fits, estimator):
    model = ECOCClassifier(estimator, coding=CODE, cv=3, warm_start=True, random_state=0).fit(*data)
    assert len(fits) == 3 * 4  # all samples and three folds
    fits.clear()
    model.set_params(coding=LONGER).fit(*data)
    assert len(fits) == 1 * 4
    fresh = ECOCClassifier(estimator, coding=LONGER, cv=3, random_state=0).fit(*data)
    np.testing.assert_array_equal(model.predict_proba(data[0]), fresh.predict_proba(data[0]))


def test_other_samples_labels_weights_or_parameters_are_trained_anew(data, fits):
    X, y = data
    model = ECOCClassifier(LogisticRegression(), coding=CODE, warm_start=True, random_state=0, probability=False)
    model.set_params(decoding="linear")

    def trained(*args, **weights):
        fits.clear()
        model.fit(*args, **weights)
        return len(fits)

    assert trained(X, y) == 3
    assert trained(X, y) == 0
    assert trained(X + 1, y) == 3
    assert trained(X, y[::-1]) == 3
    assert trained(X, y, sample_weight=np.linspace(1, 2, 160)) == 3
    model.set_params(estimator__C=5)
    assert trained(X, y) == 3
    model.set_params(estimator__C=1.0)
    assert trained(X, y) == 0
    model.set_params(warm_start=False)
    assert trained(X, y) == 3


def test_machines_that_differ_in_C_share_the_gram_matrix(data, monkeypatch):
    from ecoc.training import kernel

    made = []
    matrix = kernel.gram_matrix
    monkeypatch.setattr(kernel, "gram_matrix", lambda *args: made.append(1) or matrix(*args))
    cache = TrainingCache()
    search = GridSearchCV(
        ECOCClassifier(SVC(gamma=0.1), coding=CODE, warm_start=cache, random_state=0),
        {"estimator__C": [0.1, 1, 10]},
        cv=2,
    )
    search.fit(*data)
    assert len(made) == 2 + 1  # one a fold, and one for the refit
    plain = clone(search).set_params(estimator__warm_start=False).fit(*data)
    np.testing.assert_array_equal(plain.cv_results_["mean_test_score"], search.cv_results_["mean_test_score"])


def test_several_classifiers_share_a_cache(data, fits):
    cache = TrainingCache()
    ECOCClassifier(LogisticRegression(), coding=CODE, warm_start=cache, random_state=0, cv=3).fit(*data)
    fits.clear()
    ECOCClassifier(LogisticRegression(), coding=CODE, warm_start=cache, random_state=0, cv=3, decoding="hamming").fit(
        *data
    )
    assert not fits
    cache.clear()
    ECOCClassifier(LogisticRegression(), coding=CODE, warm_start=cache, random_state=0, cv=3).fit(*data)
    assert len(fits) == 3 * 4


def test_random_estimators_get_a_seed_from_their_column(data):
    options = {"random_state": 0, "decoding": "linear", "probability": False}
    short = ECOCClassifier(RandomForestClassifier(3), coding=CODE, **options).fit(*data)
    long = ECOCClassifier(RandomForestClassifier(3), coding=LONGER, **options).fit(*data)
    seeds = [[forest.random_state for forest in model.estimators_] for model in (short, long)]
    assert seeds[0] == seeds[1][1:]
    assert len(set(seeds[1])) == 4
    twice = ECOCClassifier(
        [RandomForestClassifier(3), RandomForestClassifier(3), RandomForestClassifier(3)],
        coding=np.array([[1, 1, 1], [1, 1, -1], [-1, -1, 1], [-1, -1, -1]]),
        **options,
    ).fit(*data)
    assert len({forest.random_state for forest in twice.estimators_}) == 3


def test_it_forgets_the_set_unused_longest():
    cache = TrainingCache(n_sets=2)
    cache.entries("a")["model"] = 1
    cache.entries("b")
    cache.entries("a")
    cache.entries("c")
    assert cache.entries("a") == {"model": 1}
    assert len(cache._sets) == 2


def test_copies_elsewhere_begin_empty(data):
    cache = TrainingCache(5)
    cache.entries("a")["model"] = 1
    assert clone(cache, safe=False) is cache
    for other in (pickle.loads(pickle.dumps(cache)), copy.deepcopy(cache)):
        assert other.n_sets == 5
        assert not other._sets
    model = ECOCClassifier(Ridge(), coding=CODE, warm_start=True).fit(*data)
    assert not hasattr(pickle.loads(pickle.dumps(model)), "_cache")
    assert repr(cache) == "TrainingCache(n_sets=5)"


def test_models_with_a_cache_are_saved_without_it(data, tmp_path):
    pytest.importorskip("skops")
    import ecoc

    for warm_start in (True, TrainingCache()):
        model = ECOCClassifier(LogisticRegression(), coding=CODE, warm_start=warm_start).fit(*data)
        ecoc.save(model, tmp_path / "model.skops")
        again = ecoc.load(tmp_path / "model.skops")
        np.testing.assert_array_equal(again.predict(data[0]), model.predict(data[0]))
        assert (tmp_path / "model.skops").stat().st_size < 100_000


def kernel_of(gamma):
    def kernel(A, B):
        return rbf_kernel(A, B, gamma=gamma)

    return kernel


def test_functions_of_the_same_name_are_told_apart(data):
    cache = TrainingCache()
    X, y = data
    for kernel in (kernel_of(0.01), kernel_of(2.0), lambda A, B: A @ B.T, lambda A, B: (A @ B.T) ** 2):
        for learner in (SVC(kernel=kernel), make_pipeline(FunctionTransformer(lambda X: 1 * X), SVC(kernel=kernel))):
            model = ECOCClassifier(learner, coding=CODE, decoding="linear", random_state=0, probability=False)
            found = clone(model).set_params(warm_start=cache).fit(X, y).decision_function(X)
            np.testing.assert_array_equal(found, clone(model).fit(X, y).decision_function(X))
            again = clone(model).set_params(warm_start=cache).fit(X, y)  # a clone has the same function
            np.testing.assert_array_equal(found, again.decision_function(X))


def test_a_clone_with_functions_is_not_trained_again(data, fits):
    model = ECOCClassifier(SVC(kernel=kernel_of(0.1)), coding=CODE, random_state=0, warm_start=TrainingCache(), cv=3)
    model.fit(*data)
    fits.clear()
    clone(model).fit(*data)
    assert not fits
