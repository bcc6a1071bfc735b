"""Code books for the tests of several packages."""

import itertools

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

QUICK = settings(max_examples=60, deadline=None)

SMALL = [[1, 1, 0], [-1, 0, 1], [0, -1, -1]]
SQUARE = [[1, 1], [1, -1], [-1, 1], [-1, -1]]


@st.composite
def valid_matrices(draw, entries=(-1, 0, 1)):
    """Random columns with both signs, and one more for each pair of classes that they do not separate."""
    k = draw(st.integers(2, 7))
    column = st.lists(st.sampled_from(entries), min_size=k, max_size=k)
    columns = [c for c in draw(st.lists(column, max_size=6)) if {-1, 1} <= set(c)]
    for i, j in itertools.combinations(range(k), 2):
        if not any(c[i] * c[j] == -1 for c in columns):
            extra = draw(column)
            extra[i], extra[j] = 1, -1
            columns.append(extra)
    return np.array(columns).T


any_valid = st.one_of(valid_matrices(), valid_matrices(entries=(-1, 1)))


def random_code(k, l, zeros=0.0, seed=0):
    rng = np.random.default_rng(seed)
    return np.where(rng.random((k, l)) < zeros, 0, rng.choice([-1, 1], size=(k, l))).astype(np.int8)
