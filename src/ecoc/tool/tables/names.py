"""Check the names of columns, and find the column that holds the classes."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from ecoc.utils.exceptions import DataError
from ecoc.utils.suggest import nearest, some

USUAL_TARGETS = ("label", "class", "target", "y")
_LONGEST = 40  # characters of a name in an error


def listed(names: Iterable[str]) -> str:
    """The first few names, quoted and cut to a readable length, for errors."""
    return some(list(names), show=lambda name: repr(name) if len(name) <= _LONGEST else f"{name[:_LONGEST]!r}…")


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
