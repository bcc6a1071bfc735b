"""Add a column for each pair of classes that the user wants to protect."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ecoc.codes.coding.coding import Code
from ecoc.codes.refinement.selection import Pair, pair_columns
from ecoc.utils.columns import column_keys
from ecoc.utils.suggest import nearest, some


def protected_pairs(protect: Iterable[Any] | None, labels: Sequence[Any]) -> list[Pair]:
    """Return the rows of the classes in each protected pair.

    Parameters
    ----------
    protect : iterable of pairs of labels and of labels, or None
        What the user wrote. A label alone stands for its pairs with all other classes.
    labels : sequence
        The classes.

    Returns
    -------
    list of pairs of int
        Each pair once, the smaller row first.

    Raises
    ------
    ValueError
        If an entry is no class and no pair of different classes; the message names the nearest classes.

    Examples
    --------
    >>> from ecoc.codes.coding.protection import protected_pairs
    >>> protected_pairs([("dog", "cat"), ("cat", "dog")], ["cat", "cow", "dog"])
    [(0, 2)]
    """
    names, rows = list(labels), []
    given: list[Any] = []
    for entry in protect or ():
        given += [(entry, name) for name in names if name != entry] if entry in names else [entry]
    for pair in given:
        if not isinstance(pair, tuple | list) or len(pair) != 2 or pair[0] == pair[1]:
            raise ValueError(f"protect takes classes and pairs of them, e.g. [('cat', 'dog')]; got {pair!r}.")
        for label in pair:
            if label not in names:
                close = nearest(label, names, n=3) or names
                raise ValueError(f"protect names {label!r}, which is no class; the most similar are {some(close)}.")
        first, second = sorted(names.index(label) for label in pair)
        rows.append((first, second))
    return list(dict.fromkeys(rows))


def with_protection(code: Code, pairs: Sequence[Pair]) -> Code:
    """Append a column of its own for every pair that has none.

    Parameters
    ----------
    code : int8 ndarray of shape (n_classes, n_columns)
        The code.
    pairs : sequence of pairs of int
        Rows of the classes.

    Returns
    -------
    int8 ndarray of shape (n_classes, n_columns + n_new)
        The code and the new columns after it.
    """
    columns = pair_columns(pairs, len(code))
    known = set(column_keys(code))
    new = [j for j, key in enumerate(column_keys(columns)) if key not in known]
    return np.hstack([code, columns[:, new]])
