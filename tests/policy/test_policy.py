"""Kinds of learners, the rules, and plans: the same learner gets the same plan however it is wrapped."""

import inspect
import runpy
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_iris, make_blobs
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.semi_supervised import SelfTrainingClassifier
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import all_estimators

from ecoc import ECF, ECOCClassifier
from ecoc.codes.coding import Context
from ecoc.policy import CODING, HELD_OUT, KINDS, Rule, describe, make_plan, register_learner
from ecoc.policy.learner import takes_raw_input
from ecoc.training.interfaces import HeldOut

IRIS = load_iris(return_X_y=True)
ROOT = Path(__file__).parents[2]


def learners():
    """Every classifier of scikit-learn, those of others around logistic regression, and the boosters."""
    found = [kind for _, kind in all_estimators("classifier")]
    for module, name in (
        ("xgboost", "XGBClassifier"),
        ("lightgbm", "LGBMClassifier"),
        ("catboost", "CatBoostClassifier"),
    ):
        found.append(getattr(pytest.importorskip(module), name))
    inner = {"estimator": LogisticRegression(), "estimators": [("one", LogisticRegression())]}
    for kind in found:
        optional = () if kind is SelfTrainingClassifier else (None,)  # its default cannot be used
        wanted = [p for p in inspect.signature(kind).parameters.values() if p.default not in optional]
        try:
            yield kind(**{p.name: inner[p.name] for p in wanted if p.name in inner})
        except FutureWarning:  # it is deprecated
            continue


def plan_of(estimator, k=30, n=600, sparse=False):
    return make_plan(estimator, "auto", "auto", np.arange(n) % k, k, sparse=sparse, cv="auto").with_code(None)


@pytest.mark.parametrize("k", [2, 8, 30, 100])
def test_every_learner_gets_a_plan_with_reasons(k):
    for estimator in learners():
        plan = plan_of(estimator, k, 40 * k)
        assert set(plan.reasons) == {"coding", "held-out outputs", "decoding"}
        assert all(plan.reasons.values())
        assert all(reason in repr(plan) for reason in plan.reasons.values())


def test_limits_of_training_are_in_the_plan():
    assert plan_of(SVC(), 100, 600).held_out_tol > 0 == plan_of(LogisticRegression(), 100, 600).held_out_tol
    assert plan_of(SVC(), 100, 600).bins is None


def test_wrapped_learners_get_the_same_plan():
    for estimator in learners():
        kind = type(estimator)
        derived = type(kind.__name__, (kind,), {"__init__": kind.__init__})(**estimator.get_params(deep=False))
        for other in (make_pipeline(StandardScaler(), clone(estimator)), derived):
            one, two = plan_of(estimator), plan_of(other)
            assert repr(one.coding) == repr(two.coding)
            assert repr(one.decoding) == repr(two.decoding)
            assert one.learner.kind == two.learner.kind
            if one.learner.kind != "bagged":  # out-of-bag outputs of a pipeline would know its preprocessing
                assert one.held_out == two.held_out


@pytest.mark.parametrize(
    ("estimator", "k", "n", "sparse", "coding"),
    [
        (SVC(), 8, 200, False, "OneVsAll()"),
        (SVC(), 30, 600, False, "ECF(n_columns=0.5)"),
        (SVC(), 100, 600, False, "ECF()"),
        (LogisticRegression(), 30, 600, False, "OneVsOne()"),
        (LogisticRegression(), 30, 100, False, "ECF(n_columns=1.0)"),
        (LinearSVC(), 100, 600, True, "Grouped()"),
        (DecisionTreeClassifier(), 4, 100, False, "ECF(n_columns=2.0)"),
        (DecisionTreeClassifier(), 65, 1000, False, "ECF(n_columns=1.0)"),
        (HistGradientBoostingClassifier(), 40, 2000, False, "OneVsAll()"),
        (HistGradientBoostingClassifier(), 40, 400, False, "ECF(n_columns=20)"),
        (HistGradientBoostingClassifier(), 200, 4000, False, "ECF(n_columns=64)"),
    ],
)
def test_codings(estimator, k, n, sparse, coding):
    assert repr(plan_of(estimator, k, n, sparse).coding) == coding


@pytest.mark.parametrize(
    ("estimator", "n", "way"),
    [
        (SVC(), 60, "10 folds"),
        (SVC(), 300, "5 folds"),
        (SVC(), 3000, "3 folds"),
        (DecisionTreeClassifier(), 300, "mean of 3 folds"),
        (RandomForestClassifier(), 300, "out of bag"),
        (RandomForestClassifier(5), 300, "5 folds"),
        (RandomForestClassifier(bootstrap=False), 300, "5 folds"),
        (HistGradientBoostingClassifier(), 60, "10 folds"),
        (HistGradientBoostingClassifier(), 300, "a part of the samples"),
    ],
)
def test_held_out_outputs(estimator, n, way):
    assert str(plan_of(estimator, 3, n).held_out) == way


def test_what_the_user_chooses_needs_no_reason():
    model = ECOCClassifier(SVC(), coding="dense", decoding="hamming", cv=4)
    plan = model.plan(*IRIS)
    assert plan.reasons == {}
    assert "by your own folds" in repr(plan)
    assert not hasattr(model, "n_features_in_")  # nothing was fitted
    fitted = model.fit(*IRIS)
    assert repr(fitted.plan_.coding) == repr(fitted.coding_)


