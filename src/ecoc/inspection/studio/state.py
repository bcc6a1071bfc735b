"""Read the state of a design from JSON: allocation, length, minimum distance, wishes for pairs, and groups."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any

import numpy as np

from ecoc.codes.design.allocation import ALLOCATIONS, WISHES
from ecoc.codes.design.bounds import Demands
from ecoc.utils.messages import some

Pair = tuple[int, int]
Wish = str | float


@dataclass(frozen=True)
class State:
    """Requests of the user. Classes are row numbers; every pair has its smaller number first.

    Parameters
    ----------
    allocation : float
        How distances become a design, as for :func:`ecoc.allocate`.
    n_columns : int or None
        Number of columns; None: the usual number.
    min_distance : int
        Smallest distance of any two codewords.
    wishes : mapping
        Wishes for pairs: "apart", "alike", "ignore", or a similarity from −1 to 1.
    demands : mapping
        Smallest distances of pairs.
    groups : list of (str, list of int)
        Names of groups, and their classes. They help to select pairs; the design does not depend on them.
    notes : list of str
        What was left out of a saved state, and why.

    Examples
    --------
    >>> from ecoc.inspection.studio.state import State
    >>> saved = {"classes": ["cat", "cow", "dog"], "wishes": [["dog", "cat", "apart"]], "min_distance": 2}
    >>> State.read(saved, ["cat", "dog", "hen"]).wishes
    {(0, 1): 'apart'}
    """

    allocation: float = ALLOCATIONS["balanced"]
    n_columns: int | None = None
    min_distance: int = 1
    wishes: Mapping[Pair, Wish] = field(default_factory=dict)
    demands: Mapping[Pair, int] = field(default_factory=dict)
    groups: Sequence[tuple[str, list[int]]] = ()
    notes: Sequence[str] = ()

    @classmethod
    def read(cls, given: Any, labels: Sequence[Any]) -> "State":
        """Check a state that was read from JSON.

        Parameters
        ----------
        given : mapping
            The state. Classes are named by their texts, or by numbers if there is no list of `classes`.
        labels : sequence
            Labels of the classes as they are now. Wishes for other classes are left out, and `notes` says so.

        Returns
        -------
        State
            The checked state.
        """
        if not isinstance(given, Mapping):
            raise ValueError("a saved design is a JSON object; save one with “Save design”, and open that file.")
        reader = _Reader([str(label) for label in labels])
        groups = [(str(name), rows) for name, rows in map(reader.group, _list(given, "groups")) if rows]
        wishes = reader.pairs(_list(given, "wishes"), _wish, "wishes")
        demands = reader.pairs(_list(given, "demands"), _demand, "smallest distances")
        length = given.get("n_columns")
        return cls(
            _number(given.get("allocation", cls.allocation), "allocation"),
            None if length is None else _whole(length, "the number of columns"),
            _whole(given.get("min_distance", 1), "the minimum distance"),
            wishes,
            demands,
            groups,
            reader.notes(),
        )

    def as_json(self, labels: Sequence[Any]) -> dict[str, Any]:
        """Return the state for JSON, with classes by name."""
        names = [str(label) for label in labels]
        return {
            "allocation": self.allocation,
            "n_columns": self.n_columns,
            "min_distance": self.min_distance,
            "wishes": [[names[i], names[j], wish] for (i, j), wish in self.wishes.items()],
            "demands": [[names[i], names[j], n] for (i, j), n in self.demands.items()],
            "groups": [[name, [names[i] for i in rows]] for name, rows in self.groups],
        }

    def distances(self, n_classes: int) -> int | Demands:
        """Return the smallest distance of all pairs, or a matrix with that of each pair."""
        if not self.demands:
            return self.min_distance
        matrix = np.full((n_classes, n_classes), self.min_distance, dtype=np.int64)
        for (i, j), n in self.demands.items():
            matrix[i, j] = matrix[j, i] = max(n, self.min_distance)
        np.fill_diagonal(matrix, 0)
        return matrix


class _Reader:
    """Find classes by name, and remember unknown names."""

    def __init__(self, names: list[str]) -> None:
        self._row = {name: i for i, name in enumerate(names)}
        self._lost: dict[str, None] = {}

    def row(self, name: Any) -> int | None:
        if isinstance(name, int) and not isinstance(name, bool) and 0 <= name < len(self._row):
            return int(name)
        row = self._row.get(str(name))
        if row is None:
            self._lost[str(name)] = None
        return row

    def group(self, given: Any) -> tuple[str, list[int]]:
        if not (isinstance(given, list) and len(given) == 2 and isinstance(given[1], list)):
            raise ValueError(f"a group is a name and a list of classes; got {given!r:.80}.")
        rows = [self.row(name) for name in given[1]]
        return str(given[0])[:200], sorted({row for row in rows if row is not None})

    def pairs(self, given: list[Any], read: Any, what: str) -> dict[Pair, Any]:
        found: dict[Pair, Any] = {}
        for entry in given:
            if not (isinstance(entry, list) and len(entry) == 3):
                raise ValueError(f"the {what} are lists of two classes and a value; got {entry!r:.80}.")
            rows, value = [self.row(name) for name in entry[:2]], read(entry[2])
            if rows[0] is None or rows[1] is None:
                continue
            if rows[0] == rows[1]:
                raise ValueError(f"the {what} pair {entry[0]!r} with itself; a pair needs two different classes.")
            pair = (min(rows[0], rows[1]), max(rows[0], rows[1]))
            if found.setdefault(pair, value) != value:
                raise ValueError(
                    f"the design is not symmetric: it has both {found[pair]!r} and {value!r} for {entry[0]!r} and "
                    f"{entry[1]!r}; keep one of the two."
                )
        return found

    def notes(self) -> list[str]:
        if not self._lost:
            return []
        return [
            f"The saved design has classes that no longer exist: {some(list(self._lost))}. Their wishes were "
            "left out; all others were kept."
        ]


def _list(given: Mapping[str, Any], key: str) -> list[Any]:
    value = given.get(key, [])
    if not isinstance(value, list):
        raise ValueError(f"{key!r} of a saved design must be a list; got {value!r:.80}.")
    return value


def _number(value: Any, what: str) -> float:
    if isinstance(value, Real) and not isinstance(value, bool) and -1 <= float(value) <= 1:
        return float(value)
    raise ValueError(f"{what} must be a number from -1 to 1; got {value!r:.80}.")


def _whole(value: Any, what: str) -> int:
    if isinstance(value, Integral) and not isinstance(value, bool) and 1 <= int(value) < 10_000:
        return int(value)
    raise ValueError(f"{what} must be a whole number from 1 to 9999; got {value!r:.80}.")


def _wish(value: Any) -> Wish:
    return value if isinstance(value, str) and value in WISHES else _number(value, "a wish that is no word")


def _demand(value: Any) -> int:
    return _whole(value, "a smallest distance")
