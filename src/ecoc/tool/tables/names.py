"""Check the names and cells of columns, and find the column that holds the classes."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecoc.utils.exceptions import DataError
from ecoc.utils.messages import nearest, some

Table = dict[str, NDArray[Any]]

USUAL_TARGETS = ("label", "class", "target", "y")


def listed(names: Iterable[str]) -> str:
    """The first few names, quoted and cut to a readable length, for errors."""
    return some(list(names), show=lambda name: repr(name) if len(name) <= 40 else f"{name[:40]!r}…")


def check_names(names: Sequence[str], where: str) -> list[str]:
    """Strip the names in a header; each column must have a name of its own."""
    stripped = [name.strip() for name in names]
    wanted = f"{where} must have a header with a different name for each column"
    if "" in stripped:
        place = stripped.index("")
        hint = "; pandas leaves an index out with to_csv(index=False)" if place == 0 else ""
        raise DataError(f"{wanted}, but column {place + 1} of {len(names)} has none{hint}.")
    if len(set(stripped)) < len(stripped):
        name = next(name for name, count in Counter(stripped).items() if count > 1)
        first = stripped.index(name)
        second = stripped.index(name, first + 1)
        raise DataError(f"{wanted}, but columns {first + 1} and {second + 1} are both called {listed([name])}.")
    return stripped


def find_target(names: Collection[str], target: str | None, where: str) -> str:
    """Find the column of the classes.

    Parameters
    ----------
    names : collection of str
        Names of all columns.
    target : str or None
        Its name. None: look for label, class, target and y in this order, in capitals or not, and take the first that
        there is.
    where : str
        Where the columns come from, for errors.

    Returns
    -------
    str
        One of `names`.

    Raises
    ------
    DataError
        If there is no such column. The message has the names that there are, and the nearest.
    """
    if target is None:
        found = next((name for usual in USUAL_TARGETS for name in names if name.lower() == usual), None)
    else:
        found = target if target in names else None
    if found is not None:
        return found
    raise DataError(
        f"{where} has no column {target or USUAL_TARGETS[0]!r}; name the column of the classes with target= (--target "
        f"on the command line), one of {listed(names)}.{did_you_mean(target or USUAL_TARGETS[0], names)}"
    )


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """The end of an error about an unknown name: the nearest names, if there are any."""
    close = nearest(name, names, n=3)
    return f" Did you mean {' or '.join(map(repr, close))}?" if close else ""


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
    """An array of text; of objects if one text is very long, because numpy pads all texts to the longest."""
    return np.array(cells, dtype=object if max(map(len, cells), default=0) > 200 else str)
