"""Which columns are numbers, which are text, which is the class, and what is missing?"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from warnings import warn

import numpy as np
from numpy.typing import NDArray

from ecoc.datasets.files import Table, read_table, some_names
from ecoc.exceptions import DataError
from ecoc.tables.bundled import BUNDLED, PREFIX, bundled_table
from ecoc.tables.cells import labels_in, parsed, together, varies

USUAL_TARGETS = ("label", "class", "target", "y")
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

    See Also
    --------
    ecoc.tables.read_samples : Makes them.

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
        """Give some of the rows.

        Parameters
        ----------
        rows : ndarray of int
            Which.

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
        Column of the labels; None: the first of label, class, target, y that there is.
    drop : collection of str, default=()
        Columns to leave out.

    Returns
    -------
    Samples
        Features and labels, numbers and text told apart.

    Raises
    ------
    DataError
        If the file cannot be read, or cannot be learned from.

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
    target = _target(table, target, path.name)
    if unknown := [name for name in drop if name not in table]:
        raise DataError(f"{path.name} has no column {unknown[0]!r} to drop; its columns are {some_names(table)}.")
    y = labels_in(table.pop(target), target, path.name)
    columns = {name: parsed(column, name, path.name) for name, column in table.items() if name not in drop}
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
    if not any(varies(column) for column in columns.values()):
        raise DataError(f"no column of {path.name} varies besides {target!r}, so there is nothing to learn from.")
    texts = {name: column for name, column in columns.items() if column.dtype == object}
    many = [name for name, cells in texts.items() if len(set(cells.tolist())) > max(_FEW_CLASSES, len(y) / 2)]
    if many:
        warn(
            f"{path.name} has text that differs in most rows: {some_names(many)}. What is an identifier or a date is "
            "best left out with --drop; numbers are written as 1234.5.",
            stacklevel=2,
        )
    return Samples(together(list(columns.values())), y, list(columns), is_text, target)


