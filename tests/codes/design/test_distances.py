import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array, csr_matrix, random
from scipy.spatial.distance import cdist
from sklearn.covariance import ledoit_wolf
from sklearn.linear_model import RidgeClassifier
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from ecoc.codes.design import class_distances
from ecoc.codes.design.distances import METRICS


def blobs(k=4, n=20, d=3, spread=1.0, seed=0):
    """Class i has its mean at (5i², 0, …): classes 0 and 1 are close, and the last class is far from all."""
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(k), n)
    X = spread * rng.normal(size=(k * n, d))
    X[:, 0] += 5 * y**2
    return X, y


@pytest.mark.parametrize("metric", METRICS)
@settings(deadline=None, max_examples=12)
@given(data=st.data())
def test_distances_whatever_the_data(metric, data):
    k = data.draw(st.integers(2, 4))
    counts = data.draw(st.lists(st.integers(1, 4), min_size=k, max_size=k))
    d = data.draw(st.integers(1, 12))
    y = np.repeat(np.array(["d", "b", "c", "a"])[:k], counts)
    X = np.array(data.draw(st.lists(st.integers(-3, 3), min_size=len(y) * d, max_size=len(y) * d)), float)
    distances = class_distances(X.reshape(len(y), d), y, metric)
    assert distances.shape == (k, k)
    assert (distances == distances.T).all()
    assert (np.diag(distances) == 0).all()
    assert np.isfinite(distances).all()
    assert (distances >= 0).all()


@pytest.mark.parametrize("metric", METRICS)
def test_classes_come_in_sorted_order_and_samples_in_any(metric):
    X, y = blobs(spread=4)
    names = np.array(["w", "x", "y", "z"])
    options = (
        {"cv": KFold(len(y))} if metric == "confusion" else {}
    )  # leave one out does not depend on the order of the samples
    expected = class_distances(X, y, metric, **options)
    shuffle = np.random.default_rng(1).permutation(len(y))
    np.testing.assert_allclose(class_distances(X[shuffle], names[y[shuffle]], metric, **options), expected, rtol=1e-2)


@pytest.mark.parametrize("metric", ["mahalanobis", "euclidean", "margin"])
def test_far_classes_are_far(metric):
    distances = class_distances(*blobs(), metric)
    assert np.argsort(distances[0]).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("metric", METRICS)
def test_works_on_real_data(load_dataset, metric):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        distances = class_distances(*load_dataset("ecoli"), metric)
    assert np.isfinite(distances).all()
    assert distances.max() > 0


# --- Mahalanobis


@pytest.mark.parametrize(("n", "d"), [(30, 5), (4, 60)])
def test_mahalanobis_is_that_of_the_pooled_shrunk_covariance(n, d):
    X, y = blobs(n=n, d=d)
    Z = StandardScaler().fit_transform(X)
    means = np.array([Z[y == i].mean(axis=0) for i in range(4)])
    covariance, _ = ledoit_wolf(Z - means[y], assume_centered=True)
    np.testing.assert_allclose(
        class_distances(X, y), cdist(means, means, "mahalanobis", VI=np.linalg.inv(covariance)), rtol=1e-8
    )


def test_mahalanobis_takes_a_given_shrinkage():
    X, y = blobs()
    Z = StandardScaler().fit_transform(X)
    means = np.array([Z[y == i].mean(axis=0) for i in range(4)])
    covariance = np.cov((Z - means[y]).T, bias=True)
    np.testing.assert_allclose(
        class_distances(X, y, shrinkage=0),
        cdist(means, means, "mahalanobis", VI=np.linalg.inv(covariance)),
        rtol=1e-6,
    )
    spherical = np.sqrt(np.trace(covariance) / 3)
    np.testing.assert_allclose(class_distances(X, y, shrinkage=1), cdist(means, means) / spherical)


