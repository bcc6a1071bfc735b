"""Which columns are numbers, which are text, which is the class, and what is missing?"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecoc.datasets.files import DataError, Table, _some, read_table

MISSING = ("", "?", "na", "n/a", "nan", "nat", "null", "none")
_USUAL_TARGETS = ("label", "class", "target", "y")
_LONGEST = 1000  # characters of a cell that count
_FEW_CLASSES = 20  # below, no doubt is cast on a target


@dataclass(frozen=True, eq=False)
class Samples:
    """The rows of a table.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
        Numbers; objects, if a column is text. What is missing is NaN in both.
    y : ndarray of shape (n_samples,)
        Labels: whole numbers where the file has such a type, else text.
    names : list of str
        Names of the features.
    is_text : ndarray of shape (n_features,)
        Which features are text.
    target : str
        Name of the column of labels.
    """

    X: NDArray[Any]
    y: NDArray[Any]
    names: list[str]
    is_text: NDArray[np.bool_]
    target: str

    def rows(self, rows: NDArray[np.intp]) -> "Samples":
        """Some of them."""
        return replace(self, X=self.X[rows], y=self.y[rows])


def read_samples(path: Path, target: str | None = None, drop: Collection[str] = ()) -> Samples:
    """Read a table to learn from.

    Parameters
    ----------
    path : Path
        The file.
    target : str, default=None
        Column of the labels; None: the first of label, class, target, y that there is.
    drop : collection of str, default=()
        Columns to leave out.

    Returns
    -------
    Samples
    """
    table = open_table(path)
    target = _target(table, target, path.name)
    if unknown := [name for name in drop if name not in table]:
        raise DataError(f"{path.name} has no column {unknown[0]!r} to drop; its columns are {_some(table)}.")
    y = _labels(table.pop(target), target, path.name)
    columns = {name: _parsed(column, name, path.name) for name, column in table.items() if name not in drop}
    if not columns:
        raise DataError(f"{path.name} has no column besides {target!r} to learn from; a table needs features too.")
    classes = np.unique(y)
    if len(classes) < 2:
        raise DataError(
            f"all rows of {target!r} in {path.name} are {classes[0]!s:.40}; two classes at least are needed."
        )
    if len(classes) > max(_FEW_CLASSES, len(y) / 2):
        raise DataError(
            f"column {target!r} of {path.name} has {len(classes)} different values in {len(y)} rows; is it a number or "
            "an identifier? The target must be a class."
        )
    is_text = np.array([column.dtype == object for column in columns.values()])
    return Samples(_together(list(columns.values())), y, list(columns), is_text, target)


def open_table(path: Path) -> Table:
    """Read a table, each column of one dimension."""
    return _flat(read_table(path), path.name)


def features_like(
    table: Table, where: str, names: Sequence[str] | None, is_text: Collection[int], n_features: int
) -> NDArray[Any]:
    """Features for a model: the columns it knows by name, in its order.

    Parameters
    ----------
    table : dict of str to ndarray
        The columns.
    where : str
        Where they come from, for errors.
    names : sequence of str or None
        Columns that the model was trained on; None: all that are numbers, as many as it has features.
    is_text : collection of int
        Places of those that are text.
    n_features : int
        Number of features of the model.

    Returns
    -------
    ndarray of shape (n_samples, n_features)
    """
    if names is None:
        names = [name for name in table if name.lower() not in _USUAL_TARGETS]
        if len(names) != n_features:
            raise DataError(f"{where} has {len(names)} features, and the model was trained on {n_features}.")
    if missing := [name for name in names if name not in table]:
        raise DataError(
            f"{where} lacks {len(missing)} of the {len(names)} columns that the model was trained on: "
            f"{_some(missing)}; it has {_some(table)}."
        )
    return _together([_parsed(table[name], name, where, i in is_text) for i, name in enumerate(names)])


def labels_like(table: Table, where: str, target: str | None, classes: NDArray[Any]) -> NDArray[Any]:
    """Labels of a table as a model has them, which may know 1 by the text "1" or the other way round."""
    target = _target(table, target, where)
    y = _labels(table[target], target, where)
    known = {str(label): label for label in classes.tolist()}
    if unknown := [label for label in np.unique(y).tolist() if str(label) not in known]:
        raise DataError(
            f"column {target!r} of {where} has classes that the model was not trained on: "
            f"{_some(map(str, unknown))}; it knows {_some(known)}."
        )
    return np.array([known[str(label)] for label in y.tolist()])


def read_matrix(path: Path) -> tuple[list[str], NDArray[np.float64]]:
    """Read a square matrix between classes: a header of names, and in front of each row its name or nothing."""
    table = read_table(path)
    n = len(next(iter(table.values())))
    names = list(table)
    rows = names
    if len(names) == n + 1:
        rows, names = [str(label).strip() for label in table[names[0]].tolist()], names[1:]
    if len(names) != n or set(rows) != set(names):
        raise DataError(
            f"{path.name} is no matrix between classes: it needs a header with their names and a row for each of "
            f"them, which may begin with its name; it has {len(table)} columns and {n} rows."
        )
    columns = [_parsed(table[name], name, path.name, False) for name in names]
    matrix = np.column_stack(columns)
    if np.isnan(matrix).any():
        i, j = np.argwhere(np.isnan(matrix))[0]
        raise DataError(f"{path.name} has no number for {rows[i]!r} and {names[j]!r}.")
    order = sorted(names)
    return order, matrix[np.ix_([rows.index(name) for name in order], [names.index(name) for name in order])]


def _flat(table: Table, where: str) -> Table:
    """A table whose columns all have one dimension: of an array file, X is split into x0, x1, and so on."""
    if "X" in table and table["X"].ndim > 1:
        X = table["X"].reshape(len(table["X"]), -1)
        others = {name: column for name, column in table.items() if name != "X" and column.shape == (len(X),)}
        table = {**{f"x{i}": column for i, column in enumerate(X.T)}, **others}
    if any(column.ndim != 1 for column in table.values()) or len({len(column) for column in table.values()}) > 1:
        raise DataError(f"the arrays of {where} are no columns of one table; X (a row a sample) and y are expected.")
    if not table or len(next(iter(table.values()))) == 0:
        raise DataError(f"{where} has no rows.")
    return table


def _target(table: Table, target: str | None, where: str) -> str:
    if target is None:
        target = next((name for usual in _USUAL_TARGETS for name in table if name.lower() == usual), None)
    if target is not None and target in table:
        return target
    hint = f"name the column of the classes with --target, one of {_some(table)}"
    only = next(iter(table))
    if len(table) == 1 and (other := next((mark for mark in ";\t|" if mark in only), None)):
        hint = f"it seems to be delimited by {other!r}, and a .csv has commas, a .tsv tabs"
    raise DataError(f"{where} has no column {'label' if target is None else target!r}; {hint}.")


def _labels(column: NDArray[Any], target: str, where: str) -> NDArray[Any]:
    """Labels as whole numbers or text."""
    if column.dtype.kind in "iu":
        return column
    text = _text(column)
    missing = np.flatnonzero(_is_missing(text))
    if len(missing):
        raise DataError(
            f"column {target!r} of {where} has no label in {len(missing)} rows, first in row {missing[0] + 1}; fill "
            "them in, or leave these rows out."
        )
    if column.dtype.kind == "f" and (column == np.round(column)).all() and np.abs(column).max() < 2**53:
        return column.astype(np.int64)
    return text


def _parsed(column: NDArray[Any], name: str, where: str, text: bool | None = None) -> NDArray[Any]:
    """Numbers, or objects that are text; `text` says what is wanted, None that the column decides."""
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
                    f"column {name!r} of {where} has {found!r} in row {row + 1}, where a number is expected."
                ) from None
            objects = cells.astype(object)
            objects[missing] = np.nan
            return objects
    if np.isinf(numbers).any():
        row = int(np.flatnonzero(np.isinf(numbers))[0]) + 1
        raise DataError(f"column {name!r} of {where} is infinite in row {row}; mend it, or leave the cell empty.")
    return numbers


def _text(column: NDArray[Any]) -> NDArray[Any]:
    return np.array(["" if value is None else str(value).strip()[:_LONGEST] for value in column.tolist()], dtype=str)


def _is_missing(cells: NDArray[Any]) -> NDArray[np.bool_]:
    return np.isin(np.char.lower(cells), MISSING)


def _is_number(cell: Any) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _together(columns: list[NDArray[Any]]) -> NDArray[Any]:
    X = np.empty((len(columns[0]), len(columns)), dtype=np.result_type(*{column.dtype for column in columns}))
    for i, column in enumerate(columns):
        X[:, i] = column
    return X
