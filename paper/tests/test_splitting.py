import numpy as np
import pytest
from sklearn.datasets import load_iris, make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from ecoc import ECOCClassifier
from ecoc_paper import SplitClassesClassifier


@parametrize_with_checks([SplitClassesClassifier(LogisticRegression(max_iter=500))])
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


def striped(n=60, seed=0):
    """Two classes in alternating stripes, which no line separates."""
    rng = np.random.default_rng(seed)
    stripe = np.repeat(np.arange(4), n)
    X = np.column_stack([3.0 * stripe + rng.normal(scale=0.4, size=4 * n), rng.normal(size=4 * n)])
    return X, np.array(["odd", "even"])[(stripe + 1) % 2]


def test_a_class_in_several_places_is_split():
    X, y = striped()
    plain = LogisticRegression().fit(X, y).score(X, y)
    model = SplitClassesClassifier(LogisticRegression(), random_state=0).fit(X, y)
    assert len(model.parents_) >= 4
    assert model.score(X, y) > 0.95 > plain


def test_classes_that_are_told_apart_are_left_whole():
    X, y = load_iris(return_X_y=True)
    model = SplitClassesClassifier(LogisticRegression(max_iter=500), random_state=0).fit(X, y)
    assert model.parents_.tolist() == [0, 1, 2]


def test_probabilities_are_sums_over_the_subclasses():
    X, y = striped()
    model = SplitClassesClassifier(LogisticRegression(), random_state=0).fit(X, y)
    probabilities = model.predict_proba(X)
    assert probabilities.shape == (240, 2)
    assert np.allclose(probabilities.sum(axis=1), 1)
    assert not hasattr(SplitClassesClassifier(SVC()).fit(X, y), "predict_proba")


def test_it_takes_a_code_for_the_subclasses():
    X, y = make_classification(
        300, 6, n_informative=4, n_redundant=0, n_classes=4, n_clusters_per_class=2, random_state=1
    )
    inner = ECOCClassifier(LogisticRegression(), coding="discriminant", decoding="loss_weighted", random_state=0)
    model = SplitClassesClassifier(inner, random_state=0).fit(X, y)
    assert model.estimator_.code_book_.n_classes == len(model.parents_)
    assert set(model.predict(X)) <= set(y)


def test_small_parts_and_useless_splits_are_refused():
    X, y = striped(8)
    assert len(SplitClassesClassifier(LogisticRegression(), min_samples=9, random_state=0).fit(X, y).parents_) == 2
    assert len(SplitClassesClassifier(LogisticRegression(), max_splits=0).fit(X, y).parents_) == 2
    with pytest.raises(ValueError, match="at least 2 classes"):
        SplitClassesClassifier(LogisticRegression()).fit(X, np.zeros(len(X)))
