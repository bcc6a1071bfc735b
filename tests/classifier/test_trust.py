"""Promises on labels that have nothing to do with X, by learners that interpolate, and on weak signal."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from ecoc import ECF, ECOCClassifier, compare
from ecoc.codes.refinement.proxy import proxy_outputs
from ecoc.codes.refinement.selection import held_out_hits

K, N, NEW = 5, 300, 1000
LEARNERS = {
    "narrow SVC": (SVC(gamma=1.0), 40),
    "linear SVC": (SVC(kernel="linear", max_iter=5000), 40),
    "SVC of degree 3": (SVC(kernel="poly"), 400),
    "SVC of an indefinite kernel": (SVC(kernel="sigmoid"), 40),
    "LinearSVC": (LinearSVC(C=100.0, max_iter=100), 400),
    "logistic": (LogisticRegression(C=1e4), 400),
    "narrow kernel ridge": (KernelRidge(kernel="rbf", gamma=1), 40),
    "ridge": (Ridge(alpha=1e-9), 400),
    "tree": (DecisionTreeClassifier(random_state=0), 40),
    "forest": (RandomForestClassifier(15, random_state=0), 40),
    "boosting": (HistGradientBoostingClassifier(max_iter=10, random_state=0), 10),
    "naive Bayes": (GaussianNB(), 40),
    "neighbour": (KNeighborsClassifier(1), 40),
}


def samples(n, d, seed, signal=0.0):
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(n) % K, rng.integers(0, K, NEW)])
    X = rng.normal(size=(n + NEW, d)) + signal * rng.normal(size=(K, d))[y]
    return X[:n], y[:n], X[n:], y[n:]


def check_promises(model, X, y, *, noise):
    """Claimed accuracy, coverage of sets at 90 %, and log-loss."""
    accuracy = np.mean(model.predict(X) == y)
    error = np.sqrt(accuracy * (1 - accuracy) * (1 / N + 1 / NEW))
    if model.decoding_trials_ is not None:
        assert abs(max(model.decoding_trials_["accuracy"]) - accuracy) < 3.5 * error
    rows = np.arange(len(y))
    covered = model.predict_sets(X, 0.9)[rows, y].mean()  # sets of outputs that say nothing lack a class, or none
    assert covered > 0.77
    if noise:
        assert -np.log(np.maximum(model.predict_proba(X)[rows, y], 1e-300)).mean() < np.log(K) + 0.05


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(("learner", "cv"), [*((name, "auto") for name in LEARNERS), ("narrow kernel ridge", 5)])
def test_noise_promises_nothing(learner, cv):
    estimator, d = LEARNERS[learner]
    X, y, new, truth = samples(N, d, 0)
    model = ECOCClassifier(estimator, coding="dense", cv=cv, random_state=0).fit(X, y)
    check_promises(model, new, truth, noise=True)


@pytest.mark.parametrize(
    "estimator",
    [
        SVC(kernel="linear"),
        LogisticRegression(C=1000),
        SVC(gamma=1.0),
        Ridge(1e-9),
        HistGradientBoostingClassifier(max_iter=10),
    ],
    ids=repr,
)
def test_weak_signal(estimator):
    X, y, new, truth = samples(N, 60, 1, 0.15)
    model = ECOCClassifier(estimator, coding="ova", random_state=0).fit(X, y)
    check_promises(model, new, truth, noise=False)
    folds = ECOCClassifier(estimator, coding="ova", cv=5, random_state=0).fit(X, y)
    assert model.score(new, truth) > folds.score(new, truth) - 0.03


@pytest.mark.parametrize("estimator", [SVC(), HistGradientBoostingClassifier(max_iter=10)], ids=repr)
def test_few_samples_of_noise(estimator):
    covered = []
    for seed in range(4):
        X, y, new, truth = samples(60, 40, seed)
        model = ECOCClassifier(estimator, coding="ova", random_state=0).fit(X, y)
        covered.append(model.predict_sets(new, 0.9)[np.arange(NEW), truth].mean())
    assert np.mean(covered) > 0.86


def test_no_decoding_is_learned_from_a_handful_of_samples():
    """Held-out outputs of few samples depend on their fold, and the fold on the classes in it."""
    for seed in range(3):
        X, y, new, truth = samples(40, 400, seed)
        y[K:] = np.random.default_rng(seed).integers(0, K, 40 - K)  # classes of different size
        model = ECOCClassifier(SVC(gamma=1.0, C=1e4), coding="dense", random_state=0).fit(X, y)
        check_promises(model, new, truth, noise=True)


@pytest.mark.parametrize("decoding", ["discriminant", "structured"])
def test_a_learned_decoding_is_calibrated_by_samples_that_it_did_not_learn_from(decoding):
    X, y, new, truth = samples(100, 40, 0)
    model = ECOCClassifier(SVC(), coding="dense", decoding=decoding, random_state=0).fit(X, y)
    assert -np.log(model.predict_proba(new)[np.arange(NEW), truth]).mean() < np.log(K) + 0.1


def test_the_proxy_of_the_refinement_finds_nothing_in_noise():
    hits = []
    for seed in range(3):
        X, y, _, _ = samples(N, 400, seed)
        for linear in (False, True):
            outputs = proxy_outputs(X, y, np.random.default_rng(0), linear=linear)
            hits.append(held_out_hits(outputs, 2 * np.eye(K, dtype=np.int8) - 1).mean())
    assert abs(np.mean(hits) - 1 / K) < 0.05


def test_protection_promises_nothing_in_noise():
    X, y, new, truth = samples(N, 40, 0)
    model = ECOCClassifier(SVC(gamma=1.0), coding=ECF(protect=[(0, 1)]), random_state=0).fit(X, y)
    assert abs(model.protection_.accuracy_after - model.score(new, truth)) < 0.1


def test_compare_promises_nothing_in_noise():
    X, y, _, _ = samples(N, 40, 0)
    found = compare(X, y, SVC(gamma=1.0), budget=5, tune=False, random_state=0)
    assert max(found.table["accuracy"]) < 1 / K + 0.1


def test_a_class_too_rare_for_a_promise_of_its_own_is_named_and_in_every_set():
    X, y = load_iris(return_X_y=True)
    rows = np.r_[0:105]  # five samples of the third class
    model = ECOCClassifier(LogisticRegression(max_iter=500), random_state=0).fit(X[rows], y[rows])
    with pytest.warns(UserWarning, match=r"Classes 2 had too few .* 90% for a class takes about 10 samples"):
        sets = model.predict_sets(X, by_class=True)
    assert sets[:, 2].all()
