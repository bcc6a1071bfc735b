import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from ecoc import ECF, ECOCClassifier
from ecoc.utils.estimators import expression


@pytest.mark.parametrize(
    "code",
    [
        "ECOCClassifier(estimator=SVC(C=10), coding=ECF(n_columns=5, protect=[('a', 'b')]))",
        "Pipeline(steps=[('standardscaler', StandardScaler()), ('logisticregression', LogisticRegression(C=0.1))])",
        "LogisticRegression(class_weight={0: 2.0})",
    ],
)
def test_an_expression_makes_the_estimator_again(code):
    from sklearn.pipeline import Pipeline

    names = {one.__name__: one for one in (ECF, ECOCClassifier, LogisticRegression, Pipeline, StandardScaler, SVC)}
    estimator = eval(code, names)
    assert expression(estimator) == code
    assert expression(eval(expression(estimator), names)) == code


def test_a_long_expression_is_whole():
    steps = make_pipeline(*(SVC(C=2.0 + i) for i in range(60)))
    assert "..." not in expression(steps)
    assert "C=61.0" in expression(steps)


def test_boosters_show_what_was_set():
    xgboost = pytest.importorskip("xgboost")
    lightgbm = pytest.importorskip("lightgbm")
    assert expression(xgboost.XGBClassifier(max_depth=4, n_jobs=1)) == "XGBClassifier(max_depth=4, n_jobs=1)"
    assert expression(lightgbm.LGBMClassifier(num_leaves=7)) == "LGBMClassifier(num_leaves=7)"
