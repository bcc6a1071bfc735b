"""Read a user's table as features, numbers or text, and labels."""

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from warnings import warn

import numpy as np
from numpy.typing import NDArray
from sklearn import datasets

from ecoc.tool.tables import cells
from ecoc.tool.tables.cells import USUAL_TARGETS, Table, did_you_mean, find_target, listed
from ecoc.tool.tables.doubts import FEW, DoubtfulColumnsWarning, doubtful_columns, is_certain
from ecoc.tool.tables.formats import read_table
from ecoc.tool.tables.letters import load_letters
from ecoc.utils.exceptions import DataError
from ecoc.utils.messages import printable

PREFIX = "sklearn:"  # of tables that come with scikit-learn, to try the command line
BUNDLED = ("breast_cancer", "digits", "iris", "wine")
UNSEEN = "STIX"  # the typeface of the second table
OURS = ("ecoc:letters", "ecoc:unseen-letters")  # in three typefaces, and in a fourth
_TELL = {"identifier": "identifiers", "date": "dates", "text": "text that differs in most rows"}


@dataclass(frozen=True, eq=False)
class Samples:
    """The rows of a table, ready to learn from."""

    X: NDArray[Any]  # numbers, or objects if a column is text; missing cells are NaN in both
    y: NDArray[Any]  # whole numbers where the file has such a type, else text
    names: list[str]  # of the features
    is_text: NDArray[np.bool_]  # a value for each feature
    target: str  # name of the column of labels
    n_unlabelled: int = 0  # rows that were left out because they have no label
    doubtful: dict[str, str] = field(default_factory=dict)  # columns that look like identifiers or dates
    certain: tuple[str, ...] = ()  # those of them that cannot say anything about new rows

    def rows(self, rows: NDArray[np.intp]) -> "Samples":
        """Take some of the rows."""
        return replace(self, X=self.X[rows], y=self.y[rows])

    def without(self, names: Collection[str], where: str) -> "Samples":
        """Leave out some of the columns."""
        keep = np.array([name not in names for name in self.names])
        if not keep.any():
            raise DataError(f"{where} has no column besides {self.target!r} and {listed(names)}, which say nothing.")
        is_text = self.is_text[keep]
        X = self.X[:, keep] if is_text.any() else self.X[:, keep].astype(np.float64)
        doubtful = {name: kind for name, kind in self.doubtful.items() if name not in names}
        return replace(self, X=X, names=[n for n in self.names if n not in names], is_text=is_text, doubtful=doubtful)


def read_samples(path: Path, target: str | None = None, drop: Collection[str] = (), **options: Any) -> Samples:
    """Read a table to learn from; `path` may be a name such as ``sklearn:digits``.

    Rows without a label are left out, and their number is told in a warning. Columns that look like identifiers or
    dates are used, but named in a warning. The other options are those of :func:`~ecoc.tool.tables.read_table`.
    """
    labels = USUAL_TARGETS if target is None else (target,)
    table = open_table(path, labels, **options)
    where = path.name
    target = find_target(table, target, where)
    if unknown := [name for name in drop if name not in table]:
        raise DataError(
            f"{where} has no column {unknown[0]!r} to drop; its columns are {listed(table)}."
            f"{did_you_mean(unknown[0], table)}"
        )
    table = {name: column for name, column in table.items() if name == target or name not in drop}
    table, n_unlabelled = drop_unlabelled(table, target, where)
    y = cells.labels_in(table.pop(target), target, where)
    _check_classes(y, target, where)
    if y.dtype.kind not in "iu" and (words := cells.words_for_missing(set(y.tolist()))):
        warn(
            f"column {target!r} of {where} has the class {listed(sorted(words))}; if that means that the label is "
            "missing, empty these cells.",
            stacklevel=2,
        )
    if not table:
        raise DataError(f"{where} has no column besides {target!r} to learn from; a table needs features too.")
    columns = {name: cells.parsed(table.pop(name), name, where) for name in list(table)}
    if not any(cells.varies(column) for column in columns.values()):
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
    certain = tuple(name for name, kind in doubtful.items() if is_certain(columns[name], kind))
    X = cells.together(list(columns.values()))
    return Samples(X, y, list(columns), is_text, target, n_unlabelled, doubtful, certain)


def open_table(path: Path, labels: Collection[str] = (), **options: Any) -> Table:
    """Read a table by columns of one dimension; the options are those of :func:`~ecoc.tool.tables.read_table`.

    `path` may be a name such as ``sklearn:digits``. In an array file, each of `labels` must have one for each row of X.
    """
    if str(path) in OURS:
        return letters_table(str(path))
    if str(path).startswith((PREFIX, "ecoc:")) and not path.exists():
        return bundled_table(str(path))
    if str(path).startswith(("http:", "https:")):
        raise DataError(f"{path.name} must be a file on this computer; download it first.")
    if not path.exists() and str(path) in BUNDLED:
        raise DataError(f"{path} is not there; {PREFIX}{path} is the table that comes with scikit-learn.")
    return _flat(read_table(path, labels=labels, **options), path.name, labels)


def drop_unlabelled(table: Table, target: str, where: str) -> tuple[Table, int]:
    """Leave out the rows without a label, and return their number; a warning tells it."""
    rows = cells.has_label(table[target])
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
            f"the arrays of {where} are not columns of one table; X, with one row for each sample, and y are expected."
        )
    return table


def bundled_table(name: str) -> Table:
    """Load a table that comes with scikit-learn: the features by name, and ``label``."""
    short = name.removeprefix(PREFIX)
    if short not in BUNDLED:
        known = ", ".join([*OURS, *(PREFIX + one for one in BUNDLED)])
        raise DataError(f"there is no table {name!r} to try commands with; known are {known}.")
    found = getattr(datasets, f"load_{short}")()
    columns = dict(zip(map(str, found.feature_names), found.data.T))
    return {**columns, "label": found.target_names[found.target]}


def letters_table(name: str) -> Table:
    """Draw letters: the pixels, and ``label``."""
    X, y, typeface = load_letters()
    rows = (typeface == UNSEEN) == (name == OURS[1])
    return {**{f"x{i}": column for i, column in enumerate(X[rows].T)}, "label": y[rows].astype(object)}
