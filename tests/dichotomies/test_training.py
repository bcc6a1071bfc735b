"""Outputs for samples that a model was not trained on."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, KFold, LeaveOneOut, ShuffleSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from ecoc.dichotomies import Task, choose_training, fit_dichotomizers, out_of_fold_outputs

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
        models = fit_dichotomizers(GaussianNB(), Task(OVO, X[train], y[train]))
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
    seen = fit_dichotomizers(model, Task(OVA, X, labels)).outputs(X, "signs")
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
