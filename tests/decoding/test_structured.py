"""Does the structured decoding know the code, and learn beyond it only what samples teach?"""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit, log_softmax
from sklearn.linear_model import LogisticRegression

from ecoc.codes.codebook import CodeBook
from ecoc.codes.coding import OneVsOne
from ecoc.decoding import Structured, get_decoding
from ecoc.decoding.correction import Correction
from ecoc.decoding.limits import LIMITS
from ecoc.decoding.structured import Structure, calibrate_columns
from ecoc.utils.folds import make_folds

TERNARY = np.array([[1, 1, 0, 1], [1, -1, 0, 0], [-1, 0, 1, 0], [-1, 0, -1, -1]], dtype=np.int8)


def noisy(code, per_class, scale, seed=0):
    """Outputs around the codewords; a column says anything about a class that it leaves out."""
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(len(code)), per_class)
    left_out = rng.normal(scale=3, size=(len(y), code.shape[1])) * (code[y] == 0)
    return code[y] + left_out + rng.normal(scale=scale, size=(len(y), code.shape[1])), y


def test_columns_are_calibrated_as_logistic_regression_does():
    outputs, y = noisy(TERNARY, 400, 1.0)
    slope, intercept = calibrate_columns(outputs, TERNARY[y], np.ones(len(y)))
    for j in range(TERNARY.shape[1]):
        seen = TERNARY[y, j] != 0
        peer = LogisticRegression(C=1e6).fit(outputs[seen, j : j + 1], TERNARY[y[seen], j])
        assert slope[j] == pytest.approx(peer.coef_[0, 0], rel=0.03)
        assert intercept[j] == pytest.approx(peer.intercept_[0], abs=0.05)


def test_without_zeros_the_structure_is_naive_bayes():
    code = np.array([[1, 1, 1], [-1, 1, -1], [1, -1, -1]], dtype=np.int8)
    structure = Structure(code, np.full(3, 2.0), np.zeros(3))
    outputs = np.array([[0.3, -0.2, 1.0], [-1.0, 0.5, 0.1]])
    expected = np.log(expit(2 * outputs[:, None] * code)).sum(axis=2)
    assert np.allclose(log_softmax(structure.scores(outputs), axis=1), log_softmax(expected, axis=1))


def test_a_pair_column_leaves_the_other_classes_alone():
    """A column of two classes moves belief between them. It cannot talk a sample of a third class into either."""
    code = np.array([[1, -1, -1, 1], [-1, 1, -1, -1], [-1, -1, 1, 0]], dtype=np.int8)  # one-vs-all and 0 against 1
    structure = Structure(code, np.ones(4), np.zeros(4))
    outputs = np.array([[-2.0, -2.0, 2.0, z] for z in (-20, 0, 20)])
    shares = np.exp(log_softmax(structure.scores(outputs), axis=1))
    assert np.ptp(shares[:, 2]) < 0.02
    assert shares[2, 0] / shares[2, 1] > 1e6
    assert shares[0, 1] / shares[0, 0] > 1e6


def test_correction_minimises_the_penalised_log_loss():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 3)), rng.integers(3, size=300)
    X[:, 0] += y
    features = np.column_stack([X, np.ones(300)])
    correction = Correction(features, np.zeros((300, 3)), y, np.ones(300))
    for penalty in (100.0, 10.0, 1.0, 1.0, 1.0):
        correction.fit(penalty)
    peer = LogisticRegression(C=1.0, tol=1e-8, max_iter=1000).fit(X, y)
    assert np.allclose(correction.coef[:, :-1], peer.coef_, atol=0.05)  # ours has a penalty on the intercepts, too


def test_little_is_learned_from_few_samples_and_more_from_many():
    code = OneVsOne().build(5).matrix
    few = Structured().fit(code, *noisy(code, 4, 1.0))
    assert few.penalty_ is None or few.penalty_ >= 30
    outputs, y = noisy(code, 400, 0.7)
    outputs = outputs @ np.triu(np.full((10, 10), 0.9)) * 0.5  # outputs that belie the codewords
    many = Structured().fit(code, outputs, y)
    assert many.penalty_ in (1, 3, 10)
    plain = Structured(penalty=None).fit(code, outputs, y)
    assert plain.coef_ is None
    new, truth = noisy(code, 100, 0.7, seed=1)
    new = new @ np.triu(np.full((10, 10), 0.9)) * 0.5
    hits = [(each.scores(new).argmax(axis=1) == truth).mean() for each in (many, plain)]
    assert hits[0] > hits[1] + 0.05


def test_a_decoding_that_is_not_linear_tells_classes_apart_that_linear_scores_cannot():
    """One column, four classes in a row: linear scores of one output give the middle classes a chance only by tanh."""
    rng = np.random.default_rng(0)
    code = np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]], dtype=np.int8)
    y = np.repeat(np.arange(4), 300)
    centres = np.array([[4.0, 0.3], [0.5, -0.3], [-0.5, 0.3], [-4.0, -0.3]])
    outputs = centres[y] + rng.normal(scale=0.3, size=(1200, 2))
    accuracy = {}
    for name in ("linear", "structured"):
        decoding = get_decoding(name).fit(code, outputs, y)
        accuracy[name] = (decoding.scores(outputs).argmax(axis=1) == y).mean()
    assert accuracy["structured"] > 0.9 > accuracy["linear"]


def test_probabilities_are_calibrated():
    code = OneVsOne().build(4).matrix
    outputs, y = noisy(code, 300, 1.0)
    new, truth = noisy(code, 300, 1.0, seed=1)
    shares = Structured().fit(code, outputs, y).probabilities(new)
    right, sure = (shares.argmax(axis=1) == truth).mean(), shares.max(axis=1).mean()
    assert abs(right - sure) < 0.03


def test_cross_fit_settles_the_penalty_by_the_given_folds():
    book = CodeBook(TERNARY)
    outputs, y = noisy(TERNARY, 60, 0.8)
    decoding, scores = Structured().cross_fit(book, outputs, y, None, make_folds(4, y, 0))
    assert decoding.penalty != "auto"
    assert scores.shape == (len(y), 4)
    for penalty in (None, 10.0):
        assert Structured(penalty).cross_fit(book, outputs, y, None, make_folds(4, y, 0)).decoding.penalty in (
            None,
            10.0,
        )


def test_weights_count_as_repetitions():
    outputs, y = noisy(TERNARY, 30, 1.0)
    weight = np.tile([1, 3], len(y) // 2)
    repeated = np.repeat(np.arange(len(y)), weight)
    weighted = Structured(penalty=10.0).fit(TERNARY, outputs, y, weight)
    again = Structured(penalty=10.0 * len(repeated) / len(y)).fit(TERNARY, outputs[repeated], y[repeated])
    assert np.array_equal(weighted.scores(outputs).argmax(axis=1), again.scores(outputs).argmax(axis=1))


def test_too_large_problems_go_by_the_code_alone():
    class Impatient(Structured):
        limits = replace(LIMITS, most_structured_work=10)

    samples = noisy(TERNARY, 20, 1.0)
    assert Impatient().fit(TERNARY, *samples).penalty_ is None
    assert Structured(penalty=3.0).fit(TERNARY, *samples).coef_ is not None
    assert Impatient(penalty=3.0).fit(TERNARY, *samples).coef_ is None