def test_mahalanobis_knows_no_units():
    X, y = blobs(d=6)
    scaled = X * np.array([1e-9, 1, 1e9, 3, 7, 1e3]) + np.array([0, 1e3, 1e9, 0, -5, 0])
    np.testing.assert_allclose(class_distances(scaled, y), class_distances(X, y), rtol=1e-5)


def test_mahalanobis_ignores_constant_features():
    """Constant features only change the amount of Ledoit–Wolf shrinkage."""
    X, y = blobs()
    padded = np.column_stack([X, np.full(len(X), 1e6)])
    np.testing.assert_allclose(class_distances(padded, y, shrinkage=0), class_distances(X, y, shrinkage=0), rtol=1e-6)
    assert np.isfinite(class_distances(padded, y)).all()


def test_mahalanobis_without_spread_is_euclidean_on_standardised_features():
    X = np.array([[0, 10.0], [0.1, 50], [0.7, 20]])
    Z = StandardScaler().fit_transform(X)
    np.testing.assert_allclose(class_distances(X, [0, 1, 2]), cdist(Z, Z))
    np.testing.assert_allclose(class_distances(np.repeat(X, 7, axis=0), np.repeat([0, 1, 2], 7)), cdist(Z, Z))


def test_mahalanobis_of_many_features_and_few_samples():
    rng = np.random.default_rng(0)
    distances = class_distances(rng.normal(size=(12, 1500)), np.repeat([0, 1, 2], 4))
    assert np.isfinite(distances).all()


def test_mahalanobis_separates_a_feature_that_is_constant_within_classes():
    X, y = blobs()
    X = np.column_stack([X[:, 1:], y == 2])
    distances = class_distances(X, y, shrinkage=0)
    assert np.isfinite(distances).all()
    assert distances[2, [0, 1, 3]].min() > 100 * distances[0, 1]


# --- Euclidean and cosine


def test_euclidean_is_exact_even_far_from_the_origin():
    X = np.array([[0.0, 0], [2, 0], [1, 1]]) + 1e8
    expected = [[0, 1.0], [1.0, 0]]
    np.testing.assert_allclose(class_distances(X, [0, 0, 1], "euclidean"), expected)


def test_cosine_sees_only_directions():
    X = [[1.0, 0], [3, 0], [0, 7], [-2, 0]]
    np.testing.assert_allclose(
        class_distances(X, [0, 0, 1, 2], "cosine"), [[0, 1, 2], [1, 0, 1], [2, 1, 0]], atol=1e-12
    )


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "margin"])
def test_sparse_gives_the_same_as_dense(metric):
    rng = np.random.default_rng(0)
    X = rng.poisson(0.5, (60, 30)).astype(float)
    y = np.arange(60) % 4
    np.testing.assert_allclose(
        class_distances(csr_matrix(X), y, metric), class_distances(X, y, metric), rtol=1e-2, atol=1e-7
    )


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "margin", "confusion"])
def test_sparse_is_never_made_dense(metric, monkeypatch):
    X = csr_array(random(30, 20_000, density=1e-3, random_state=0))
    for kind in (csr_matrix, type(X)):

        def refuse(self, *args, original=kind.toarray, **kwargs):
            assert self.shape[1] < 1000, "dense"
            return original(self, *args, **kwargs)

        monkeypatch.setattr(kind, "toarray", refuse)
    assert class_distances(X, np.arange(30) % 3, metric).shape == (3, 3)


# --- Margin


def test_margin_is_the_gap_between_separable_classes():
    X = np.array([[-3.0], [-1], [1], [3]])
    distances = class_distances(X, [0, 0, 1, 1], "margin", C=1e3)
    assert distances[0, 1] == pytest.approx(2 / X.std(), rel=1e-3)


