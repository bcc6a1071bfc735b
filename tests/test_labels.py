"""Labels are found by value and shown on one line."""

import numpy as np
import pytest

from ecoc.utils.labels import class_indices, short_text


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
