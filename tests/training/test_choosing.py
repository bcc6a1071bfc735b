"""Outputs for samples that a model was not trained on."""

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, KFold, LeaveOneOut, ShuffleSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from ecoc import ECOCClassifier
from ecoc.training.binary import margins
from ecoc.training.choosing import choose_training, out_of_fold_outputs
from ecoc.training.interfaces import Task

X, y = load_iris(return_X_y=True)
OVO = np.array([[-1, -1, 0], [1, 0, -1], [0, 1, 1]], dtype=np.int8)
OVA = (2 * np.eye(3) - 1).astype(np.int8)


def held_out(estimator, kind="margins", code=OVA, labels=y, **options):
    return out_of_fold_outputs(choose_training(estimator, Task(code, X[: len(labels)], labels)), kind, **options)


@pytest.mark.parametrize("kind", ["margins", "signs", "probabilities"])
def test_each_fold_is_predicted_by_a_model_of_the_others(kind):
    folds = KFold(3, shuffle=True, random_state=1)
    outputs = held_out(GaussianNB(), kind, OVO, cv=folds)
    for train, test in folds.split(X):
        models = choose_training(GaussianNB(), Task(OVO, X[train], y[train])).fit()
        np.testing.assert_array_equal(outputs[test], models.outputs(X[test], kind))


@pytest.mark.parametrize("code", [OVA, OVO], ids=["ova", "ovo"])
def test_a_machine_with_a_shared_kernel_does_the_same(code):
    folds = KFold(3, shuffle=True, random_state=1)
    outputs = held_out(SVC(gamma=0.5, tol=1e-8), code=code, cv=folds)
    for train, test in folds.split(X):
        for j in range(3):
            used = train[code[y[train], j] != 0]
            alone = SVC(gamma=0.5, tol=1e-8).fit(X[used], code[y[used], j])
            np.testing.assert_allclose(outputs[test, j], alone.decision_function(X[test]), atol=1e-5)


def test_no_sample_has_seen_itself():
    """The nearest neighbour of a sample in the training set is itself, and its label is random: half are wrong."""
    labels = np.random.default_rng(0).integers(0, 3, 150)
    model = KNeighborsClassifier(1)
    seen = choose_training(model, Task(OVA, X, labels)).fit().outputs(X, "signs")
    assert np.mean(seen == OVA[labels]) > 0.97
    assert np.mean(held_out(model, "signs", labels=labels) == OVA[labels]) < 0.75


def test_folds_are_stratified_and_seeded():
    rare = np.zeros(150, dtype=int)
    rare[60:64], rare[120:124] = 1, 2
    a, b, c = (held_out(GaussianNB(), labels=y, random_state=seed) for seed in (0, 0, 1))
    np.testing.assert_array_equal(a, b)
    assert not np.array_equal(a, c)
    with_all = held_out(LogisticRegression(solver="liblinear"), labels=rare, cv=4, random_state=0)
    assert len(np.unique(with_all[:, 1])) > 100  # every fold has class 1: none is constant
    assert np.isfinite(with_all).all()


def test_more_folds_than_samples_of_any_class():
    assert np.isfinite(held_out(GaussianNB(), labels=y[[0, 1, 50, 51, 100]], cv=10)).all()
    assert np.isfinite(held_out(GaussianNB(), labels=y[[0, 50, 100]])).all()
    assert np.isfinite(held_out(GaussianNB(), code=OVA[:2], labels=y[[0, 50]])).all()


def test_every_sample_must_be_held_out():
    with pytest.raises(ValueError, match="cv must put every sample into a test fold; use KFold"):
        held_out(GaussianNB(), cv=ShuffleSplit(3, random_state=0))
    for estimator in (GaussianNB(), SVC()):
        assert np.isfinite(held_out(estimator, labels=y[::5], cv=LeaveOneOut())).all()


def test_splitters_that_want_groups_say_so():
    with pytest.raises(ValueError, match="groups"):
        held_out(GaussianNB(), cv=GroupKFold(3))


class OwnTree(DecisionTreeClassifier):
    pass


@pytest.mark.parametrize(
    "wrap",
    [
        lambda tree: make_pipeline("passthrough", tree),
        lambda tree: make_pipeline(FunctionTransformer(), make_pipeline(tree)),
        lambda tree: OwnTree(**tree.get_params()),
    ],
    ids=["passthrough", "nested", "derived"],
)
@pytest.mark.parametrize("coding", ["auto", "ova"])
def test_a_tree_is_treated_the_same_however_it_is_wrapped(wrap, coding):
    digits, label = load_digits(return_X_y=True)
    bare, wrapped = (
        ECOCClassifier(tree, coding=coding, random_state=0).fit(digits[::3], label[::3])
        for tree in (DecisionTreeClassifier(random_state=0), wrap(DecisionTreeClassifier(random_state=0)))
    )
    np.testing.assert_array_equal(bare.code_book_.matrix, wrapped.code_book_.matrix)
    np.testing.assert_array_equal(bare.decision_function(digits), wrapped.decision_function(digits))


@pytest.mark.parametrize(("package", "kind"), [("xgboost", "XGBClassifier"), ("lightgbm", "LGBMClassifier")])
def test_boosters_have_log_odds_however_they_are_wrapped(package, kind):
    booster = getattr(pytest.importorskip(package), kind)
    labels = (y > 0).astype(int)
    derived = type("Own", (booster,), {"__module__": "__main__"})
    expected = margins(booster(n_estimators=3).fit(X, labels), X)
    for model in (derived(n_estimators=3), make_pipeline(FunctionTransformer(), booster(n_estimators=3))):
        np.testing.assert_array_equal(margins(model.fit(X, labels), X), expected)
