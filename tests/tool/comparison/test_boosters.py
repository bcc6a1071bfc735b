"""Boosters by name, and the boosters themselves among the compared."""

import sys

import numpy as np
import pytest
from sklearn.datasets import load_iris

import ecoc
from ecoc.tool.comparison.learners import NumberedClasses, make_baseline, make_learner

X, y = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[y]
SMALL = {
    "xgboost": "xgboost:n_estimators=3",
    "lightgbm": "lightgbm:n_estimators=3,min_child_samples=2",
    "catboost": "catboost:n_estimators=3,depth=2",
    "boosting": "boosting:max_iter=3",
}


@pytest.fixture(params=SMALL)
def learner(request):
    pytest.importorskip("sklearn" if request.param == "boosting" else request.param)
    return SMALL[request.param]


def test_the_learner_itself_takes_any_labels(learner):
    native = make_baseline("native", make_learner(learner), seed=0).fit(X, NAMES)
    assert native.predict(X).shape == (150,)
    assert np.mean(native.predict(X) == NAMES) > 0.9
    assert native.classes_.tolist() == ["setosa", "versicolor", "virginica"]
    np.testing.assert_allclose(native.predict_proba(X).sum(axis=1), 1, atol=1e-6)


def test_the_learner_itself_is_compared(learner):
    result = ecoc.compare(X, NAMES, learner, codings=["ova"], decodings=["linear"], cv=2, tune=False)
    kinds = dict(zip(result.table["kind"], result.table["accuracy"]))
    assert {"native", "code"} <= set(kinds)
    assert kinds["native"] > 0.8
    assert kinds["code"] > 0.8


def test_a_missing_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "xgboost", None)
    with pytest.raises(
        ImportError, match=r"learner 'xgboost' needs the package xgboost: pip install 'ecoc\[boosting\]'"
    ):
        make_learner("xgboost")


def test_numbers_of_classes_are_any_classes():
    from sklearn.linear_model import LogisticRegression

    plain = LogisticRegression(max_iter=500).fit(X, NAMES)
    numbered = NumberedClasses(LogisticRegression(max_iter=500)).fit(X, NAMES)
    np.testing.assert_array_equal(numbered.predict(X), plain.predict(X))
    np.testing.assert_allclose(numbered.predict_proba(X), plain.predict_proba(X))
