"""Which rows can be learned from? A user's table: its features, numbers or text, and its labels."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from warnings import warn

import numpy as np
from numpy.typing import NDArray

from ecoc.exceptions import DataError
from ecoc.tables.bundled import BUNDLED, PREFIX, bundled_table
from ecoc.tables.cells import labels_in, parsed, together, varies
from ecoc.tables.columns import Table
from ecoc.tables.files import read_table
from ecoc.tables.names import USUAL_TARGETS, find_target, listed

_FEW_CLASSES = 20  # so many different values may be classes even in a table of few rows


@dataclass(frozen=True, eq=False)
class Samples:
    """The rows of a table, ready to learn from.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
        Numbers, or objects if a column is text. Missing cells are NaN in both.
    y : ndarray of shape (n_samples,)
        Labels: whole numbers where the file has such a type, else text.
    names : list of str
        Names of the features.
    is_text : ndarray of shape (n_features,)
        Which features are text.
    target : str
        Name of the column of labels.

    See Also
    --------
    ecoc.tables.read_samples : Reads them from a file.

    Examples
    --------
    >>> import numpy as np
    >>> from ecoc.tables import Samples
    >>> X, y = np.array([[46, 4.5], [60, 20]]), np.array(["cat", "dog"])
    >>> pets = Samples(X, y, ["length", "weight"], np.array([False, False]), "species")
    >>> pets.rows(np.array([1])).y
    array(['dog'], dtype='<U3')
    """

    X: NDArray[Any]
    y: NDArray[Any]
    names: list[str]
    is_text: NDArray[np.bool_]
    target: str

    def rows(self, rows: NDArray[np.intp]) -> "Samples":
        """Take some of the rows.

        Parameters
        ----------
        rows : ndarray of int
            Positions of the rows.

        Returns
        -------
        Samples
            With the same columns.
        """
        return replace(self, X=self.X[rows], y=self.y[rows])


def read_samples(path: Path, target: str | None = None, drop: Collection[str] = ()) -> Samples:
    """Read a table to learn from.

    Parameters
    ----------
    path : Path
        The file, or a name such as ``sklearn:digits``.
    target : str, default=None
        Column of the labels. None: the first of label, class, target, y that there is.
    drop : collection of str, default=()
        Columns to leave out.

    Returns
    -------
    Samples
        Features, numbers or text, and labels.

    Raises
    ------
    DataError
        If the file cannot be read, or there is nothing to learn in it.

    Examples
    --------
    >>> import csv, tempfile
    >>> from pathlib import Path
    >>> from ecoc.tables import read_samples
    >>> rows = ["length", "coat", "species"], [46, "long", "cat"], [60, "", "dog"]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "pets.csv")
    ...     with path.open("w", newline="") as file:
    ...         csv.writer(file).writerows(rows)
    ...     pets = read_samples(path, target="species")
    >>> pets.X, pets.is_text
    (array([[46.0, 'long'],
           [60.0, nan]], dtype=object), array([False,  True]))
    """
    table = open_table(path, USUAL_TARGETS if target is None else (target,))
    target = find_target(table, target, path.name)
    if unknown := [name for name in drop if name not in table]:
        raise DataError(f"{path.name} has no column {unknown[0]!r} to drop; its columns are {listed(table)}.")
    y = labels_in(table.pop(target), target, path.name)
    _check_classes(y, target, path.name)
    columns = {name: parsed(column, name, path.name) for name, column in table.items() if name not in drop}
    if not columns:
        raise DataError(f"{path.name} has no column besides {target!r} to learn from; a table needs features too.")
    if not any(varies(column) for column in columns.values()):
        raise DataError(f"no column of {path.name} varies besides {target!r}, so there is nothing to learn from.")
    is_text = np.array([column.dtype == object for column in columns.values()])
    texts = {name: column for name, column in columns.items() if column.dtype == object}
    many = [name for name, cells in texts.items() if len(set(cells.tolist())) > max(_FEW_CLASSES, len(y) / 2)]
    if many:
        warn(
            f"{path.name} has columns of text that differs in most rows: {listed(many)}. Leave identifiers and dates "
            "out with --drop; write numbers as 1234.5.",
            stacklevel=2,
        )
    return Samples(together(list(columns.values())), y, list(columns), is_text, target)


def open_table(path: Path, labels: Collection[str] = ()) -> Table:
    """Read a table in which each column has one dimension.

    Parameters
    ----------
    path : Path
        The file, or a name such as ``sklearn:digits``.
    labels : collection of str, default=()
        Arrays of labels in an array file. Each must have one label for each row of X.

    Returns
    -------
    dict of str to ndarray
        Columns by name; text stays text.

    Raises
    ------
    DataError
        If the file cannot be read, or is not a table.

    Examples
    --------
    >>> import csv, tempfile
    >>> from pathlib import Path
    >>> from ecoc.tables import open_table
    >>> rows = ["length", "coat", "species"], [46, "long", "cat"], [60, "", "dog"]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "pets.csv")
    ...     with path.open("w", newline="") as file:
    ...         csv.writer(file).writerows(rows)
    ...     table = open_table(path)
    >>> table["length"]
    array(['46', '60'], dtype='<U2')
    """
    if str(path).startswith(PREFIX) and not path.exists():
        return bundled_table(str(path))
    if str(path).startswith(("http:", "https:")):
        raise DataError(f"{path.name} must be a file on this computer; download it first.")
    if not path.exists() and str(path) in BUNDLED:
        raise DataError(f"{path} is not there; {PREFIX}{path} is the table that comes with scikit-learn.")
    return _flat(read_table(path), path.name, labels)


def _check_classes(y: NDArray[Any], target: str, where: str) -> None:
    classes = np.unique(y)
    if len(classes) < 2:
        raise DataError(f"all rows of {target!r} in {where} are {classes[0]!s:.40}; at least two classes are needed.")
    if len(classes) > max(_FEW_CLASSES, len(y) / 2):
        raise DataError(
            f"column {target!r} of {where} has {len(classes)} different values in {len(y)} rows; is it a number or an "
            "identifier? The target must be a class."
        )


def _flat(table: Table, where: str, labels: Collection[str]) -> Table:
    """Split X of an array file into columns x0, x1, and so on, so that every column has one dimension."""
    if "X" in table and table["X"].ndim > 1 and table["X"].size:
        X = table["X"].reshape(len(table["X"]), -1)
        for name, column in table.items():
            if name in labels and column.shape != (len(X),):
                found = f"{len(column):,} labels" if column.ndim == 1 else f"the shape {column.shape}"
                raise DataError(f"X of {where} has {len(X):,} rows and {name} has {found}; each row needs one label.")
        others = {name: column for name, column in table.items() if name != "X" and column.shape == (len(X),)}
        table = {**{f"x{i}": column for i, column in enumerate(X.T)}, **others}
    if not table or any(column.size == 0 for column in table.values()):
        raise DataError(f"{where} has no rows.")
    if any(column.ndim != 1 for column in table.values()) or len({len(column) for column in table.values()}) > 1:
        raise DataError(
            f"the arrays of {where} are not columns of one table; X, with one row a sample, and y are expected."
        )
    return table
