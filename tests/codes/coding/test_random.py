"""Random codes: valid at any length, the best of many, and a distance that is held."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ecoc.codes.codebook.book import pair_distances
from ecoc.codes.coding import DenseRandom, FixedDistanceRandom, SparseRandom
from ecoc.codes.coding.random import _best, _lowered, _max_correlation, _min_distance, _sure_length, distinct_columns
from ecoc.utils.exceptions import InfeasibleError


@settings(deadline=None, max_examples=60)
@given(k=st.integers(3, 40), share=st.floats(0, 1), sparse=st.booleans(), seed=st.integers(0, 99))
def test_any_length_gives_a_valid_code(k, share, sparse, seed):
    least, most = (k - 1).bit_length(), min(2 ** (k - 1) - 1, 80)
    length = least + round(share * (most - least))
    book = (SparseRandom if sparse else DenseRandom)(length, n_draws=2).build(k, random_state=seed)
    assert book.shape == (k, length)
    assert not book.duplicate_columns()


@pytest.mark.parametrize(("coding", "per_log2"), [(DenseRandom, 10), (SparseRandom, 15)])
@pytest.mark.parametrize("k", [8, 10, 40])
def test_default_lengths(coding, per_log2, k):
    assert coding(n_draws=1).build(k).n_columns == np.ceil(per_log2 * np.log2(k))


def test_few_classes_have_few_columns():
    assert DenseRandom().build(3).n_columns == 3
    assert DenseRandom().build(4).n_columns == 7
    assert SparseRandom().build(3).n_columns == 6
    assert SparseRandom().build(4).n_columns == 25


def test_more_draws_never_give_a_smaller_distance():
    found = [DenseRandom(n_draws=n).build(12, random_state=0).min_distance for n in (1, 10, 300)]
    assert found == sorted(found)
    assert found[-1] > found[0]


def test_distance_then_correlation_decides():
    codes = [DenseRandom(12, n_draws=n).build(6, random_state=1).matrix for n in (1, 20, 400)]
    scores = [(_min_distance(code), -_max_correlation(code)) for code in codes]
    assert scores == sorted(scores)


def test_half_of_a_sparse_code_is_zero():
    matrix = SparseRandom(n_draws=20).build(100, random_state=0).matrix
    assert abs(np.mean(matrix == 0) - 0.5) < 0.03
    assert abs(matrix.mean()) < 0.03


def test_min_distance_is_that_of_the_code_book():
    for coding in (DenseRandom(n_draws=1), SparseRandom(n_draws=1)):
        book = coding.build(20, random_state=0)
        assert _min_distance(book.matrix) == book.min_distance


def test_all_columns_can_be_drawn():
    code = distinct_columns(10, 511, np.random.default_rng(0))
    assert len({tuple(column * column[0]) for column in code.T}) == 511


@pytest.mark.parametrize("k", [4, 5, 10, 33])
@pytest.mark.parametrize("distance", [1, 2, 3])
def test_the_distance_is_held(k, distance):
    book = FixedDistanceRandom(distance).build(k, random_state=0)
    if k > 4:
        assert book.min_distance == distance
    assert book.min_distance >= distance
    assert not book.duplicate_columns()


@pytest.mark.parametrize(("distance", "n_columns"), [(5, 30), (10, 30), (4, 11), (5, 11), (1, 60)])
def test_the_distance_is_held_at_a_chosen_length(distance, n_columns):
    book = FixedDistanceRandom(distance, n_columns).build(12, random_state=0)
    assert (book.n_columns, book.min_distance) == (n_columns, distance)
    assert book != FixedDistanceRandom(distance, n_columns).build(12, random_state=1)


def test_a_distance_that_cannot_be_held_is_an_error():
    with pytest.raises(InfeasibleError, match="at any length"):
        FixedDistanceRandom(3).build(3)
    with pytest.raises(InfeasibleError, match="There is no code book of 10 codewords of length 5") as caught:
        FixedDistanceRandom(4, n_columns=5).build(10)
    assert caught.value.nearest_length > 5


def test_a_share_of_the_classes_is_lengthened_if_the_distance_needs_it():
    assert FixedDistanceRandom(5, n_columns=0.1).build(12, random_state=0).min_distance >= 5


def test_sure_length_is_gilbert_varshamov():
    assert _sure_length(10, 1) == 4  # 9 words taken, one of 16 is left
    assert _sure_length(10, 3) == 9  # 9·(1 + 9 + 36) = 414 < 512, but 9·(1 + 8 + 28) = 333 > 256


def test_lowering_stops_where_columns_would_repeat():
    code = np.array([[1, -1, -1], [-1, 1, -1], [-1, -1, 1]], dtype=np.int8)  # all dichotomies of 3 classes
    assert _lowered(code.copy(), 1).tolist() == code.tolist()


def test_with_very_many_classes_fewer_codes_are_drawn():
    def n_drawn(most_work):
        rng, codes = np.random.default_rng(0), []
        _best(lambda: codes.append(distinct_columns(30, 20, rng)) or codes[-1], 50, 30**2 * 20, most_work)
        return len(codes)

    assert n_drawn(30**2 * 20 * 7) == 7
    assert n_drawn(1) == 1
    assert n_drawn(2e10) == 50


def test_distances_are_compared_in_blocks():
    for coding in (DenseRandom, SparseRandom):
        code = coding(20, n_draws=1).build(30, random_state=0).matrix
        assert min(apart.min() for _, apart in pair_distances(code, 100)) == _min_distance(code)
