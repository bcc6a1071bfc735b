"""What must not crash: unusual learners, tiny samples, functions without a name, Ctrl-C, and no compiler."""

import os
import subprocess
import sys

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris
from sklearn.impute import SimpleImputer
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from ecoc import ECF, ECOCClassifier, LeastCostClassifier
from ecoc.training import kernel

X, Y = load_iris(return_X_y=True)
FILLING = make_pipeline(SimpleImputer(), LogisticRegression())


@pytest.mark.parametrize("coding", ["ova", ECF(effort=0.01)], ids=["ova", "ecf"])
@pytest.mark.parametrize("learner", [FILLING, GridSearchCV(FILLING, {"logisticregression__C": [1.0]}, cv=2)], ids=str)
def test_a_pipeline_that_fills_in_missing_values_gets_them(learner, coding):
    holes = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)
    model = ECOCClassifier(learner, coding=coding, random_state=0).fit(holes, Y)
    assert model.score(holes, Y) > 0.85
    refusing = make_pipeline(StandardScaler(), LogisticRegression())  # the last step refuses, not we
    with pytest.raises(ValueError, match="contains NaN"):
        ECOCClassifier(refusing, coding=coding).fit(holes, Y)


@pytest.mark.parametrize("options", [{}, {"gamma": 1.0, "coef0": -1.0}], ids=str)
@pytest.mark.parametrize("decoding", ["auto", "linear"])
def test_indefinite_kernels(options, decoding):
    digits, digit = (part[:500] for part in load_digits(return_X_y=True))
    model = ECOCClassifier(SVC(kernel="sigmoid", **options), decoding=decoding, probability=True, random_state=0)
    proba = model.fit(digits, digit).predict_proba(digits)
    np.testing.assert_allclose(proba.sum(axis=1), 1)


@pytest.mark.parametrize("coding", ["ova", "ovo", ECF(effort=0.01)], ids=["ova", "ovo", "ecf"])
def test_a_regressor_of_a_precomputed_kernel(coding):
    gram = rbf_kernel(X, gamma=0.3)
    train, test = np.arange(0, 150, 2), np.arange(1, 150, 2)
    options = {"coding": coding, "decoding": "linear", "random_state": 0}
    if coding not in ("ova", "ovo"):
        options["coding"] = ECOCClassifier(LogisticRegression(), coding=coding).fit(X[train], Y[train]).code_book_
    given = ECOCClassifier(KernelRidge(kernel="precomputed"), **options).fit(gram[np.ix_(train, train)], Y[train])
    computed = ECOCClassifier(KernelRidge(kernel="rbf", gamma=0.3), **options).fit(X[train], Y[train])
    np.testing.assert_allclose(given.outputs(gram[np.ix_(test, train)]), computed.outputs(X[test]), atol=1e-8)
    assert (
        given.predict_proba(gram[np.ix_(test, train)]).argmax(axis=1).tolist()
        == given.predict(gram[np.ix_(test, train)]).tolist()
    )


@pytest.mark.parametrize("options", [{}, {"probability": True}, {"cv": 2}, {"decoding": "discriminant"}], ids=str)
@pytest.mark.parametrize(
    "learner", [SVC(), SVC(kernel="linear"), LinearSVC(), GaussianNB(), DecisionTreeClassifier()], ids=str
)
def test_one_sample_of_each_of_two_classes(learner, options):
    model = ECOCClassifier(learner, random_state=0, **options).fit(X[[0, 149]], Y[[0, 149]])
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
    assert model.predict_sets(X[:5]).all()  # two samples promise nothing


def test_functions_without_a_name_are_cached(monkeypatch):
    trained = []
    solve = kernel.solve_by_sklearn
    monkeypatch.setattr(kernel, "solve_by_sklearn", lambda *args: trained.append(1) or solve(*args))

    def machine(degree):
        return SVC(kernel=lambda a, b: (a @ b.T) ** degree)

    model = ECOCClassifier(machine(1), coding="ova", probability=False, warm_start=True, random_state=0)
    first = model.fit(X, Y).decision_function(X)
    known = len(trained)
    np.testing.assert_array_equal(model.fit(X, Y).decision_function(X), first)
    assert len(trained) == known
    np.testing.assert_array_equal(model.set_params(estimator=machine(1)).fit(X, Y).decision_function(X), first)
    assert not np.allclose(model.set_params(estimator=machine(2)).fit(X, Y).decision_function(X), first)
    piped = make_pipeline(FunctionTransformer(lambda a: a + 1), LogisticRegression())
    assert ECOCClassifier(piped, coding=ECF(effort=0.01), warm_start=True, random_state=0).fit(X, Y).score(X, Y) > 0.9


class Interrupted(GaussianNB):
    """Fails as compiled code does if Ctrl-C comes while it returns."""

    def fit(self, X, y, sample_weight=None):
        raise SystemError("returned a result with an exception set") from KeyboardInterrupt()

    def predict_proba(self, X):
        self.fit(X, None)


@pytest.mark.parametrize("meta", [ECOCClassifier, LeastCostClassifier])
def test_ctrl_c_in_compiled_code_is_an_interruption(meta):
    with pytest.raises(KeyboardInterrupt):
        meta(Interrupted()).fit(X, Y)
    model = ECOCClassifier(GaussianNB(), coding="ova").fit(X, Y)
    for estimator in model.estimators_:
        estimator.__class__ = Interrupted
    for method in (model.predict, model.decision_function, model.predict_proba, model.predict_sets, model.outputs):
        with pytest.raises(KeyboardInterrupt):
            method(X)
    with pytest.raises(KeyboardInterrupt):
        model.predict_top(X, 2)


def test_without_a_compiler():
    """NUMBA_DISABLE_JIT runs the kernels as plain Python, for debuggers and coverage."""
    code = """if True:
        import numpy as np
        from sklearn.datasets import load_iris
        from sklearn.svm import SVC
        from ecoc import ECF, ECOCClassifier
        X, y = (part[::3] for part in load_iris(return_X_y=True))
        for coding in (ECF(effort=0.01), "dense"):
            model = ECOCClassifier(SVC(), coding=coding, random_state=0).fit(X, y)
            print(model.code_book_.matrix.tolist(), np.round(model.predict_proba(X), 6).tolist())
        """
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "0"}
    outputs = [
        subprocess.run(
            [sys.executable, "-c", code], env=environment | {"NUMBA_DISABLE_JIT": off}, capture_output=True, text=True
        )
        for off in "01"
    ]
    assert outputs[1].returncode == 0, outputs[1].stderr
    assert outputs[0].stdout == outputs[1].stdout
