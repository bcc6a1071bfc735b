"""Spectral ECOC against a Laplacian written out by hand, and what is done about equal codewords."""

import numpy as np
import pytest
from scipy.linalg import eigh

from ecoc.codes.coding import Spectral
from ecoc.codes.coding.spectral import _eigenvectors, _similarity


def dichotomy(column):
    return tuple((column * column[0]).tolist())


def test_columns_are_signs_of_generalised_eigenvectors():
    rng = np.random.default_rng(0)
    means = rng.normal(size=(7, 3))
    distances = np.linalg.norm(means[:, None] - means, axis=2)
    sigma = np.mean([distances[i, j] for i in range(7) for j in range(7) if i != j])
    W = np.exp(-(distances**2) / (2 * sigma**2)) - np.eye(7)
    S = np.diag(W.sum(axis=1))
    _, vectors = eigh(S - W, S)  # (S − W)v = λSv: the normalised cut of Shi and Malik, without any square root
    expected = [dichotomy(np.sign(v)) for v in vectors[:, 1:].T]
    coding = Spectral(n_columns=4, metric="euclidean")
    matrix = coding.build(7, means, np.arange(7)).matrix
    kept = list(dict.fromkeys(expected))[:4]
    assert [dichotomy(column) for column in matrix.T[: len(kept)]] == kept
    np.testing.assert_allclose(coding.distances_, distances)


def test_first_column_parts_two_groups_of_classes():
    X = np.array([[0.0], [1], [2], [20], [21], [22]])
    matrix = Spectral(metric="euclidean").build(6, X, np.arange(6)).matrix
    assert matrix[:, 0].tolist() == [-1, -1, -1, 1, 1, 1]


def test_default_length():
    rng = np.random.default_rng(1)
    assert Spectral().build(12, rng.normal(size=(60, 9)), np.arange(60) % 12).n_columns == 11


def test_equal_codewords_are_told_apart_and_it_is_said():
    X = np.array([[100.0 * cluster + within] for cluster in range(4) for within in range(4)])
    coding = Spectral(n_columns=4, metric="euclidean")
    with pytest.warns(UserWarning, match=r"The 4 thresholded eigenvectors .* equal codewords; \d more columns"):
        book = coding.build(16, X, np.arange(16))
    assert book.n_columns == 4 + coding.n_appended_
    assert 1 <= coding.n_appended_ <= 3
    assert not book.duplicate_columns()


def test_nothing_is_said_where_nothing_is_appended(recwarn):
    coding = Spectral(metric="euclidean")
    coding.build(4, [[0.0], [1], [5], [6]], np.arange(4))
    assert coding.n_appended_ == 0
    assert not recwarn.list


@pytest.mark.filterwarnings("ignore:The .* thresholded eigenvectors")
@pytest.mark.parametrize("X", [np.zeros((9, 1)), np.eye(9), 1e6 ** np.arange(9.0)[:, None] % 1e30])
def test_degenerate_distances_still_give_a_code(X):
    assert Spectral(metric="euclidean").build(9, X, np.arange(9)).n_classes == 9


def test_far_away_classes_leave_both_signs_in_every_vector():
    distances = np.abs(np.subtract.outer(10.0 ** np.arange(8), 10.0 ** np.arange(8)))
    vectors = _eigenvectors(_similarity(distances))
    assert vectors.shape == (8, 7)
    assert (vectors.min(axis=0) < 0).all()
    assert (vectors.max(axis=0) > 0).all()


def test_there_are_no_more_eigenvectors():
    with pytest.raises(ValueError, match="only 4 different columns of this kind"):
        Spectral(n_columns=5).build(5, np.eye(5), np.arange(5))
