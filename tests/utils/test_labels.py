"""Labels are found by value and shown on one line."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ecoc.utils.labels import class_indices, distinct_names, short_text


def test_positions_of_labels():
    classes = np.array(["a", "b", "c"])
    assert class_indices(np.array(["c", "a"]), classes).tolist() == [2, 0]
    assert class_indices(np.array([2.0, 1.0]), np.array([1, 2])).tolist() == [1, 0]
    with pytest.raises(ValueError, match=r"not trained on: 'd', 1; its classes are 'a', 'b', 'c'"):
        class_indices(np.array(["d", "a", 1, "d"], dtype=object), classes)


@pytest.mark.parametrize(
    ("label", "text"),
    [
        ("cat", "cat"),
        (7, "7"),
        ("two\nlines  and\ta tab", "two lines and a tab"),
        ("a" * 24, "a" * 24),
        ("a" * 25, "a" * 23 + "…"),
        ("bell\x07 \x1b[31mred", r"bell\x07 \x1b[31mred"),
        ("é中", "é中"),
    ],
)
def test_short_text(label, text):
    assert short_text(label) == text


@pytest.mark.parametrize(
    ("labels", "names"),
    [
        (["cat", "dog"], ["cat", "dog"]),
        (["leaf of an oak", "leaf of an elm"], ["oak", "elm"]),  # the words that all have in common are dropped
        (["leaf_oak", "leaf_elm"], ["leaf_oak", "leaf_elm"]),  # where there is room, nothing is dropped
        (["from the north", "from the south", "from"], ["from the n…", "from the s…", "from"]),
        (["aaaaaaaaaaaaaaaa1", "aaaaaaaaaaaaaaaa2"], ["aaaaa…aaaa1", "aaaaa…aaaa2"]),  # cut in the middle
        (["aaaaaaaaaa1aaaaaaaaaa", "aaaaaaaaaa2aaaaaaaaaa"], ["0: aaaaaaa…", "1: aaaaaaa…"]),
        ([1, "1", 2], ["0: 1", "1: 1", "2"]),
        (["only a very long label"], ["only a ver…"]),
        ([], []),
    ],
)
def test_distinct_names(labels, names):
    assert distinct_names(labels, 11) == names


@given(st.lists(st.text(alphabet="ab _", min_size=1), unique=True, max_size=30), st.integers(8, 30))
def test_distinct_names_differ_and_fit(labels, most):
    names = distinct_names(labels, most)
    assert len(set(names)) == len(labels)
    assert all(len(name) <= most for name in names)
