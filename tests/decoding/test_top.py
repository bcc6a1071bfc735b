"""The best classes of many are those that all scores tell, whichever way they are found."""

from dataclasses import replace

import numpy as np
import pytest

from ecoc.decoding import Discriminant, Euclidean, Hamming, LossBased, Probabilistic, Structured, decide, top
from ecoc.decoding.limits import LIMITS
from ecoc.decoding.top import best_classes, top_of_all
from ecoc.utils.codewords import pack

# As if 20 classes were many, in small blocks and tiles.
MANY = replace(LIMITS, many_classes=20, block_rows=7, block_classes=11, block_scores=100)


def limited(decoding, limits=MANY):
    decoding.limits = limits
    return decoding


def fitted(decoding, k=60, l=70, seed=0, zeros=0.0):
    rng = np.random.default_rng(seed)
    code = rng.choice([-1, 1], size=(k, l)) * (rng.random((k, l)) >= zeros)
    y = np.repeat(np.arange(k), 3)
    outputs = code[y] + 0.8 * rng.normal(size=(3 * k, l))
    return decoding.fit(code, outputs, y), code[rng.integers(k, size=40)] + 1.5 * rng.normal(size=(40, l))


@pytest.mark.parametrize("n_best", [1, 3, 30, 60])
@pytest.mark.parametrize("decoding", [Discriminant(), Euclidean(), LossBased("linear"), LossBased("hinge")], ids=str)
def test_best_by_margins(decoding, n_best):
    decoding, outputs = fitted(limited(decoding))
    expected = np.argsort(-decoding.scores(outputs), axis=1, kind="stable")[:, :n_best]
    np.testing.assert_array_equal(best_classes(decoding, outputs, n_best), expected)
    classes, values = top_of_all(decoding.scores, outputs, n_best, block_scores=100)
    np.testing.assert_array_equal(classes, expected)
    np.testing.assert_allclose(values, np.take_along_axis(decoding.scores(outputs), expected, axis=1))


@pytest.mark.parametrize("zeros", [0.0, 0.3])
@pytest.mark.parametrize("decoding", [Discriminant(), Structured(), Structured(None)], ids=str)
def test_choosing_skips_the_normalization(decoding, zeros):
    decoding, outputs = fitted(decoding, k=20, l=30, zeros=zeros)
    scores, ranking = decoding.scores(outputs), decoding.ranking(outputs)
    np.testing.assert_allclose(np.exp(scores).sum(axis=1), 1)
    assert np.abs(np.exp(ranking).sum(axis=1) - 1).max() > 1e-3
    np.testing.assert_allclose(ranking - ranking[:, :1], scores - scores[:, :1], atol=1e-9)
    np.testing.assert_array_equal(best_classes(decoding, outputs)[:, 0], decide(scores))


@pytest.mark.parametrize("l", [6, 64, 65, 130])
@pytest.mark.parametrize("n_best", [1, 2, 20])
def test_nearest_codewords_with_ties(l, n_best):
    rng = np.random.default_rng(1)
    code = rng.permutation((np.arange(64)[:, None] >> np.arange(6)) & 1) * 2 - 1
    code = np.column_stack([code, rng.choice([-1, 1], size=(64, l - 6))])
    decoding, outputs = limited(Hamming()).fit(code), rng.choice([-1.0, 1.0], size=(50, l))
    assert decoding.packed() is not None
    expected = np.argsort(-decoding.scores(outputs), axis=1, kind="stable")[:, :n_best]
    np.testing.assert_array_equal(best_classes(decoding, outputs, n_best), expected)


def test_scores_that_single_precision_cannot_tell_apart():
    """All codewords but few columns differ, and large margins hide small ones."""
    code = ((np.arange(64)[:, None] >> np.arange(6)) & 1) * 2 - 1
    decoding = limited(LossBased("linear")).fit(code)
    outputs = np.array([[1e8, 1, 1e-3, 0, 0, 1e-6], [1.0, 1.0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0]])
    scores = decoding.scores(outputs)
    np.testing.assert_array_equal(best_classes(decoding, outputs)[:, 0], decide(scores))


def test_codewords_with_zeros_are_not_packed():
    rng = np.random.default_rng(2)
    code = rng.choice([-1, 0, 1], size=(50, 30))
    decoding, outputs = limited(Hamming()).fit(code), rng.choice([-1.0, 1.0], size=(20, 30))
    assert decoding.packed() is None
    np.testing.assert_array_equal(best_classes(decoding, outputs)[:, 0], decide(decoding.scores(outputs)))


def test_no_samples():
    decoding = Probabilistic().fit([[1, 1], [-1, 1], [1, -1]])
    assert best_classes(decoding, np.zeros((0, 2)), 2).shape == (0, 2)


def test_thousands_of_classes():
    decoding, outputs = fitted(Discriminant(), k=1500, l=24)
    np.testing.assert_array_equal(best_classes(decoding, outputs)[:, 0], decide(decoding.scores(outputs)))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # huge outputs overflow in single precision
@pytest.mark.parametrize("decoding", [LossBased("linear"), Euclidean()], ids=str)
@pytest.mark.parametrize("kind", ["noise", "whole numbers", "heavy tails", "tiny", "huge", "zeros"])
def test_sizes_of_wrong_signs(decoding, kind):
    """Whole numbers and zeros give equal scores; a few large outputs make the bounds loose."""
    rng = np.random.default_rng(3)
    code = rng.permutation((np.arange(64)[:, None] >> np.arange(6)) & 1) * 2 - 1
    code = np.column_stack([code, rng.choice([-1, 1], size=(64, 64))])
    outputs = code[rng.integers(64, size=200)] + rng.normal(size=(200, 70))
    outputs = {
        "noise": outputs,
        "whole numbers": np.round(outputs),
        "heavy tails": outputs**9,
        "tiny": 1e-200 * outputs,
        "huge": 1e150 * outputs,
        "zeros": outputs * (rng.random((200, 70)) < 0.03),
    }[kind]
    limited(decoding).fit(code)
    found = best_classes(decoding, outputs)[:, 0]
    np.testing.assert_array_equal(found, decide(decoding.scores(outputs)))
    limited(decoding, replace(MANY, block_rows=1000))  # too few samples for bounds
    np.testing.assert_array_equal(found, best_classes(decoding, outputs)[:, 0])


def test_bounds_decide_most_samples():
    rng = np.random.default_rng(4)
    code = rng.choice([-1, 1], size=(2000, 100))
    outputs = code[:600] + rng.normal(size=(600, 100))
    words = np.ascontiguousarray(pack(code > 0).T)
    found = top._by_wrong_signs(words, outputs, np.zeros(600), LIMITS)[:, 0]
    assert np.mean(found >= 0) > 0.9
    np.testing.assert_array_equal(np.where(found >= 0, found, np.arange(600)), np.arange(600))
