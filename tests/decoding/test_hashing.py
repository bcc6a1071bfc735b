"""Tables of codewords find the codeword that a look at all of them finds, and give up where they do not pay."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ecoc.decoding import Hamming
from ecoc.decoding._hash_kernels import hash_tables, look_up, nearest, parts
from ecoc.decoding.limits import LIMITS
from ecoc.decoding.top import best_classes
from ecoc.utils.codewords import pack


def by_all_distances(code, samples):
    """The first of the nearest codewords."""
    return (code[None] != samples[:, None]).sum(axis=2).argmin(axis=1)


@given(st.integers(2, 80), st.integers(1, 140), st.sampled_from([0, 0.1, 0.5]), st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_the_nearest_codeword(k, l, noise, seed):
    """Short codes have many equal distances and, here, equal codewords."""
    rng = np.random.default_rng(seed)
    code = rng.random((k, l)) < 0.5
    samples = code[rng.integers(k, size=20)] ^ (rng.random((20, l)) < noise)
    tables, words = hash_tables(np.ascontiguousarray(pack(code).T), l), pack(samples)
    bits = parts(words, tables.starts)
    found = [nearest(*tables, words[i], bits[i], 10**9)[0] for i in range(20)]
    np.testing.assert_array_equal(found, by_all_distances(code, samples))


def test_parts_across_words():
    bits = np.random.default_rng(0).random((5, 130)) < 0.5
    starts = np.arange(14) * 10
    expected = (bits.reshape(5, 13, 10) * 2 ** np.arange(10)).sum(axis=2)
    np.testing.assert_array_equal(parts(pack(bits), starts), expected)


@pytest.mark.parametrize("noise", [0, 0.08, 0.15, 0.5])
@pytest.mark.parametrize("kind", ["random", "groups"])
def test_hashing_and_scanning_agree(kind, noise):
    """Some samples are found in the tables, and the others by a scan."""
    rng = np.random.default_rng(1)
    k, l, n = 10_000, 70, 4096
    code = rng.random((k, l)) < 0.5
    if kind == "groups":
        code = code[rng.integers(20, size=k)] ^ (rng.random((k, l)) < 0.2)
    signs = np.where(code[rng.integers(k, size=n)] ^ (rng.random((n, l)) < noise), 1.0, -1.0)
    decoding = Hamming().fit(np.where(code, 1, -1))
    hashed = best_classes(decoding, signs)
    decoding.limits = replace(LIMITS, hashed_classes=k + 1)
    np.testing.assert_array_equal(hashed, best_classes(decoding, signs))
    np.testing.assert_array_equal(hashed[:64, 0], decoding.scores(signs[:64]).argmax(axis=1))


def test_a_search_that_does_not_pay_is_given_up():
    rng = np.random.default_rng(2)
    code = rng.random((10_000, 128)) < 0.5
    tables = hash_tables(np.ascontiguousarray(pack(code).T), 128)
    classes = np.zeros(100, dtype=np.int64)
    assert not look_up(*tables, pack(code[:100]), classes).any()
    np.testing.assert_array_equal(classes, np.arange(100))
    assert look_up(*tables, pack(rng.random((100, 128)) < 0.5), classes).all()
