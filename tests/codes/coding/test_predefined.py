"""Codes that need no data and draw nothing, against their definitions."""

from itertools import combinations, product

import numpy as np
import pytest

from ecoc.codes.codebook.hadamard import hadamard_matrix
from ecoc.codes.coding import Exhaustive, Hadamard, Minimal, OneVsAll, OneVsOne, Ordinal
from ecoc.utils.exceptions import InfeasibleError


def dichotomies(matrix):
    """The columns as a set, the first entry of each made −1."""
    return {tuple((-column[0] * column).tolist()) for column in matrix.T}


@pytest.mark.parametrize("k", [3, 4, 9])
def test_one_vs_all(k):
    matrix = OneVsAll().build(k).matrix
    assert all(matrix[i, j] == (1 if i == j else -1) for i in range(k) for j in range(k))


@pytest.mark.parametrize("k", [3, 4, 9])
def test_one_vs_one(k):
    matrix = OneVsOne().build(k).matrix
    expected = np.zeros((k, k * (k - 1) // 2))
    for column, (i, j) in enumerate(combinations(range(k), 2)):
        expected[i, column], expected[j, column] = -1, 1
    np.testing.assert_array_equal(matrix, expected)


@pytest.mark.parametrize("k", [3, 4, 9])
def test_ordinal(k):
    book = Ordinal().build(k)
    assert all(book.matrix[i, j] == (1 if i > j else -1) for i in range(k) for j in range(k - 1))
    np.testing.assert_array_equal(book.distances(), np.abs(np.subtract.outer(np.arange(k), np.arange(k))))


@pytest.mark.parametrize("k", [3, 4, 5, 8, 9])
def test_minimal_counts_in_binary(k):
    book = Minimal().build(k)
    digits = ["".join("1" if entry > 0 else "0" for entry in row) for row in book.matrix]
    assert [int(word, 2) for word in digits] == list(range(k))
    assert book.n_columns == int(np.ceil(np.log2(k)))


@pytest.mark.parametrize("k", [3, 4, 5, 7])
def test_exhaustive_has_every_dichotomy_once(k):
    book = Exhaustive().build(k)
    every = {(-1, *rest) for rest in product((-1, 1), repeat=k - 1)} - {(-1,) * k}
    assert dichotomies(book.matrix) == every
    assert book.n_columns == len(every)
    assert book.min_distance == 2 ** (k - 2)


def test_exhaustive_draws_where_there_are_too_many():
    book = Exhaustive(max_columns=100).build(12, random_state=0)
    assert book.n_distinct_columns == book.n_columns == 100
    assert book != Exhaustive(max_columns=100).build(12, random_state=1)
    with pytest.raises(InfeasibleError, match="take 4 or more"):
        Exhaustive(max_columns=3).build(12)


@pytest.mark.parametrize("k", [4, 8, 12, 20, 28, 36, 44, 60, 64, 76])
def test_hadamard_codewords_are_equidistant(k):
    book = Hadamard().build(k)
    assert book.shape == (k, k - 1)
    assert set(book.distances()[np.triu_indices(k, 1)].tolist()) == {k // 2}


def test_hadamard_takes_the_next_order_there_is():
    assert Hadamard().build(9).n_columns == 11  # Paley I, 11 + 1
    assert Hadamard().build(49).n_columns == 51  # Paley II in the field of 25 elements
    assert set(Hadamard().build(49).distances()[np.triu_indices(49, 1)].tolist()) == {26}
    assert Hadamard().build(89).n_columns == 95  # 92 needs another construction


def test_hadamard_matrices_are_orthogonal_and_as_documented():
    missing = []
    for n in range(1, 205):
        matrix = hadamard_matrix(n)
        if matrix is None:
            missing.append(n)
            continue
        assert set(np.unique(matrix)) <= {-1, 1}
        np.testing.assert_array_equal(matrix.astype(int) @ matrix.T, n * np.eye(n))
    assert [n for n in missing if n % 4 == 0] == [92, 116, 156, 172, 184, 188]
