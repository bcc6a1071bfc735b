"""Scores against plain loops over the formulas, on code books with and without zeros."""

import itertools
from math import exp, log, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.optimize import brentq

from ecoc import CodeBook
from ecoc.decoding import (
    DECODINGS,
    AttenuatedEuclidean,
    BetaDensity,
    Centroid,
    Euclidean,
    Hamming,
    InverseHamming,
    Laplacian,
    LossBased,
    LossWeighted,
    decide,
    get_decoding,
)
from ecoc.decoding.limits import LIMITS
from tests.codebooks import any_valid, valid_matrices

quick = settings(max_examples=40, deadline=None)

LOSS = {
    "linear": lambda t: -t,
    "exponential": lambda t: exp(-t),
    "hinge": lambda t: max(0, 1 - t),
    "logistic": lambda t: log(1 + exp(-t)),
    "squared": lambda t: (1 - t) ** 2,
}
OVO = np.array([[1, 1, 1, 0, 0, 0], [-1, 0, 0, 1, 1, 0], [0, -1, 0, -1, 0, 1], [0, 0, -1, 0, -1, -1]])
seeds = st.integers(0, 2**32 - 1)


def signs_for(book, seed, n=4):
    return np.random.default_rng(seed).choice([-1, 1], size=(n, book.shape[1]))


def margins_for(book, seed, n=4):
    return np.random.default_rng(seed).normal(scale=2, size=(n, book.shape[1]))


def loop(outputs, book, score):
    """score(f, x) of the non-zero places of every codeword."""
    return np.array([[score(f[x != 0], x[x != 0]) for x in book] for f in outputs])


@given(any_valid, seeds)
@quick
def test_hamming(book, seed):
    f = signs_for(book, seed)
    expected = loop(f, book, lambda f, x: sum(f == x) / len(x))
    np.testing.assert_allclose(Hamming().fit(book).scores(f), expected)


def test_hamming_of_one_vs_one_is_voting():
    f = signs_for(OVO, 0, n=64)
    votes = np.zeros((64, 4), dtype=int)
    for j, column in enumerate(OVO.T):
        for sample, sign in enumerate(f[:, j]):
            votes[sample, np.flatnonzero(column == sign)[0]] += 1
    assert decide(Hamming().fit(OVO).scores(f)).tolist() == votes.argmax(axis=1).tolist()


@given(any_valid, seeds)
@quick
def test_laplacian(book, seed):
    f = signs_for(book, seed)
    expected = loop(f, book, lambda f, x: (sum(f == x) + 1) / (sum(f == x) + sum(f != x) + 2))
    np.testing.assert_allclose(Laplacian().fit(book).scores(f), expected)


def beta_density_by_integration(alpha, beta):
    def density(v):
        return v**alpha * (1 - v) ** beta

    mass, mode = quad(density, 0, 1)[0], alpha / (alpha + beta)

    def missing(a):
        return quad(density, mode - a, mode)[0] - mass / 3

    return 0.0 if mode == 0 or missing(mode) < 0 else mode - brentq(missing, 0, mode)


@given(any_valid, seeds)
@settings(max_examples=15, deadline=None)
def test_beta_density(book, seed):
    f = signs_for(book, seed, n=2)
    expected = loop(f, book, lambda f, x: beta_density_by_integration(sum(f == x), sum(f != x)))
    np.testing.assert_allclose(BetaDensity().fit(book).scores(f), expected, atol=1e-6)


def test_beta_density_grows_with_agreement():
    book = CodeBook(np.vstack([np.ones(60), -np.ones(60)]))
    agreeing = np.where(np.arange(60) < np.arange(61)[:, None], 1, -1)
    scores = BetaDensity().fit(book).scores(agreeing)[:, 0]
    assert (np.diff(scores) >= 0).all()
    assert (np.diff(scores[2:]) > 0).all()


@given(any_valid, seeds)
@quick
def test_euclidean(book, seed):
    f = margins_for(book, seed)
    distances = np.array([[sum((a - b) ** 2 for a, b in zip(row, x)) for x in book] for row in f])
    scores = Euclidean().fit(book).scores(f)
    np.testing.assert_allclose((f**2).sum(axis=1, keepdims=True) - 2 * scores, distances)


@given(any_valid, seeds)
@quick
def test_attenuated_euclidean(book, seed):
    f = margins_for(book, seed)
    expected = loop(f, book, lambda f, x: -sqrt(np.mean((f - x) ** 2)))
    np.testing.assert_allclose(AttenuatedEuclidean().fit(book).scores(f), expected)


