"""What can be given as a code book? Matrices and labels of many kinds, made plain arrays or refused."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecoc.exceptions import CodeBookError
from ecoc.utils.suggest import SOME, some


def as_array(matrix: ArrayLike) -> NDArray[Any]:
    """A two-dimensional array of numbers from whatever can be one; its entries are not looked at yet."""
    if hasattr(matrix, "toarray"):
        matrix = matrix.toarray()
    try:
        array = np.asarray(matrix)
        if array.dtype == object:  # e.g. a DataFrame of mixed or nullable columns
            array = np.array(array.tolist())
    except ValueError as error:
        raise CodeBookError("rows of a code book must have equally many entries") from error
    if array.ndim != 2:
        raise CodeBookError(f"a code book has 2 dimensions, classes × columns, got shape {array.shape}")
    if array.dtype.kind not in "biuf":
        raise CodeBookError(f"entries must be the numbers -1, 0 or +1, got an array of {array.dtype}")
    return array


def check_entries(array: NDArray[Any], name: Callable[[int], Hashable]) -> None:
    """Refuse what is not -1, 0 or +1; `name` gives a row's class for the message."""
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
            "no entry is -1: write -1 for the negative side of a dichotomy, and 0 only for a class it "
            "leaves out; a matrix of 0 and 1 becomes 2 * matrix - 1"
        )


def as_labels(labels: Iterable[Hashable], n_classes: int) -> NDArray[Any]:
    """An array of as many distinct labels as there are classes, each of the type it was given with."""
    if isinstance(labels, np.ndarray) and labels.dtype.kind in "biufUS":
        array = labels
    else:
        items = list(labels)
        plain = all(isinstance(item, str | int | float | np.generic) for item in items)
        array = np.array(items if plain else [])
        if array.tolist() != items:  # numpy would make [1, "a"] two strings, and rows of tuples
            array = np.fromiter(items, dtype=object, count=len(items))
    if array.shape != (n_classes,):
        raise CodeBookError(f"{n_classes} classes need as many labels in one list, got shape {array.shape}")
    counts = Counter(array.tolist())
    if repeated := [label for label, count in counts.items() if count > 1]:
        raise CodeBookError(f"labels must be distinct, repeated: {some(repeated)}")
    if any(label != label for label in counts):
        raise CodeBookError("labels must not be NaN, which differs from itself; use a name, e.g. 'missing'")
    return array


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """A copy that nobody can write to: a view of a read-only array cannot be made writeable again."""
    array = array.copy()
    array.setflags(write=False)
    return array.view()
