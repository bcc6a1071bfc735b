"""Check square matrices that have a row and a column for each class."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

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
    asymmetry, i, j = _largest_asymmetry(values)
    if asymmetry > rounding * max(values.max(), -values.min()):
        raise ValueError(
            f"{name} must be symmetric; {name}[{i}, {j}] = {values[i, j]:.6g} and {name}[{j}, {i}] = "
            f"{values[j, i]:.6g} differ by {asymmetry:.3g}. ({name} + {name}.T) / 2 is symmetric."
        )
    if asymmetry > 0:
        for rows, right in _blocks(len(values)):
            mean = values[rows, right] / 2 + values[right, rows].T / 2
            values[rows, right], values[right, rows] = mean, mean.T
    return values


def _largest_asymmetry(values: Matrix) -> tuple[float, int, int]:
    """Return the largest difference between M[i, j] and M[j, i], and the first such i and j."""
    largest = (0.0, 0, 0)
    for rows, right in _blocks(len(values)):
        difference = np.abs(values[rows, right] - values[right, rows].T)
        if difference.max() > largest[0]:
            i, j = np.unravel_index(difference.argmax(), difference.shape)
            largest = (float(difference[i, j]), rows.start + int(i), right.start + int(j))
    return largest


def _blocks(k: int) -> Iterator[tuple[slice, slice]]:
    """Yield blocks of rows, and the columns from the diagonal on. A whole matrix is slow to transpose."""
    block = 64  # rows that are compared with columns at a time
    for start in range(0, k, block):
        yield slice(start, start + block), slice(start, k)


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