def test_the_plan_of_a_fit_is_what_was_said_before():
    for estimator in (SVC(), LogisticRegression(), DecisionTreeClassifier(), DummyClassifier()):
        model = ECOCClassifier(estimator, random_state=0)
        before = model.plan(*IRIS)
        after = model.fit(*IRIS).plan_
        if before.compares_plain:  # held-out samples choose between the two that were named
            assert repr(after.coding) in (repr(before.coding), "Plain()")
            assert "of held-out samples" in after.reasons["coding"]
        else:
            assert repr(before) == repr(after)
        if before.decoding is not None:
            assert repr(model.decoding_) == repr(before.decoding)


@pytest.mark.parametrize(
    ("estimator", "way"),
    [
        (SVC(), "on one Gram matrix"),
        (RidgeClassifier(), "all columns in one call"),
        (GaussianNB(), "each column on its own"),
        (DecisionTreeClassifier(), "each column on its own, as trees"),
    ],
)
def test_the_plan_names_the_training(estimator, way):
    model = ECOCClassifier(estimator, coding="ova", random_state=0)
    assert f"training: {way}" in repr(model.plan(*IRIS))
    assert model.fit(*IRIS).plan_.training == way
    assert ECOCClassifier(estimator, coding="dense").plan(*IRIS).training is None  # it depends on the code


def test_what_runs_in_threads():
    def threads(estimator):
        return describe(estimator).offers.threads

    assert threads(SVC())
    assert threads([LinearSVC(), DecisionTreeClassifier()])
    assert not threads(SVC(kernel=lambda a, b: a @ b.T))
    assert not threads([SVC(), GaussianNB()])


def test_what_gets_data_as_the_user_gave_them():
    raw = (make_pipeline(StandardScaler(), SVC()), HistGradientBoostingClassifier(), Oracle())
    assert [takes_raw_input(estimator) for estimator in (*raw, SVC())] == [True, True, True, False]


@pytest.mark.parametrize(("n_columns", "refined"), [(25, True), (26, False)])
def test_long_codes_for_boosters_are_not_refined(n_columns, refined):
    X, y = make_blobs(280, 5, centers=70, random_state=0)
    for estimator in (
        HistGradientBoostingClassifier(),
        make_pipeline(StandardScaler(), HistGradientBoostingClassifier()),
    ):
        coding = ECF(n_columns=n_columns)
        coding.build(70, X, y, context=Context(0, most_refined=plan_of(estimator, 70, 280).most_refined))
        assert coding.is_refined_ == refined


class Oracle(ClassifierMixin, BaseEstimator):
    """A learner that nobody knows."""

    def fit(self, X, y):
        self.classes_, self.inner_ = np.unique(y), LogisticRegression(max_iter=1000).fit(X, y)
        return self

    def predict(self, X):
        return self.inner_.predict(X)


def test_a_kind_and_a_rule_from_outside(monkeypatch):
    assert describe(Oracle()).kind == "other"
    kinds, coding, held_out = {name: list(classes) for name, classes in KINDS.items()}, list(CODING), list(HELD_OUT)
    try:
        register_learner("oracle", Oracle)
        CODING.insert(
            0, Rule(lambda p: p.learner.kind == "oracle", "oracles", ECF(n_columns=2), "they are never wrong")
        )
        HELD_OUT.insert(
            0, Rule(lambda p: p.learner.kind == "oracle", "oracles", HeldOut("folds", 2), "they are costly")
        )
        model = ECOCClassifier(Oracle(), random_state=0).fit(*IRIS)
        assert model.n_columns_ == 2
        assert model.plan_.reasons["coding"] == "they are never wrong"
        assert model.plan_.held_out.n_folds == 2
        register_learner("linear model", Oracle)
        assert describe(make_pipeline(StandardScaler(), Oracle())).kind == "oracle"  # a new kind comes first
    finally:
        KINDS.clear()
        KINDS.update(kinds)
        CODING[:], HELD_OUT[:] = coding, held_out
    assert describe(Oracle()).kind == "other"


def test_protected_pairs_stay_with_their_classifier():
    X, y = make_blobs(90, centers=9, random_state=0)
    tree = DecisionTreeClassifier(random_state=0)
    before = list(map(repr, CODING))
    protected = ECOCClassifier(tree, coding=ECF(protect=[(0, 1)])).plan(X, y)
    assert protected.coding.protect == [(0, 1)]
    assert list(map(repr, CODING)) == before
    assert not ECOCClassifier(tree).plan(X, y).coding.protect


def test_the_page_shows_the_rules():
    rules = runpy.run_path(str(ROOT / "tools" / "rules.py"))
    page = (ROOT / "docs" / "when.md").read_text(encoding="utf-8")
    assert rules["with_tables"](page) == page, "run python tools/rules.py"


def test_sparse_samples_reach_the_plan():
    X, y = make_blobs(700, 5, centers=70, random_state=0)
    assert repr(ECOCClassifier(LinearSVC()).plan(csr_array(X), y).coding) == "Grouped()"
