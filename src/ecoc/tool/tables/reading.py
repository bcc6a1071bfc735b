"""Read a user's table as features, numbers or text, and labels."""

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from warnings import warn

import numpy as np
from numpy.typing import NDArray

from ecoc.tool.tables.cells import has_label, labels_in, parsed, together, varies, words_for_missing
from ecoc.tool.tables.doubts import FEW, DoubtfulColumnsWarning, doubtful_columns
from ecoc.tool.tables.formats import read_table
from ecoc.tool.tables.names import USUAL_TARGETS, Table, did_you_mean, find_target, listed
from ecoc.utils.exceptions import DataError
from ecoc.utils.messages import printable

PREFIX = "sklearn:"  # of tables that come with scikit-learn, to try the command line
BUNDLED = ("breast_cancer", "digits", "iris", "wine")
_TELL = {"identifier": "identifiers", "date": "dates", "text": "text that differs in most rows"}


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
    n_unlabelled : int, default=0
        Number of rows that were left out because they have no label.
    doubtful : dict of str to str, default={}
        Columns that look like identifiers or dates, see :func:`~ecoc.tool.tables.doubtful_columns`.

    See Also
    --------
    ecoc.tool.tables.read_samples : Reads them from a file.

    Examples
    --------
    >>> import numpy as np
    >>> from ecoc.tool.tables import Samples
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
    n_unlabelled: int = 0
    doubtful: dict[str, str] = field(default_factory=dict)

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


def read_samples(
    path: Path,
    target: str | None = None,
    drop: Collection[str] = (),
    *,
    sep: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    max_bytes: int | None = None,
) -> Samples:
    """Read a table to learn from.

    Rows without a label are left out, and their number is told in a warning. Columns that look like identifiers or
    dates are used, but named in a warning.

    Parameters
    ----------
    path : Path
        The file, or a name such as ``sklearn:digits``.
    target : str, default=None
        Column of the labels. None: the first of label, class, target, y that there is.
    drop : collection of str, default=()
        Columns to leave out.
    sep, decimal, encoding : str, default=None
        How the file is written, see :func:`~ecoc.tool.tables.read_table`.
    max_bytes : int, default=None
        Largest size of a packed file when it is unpacked.

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
    >>> import tempfile
    >>> from pathlib import Path
    >>> from ecoc.tool.tables import read_samples
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "pets.csv")
    ...     _ = path.write_text("length,coat,species\\n46,long,cat\\n60,,dog\\n")
    ...     pets = read_samples(path, target="species")
    >>> pets.X, pets.is_text
    (array([[46.0, 'long'],
           [60.0, nan]], dtype=object), array([False,  True]))
    """
    labels = USUAL_TARGETS if target is None else (target,)
    table = open_table(path, labels, sep=sep, decimal=decimal, encoding=encoding, max_bytes=max_bytes)
    where = path.name
    target = find_target(table, target, where)
    if unknown := [name for name in drop if name not in table]:
        raise DataError(
            f"{where} has no column {unknown[0]!r} to drop; its columns are {listed(table)}."
            f"{did_you_mean(unknown[0], table)}"
        )
    table = {name: column for name, column in table.items() if name == target or name not in drop}
    table, n_unlabelled = drop_unlabelled(table, target, where)
    y = labels_in(table.pop(target), target, where)
    _check_classes(y, target, where)
    if y.dtype.kind not in "iu" and (words := words_for_missing(set(y.tolist()))):
        warn(
            f"column {target!r} of {where} has the class {listed(sorted(words))}; if that means that the label is "
            "missing, empty these cells.",
            stacklevel=2,
        )
    if not table:
        raise DataError(f"{where} has no column besides {target!r} to learn from; a table needs features too.")
    columns = {name: parsed(table.pop(name), name, where) for name in list(table)}
    if not any(varies(column) for column in columns.values()):
        raise DataError(f"no column of {where} varies besides {target!r}, so there is nothing to learn from.")
    doubtful = doubtful_columns(columns)
    if doubtful:
        kinds = {kind: [name for name in doubtful if doubtful[name] == kind] for kind in _TELL}
        told = "; ".join(f"{listed(names)} ({_TELL[kind]})" for kind, names in kinds.items() if names)
        warn(
            f"{where} has columns that may say nothing about new rows: {told}. Leave them out with drop= "
            "(--drop on the command line).",
            DoubtfulColumnsWarning,
            stacklevel=2,
        )
    is_text = np.array([column.dtype == object for column in columns.values()])
    return Samples(together(list(columns.values())), y, list(columns), is_text, target, n_unlabelled, doubtful)