@pytest.mark.parametrize("loss", LOSS)
@given(book=any_valid, seed=seeds)
@settings(max_examples=15, deadline=None)
def test_loss_based(loss, book, seed):
    f = margins_for(book, seed)
    expected = loop(f, book, lambda f, x: np.mean([LOSS[loss](t) for t in f * x]))
    np.testing.assert_allclose(costs(LossBased(loss).fit(book), f), expected, atol=1e-12)


def costs(decoding, f):
    scores = decoding.scores(f)
    return np.exp(-scores) if decoding.loss == "exponential" else -scores


@pytest.mark.parametrize("loss", LOSS)
def test_losses_of_one_vs_all_decide_for_the_largest_margin(loss):
    book = 2 * np.eye(7) - 1
    f = margins_for(book, 0, n=200)
    assert decide(LossBased(loss).fit(book).scores(f)).tolist() == f.argmax(axis=1).tolist()


@pytest.mark.parametrize("decoding", [LossBased("exponential"), LossWeighted("exponential")])
@pytest.mark.parametrize("scale", [1e3, 1e8, 1e300])
def test_exponential_loss_of_huge_margins_stays_ordered(decoding, scale):
    book = 2 * np.eye(7) - 1
    f = scale * margins_for(book, 0, n=50)
    scores = decoding.fit(book, book, np.arange(7)).scores(f)
    assert np.isfinite(scores).all()
    assert decide(scores).tolist() == f.argmax(axis=1).tolist()


def test_exponential_loss_is_not_disturbed_by_one_sure_column():
    """Classes 0 and 1 differ by little; column 2 rules the others out, with a loss that swallows any other."""
    book = [[1, 1, 1], [1, -1, 1], [-1, 1, -1], [-1, -1, -1]]
    assert decide(LossBased("exponential").fit(book).scores([[1, -0.1, 45]])).tolist() == [1]


def loss_weighted_loop(book, outputs, y, weight, f, loss):
    """The three equations of LossWeighted, literally: H, its rows normalised to M, and d."""
    k, l = book.shape
    M = np.zeros((k, l))
    for i in range(k):
        for j in range(l):
            of_class = [(w, o[j]) for w, o, c in zip(weight, outputs, y) if c == i]
            right = sum(w for w, value in of_class if value * book[i, j] > 0)
            if book[i, j] != 0 and of_class:
                M[i, j] = right / sum(w for w, _ in of_class)
        if M[i].sum() == 0:
            M[i] = book[i] != 0
        M[i] /= M[i].sum()
    return [[sum(M[i, j] * LOSS[loss](book[i, j] * g[j]) for j in range(l)) for i in range(k)] for g in f]


@pytest.mark.parametrize("loss", ["exponential", "linear"])
@given(book=any_valid, seed=seeds)
@settings(max_examples=15, deadline=None)
def test_loss_weighted(loss, book, seed):
    rng = np.random.default_rng(seed)
    y, f = rng.integers(len(book), size=12), margins_for(book, seed)
    outputs, weight = rng.normal(size=(12, book.shape[1])) + book[y] / 2, rng.uniform(0.5, 2, size=12)
    decoding = LossWeighted(loss).fit(book, outputs, y, weight)
    np.testing.assert_allclose(costs(decoding, f), loss_weighted_loop(book, outputs, y, weight, f, loss), atol=1e-10)


def test_loss_weighted_without_a_right_output():
    """Class 1 has no sample and class 2 none on its side: even weights over the columns that speak of them."""
    outputs = -np.where(OVO[[0, 2, 3]] == 0, 1, OVO[[0, 2, 3]])
    outputs[0] *= -1
    weights = LossWeighted().fit(OVO, outputs, [0, 2, 3]).weights_
    np.testing.assert_allclose(weights, np.abs(OVO) / 3)


