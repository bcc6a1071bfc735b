"""Split a complete table into X and y, without any repair."""

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecoc import DataError
from ecoc.tool.tables import find_target
from ecoc_paper.datasets.wheels import Table


def features_and_target(
    table: Table, where: str, target: str | None = None, drop: Collection[str] = ()
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Split a table into features and labels; every cell must be there, and every feature must be a number.

    Parameters
    ----------
    table : dict of str to ndarray
        Columns by name. In an array file, ``X`` may hold all features, with more than one dimension.
    where : str
        Where the table comes from, for errors.
    target : str, default=None
        Column of the labels. None: the first of label, class, target, y that there is.
    drop : collection of str, default=()
        Columns that are neither features nor labels.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        Features. Each image is one row.
    y : ndarray of shape (n_samples,)
        Labels, as they are in the table.

    Raises
    ------
    DataError
        If a column, a number or a label is missing.

    Examples
    --------
    >>> import numpy as np
    >>> from ecoc_paper.datasets.arrays import features_and_target
    >>> table = {"length": np.array(["46", "60"]), "species": np.array(["cat", "dog"])}
    >>> X, y = features_and_target(table, "pets.csv", target="species")
    >>> X.tolist(), y.tolist()
    ([[46.0], [60.0]], ['cat', 'dog'])
    """
    target = find_target(table, target, where)
    names = [name for name in table if name != target and name not in drop]
    y = table[target]
    if not names:
        raise DataError(f"{where} has no column besides {target!r}; a table needs features too.")
    if any(len(table[name]) != len(y) for name in names):
        if "X" not in names:
            raise DataError(f"the arrays of {where} have different lengths; X and y need the same number of rows.")
        names = ["X"]
    if "X" in names and table["X"].ndim > 1:  # an array file: X has all features, other arrays are about the rows
        X = table["X"].reshape(len(table["X"]), -1)
    else:
        X = np.column_stack([_numbers(table[name], name, where) for name in names])
    if X.dtype.kind not in "buif" or not np.isfinite(X).all():
        raise DataError(
            f"{where} has features that are missing, infinite or not numbers; impute them or drop the columns first."
        )
    if len(X) != len(y):
        raise DataError(f"{where} has {len(X)} rows of features and {len(y)} labels.")
    missing = np.flatnonzero(np.isin(y.astype(str), ["", "?", "nan", "None"]))
    if len(y) == 0 or len(missing):
        what = f"no label in row {missing[0] + 1}" if len(missing) else "no rows"
        raise DataError(f"{where} has {what}.")
    return X, y


def _numbers(column: NDArray[Any], name: str, where: str) -> NDArray[np.float64]:
    try:
        return np.asarray(column, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"column {name!r} of {where} is not all numbers; encode it first, or drop it.") from None
