"""Read a square matrix of distances or confusions, with a name for each row and column."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ecoc.tool.tables.cells import parsed
from ecoc.tool.tables.files import read_table
from ecoc.utils.exceptions import DataError

_ROWS = "(names of rows)"


def read_matrix(path: Path) -> tuple[list[str], NDArray[np.float64]]:
    """Read a square matrix between classes.

    The header has the names of the classes. A row may begin with its own name; if none does, the rows have the order
    of the header.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    names : list of str
        The classes, sorted.
    matrix : ndarray of shape (n_classes, n_classes)
        Its rows and columns have the order of `names`.

    Raises
    ------
    DataError
        If the file does not hold such a matrix.

    Examples
    --------
    >>> import csv, tempfile
    >>> from pathlib import Path
    >>> from ecoc.tool.tables import read_matrix
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "distances.csv")
    ...     with path.open("w", newline="") as file:
    ...         csv.writer(file).writerows([["class", "dog", "cat"], ["dog", 0, 2], ["cat", 2, 0]])
    ...     read_matrix(path)
    (['cat', 'dog'], array([[0., 2.],
           [2., 0.]]))
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
