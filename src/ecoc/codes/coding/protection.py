"""Columns for single pairs of classes: those that the user wants to protect, or that a proxy confuses."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ecoc.codes.coding.coding import Code, Coding, Context
from ecoc.utils.codewords import column_keys
from ecoc.utils.messages import nearest, some

Pair = tuple[int, int]


def protected_pairs(protect: Iterable[Any] | None, labels: Sequence[Any]) -> list[Pair]:
    """Return the rows of the classes in each protected pair."""
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


def with_pair_columns(code: Code, pairs: Sequence[Pair]) -> Code:
    """Append a column for every pair that has none: its first class at +1, its second at −1, all others at 0."""
    columns = np.zeros((len(code), len(pairs)), dtype=np.int8)
    for j, (a, b) in enumerate(pairs):
        columns[a, j], columns[b, j] = 1, -1
    known = set(column_keys(code))
    new = [j for j, key in enumerate(column_keys(columns)) if key not in known]
    return np.hstack([code, columns[:, new]])


class Protected(Coding):
    """Another coding, with one more column for each protected pair of classes that has none.

    ``coding=ECF(protect=…)``, with all else at its default, becomes this coding if the defaults choose no ECF code.

    Parameters
    ----------
    coding : Coding
        The other coding.
    protect : iterable of pairs of labels
        As in :class:`~ecoc.ECF`.

    Attributes
    ----------
    protected_ : list of pairs of int
        Rows of the protected classes.
    n_unprotected_ : int
        Number of columns before the protecting ones.
    """

    def __init__(self, coding: Coding, protect: Iterable[Any]) -> None:
        self.coding = coding
        self.protect = protect

    @property
    def needs_data(self) -> bool:  # type: ignore[override]
        """Whether the other coding needs data."""
        return self.coding.needs_data

    @property
    def usual_decoding(self) -> str | None:  # type: ignore[override]
        """The decoding that the other coding names."""
        return self.coding.usual_decoding

    def _build_in(self, n_classes: int, X: Any, y: NDArray[Any] | None, context: Context) -> Code:
        labels = (np.arange(n_classes) if y is None else np.unique(y)).tolist()
        self.protected_ = protected_pairs(self.protect, labels)
        code: Code = clone(self.coding).build(n_classes, X, y, context=context).matrix
        self.n_unprotected_ = code.shape[1]
        return with_pair_columns(code, self.protected_)
