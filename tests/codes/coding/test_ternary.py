"""Which codes may leave classes out, and are they valid, nested and of the length asked for?"""

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from ecoc import ECF, ECOCClassifier
from ecoc.codes.coding import Context
from ecoc.codes.coding.alphabet import Difficulty, measure_difficulty
from ecoc.codes.refinement import proxy_outputs
from ecoc.codes.refinement.selection import confusion_probabilities, most_confused_pairs
from ecoc.policy import describe
from ecoc.utils.codewords import are_separated

DIGITS = load_digits(return_X_y=True)


def build(estimator=None, **options):
    coding = ECF(**options)
    context = Context(0) if estimator is None else Context(0, describe(estimator).is_linear, None, estimator)
    return coding, coding.build(10, *DIGITS, context=context).matrix


@pytest.mark.parametrize("estimator", [RidgeClassifier(), LinearSVC(), Ridge(), SVC(kernel="linear")], ids=str)
def test_codes_of_linear_models_leave_classes_out(estimator):
    coding, code = build(estimator, n_columns=2.0)
    assert coding.alphabet_.name == "ternary"
    assert coding.alphabet_.difficulty.is_too_hard
    assert code.shape == (10, 20)
    assert (code == 0).any()


@pytest.mark.parametrize("estimator", [SVC(), DecisionTreeClassifier(), GaussianNB()], ids=str)
def test_codes_of_learners_that_are_not_linear_do_not(estimator):
    coding, code = build(estimator, n_columns=2.0, effort=0.05)
    assert coding.alphabet_.name == "binary"
    assert code.all()


def test_a_pipeline_is_judged_by_its_last_step():
    model = ECOCClassifier(make_pipeline(StandardScaler(), RidgeClassifier()), coding=ECF(n_columns=12), random_state=0)
    assert model.fit(*DIGITS).coding_.alphabet_.name == "ternary"


@pytest.mark.parametrize(
    "options",
    [
        {"n_columns": "auto"},
        {"refine": False},
        {"allocation": "hard"},
        {"wishes": {(1, 8): "apart"}},
        {"min_distance": 3, "n_columns": 12},
        {"n_columns": 5},
        {"alphabet": "binary"},
    ],
    ids=str,
)
def test_a_code_that_is_asked_for_in_detail_stays_binary(options):
    coding, code = build(RidgeClassifier(), effort=0.05, **{"n_columns": 8, **options})
    assert code.all()
    assert coding.alphabet_.difficulty is None


def test_ternary_codes_are_valid_and_nested():
    _, long = build(n_columns=3.0, alphabet="ternary")
    assert long.shape == (10, 30)
    for m in (8, 12, 20):
        _, short = build(n_columns=m, alphabet="ternary")
        assert np.array_equal(short, long[:, :m])
    start = int((long != 0).all(axis=0).sum())
    assert are_separated(long[:, :start])
    assert (np.count_nonzero(long[:, start:], axis=0) == 2).all()
    assert len(np.unique(long[:, start:], axis=1).T) == 30 - start


def test_minimum_distances_hold_in_ternary_codes():
    coding = ECF(alphabet="ternary", n_columns=20, min_distance=3)
    book = coding.build(10, *DIGITS, context=Context(0))
    assert book.min_distance >= 3
    assert book.is_ternary
    assert coding.factorization_.verify()


def test_no_more_columns_than_pairs():
    X, y = load_iris(return_X_y=True)
    book = ECF(alphabet="ternary", n_columns=3.0).build(3, X, y, random_state=0)
    assert book.n_columns <= 6
    with pytest.raises(ValueError, match="alphabet='ternary' a number"):
        ECF(alphabet="ternary", n_columns="auto").build(3, X, y)


def test_pairs_come_in_the_order_of_their_confusions():
    X, y = DIGITS
    held_out = proxy_outputs(X, y, np.random.default_rng(0), linear=True)
    confused = confusion_probabilities(held_out)
    assert np.allclose(confused.sum(axis=1), np.bincount(held_out.y))
    pairs = most_confused_pairs(held_out)
    assert len(set(pairs)) == 45
    both = [confused[a, b] + confused[b, a] for a, b in pairs]
    assert both == sorted(both, reverse=True)


def test_difficulty_is_about_training_samples():
    assert Difficulty(0.2, 0.3).is_too_hard
    assert not Difficulty(0.1, 0.3).is_too_hard
    assert not Difficulty(0.0, 0.0).is_too_hard
    rng = np.random.default_rng
    assert measure_difficulty(LogisticRegression(max_iter=300), DIGITS[0] / 16, DIGITS[1], rng(0)).is_too_hard
    forest = RandomForestClassifier(5)
    assert measure_difficulty(forest, *DIGITS, rng(0)) == measure_difficulty(forest, *DIGITS, rng(0))


def test_pair_columns_beat_a_binary_code_where_columns_are_too_hard():
    X, y = DIGITS
    accuracy = {}
    for alphabet in ("binary", "ternary"):
        coding = ECF(n_columns=20, alphabet=alphabet, effort=0.1)
        model = ECOCClassifier(RidgeClassifier(), coding=coding, random_state=0)
        accuracy[alphabet] = model.fit(X[::2], y[::2]).score(X[1::2], y[1::2])
    assert accuracy["ternary"] > accuracy["binary"]


def test_a_linear_model_that_fits_its_training_samples_gets_a_binary_code():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 200)), np.repeat(np.arange(8), 10)
    coding = ECF(n_columns=2.0, effort=0.05)
    book = coding.build(8, X, y, context=Context(0, True, None, LinearSVC()))
    assert coding.alphabet_.difficulty.training == 0
    assert not book.is_ternary
