"""scikit-learn's own checks of an estimator, with no expected failure."""

import inspect

import pytest
from sklearn.base import is_classifier
from sklearn.linear_model import LogisticRegression, Ridge, SGDClassifier
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

import ecoc
from ecoc import ECOCClassifier, LeastCostClassifier

CONFIGURATIONS = [
    ECOCClassifier(LogisticRegression()),
    ECOCClassifier(LinearSVC(), coding="ovo", decoding="hamming"),
    ECOCClassifier(Ridge(), coding="dense", decoding="discriminant"),
    ECOCClassifier(LogisticRegression(), probability=False),
    ECOCClassifier(SGDClassifier(average=True)),  # without, another seed gives another model
    LeastCostClassifier(LogisticRegression()),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(CONFIGURATIONS)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_every_public_classifier_has_such_checks():
    public = {
        name for name in ecoc.__all__ if inspect.isclass(made := getattr(ecoc, name)) and hasattr(made, "predict")
    }
    here = {type(configuration).__name__ for configuration in CONFIGURATIONS if is_classifier(configuration)}
    elsewhere = {"RelaxedHierarchyClassifier", "SubclassClassifier"}  # test_hierarchy.py, test_subclass.py
    assert public == here | elsewhere