def open_table(path: Path, labels: Collection[str] = ()) -> Table:
    """Read a table, each column of one dimension.

    Parameters
    ----------
    path : Path
        The file.
    labels : collection of str, default=()
        Arrays of labels in an array file; one that does not have a label for each row of X is an error.

    Returns
    -------
    dict of str to ndarray
        Columns by name; text stays text.

    Raises
    ------
    DataError
        If the file cannot be read, or is no table.

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
        raise DataError(f"{path.name} is read from a file; download it first.")
    if not path.exists() and str(path) in BUNDLED:
        raise DataError(f"{path} is not there; {PREFIX}{path} is the table that comes with scikit-learn.")
    return _flat(read_table(path), path.name, labels)


def features_like(
    table: Table, where: str, names: Sequence[str] | None, is_text: Collection[int], n_features: int
) -> NDArray[Any]:
    """Take the features that a model knows from a table, by name and in its order.

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
        Numbers; objects, if a column is text.

    Raises
    ------
    DataError
        If columns are missing, or are not what the model was trained on.

    Examples
    --------
    >>> import numpy as np
    >>> from ecoc.tables import features_like
    >>> table = {"weight": np.array(["4.5", "?"]), "name": np.array(["Tom", "Rex"]), "length": np.array(["46", "60"])}
    >>> features_like(table, "pets.csv", ["length", "weight"], is_text=(), n_features=2)
    array([[46. ,  4.5],
           [60. ,  nan]])
    """
    if names is None:
        names = [name for name in table if name.lower() not in USUAL_TARGETS]
        if len(names) != n_features:
            raise DataError(f"{where} has {len(names)} features, and the model was trained on {n_features}.")
    if missing := [name for name in names if name not in table]:
        raise DataError(
            f"{where} lacks {len(missing)} of the {len(names)} columns that the model was trained on: "
            f"{some_names(missing)}; it has {some_names(table)}."
        )
    return together([parsed(table[name], name, where, i in is_text) for i, name in enumerate(names)])


def labels_like(table: Table, where: str, target: str | None, classes: NDArray[Any]) -> NDArray[Any]:
    """Take the labels of a table as a model has them.

    It may know 1 by the text "1" or the other way round.

    Parameters
    ----------
    table : dict of str to ndarray
        The columns.
    where : str
        Where they come from, for errors.
    target : str or None
        Column of the labels; None: the first of label, class, target, y that there is.
    classes : ndarray of shape (n_classes,)
        The model's classes.

    Returns
    -------
    ndarray of shape (n_samples,)
        Elements of `classes`.

    Raises
    ------
    DataError
        If a label is none of the classes.

    Examples
    --------
    >>> import numpy as np
    >>> from ecoc.tables import labels_like
    >>> labels_like({"class": np.array(["1", "3"])}, "new.csv", None, classes=np.array([1, 2, 3]))
    array([1, 3])
    """
    target = _target(table, target, where)
    y = labels_in(table[target], target, where)
    known = {str(label): label for label in classes.tolist()}
    if unknown := [label for label in np.unique(y).tolist() if str(label) not in known]:
        raise DataError(
            f"column {target!r} of {where} has classes that the model was not trained on: "
            f"{some_names(map(str, unknown))}; it knows {some_names(known)}."
        )
    return np.array([known[str(label)] for label in y.tolist()])


def read_matrix(path: Path) -> tuple[list[str], NDArray[np.float64]]:
    """Read a square matrix between classes.

    It has a header of names, and in front of each row its name or nothing.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    names : list of str
        The classes, sorted.
    matrix : ndarray of shape (n_classes, n_classes)
        In that order.

    Raises
    ------
    DataError
        If it is no such matrix.

    Examples
    --------
    >>> import csv, tempfile
    >>> from pathlib import Path
    >>> from ecoc.tables import read_matrix
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "distances.csv")
    ...     with path.open("w", newline="") as file:
    ...         csv.writer(file).writerows([["class", "dog", "cat"], ["dog", 0, 2], ["cat", 2, 0]])
    ...     read_matrix(path)
    (['cat', 'dog'], array([[0., 2.],
           [2., 0.]]))
    """
    table = read_table(path, index="(names of rows)")
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
    columns = [parsed(table[name], name, path.name, False) for name in names]
    matrix = np.column_stack(columns)
    if np.isnan(matrix).any():
        i, j = np.argwhere(np.isnan(matrix))[0]
        raise DataError(f"{path.name} has no number for {rows[i]!r} and {names[j]!r}.")
    order = sorted(names)
    return order, matrix[np.ix_([rows.index(name) for name in order], [names.index(name) for name in order])]


def _flat(table: Table, where: str, labels: Collection[str]) -> Table:
    """A table whose columns all have one dimension: of an array file, X is split into x0, x1, and so on."""
    if "X" in table and table["X"].ndim > 1 and table["X"].size:
        X = table["X"].reshape(len(table["X"]), -1)
        for name, column in table.items():
            if name in labels and column.shape != (len(X),):
                found = f"{len(column):,} labels" if column.ndim == 1 else f"the shape {column.shape}"
                raise DataError(f"X of {where} has {len(X):,} rows and {name} has {found}; each row needs one label.")
        others = {name: column for name, column in table.items() if name != "X" and column.shape == (len(X),)}
        table = {**{f"x{i}": column for i, column in enumerate(X.T)}, **others}
    if any(column.size == 0 for column in table.values()):
        raise DataError(f"{where} has no rows.")
    if any(column.ndim != 1 for column in table.values()) or len({len(column) for column in table.values()}) > 1:
        raise DataError(f"the arrays of {where} are no columns of one table; X (a row a sample) and y are expected.")
    if not table:
        raise DataError(f"{where} has no rows.")
    return table


def _target(table: Table, target: str | None, where: str) -> str:
    if target is None:
        target = next((name for usual in USUAL_TARGETS for name in table if name.lower() == usual), None)
    if target is not None and target in table:
        return target
    hint = f"name the column of the classes with --target, one of {some_names(table)}"
    only = next(iter(table))
    if len(table) == 1 and (other := next((mark for mark in ";\t|" if mark in only), None)):
        hint = f"it seems to be delimited by {other!r}, and a .csv has commas, a .tsv tabs"
    raise DataError(f"{where} has no column {'label' if target is None else target!r}; {hint}.")
