"""What is in the cells of a column? Numbers, text or labels, and which are missing."""

import re
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecoc.exceptions import DataError

MISSING = ("", "?", "na", "n/a", "nan", "nat", "null", "none")
_LONGEST = 1000  # characters of a cell that are read
_LARGEST = 1e100  # sums of squares of such numbers are still finite
_DECIMAL_COMMA = re.compile(r"[+-]?\d[\d.]*,\d+|[+-]?\d+")
_NO_CELL = (list, tuple, dict, np.ndarray)


def labels_in(column: NDArray[Any], target: str, where: str) -> NDArray[Any]:
    """Turn a column into labels: whole numbers if it has such a type, else text."""
    if column.dtype.kind in "iu":
        return column
    text = _text(column)
    missing = np.flatnonzero(_is_missing(text))
    if len(missing):
        raise DataError(
            f"column {target!r} of {where} has no label in {len(missing)} rows, first in row {missing[0] + 1}; fill "
            "the labels in, or remove these rows."
        )
    numbers = {label: float(label) for label in np.unique(text).tolist() if _is_number(label)}
    if len(alike := sorted(numbers)) > len(set(numbers.values())):
        first, second = next((a, b) for a, b in combinations(alike, 2) if numbers[a] == numbers[b])
        raise DataError(
            f"column {target!r} of {where} has the labels {first!r} and {second!r}, which are the same number; "
            "write it in one way."
        )
    if column.dtype.kind == "f" and (column == np.round(column)).all() and np.abs(column).max() < 2**53:
        return column.astype(np.int64)
    return text


def parsed(column: NDArray[Any], name: str, where: str, text: bool | None = None) -> NDArray[Any]:
    """Turn a column into numbers or text; `text` says which, None lets the cells decide."""
    if column.dtype.kind in "cmMV" or (column.dtype == object and any(isinstance(v, _NO_CELL) for v in column[:100])):
        kind = {"c": "complex numbers", "m": "durations", "M": "dates"}.get(column.dtype.kind, "lists or records")
        raise DataError(f"column {name!r} of {where} holds {kind}; make numbers of them, or leave it out with --drop.")
    if column.dtype.kind in "buif" and not text:
        numbers = column.astype(np.float64)
    else:
        cells = _text(column)
        missing = _is_missing(cells)
        numbers = np.full(len(cells), np.nan)
        try:
            if text:
                raise ValueError
            numbers[~missing] = cells[~missing].astype(np.float64)
        except ValueError:
            if text is False:
                row = next(i for i, cell in enumerate(cells) if not missing[i] and not _is_number(cell))
                found = str(cells[row])[:40]
                raise DataError(
                    f"column {name!r} of {where} has {found!r} in row {row + 1}, where the model expects a number."
                ) from None
            if text is None and all(_DECIMAL_COMMA.fullmatch(cell) for cell in cells[~missing].tolist()):
                raise DataError(
                    f"column {name!r} of {where} has numbers with commas, such as {cells[~missing][0]!s:.40}; write "
                    "them with a point: 1234.5."
                ) from None
            objects = cells.astype(object)
            objects[missing] = np.nan
            return objects
    if (large := np.abs(numbers) > _LARGEST).any():
        row = int(np.flatnonzero(large)[0])
        what = "infinite" if np.isinf(numbers[row]) else f"{numbers[row]:g}"
        raise DataError(f"column {name!r} of {where} is {what} in row {row + 1}; correct it, or empty the cell.")
    return numbers


def _text(column: NDArray[Any]) -> NDArray[Any]:
    if column.dtype.kind == "S":
        column = np.char.decode(column, "utf-8", "replace")
    return np.array(["" if value is None else str(value).strip()[:_LONGEST] for value in column.tolist()], dtype=str)


def _is_missing(cells: NDArray[Any]) -> NDArray[np.bool_]:
    return np.isin(np.char.lower(cells), MISSING)


def varies(column: NDArray[Any]) -> bool:
    """Whether two cells that are not missing differ."""
    values = column[column == column]  # NaN is not equal to itself
    return len(values) > 0 and bool((values != values[0]).any())


def _is_number(cell: Any) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def together(columns: list[NDArray[Any]]) -> NDArray[Any]:
    """Join columns to a matrix of numbers, or of objects if one column is text."""
    X = np.empty((len(columns[0]), len(columns)), dtype=np.result_type(*{column.dtype for column in columns}))
    for i, column in enumerate(columns):
        X[:, i] = column
    return X
