"""Check the matrix and the labels of a code book, and convert them to arrays."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecoc.utils.exceptions import CodeBookError
from ecoc.utils.messages import SOME, some


def as_array(matrix: ArrayLike) -> NDArray[Any]:
    """Convert a matrix of any supported type to a two-dimensional array of numbers, without checking the entries."""
    if hasattr(matrix, "toarray"):
        matrix = matrix.toarray()
    try:
        array = np.asarray(matrix)
        if array.dtype == object:  # e.g. a DataFrame of mixed or nullable columns
            array = np.array(array.tolist())
    except ValueError as error:
        raise CodeBookError("all rows of a code book must have the same length") from error
    if array.ndim != 2:
        raise CodeBookError(f"a code book has 2 dimensions, classes × columns, got shape {array.shape}")
    if array.dtype.kind not in "biuf":
        raise CodeBookError(f"entries must be the numbers -1, 0 or +1, got an array of {array.dtype}")
    return array


def check_entries(array: NDArray[Any], name: Callable[[int], Hashable]) -> None:
    """Raise an error if an entry is not -1, 0 or +1; `name` returns the class of a row for the message."""
    if len(array) < 2:
        raise CodeBookError(f"a code book needs at least 2 classes (rows), got {len(array)}")
    if array.shape[1] < 1:
        raise CodeBookError("a code book needs at least 1 column, got none")
    outside = np.argwhere(~((array == 0) | (np.abs(array) == 1)))
    if len(outside):
        places = [f"{array[i, j]} at class {name(i)!r}, column {j}" for i, j in outside[:SOME]]
        raise CodeBookError(f"entries must be -1, 0 or +1, found {some(places, len(outside), str)}")
    if not (array == -1).any():
        raise CodeBookError(
            "no entry is -1: write -1 for the negative side of a column, and 0 only for a class that the column "
            "leaves out; convert a matrix of 0 and 1 with 2 * matrix - 1"
        )


def as_labels(labels: Iterable[Hashable], n_classes: int) -> NDArray[Any]:
    """Convert labels to an array that preserves their types; raise an error unless there is one for each class."""
    if isinstance(labels, np.ndarray) and labels.dtype.kind in "biufUS":
        array = labels
    else:
        items = list(labels)
        plain = all(isinstance(item, str | int | float | np.generic) for item in items)
        array = np.array(items if plain else [])
        if array.tolist() != items:  # NumPy turns [1, "a"] into strings, and tuples into rows
            array = np.fromiter(items, dtype=object, count=len(items))
    if array.shape != (n_classes,):
        raise CodeBookError(f"{n_classes} classes need a list of {n_classes} labels, got shape {array.shape}")
    counts = Counter(array.tolist())
    if repeated := [label for label, count in counts.items() if count > 1]:
        raise CodeBookError(f"labels must be distinct, but these are repeated: {some(repeated)}")
    if any(label != label for label in counts):
        raise CodeBookError("labels must not be NaN; use a name instead, e.g. 'missing'")
    return array


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only copy, as a view, because a view of a read-only array cannot be made writeable."""
    array = array.copy()
    array.setflags(write=False)
    return array.view()
