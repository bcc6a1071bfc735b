"""scikit-learn's own checks of an estimator, with no expected failure."""

import pytest
from sklearn.linear_model import LogisticRegression, Ridge, SGDClassifier
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from ecoc import ECOCClassifier, LeastCostClassifier

CONFIGURATIONS = [
    ECOCClassifier(LogisticRegression()),
    ECOCClassifier(LinearSVC(), coding="ovo", decoding="hamming"),
    ECOCClassifier(Ridge(), coding="dense", decoding="discriminant"),
    ECOCClassifier(LogisticRegression(), probability=False),
    ECOCClassifier(SGDClassifier()),
    LeastCostClassifier(LogisticRegression()),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(CONFIGURATIONS)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
