"""Read matrices between classes: distances, confusions, and the costs of errors."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecoc.tool.tables.cells import Table, parsed
from ecoc.tool.tables.formats import read_table
from ecoc.utils.exceptions import DataError
from ecoc.utils.messages import unknown_name

_ROWS = "(names of rows)"
_LIST = ("true", "predicted", "cost")
_TRUE = "true class"  # name of a first column that has none


def read_matrix(path: Path) -> tuple[list[str], NDArray[np.float64]]:
    """Read a square matrix between classes; return their names, sorted, and the matrix in this order.

    The header has the names of the classes. A row may begin with its own name; if none does, the rows have the order
    of the header.
    """
    table = read_table(path, index=_ROWS)
    n = len(next(iter(table.values())))
    names = list(table)
    rows = names
    if len(names) == n + 1:  # the first column has the names of the rows; read again, as 01 became a number
        first, *names = names
        rows = [str(label).strip() for label in read_table(path, index=_ROWS, as_text=[first])[first].tolist()]
    if len(names) != n or set(rows) != set(names):
        raise DataError(
            f"{path.name} is no matrix between classes: it needs a header with their names and one row for each of "
            f"them, which may begin with its name; it has {len(table)} columns and {n} rows."
        )
    matrix = np.column_stack([parsed(table[name], name, path.name, False) for name in names])
    if np.isnan(matrix).any():
        i, j = np.argwhere(np.isnan(matrix))[0]
        raise DataError(f"{path.name} has no number for {rows[i]!r} and {names[j]!r}.")
    order = sorted(names)
    return order, matrix[np.ix_([rows.index(name) for name in order], [names.index(name) for name in order])]


def read_costs(path: Path, labels: Sequence[Any], **format: Any) -> dict[tuple[Any, Any], float]:
    """Read the cost of each pair (true class, predicted class).

    Either the first column has the true classes and each other column is named after a predicted class; or there are
    the columns ``true``, ``predicted`` and ``cost``, and a row for each error that does not cost 1.
    """
    table = read_table(path, _TRUE, as_text=[_TRUE, *_LIST[:2]], **format)
    known = {str(label): label for label in labels}
    if set(_LIST) <= set(table):
        rows = zip(_labels(table["true"]), _labels(table["predicted"]), _numbers(table, "cost", path.name))
        return {(_known(a, known, path.name), _known(b, known, path.name)): cost for a, b, cost in rows}
    first, *predicted = table
    true = [_known(label, known, path.name) for label in _labels(table[first])]
    costs: dict[tuple[Any, Any], float] = {}
    for name in predicted:
        column = _known(name, known, path.name)
        costs |= {(row, column): cost for row, cost in zip(true, _numbers(table, name, path.name))}
    if len(costs) < len(known) ** 2:
        raise DataError(
            f"{path.name} has costs for {len(costs)} of {len(known) ** 2} pairs of classes; add the missing rows and "
            "columns, or list the errors that matter in columns true, predicted and cost."
        )
    return costs


def _labels(column: Any) -> list[str]:
    """Return labels as text; whole numbers have no decimal point."""
    return [f"{label:g}" if isinstance(label, float) else str(label).strip() for label in column.tolist()]


def _known(label: str, known: dict[str, Any], where: str) -> Any:
    if label not in known:
        raise DataError(f"{where} names a class that does not exist. {unknown_name('class', label, known)}")
    return known[label]


def _numbers(table: Table, name: str, where: str) -> list[float]:
    column = table[name]
    if column.dtype.kind not in "biuf" or np.isnan(column.astype(float)).any():
        raise DataError(f"column {name!r} of {where} must have a number in each cell: what the error costs.")
    values: list[float] = column.astype(float).tolist()
    return values