def test_margin_vanishes_as_classes_merge():
    rng = np.random.default_rng(0)
    base = rng.normal(size=(60, 2))
    y = np.repeat([0, 1, 2], 60)
    found = []
    for shift in (0, 1, 3, 9):
        X = np.concatenate([base, base + np.array([shift, 0]), base + np.array([20, 0])])
        found.append(class_distances(X, y, "margin")[0, 1])
    assert found[0] < 1e-6
    assert found == sorted(found)


@pytest.mark.parametrize("place", [0.9, 1.5])
def test_margin_does_not_mind_how_many_samples_a_class_has(place):
    """Neither within the other class nor beside it."""
    found = []
    for n in (1, 10, 90):
        X = np.append(np.tile([-1.0, 0, 1], 30), np.full(n, place))[:, None]
        found.append(class_distances(X, np.arange(len(X)) >= 90, "margin")[0, 1] * X.std())
    assert found[0] > 0.1
    np.testing.assert_allclose(found, found[0], rtol=1e-3)


# --- Confusion


def test_confusion_is_out_of_fold():
    X, y = blobs(spread=10, n=30)
    model = make_pipeline(StandardScaler(), RidgeClassifier())
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    rates = confusion_matrix(y, cross_val_predict(model, X, y, cv=folds), normalize="true")
    expected = 1 - np.sqrt((rates + rates.T) / 2)
    np.fill_diagonal(expected, 0)
    np.testing.assert_allclose(class_distances(X, y, "confusion"), expected)
    assert (expected < 1).sum() > 4  # the test needs some confused classes


def test_confusion_takes_any_estimator_and_splitter():
    X, y = blobs(spread=10, n=30)
    nearest = KNeighborsClassifier(1)
    rates = confusion_matrix(y, cross_val_predict(nearest, X, y, cv=KFold(len(y))), normalize="true")
    found = class_distances(X, y, "confusion", estimator=nearest, cv=KFold(len(y)))
    expected = 1 - np.sqrt((rates + rates.T) / 2)
    np.fill_diagonal(expected, 0)
    np.testing.assert_allclose(found, expected)
    assert not hasattr(nearest, "classes_")


def test_confusion_of_clear_classes_is_none():
    np.testing.assert_array_equal(
        class_distances(*blobs(spread=1e-3), "confusion", estimator=KNeighborsClassifier(1)), 1 - np.eye(4)
    )


@pytest.mark.parametrize("counts", [(1, 9), (1, 1), (1, 2, 9), (2, 2, 3), (1, 1, 1, 1)])
def test_confusion_with_fewer_members_than_folds(counts):
    y = np.repeat(np.arange(len(counts)), counts)
    X = 100.0 * y[:, None] + np.arange(len(y))[:, None]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        distances = class_distances(X, y, "confusion")
    lonely = np.flatnonzero(np.array(counts) == 1)
    off_diagonal = distances + np.eye(len(counts))
    # A class with one sample is unseen when it is held out, and is confused with another class: a rate of 1, halved.
    assert (off_diagonal[lonely].min(axis=1) <= 1 - np.sqrt(0.5)).all()


def test_confusion_draws_by_the_random_state():
    X, y = blobs(spread=15)
    first = class_distances(X, y, "confusion")
    np.testing.assert_array_equal(class_distances(X, y, "confusion"), first)
    others = [class_distances(X, y, "confusion", random_state=seed) for seed in range(1, 6)]
    assert any((other != first).any() for other in others)


# --- All


def test_same_bits_whatever_the_number_of_blas_threads():
    X, y = blobs(n=250, d=200, spread=5)
    results = set()
    for threads in (1, 2):
        with threadpool_limits(threads):
            results.add(class_distances(X, y).tobytes())
    assert len(results) == 1


def test_callable_metric_gets_data_labels_and_options():
    X, y = blobs()

    def spread(X, y, power):
        means = np.array([X[y == label].mean() for label in np.unique(y)])
        return np.abs(means[:, None] - means) ** power

    assert class_distances(X, y, spread, power=2)[0, 3] > class_distances(X, y, spread, power=1)[0, 3]


