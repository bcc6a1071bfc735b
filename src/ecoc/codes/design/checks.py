"""Check matrices between classes, and minimum distances of pairs of codewords."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecoc.codes.design.bounds import Demands
from ecoc.utils.messages import nearest

Matrix = NDArray[np.float64]


def check_numeric(matrix: ArrayLike, name: str) -> Matrix:
    """Return a two-dimensional, finite float copy of `matrix`, or raise an error that names the first bad entry."""
    raw = np.asarray(matrix)
    try:
        values = raw.astype(np.float64) if raw.dtype.kind in "biufO" else None
    except (TypeError, ValueError):
        values = None
    if values is None:
        raise TypeError(f"{name} must hold real numbers; got dtype {raw.dtype}.")
    if values.ndim != 2:
        raise ValueError(f"{name} must be a matrix; got {values.ndim} dimension(s), shape {values.shape}.")
    if not np.isfinite(values).all():
        i, j = np.argwhere(~np.isfinite(values))[0]
        raise ValueError(f"{name} must be finite; {name}[{i}, {j}] is {values[i, j]}.")
    return values


def check_between_classes(matrix: ArrayLike, name: str) -> Matrix:
    """Return a symmetric float copy of `matrix`, which must have a row and a column for each of at least two classes.

    If the matrix is symmetric up to rounding, M[i, j] and M[j, i] are averaged.
    """
    rounding = 1e-8  # a larger relative difference between M[i, j] and M[j, i] is an error, not rounding
    values = check_numeric(matrix, name)
    if hasattr(matrix, "columns") and labels_of(matrix) != list(matrix.columns):
        raise ValueError(f"{name} must have the same classes in its index and its columns, in the same order.")
    if values.shape[0] != values.shape[1]:
        raise ValueError(f"{name} must be square, with a row and a column for each class; got shape {values.shape}.")
    if len(values) < 2:
        raise ValueError(f"{name} must have at least two classes; got shape {values.shape}.")
    difference = np.abs(values - values.T)
    i, j = np.unravel_index(difference.argmax(), difference.shape)
    if difference[i, j] > rounding * max(values.max(), -values.min()):
        raise ValueError(
            f"{name} must be symmetric; {name}[{i}, {j}] = {values[i, j]:.6g} and {name}[{j}, {i}] = "
            f"{values[j, i]:.6g} differ by {difference[i, j]:.3g}. ({name} + {name}.T) / 2 is symmetric."
        )
    return values / 2 + values.T / 2 if difference[i, j] > 0 else values


def is_factor(D: ArrayLike, factor: bool | None) -> bool:
    """Tell whether D is a factor of the design: as the caller says, or else if D is not square."""
    shape = np.shape(D)
    return (len(shape) == 2 and shape[0] != shape[1]) if factor is None else factor


def check_factor(D: ArrayLike) -> Matrix:
    """Return a factor F of the design FFᵀ with its rows scaled to length one."""
    F = check_numeric(D, "D")
    if len(F) < 2 or F.shape[1] < 1:
        raise ValueError(f"A factor of D must have a row for each of at least two classes; got shape {F.shape}.")
    lengths = np.linalg.norm(F, axis=1, keepdims=True)
    if not lengths.all():
        raise ValueError(f"A factor of D must have no zero row; row {int(lengths.argmin())} is zero.")
    return np.ascontiguousarray(F / lengths)


def labels_of(matrix: Any) -> list[Any]:
    """Return the names of the classes: the index of a DataFrame, or 0, 1, 2, …"""
    return list(matrix.index) if hasattr(matrix, "columns") else list(range(len(matrix)))


def plain_labels(labels: Iterable[Hashable]) -> list[Any]:
    """Return the labels as a list, with NumPy scalars as Python objects, which look better in messages."""
    return [label.item() if isinstance(label, np.generic) else label for label in labels]


def pair_entries(mapping: Mapping[Any, Any], labels: Sequence[Hashable], name: str) -> Iterator[tuple[int, int, Any]]:
    """Yield ``(i, j, value)`` with i < j for every pair of classes that `mapping` names.

    A key is a pair of labels, or one label for all pairs of that class. The value for a pair overrides the value for a
    single label. It is an error if two pairs, or two single labels, give different values for the same pair.
    """
    position = {label: i for i, label in enumerate(labels)}
    of_classes: dict[tuple[int, int], list[Any]] = {}
    of_pairs: dict[tuple[int, int], list[Any]] = {}
    for key, value in mapping.items():
        if key not in position and isinstance(key, tuple) and len(key) == 2:
            i, j = (_find(label, position, name) for label in key)
            if i == j:
                raise ValueError(
                    f"{name} has the key {key!r}, which pairs a class with itself; a pair needs two different classes."
                )
            of_pairs.setdefault((min(i, j), max(i, j)), []).append(value)
        else:
            i = _find(key, position, name)
            for j in set(range(len(labels))) - {i}:
                of_classes.setdefault((min(i, j), max(i, j)), []).append(value)
    for (i, j), values in (of_classes | of_pairs).items():
        for value in values:
            if value != values[0]:
                key = labels[i], labels[j]
                raise ValueError(
                    f"{name} contradicts itself: it has both {values[0]!r} and {value!r} for {key[0]!r} and "
                    f"{key[1]!r}. Give one value, with the key {key!r}."
                )
        yield i, j, values[0]


def _find(label: Any, position: Mapping[Any, int], name: str) -> int:
    if label in position:
        return position[label]
    close = nearest(label, position, n=3) or list(position)[:10]
    more = ", …" if len(close) < len(position) else ""
    raise ValueError(
        f"{name} names {label!r}, which is not a class; the closest are {', '.join(map(repr, close))}{more}"
    )


def check_min_distance(
    min_distance: int | ArrayLike | Mapping[Any, int], classes: int | Sequence[Hashable]
) -> int | Demands:
    """Check the smallest Hamming distances that a code book must have.

    Parameters
    ----------
    min_distance : int, array-like of shape (n_classes, n_classes) or mapping
        One distance for all pairs; a symmetric matrix of distances, whose diagonal is ignored; or a mapping. The
        keys of a mapping are pairs of labels, or single labels, which stand for all pairs of that class. Pairs that
        the mapping does not name get its value for ``"default"``, or 1. Every distance must be at least 1, because
        classes with equal codewords cannot be told apart.
    classes : int or sequence of labels
        The labels in the order of the rows, or the number of classes if the labels are 0, 1, 2, …

    Returns
    -------
    int or integer ndarray of shape (n_classes, n_classes)
        An integer if all pairs have the same smallest distance, else a symmetric matrix with zero diagonal.

    Raises
    ------
    TypeError, ValueError
        If a distance is not a positive integer, or a label is not one of the classes.

    Examples
    --------
    >>> from ecoc.codes.design import check_min_distance
    >>> check_min_distance(3, 4)
    3
    >>> check_min_distance({("cat", "dog"): 5, "default": 2}, ["cat", "cow", "dog"])
    array([[0, 2, 5],
           [2, 0, 2],
           [5, 2, 0]])
    """
    labels = list(range(classes)) if isinstance(classes, int) else plain_labels(classes)
    k = len(labels)
    if isinstance(min_distance, Mapping):
        named = dict(min_distance)
        default = 1 if "default" in labels else named.pop("default", 1)  # unless a class is called "default"
        demands = np.full((k, k), _distance(default, "min_distance['default']"), dtype=np.int64)
        for i, j, value in pair_entries(named, labels, "min_distance"):
            name = f"min_distance of {labels[i]!r} and {labels[j]!r}"
            demands[i, j] = demands[j, i] = _distance(value, name)
    elif np.ndim(min_distance) == 0:
        return _distance(min_distance, "min_distance")
    else:
        demands = _from_matrix(min_distance, k)
    np.fill_diagonal(demands, 0)
    first = int(demands[0, 1])
    return first if np.count_nonzero(demands == first) == k * (k - 1) else demands


def _distance(value: Any, name: str) -> int:
    number = value.item() if isinstance(value, np.ndarray | np.generic) else value
    if isinstance(number, bool) or not isinstance(number, int | float) or number % 1 != 0:
        raise TypeError(f"{name} must be a whole number of columns, at least 1; got {number!r}.")
    if number < 1:
        raise ValueError(f"{name} must be at least 1, because equal codewords cannot be told apart; got {number}.")
    return int(number)


def _from_matrix(matrix: ArrayLike, k: int) -> Demands:
    values = check_between_classes(matrix, "min_distance")
    if len(values) != k:
        raise ValueError(f"min_distance must have a row for each of {k} classes; got shape {values.shape}.")
    np.fill_diagonal(values, 1)
    bad = (values < 1) | (values != np.floor(values))
    if bad.any():
        i, j = np.argwhere(bad)[0]
        raise ValueError(f"min_distance must hold whole numbers of at least 1; entry [{i}, {j}] is {values[i, j]:g}.")
    return values.astype(np.int64, order="C")
