"""Turn rows of cells into columns."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecoc.tool.tables.names import check_names
from ecoc.utils.exceptions import DataError

Table = dict[str, NDArray[Any]]

_WIDE = 200  # characters; numpy pads all texts of an array to the longest, so longer ones are kept as objects


def columns_of(names: Sequence[str], rows: Sequence[Sequence[str]], where: str) -> Table:
    """Turn rows of text into columns; each row must have one cell for each name."""
    rows = [row for row in rows if row]
    names = check_names(names, where)
    check_widths(rows, len(names), where)
    if not names or not rows:
        raise DataError(f"{where} has {len(names)} columns and no rows.")
    return {name: text_array(column) for name, column in zip(names, zip(*rows))}


def check_widths(rows: Sequence[Sequence[Any]], n_columns: int, where: str, n_before: int = 0) -> None:
    """Raise an error if a row does not have one cell for each column; `n_before` rows came earlier."""
    wrong = next((i for i, row in enumerate(rows) if len(row) != n_columns), None)
    if wrong is not None:
        raise DataError(
            f"{where} has {n_columns} columns and {len(rows[wrong])} values in row {n_before + wrong + 1}; is the file "
            "cut short, or is its delimiter another one?"
        )


def text_array(cells: Sequence[str]) -> NDArray[Any]:
    """An array of text; of objects if one text is very long."""
    return np.array(cells, dtype=object if max(map(len, cells), default=0) > _WIDE else str)
