"""Check the names of columns, and convert their cells to numbers, text or labels."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecoc.utils.exceptions import DataError
from ecoc.utils.messages import nearest, some

Table = dict[str, NDArray[Any]]

USUAL_TARGETS = ("label", "class", "target", "y")
MISSING = frozenset(("", "?", "na", "n/a", "#n/a", "nan", "nat", "null", "none"))
WITH_COMMA = re.compile(r"[+-]?(\d+|\d{1,3}(\.\d{3})+)(,\d+)?([eE][+-]?\d+)?")
_NO_CELL = (list, tuple, dict, np.ndarray)


def listed(names: Iterable[str]) -> str:
    """The first few names, quoted and cut to a readable length, for errors."""
    return some(list(names), show=lambda name: repr(name) if len(name) <= 40 else f"{name[:40]!r}…")


def check_names(names: Sequence[str], where: str) -> list[str]:
    """Strip the names in a header; each column must have a name of its own."""
    stripped = [name.strip() for name in names]
    wanted = f"{where} must have a header with a different name for each column"
    if "" in stripped:
        place = stripped.index("")
        hint = "; pandas leaves an index out with to_csv(index=False)" if place == 0 else ""
        raise DataError(f"{wanted}, but column {place + 1} of {len(names)} has none{hint}.")
    if len(set(stripped)) < len(stripped):
        name = next(name for name, count in Counter(stripped).items() if count > 1)
        first = stripped.index(name)
        second = stripped.index(name, first + 1)
        raise DataError(f"{wanted}, but columns {first + 1} and {second + 1} are both called {listed([name])}.")
    return stripped


def find_target(names: Collection[str], target: str | None, where: str) -> str:
    """Find the column of the classes.

    Parameters
    ----------
    names : collection of str
        Names of all columns.
    target : str or None
        Its name. None: look for label, class, target and y in this order, in capitals or not, and take the first that
        there is.
    where : str
        Where the columns come from, for errors.

    Returns
    -------
    str
        One of `names`.

    Raises
    ------
    DataError
        If there is no such column. The message has the names that there are, and the nearest.
    """
    if target is None:
        found = next((name for usual in USUAL_TARGETS for name in names if name.lower() == usual), None)
    else:
        found = target if target in names else None
    if found is not None:
        return found
    raise DataError(
        f"{where} has no column {target or USUAL_TARGETS[0]!r}; name the column of the classes with target= (--target "
        f"on the command line), one of {listed(names)}.{did_you_mean(target or USUAL_TARGETS[0], names)}"
    )


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """The end of an error about an unknown name: the nearest names, if there are any."""
    close = nearest(name, names, n=3)
    return f" Did you mean {' or '.join(map(repr, close))}?" if close else ""


def check_widths(rows: Sequence[Sequence[Any]], n_columns: int, where: str, n_before: int = 0) -> None:
    """Raise an error if a row does not have one cell for each column; `n_before` rows came earlier."""
    wrong = next((i for i, row in enumerate(rows) if len(row) != n_columns), None)
    if wrong is not None:
        raise DataError(
            f"{where} has {n_columns} columns and {len(rows[wrong])} values in row {n_before + wrong + 1}; is the file "
            "cut short, or is its delimiter another one?"
        )


def text_array(cells: Sequence[str]) -> NDArray[Any]:
    """An array of text; of objects if one text is very long, because numpy pads all texts to the longest."""
    return np.array(cells, dtype=object if max(map(len, cells), default=0) > 200 else str)


def is_missing(cell: str) -> bool:
    """Whether a cell stands for a missing value."""
    return cell.strip().lower() in MISSING


def is_number(cell: str) -> bool:
    """Whether a cell reads like a number with a decimal point."""
    try:
        float(cell)
    except ValueError:
        return False
    return True


def as_numbers(cells: Sequence[str], decimal: str = ".") -> NDArray[np.float64] | None:
    """Turn cells into numbers, NaN where one is missing; None if a cell is neither."""
    if decimal == "," and not any("." in cell for cell in cells):
        cells, decimal = [cell.replace(",", ".") for cell in cells], "."
    try:
        if decimal == ".":
            return np.array(cells, dtype=np.float64)
    except ValueError:  # also for an empty cell
        pass
    try:
        return np.array([as_number(cell, decimal) for cell in cells])
    except ValueError:
        return None


def as_number(cell: str, decimal: str = ".") -> float:
    """Turn a cell into a number, NaN if it is missing; ValueError if it is neither."""
    if is_missing(cell):
        return np.nan
    if decimal == ",":
        cell = cell.strip()
        if WITH_COMMA.fullmatch(cell):
            cell = cell.replace(".", "").replace(",", ".")
        elif "." in cell:
            raise ValueError(cell)
    return float(cell)


def texts_in(column: NDArray[Any]) -> list[str]:
    """Cells of a column as text, without blanks around them; a whole number has no decimal point."""
    if column.dtype.kind == "S":
        column = np.char.decode(column, "utf-8", "replace")
    if column.dtype.kind == "f":
        return [str(int(value)) if value.is_integer() else str(value) for value in column.tolist()]
    return ["" if value is None or value != value else str(value).strip() for value in column.tolist()]


def has_label(column: NDArray[Any]) -> NDArray[np.bool_]:
    """Which rows have a label. NA, None and null are missing labels among numbers, and classes among words."""
    if column.dtype.kind in "iub":
        return np.ones(len(column), dtype=bool)
    cells = texts_in(column)
    marks = {cell for cell in set(cells) if is_missing(cell)}
    if not any(map(is_number, cells)) or not all(map(is_number, set(cells) - marks)):
        marks -= words_for_missing(marks)
    return np.array([cell not in marks for cell in cells], dtype=bool)


def words_for_missing(labels: Iterable[str]) -> set[str]:
    """Return the labels that may be names of classes, but often stand for a missing value."""
    return {label for label in labels if label.strip().lower() in ("na", "none", "null")}


def labels_in(column: NDArray[Any], target: str, where: str) -> NDArray[Any]:
    """Turn a column into labels: whole numbers if it has such a type, else text."""
    if column.dtype.kind in "iu":
        return column
    text = texts_in(column)
    missing = np.flatnonzero(~has_label(column))
    if len(missing):
        raise DataError(
            f"column {target!r} of {where} has no label in {len(missing)} rows, first in row {missing[0] + 1}; fill "
            "the labels in, or remove these rows."
        )
    numbers = {label: float(label) for label in set(text) if is_number(label)}
    if len(alike := sorted(numbers)) > len(set(numbers.values())):
        first, second = next((a, b) for a, b in combinations(alike, 2) if numbers[a] == numbers[b])
        raise DataError(
            f"column {target!r} of {where} has the labels {first!r} and {second!r}, which are the same number; "
            "write it in one way."
        )
    if column.dtype.kind == "f" and (column == np.round(column)).all() and np.abs(column).max() < 2**53:
        return column.astype(np.int64)
    return text_array(text)


def parsed(column: NDArray[Any], name: str, where: str, text: bool | None = None) -> NDArray[Any]:
    """Turn a column into numbers or text; `text` says which, None lets the cells decide."""
    if column.dtype.kind in "cmMV" or (column.dtype == object and any(isinstance(v, _NO_CELL) for v in column[:100])):
        kind = {"c": "complex numbers", "m": "durations", "M": "dates"}.get(column.dtype.kind, "lists or records")
        raise DataError(f"column {name!r} of {where} holds {kind}; make numbers of them, or leave it out with --drop.")
    if column.dtype.kind in "buif" and not text:
        return _finite(column.astype(np.float64, copy=False), name, where)
    cells = texts_in(column)
    numbers = None if text else as_numbers(cells)
    if numbers is not None:
        return _finite(numbers, name, where)
    present = [(row, cell) for row, cell in enumerate(cells) if cell.lower() not in MISSING]
    if text is False:
        row, found = next((row, cell) for row, cell in present if not is_number(cell))
        raise DataError(
            f"column {name!r} of {where} has {found[:40]!r} in row {row + 1}, where the model expects a number."
        )
    if text is None and all(WITH_COMMA.fullmatch(cell) for _, cell in present):
        raise DataError(
            f"column {name!r} of {where} has numbers with commas, such as {present[0][1]:.40}; if these are decimal "
            "commas, say decimal=',' (--decimal ,), else write the numbers as 1234.5."
        )
    objects = np.array(cells, dtype=object)
    objects[[cell.lower() in MISSING for cell in cells]] = np.nan
    return objects


def _finite(numbers: NDArray[np.float64], name: str, where: str) -> NDArray[np.float64]:
    """Refuse infinite numbers, and those whose squares are."""
    if (large := np.abs(numbers) > 1e100).any():  # sums of squares of smaller numbers are finite
        row = int(np.flatnonzero(large)[0])
        what = "infinite" if np.isinf(numbers[row]) else f"{numbers[row]:g}"
        raise DataError(f"column {name!r} of {where} is {what} in row {row + 1}; correct it, or empty the cell.")
    return numbers


def varies(column: NDArray[Any]) -> bool:
    """Whether two cells that are not missing differ."""
    values = column[column == column]  # NaN is not equal to itself
    return len(values) > 0 and bool((values != values[0]).any())


def together(columns: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Join columns to a matrix of numbers, or of objects if one column is text."""
    matrix = columns[0].base
    if isinstance(matrix, np.ndarray) and matrix.shape == (len(columns[0]), len(columns)):  # perhaps its columns
        views = [matrix[:, i] for i in range(len(columns))]
        if all(column.__array_interface__ == view.__array_interface__ for column, view in zip(columns, views)):
            return matrix
    X = np.empty((len(columns[0]), len(columns)), dtype=np.result_type(*{column.dtype for column in columns}))
    for i, column in enumerate(columns):
        X[:, i] = column
    return X