def test_data_frames_do():
    pd = pytest.importorskip("pandas")
    X, y = blobs()
    frame = pd.DataFrame(X, columns=list("abc"))
    labels = pd.Series(y).map({0: "w", 1: "x", 2: "y", 3: "z"})
    np.testing.assert_array_equal(class_distances(frame, labels), class_distances(X, y))


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        (
            {"metric": "manhattan"},
            ValueError,
            "'mahalanobis', 'euclidean', 'cosine', 'margin', 'confusion' or a call",
        ),
        ({"metric": None}, ValueError, "got None"),
        ({"metric": "euclidean", "cv": 3}, TypeError, "has no option 'cv'; it takes no options"),
        ({"metric": "confusion", "folds": 3}, TypeError, "no option 'folds'; it takes cv, estimator"),
        ({"metric": "confusion", "cv": 1}, ValueError, "at least 2, a scikit-learn splitter or pairs; got 1"),
        ({"metric": "confusion", "cv": "five"}, ValueError, "got 'five'"),
        ({"shrinkage": 2}, ValueError, r"'ledoit_wolf' or a number in \[0, 1\]; got 2"),
        ({"shrinkage": "oas"}, ValueError, "got 'oas'"),
        ({"metric": lambda X, y: np.zeros((2, 2))}, ValueError, "row for each of 4 classes; got 2"),
        ({"metric": lambda X, y: np.eye(4)}, ValueError, "zero on the diagonal"),
        ({"metric": lambda X, y: np.eye(4) - 1}, ValueError, "nowhere negative"),
        ({"metric": lambda X, y: [[0, 1], [2, 0]]}, ValueError, r"metric\(X, y\) must be symmetric"),
        ({"y": np.zeros(80)}, ValueError, "at least two classes; all its labels are 0.0"),
        ({"y": np.linspace(0, 1, 80)}, ValueError, "continuous"),
        ({"y": np.zeros(7)}, ValueError, "inconsistent numbers of samples"),
        ({"X": np.full((80, 3), np.nan)}, ValueError, "NaN"),
        ({"X": np.full((80, 3), np.inf)}, ValueError, "infinity"),
        ({"X": csr_matrix(np.ones((80, 3)))}, ValueError, "dense X.*'cosine', 'euclidean'"),
    ],
)
def test_errors(changes, error, message):
    X, y = blobs()
    arguments = {"X": X, "y": y} | changes
    with pytest.raises(error, match=message):
        class_distances(**arguments)


def test_features_too_large_to_square():
    X = np.array([[1e300, 0], [0, 1e300], [1e300, 1], [2, 2]])
    for samples in (X, csr_matrix(X)):
        with pytest.raises(ValueError, match=r"features are as large as 1e\+300; scale them"):
            class_distances(samples, [0, 0, 1, 1], "euclidean")


def test_a_confusion_matrix_gives_the_distances_of_its_metric():
    """Counts or rates, and a class without samples is far from all."""
    counts = np.array([[8, 2, 0, 0], [1, 9, 0, 0], [0, 0, 5, 0], [0, 0, 0, 0]])
    found = class_distances(confusion=counts)
    assert np.allclose(found, found.T)
    assert (found.diagonal() == 0).all()
    assert found[0, 1] == pytest.approx(1 - np.sqrt((0.2 + 0.1) / 2))
    assert (found[3, :3] == 1).all()
    rates = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    assert np.allclose(class_distances(confusion=rates), found)


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({}, TypeError, "X and y, or confusion"),
        ({"confusion": np.eye(3), "X": np.eye(3)}, TypeError, "either X and y"),
        ({"confusion": np.ones((2, 3))}, ValueError, "square"),
        ({"confusion": [[1, -1], [0, 1]]}, ValueError, "zero or more"),
    ],
)
def test_confusions_that_make_no_sense(given, error, message):
    with pytest.raises(error, match=message):
        class_distances(**given)
