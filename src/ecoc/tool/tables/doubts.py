"""Find columns that look like identifiers or dates, which say nothing about new rows."""

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

FEW = 20  # a table of fewer rows is too small for doubts, and so many different values may be classes
_DATE = re.compile(
    r"(\d{4}([-/.])\d{1,2}\2\d{1,2}|\d{1,2}([-/.])\d{1,2}\3\d{2,4})"  # 2024-12-31, 31.12.2024, 12/31/24
    r"([T ]\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?\s*([AaPp][Mm]|Z|[+-]\d{2}:?\d{2})?)?"  # 23:59:59.9+01:00
)
_ID_NAME = re.compile(r"(^|.*[_\W])(id|uuid|guid|index|key|number|nr|no)\W*$|.*[a-z]I[dD]$", re.IGNORECASE)


class DoubtfulColumnsWarning(UserWarning):
    """Columns of a table may be identifiers or dates, which say nothing about new rows."""


def doubtful_columns(columns: Mapping[str, NDArray[Any]]) -> dict[str, str]:
    """Say which columns look like an ``"identifier"``, a ``"date"``, or ``"text"`` that differs in most rows."""
    kinds = {
        name: _text_kind(column) if column.dtype == object else _number_kind(name, column)
        for name, column in columns.items()
        if len(column) >= FEW
    }
    return {name: kind for name, kind in kinds.items() if kind is not None}


def is_certain(column: NDArray[Any], kind: str) -> bool:
    """Whether a doubtful column cannot say anything about new rows: an identifier, or text that differs in all rows."""
    cells = [cell for cell in column.tolist() if isinstance(cell, str)]
    return kind == "identifier" or (kind == "text" and len(set(cells)) == len(cells))


def _text_kind(column: NDArray[Any]) -> str | None:
    cells = [cell for cell in column.tolist() if isinstance(cell, str)]
    some = cells[:1000]
    if some and sum(map(bool, map(_DATE.fullmatch, some))) >= 0.9 * len(some):  # a few may be written badly
        return "date"
    distinct = len(set(cells))
    if distinct <= max(FEW, len(column) / 2):
        return None
    words = sum(map(len, map(str.split, some))) / len(some)
    return "identifier" if distinct == len(cells) and words == 1 else "text"


def _number_kind(name: str, column: NDArray[Any]) -> str | None:
    """Whole numbers that are all different are identifiers if they are consecutive, or if the name says so."""
    if (column[:1000] % 1 != 0).any() or (column % 1 != 0).any():  # NaN too
        return None
    if _are_dates(column):
        return "date"
    n, spread = len(column), column.max() - column.min()
    if spread < n - 1 or (spread > n - 1 and not _ID_NAME.match(name)):
        return None
    return "identifier" if len(np.unique(column)) == n else None


def _are_dates(column: NDArray[Any]) -> bool:
    """Whether all numbers are days such as 20241231."""
    if column.min() < 1900_01_01 or column.max() > 2100_12_31:
        return False
    month, day = column // 100 % 100, column % 100
    return bool(((month >= 1) & (month <= 12) & (day >= 1) & (day <= 31)).all())