def test_sample_weight_is_repetition():
    rng = np.random.default_rng(0)
    y, times = rng.integers(4, size=30), rng.integers(1, 4, size=30)
    outputs = rng.normal(size=(30, 6))
    once = LossWeighted().fit(OVO, outputs, y, times)
    repeated = LossWeighted().fit(OVO, np.repeat(outputs, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(once.weights_, repeated.weights_)


@given(valid_matrices(entries=(-1, 1)), seeds)
@quick
def test_inverse_hamming(book, seed):
    f, delta = signs_for(book, seed), CodeBook(book).distances()
    q = (f[:, None, :] != book).sum(axis=2)
    scores = InverseHamming().fit(book).scores(f)
    if np.linalg.cond(delta) < 1e8:
        np.testing.assert_allclose(delta @ scores.T, q.T, atol=1e-8)
    assert decide(InverseHamming().fit(book).scores(book)).tolist() == list(range(len(book)))


def test_inverse_hamming_of_many_classes_and_few_columns():
    """All 32 codewords of 5 columns and unequal parts of them: the distances have rank 6 at most."""
    every = np.array(list(itertools.product([1, -1], repeat=5)))
    rng = np.random.default_rng(0)
    for part in [every, *(rng.permutation(every)[:n] for n in (10, 20, 28))]:
        scores = InverseHamming().fit(part).scores(part)
        assert scores.argmax(axis=1).tolist() == list(range(len(part)))


def test_inverse_hamming_of_one_vs_one_is_voting():
    f = signs_for(OVO, 1, n=64)
    assert (decide(InverseHamming().fit(OVO).scores(f)) == decide(Hamming().fit(OVO).scores(f))).all()


@pytest.mark.parametrize("name", DECODINGS)
@given(book=any_valid, seed=seeds)
@settings(max_examples=8, deadline=None)
def test_order_and_sides_of_columns_do_not_matter(name, book, seed):
    rng = np.random.default_rng(seed)
    decoding = get_decoding(name)
    n, l = 3 * len(book), book.shape[1]
    y, order, side = rng.permutation(np.arange(n) % len(book)), rng.permutation(l), rng.choice([-1, 1], size=l)
    outputs = {"signs": np.sign, "probabilities": lambda f: 1 / (1 + np.exp(-f))}.get(decoding.needs, lambda f: f)
    f = rng.normal(size=(n, l)) + book[y]
    scores = get_decoding(name).fit(book, outputs(f), y).scores(outputs(f))
    moved = outputs((f * side)[:, order])
    again = decoding.fit((book * side)[:, order], moved, y).scores(moved)
    np.testing.assert_allclose(scores, again, rtol=1e-6, atol=1e-8)


def test_more_columns_than_a_block():
    columns = np.array([[1, 1, -1, 0]] * (2 * LIMITS.block_columns + 7))
    book = np.random.default_rng(0).permuted(columns, axis=1).T
    f = margins_for(book, 0)
    expected = loop(f, book, lambda f, x: np.mean(f * x))
    np.testing.assert_allclose(LossBased().fit(book).scores(f), expected, rtol=1e-9)


@given(book=any_valid, seed=seeds)
@quick
def test_centroid(book, seed):
    """The nearest class mean; a class without samples has its codeword, as large as the others agree with theirs."""
    rng = np.random.default_rng(seed)
    y, f = rng.integers(len(book), size=12), margins_for(book, seed)
    outputs, weight = 3 * book[y] + rng.normal(size=(12, book.shape[1])), rng.uniform(0.5, 2, size=12)
    size = np.average(outputs * book[y], weights=weight[:, None] * (book[y] != 0))
    means = np.array(
        [
            np.average(outputs[y == i], axis=0, weights=weight[y == i]) if np.any(y == i) else size * book[i]
            for i in range(len(book))
        ]
    )
    decoding = Centroid().fit(book, outputs, y, weight)
    np.testing.assert_allclose(decoding.means_, means, atol=1e-10)
    distances = ((f[:, None, :] - means) ** 2).sum(axis=2)
    scores = decoding.scores(f)
    np.testing.assert_allclose(2 * scores, (f**2).sum(axis=1)[:, None] - distances, atol=1e-9)
    weights, intercepts = decoding.linear_form()
    np.testing.assert_allclose(f @ weights.T + intercepts, scores, atol=1e-9)


def test_centroid_of_perfect_outputs_is_the_codeword():
    book = np.array([[1, 1, -1], [1, -1, 1], [-1, 1, 1], [-1, -1, -1]])
    np.testing.assert_array_equal(Centroid().fit(book, book, np.arange(4)).means_, book)


def test_centroid_tells_apart_what_codewords_do_not():
    """Column 0 is surer of class 0 than of class 1, which differ in column 1 only, where the output is undecided."""
    book, means = np.array([[1, 1], [1, -1], [-1, 1]]), np.array([[6.0, 1], [1, -1], [-3, 3]])
    assert decide(Centroid().fit(book, means, np.arange(3)).scores([[1.0, 0.1]])).tolist() == [1]
    assert decide(LossBased("linear").fit(book).scores([[1.0, 0.1]])).tolist() == [0]
