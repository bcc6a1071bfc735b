"""Columns against definitions written as loops over pairs."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ecoc.utils.codewords import are_separated, column_keys, leading_signs, shortest_prefix

CODES = arrays(
    np.int8, st.tuples(st.integers(2, 6), st.integers(1, 5)), elements=st.sampled_from([-1, 0, 1]), fill=st.nothing()
)
BINARY_CODES = CODES.map(lambda code: np.where(code == 0, 1, code).astype(np.int8))


def separates(code):
    """Whether some column puts the rows of each pair on different sides."""
    return all(any(a * b == -1 for a, b in zip(code[i], code[j])) for i, j in combinations(range(len(code)), 2))


@given(CODES)
def test_equal_and_complementary_columns_share_a_key(code):
    keys = column_keys(code)
    for i, j in combinations(range(code.shape[1]), 2):
        same = (code[:, i] == code[:, j]).all() or (code[:, i] == -code[:, j]).all()
        assert (keys[i] == keys[j]) == same
    assert column_keys(-code) == keys


@given(CODES)
def test_leading_signs_make_the_first_entry_positive(code):
    signs = leading_signs(code)
    assert set(signs) <= {-1, 1}
    for column in (code * signs).T:
        nonzero = column[column != 0]
        assert not len(nonzero) or nonzero[0] == 1


@given(CODES | BINARY_CODES)
def test_separation_is_that_of_every_pair(code):
    assert are_separated(code) == separates(code)


@given(CODES | BINARY_CODES)
def test_shortest_prefix_is_the_first_that_separates(code):
    lengths = [m for m in range(1, code.shape[1] + 1) if separates(code[:, :m])]
    assert shortest_prefix(code) == (lengths[0] if lengths else None)


def test_distinct_rows_of_a_ternary_code_need_not_be_separated():
    code = np.array([[1, 1], [-1, 0], [0, -1]], dtype=np.int8)  # one-vs-one without its last column
    assert len(np.unique(code, axis=0)) == 3
    assert not are_separated(code)
    assert shortest_prefix(code) is None
    assert shortest_prefix(np.column_stack([code, [0, 1, -1]]).astype(np.int8)) == 3


@pytest.mark.parametrize("spoiled", [False, True])
def test_every_block_of_pairs_is_compared(spoiled):
    """4,200 classes are two blocks of pairs; the one pair that is not separated is in the second."""
    k = 4200
    bits = (np.arange(k)[:, None] >> np.arange(13)) & 1
    code = np.column_stack([2 * bits - 1, np.ones(k)]).astype(np.int8)
    code[1, -1] = 0  # so that the code is ternary
    if spoiled:
        code[-1] = code[-2]
    assert are_separated(code) == (not spoiled)
