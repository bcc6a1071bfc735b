"""scikit-learn's own checks of an estimator; only held-out samples are exempt, as in its own estimators with folds."""

import inspect

import pytest
from sklearn.base import is_classifier
from sklearn.linear_model import LogisticRegression, Ridge, SGDClassifier
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks

import ecoc
from ecoc import ECOCClassifier, LeastCostClassifier

CONFIGURATIONS = [
    ECOCClassifier(LogisticRegression()),
    ECOCClassifier(LinearSVC(), coding="ovo", decoding="hamming"),
    ECOCClassifier(Ridge(), coding="dense", decoding="discriminant"),
    ECOCClassifier(LogisticRegression(), probability=False),
    ECOCClassifier(SGDClassifier(average=True)),  # without, another seed gives another model
    ECOCClassifier(Ridge(), coding="ova", decoding="linear", probability=False),  # nothing is held out
    LeastCostClassifier(LogisticRegression()),
]
HELD_OUT = dict.fromkeys(
    ["check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"],
    "a sample that is there twice is held out while its twin is trained on",
)


def expected_failures(estimator):
    holds_out = isinstance(estimator, ECOCClassifier) and (estimator.decoding == "auto" or estimator.probability)
    return HELD_OUT if holds_out else {}


BOOSTERS = {
    "sklearn.ensemble": ("HistGradientBoostingClassifier", {"max_iter": 2}),
    "xgboost": ("XGBClassifier", {"n_estimators": 2, "n_jobs": 1}),
    "lightgbm": ("LGBMClassifier", {"n_estimators": 2, "n_jobs": 1, "verbose": -1}),
    "catboost": (
        "CatBoostClassifier",
        {"n_estimators": 2, "verbose": 0, "allow_writing_files": False, "thread_count": 1},
    ),
}
OF_CATBOOST = {  # by itself, too
    "check_dtype_object": "another error message",
    "check_estimator_sparse_tag": "takes scipy's sparse matrices, but not its sparse arrays",
    "check_estimator_sparse_array": "takes scipy's sparse matrices, but not its sparse arrays",
    "check_estimator_sparse_matrix": "takes no indices of 64 bits",
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("library", BOOSTERS)
def test_scikit_learn_checks_of_boosters(library):
    name, parameters = BOOSTERS[library]
    booster = getattr(pytest.importorskip(library), name)(**parameters)
    expected = HELD_OUT | (OF_CATBOOST if library == "catboost" else {})
    check_estimator(ECOCClassifier(booster), expected_failed_checks=expected, on_skip=None)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(CONFIGURATIONS, expected_failed_checks=expected_failures)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_every_public_classifier_has_such_checks():
    public = {
        name for name in ecoc.__all__ if inspect.isclass(made := getattr(ecoc, name)) and hasattr(made, "predict")
    }
    here = {type(configuration).__name__ for configuration in CONFIGURATIONS if is_classifier(configuration)}
    assert public == here