def open_table(
    path: Path,
    labels: Collection[str] = (),
    *,
    as_text: Collection[str] = (),
    sep: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    max_bytes: int | None = None,
) -> Table:
    """Read a table in which each column has one dimension.

    Parameters
    ----------
    path : Path
        The file, or a name such as ``sklearn:digits``.
    labels : collection of str, default=()
        Names that the column of labels may have. The first that there is stays text in a CSV, TSV or Excel file. In an
        array file, each must have one label for each row of X.
    as_text : collection of str, default=()
        Other columns that stay text: those that were text when a model was trained, and those that are to be written
        out again as they are.
    sep, decimal, encoding : str, default=None
        How the file is written, see :func:`~ecoc.tool.tables.read_table`.
    max_bytes : int, default=None
        Largest size of a packed file when it is unpacked.

    Returns
    -------
    dict of str to ndarray
        Columns by name. A column is numbers if each of its cells is a number or missing, else text.

    Raises
    ------
    DataError
        If the file cannot be read, or is not a table.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from ecoc.tool.tables import open_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "pets.csv")
    ...     _ = path.write_text("length,tag,species\\n46,007,cat\\n60,012,dog\\n")
    ...     table = open_table(path, as_text=["tag"])
    >>> table["length"], table["tag"]
    (array([46., 60.]), array(['007', '012'], dtype=object))
    """
    if str(path).startswith(PREFIX) and not path.exists():
        return bundled_table(str(path))
    if str(path).startswith(("http:", "https:")):
        raise DataError(f"{path.name} must be a file on this computer; download it first.")
    if not path.exists() and str(path) in BUNDLED:
        raise DataError(f"{path} is not there; {PREFIX}{path} is the table that comes with scikit-learn.")
    options = {"sep": sep, "decimal": decimal, "encoding": encoding}
    return _flat(read_table(path, labels=labels, as_text=as_text, max_bytes=max_bytes, **options), path.name, labels)


def drop_unlabelled(table: Table, target: str, where: str) -> tuple[Table, int]:
    """Leave out the rows without a label.

    Parameters
    ----------
    table : dict of str to ndarray
        Columns by name.
    target : str
        Column of the labels.
    where : str
        Where the table comes from, for the warning that tells how many rows are left out.

    Returns
    -------
    table : dict of str to ndarray
        The rows that have a label.
    n_unlabelled : int
        Number of rows that have none.

    Raises
    ------
    DataError
        If no row has a label.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> from ecoc.tool.tables import drop_unlabelled
    >>> table = {"length": np.array([46.0, 60.0, 30.0]), "species": np.array(["cat", "", "dog"])}
    >>> with warnings.catch_warnings(record=True) as told:
    ...     table, n_unlabelled = drop_unlabelled(table, "species", "pets.csv")
    >>> table["length"].tolist(), n_unlabelled
    ([46.0, 30.0], 1)
    """
    rows = has_label(table[target])
    n_unlabelled = len(rows) - int(rows.sum())
    if n_unlabelled == 0:
        return table, 0
    if not rows.any():
        raise DataError(f"column {target!r} of {where} has no label in any row; is it the column of the classes?")
    warn(
        f"{where}: {n_unlabelled:,} of {len(rows):,} rows have no label in column {target!r} and are left out; the "
        f"first of them is row {int(rows.argmin()) + 1}.",
        stacklevel=3,
    )
    return {name: column[rows] for name, column in table.items()}, n_unlabelled


def _check_classes(y: NDArray[Any], target: str, where: str) -> None:
    classes = set(y.tolist())
    if len(classes) < 2:
        label = printable(y[0])[:40]
        raise DataError(f"all rows of {target!r} in {where} are {label}; at least two classes are needed.")
    if len(classes) > max(FEW, len(y) / 2):
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


def bundled_table(name: str) -> Table:
    """Load a table that comes with scikit-learn.

    Parameters
    ----------
    name : str
        `PREFIX` followed by one of `BUNDLED`.

    Returns
    -------
    dict of str to ndarray
        The features by name, and ``label``.
    """
    from sklearn import datasets

    short = name.removeprefix(PREFIX)
    if short not in BUNDLED:
        raise DataError(f"scikit-learn has no table {short!r}; known are {', '.join(PREFIX + one for one in BUNDLED)}.")
    found = getattr(datasets, f"load_{short}")()
    columns = dict(zip(map(str, found.feature_names), found.data.T))
    return {**columns, "label": found.target_names[found.target]}
