"""Coupled probabilities against a general minimiser of the divergence, and what they reduce to."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import softmax

from ecoc.decoding import Probabilistic, decide
from ecoc.decoding.limits import LIMITS

OVA = 2 * np.eye(4) - 1
OVO = np.array([[1, 1, 1, 0, 0, 0], [-1, 0, 0, 1, 1, 0], [0, -1, 0, -1, 0, 1], [0, 0, -1, 0, -1, -1]])
TREE = np.array([[1, 1, 0], [1, -1, 0], [-1, 0, 1], [-1, 0, -1]])
DENSE = np.array([[1, 1, 1, 1, -1], [1, -1, -1, 1, 1], [-1, 1, -1, 1, 1], [-1, -1, 1, -1, 1]])
EXACT = {"max_iter": 20_000, "tol": 1e-13}


def divergence(p, r, book, smoothing):
    on_plus, on_minus = p @ (book == 1), p @ (book == -1)
    share = on_plus / (on_plus + on_minus)
    return -(r * np.log(share) + (1 - r) * np.log(1 - share)).sum() - smoothing * np.log(p).sum()


@pytest.mark.parametrize("smoothing", [0, 0.01, 0.5])
@pytest.mark.parametrize("book", [OVA, OVO, TREE, DENSE], ids=["ova", "ovo", "tree", "dense"])
def test_equals_a_general_minimiser(book, smoothing):
    r = np.random.default_rng(0).uniform(0.1, 0.9, size=(4, book.shape[1]))
    ours = Probabilistic(smoothing=smoothing, **EXACT).fit(book).probabilities(r)
    for p, rates in zip(ours, r):
        best = minimize(lambda t, rates=rates: divergence(softmax(t), rates, book, smoothing), np.zeros(len(book)))
        assert divergence(p, rates, book, smoothing) <= best.fun + 1e-9
        np.testing.assert_allclose(p, softmax(best.x), atol=2e-4)


@pytest.mark.parametrize("book", [OVA, OVO, TREE, DENSE], ids=["ova", "ovo", "tree", "dense"])
def test_consistent_probabilities_are_recovered(book):
    p = np.random.default_rng(1).dirichlet(np.ones(4), size=10)
    on_plus, on_minus = p @ (book == 1), p @ (book == -1)
    found = Probabilistic(smoothing=0, **EXACT).fit(book).probabilities(on_plus / (on_plus + on_minus))
    np.testing.assert_allclose(found, p, atol=1e-6)


def test_one_vs_one_is_pairwise_coupling():
    """Hastie and Tibshirani: the sums over the opponents of r and of its model agree for every class."""
    r = np.random.default_rng(2).uniform(0.05, 0.95, size=6)
    p = Probabilistic(smoothing=0, **EXACT).fit(OVO).probabilities(r[None])[0]
    for i in range(4):
        wins = model = 0
        for j, column in enumerate(OVO.T):
            if column[i] != 0:
                opponent = np.flatnonzero(column == -column[i])[0]
                wins += r[j] if column[i] == 1 else 1 - r[j]
                model += p[i] / (p[i] + p[opponent])
        assert wins == pytest.approx(model, abs=1e-6)


def test_two_classes_are_left_as_they_are():
    found = Probabilistic(smoothing=0).fit([[1], [-1]]).probabilities([[0.2], [0.5], [0.9]])
    np.testing.assert_allclose(found[:, 0], [0.2, 0.5, 0.9], atol=1e-6)


def test_certainties_that_contradict_each_other_stay_finite():
    r = np.array([[0.0, 0, 0, 0], [1, 1, 1, 1], [1, 1, 0, 0]])
    for smoothing in (0, 0.01):
        decoding = Probabilistic(smoothing=smoothing).fit(OVA)
        assert np.isfinite(decoding.scores(r)).all()
        np.testing.assert_allclose(decoding.probabilities(r)[:2], 0.25)
        np.testing.assert_allclose(decoding.probabilities(r)[2, :2], 0.5, atol=0.01)


def test_every_iteration_lessens_the_divergence():
    r = np.random.default_rng(3).uniform(0.01, 0.99, size=(1, 6))
    values = [
        divergence(Probabilistic(max_iter=n, tol=0).fit(OVO).probabilities(r)[0], r[0], OVO, 0.01) for n in range(1, 25)
    ]
    assert (np.diff(values) <= 1e-12).all()


def test_smoothing_keeps_classes_possible():
    r = [[0.99, 0.99, 0.01]]  # the tree's third column says nothing about what the first has decided
    plain, smooth = (Probabilistic(smoothing=s, **EXACT).fit(TREE).probabilities(r) for s in (0, 0.1))
    assert plain.argmax() == smooth.argmax() == 0
    assert smooth.min() > 5 * plain.min()


def test_blocks_of_samples():
    class InBlocks(Probabilistic):
        limits = replace(LIMITS, block_entries=30)

    r = np.random.default_rng(4).uniform(size=(23, 6))
    whole = Probabilistic().fit(OVO).scores(r)
    np.testing.assert_allclose(InBlocks().fit(OVO).scores(r), whole)


def test_soft_errors_are_outvoted():
    rng = np.random.default_rng(5)
    book = rng.choice([-1, 1], size=(10, 40))
    y = np.repeat(np.arange(10), 20)
    r = 1 / (1 + np.exp(-2 * (book[y] + rng.normal(size=(200, 40)))))
    assert (decide(Probabilistic().fit(book).scores(r)) == y).mean() > 0.99
