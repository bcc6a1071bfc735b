"""Translate labels and pairs of labels, the keys of a mapping, into positions."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ecoc.utils.suggest import nearest


def plain_labels(labels: Iterable[Hashable]) -> list[Any]:
    """Return the labels as a list, with NumPy scalars as Python objects, which look better in messages."""
    return [label.item() if isinstance(label, np.generic) else label for label in labels]


def pair_entries(mapping: Mapping[Any, Any], labels: Sequence[Hashable], name: str) -> Iterator[tuple[int, int, Any]]:
    """Yield ``(i, j, value)`` with i < j for every pair of classes that `mapping` names.

    A key is a pair of labels, or one label for all pairs of that class. The value for a pair overrides the value for a
    single label. It is an error if two pairs, or two single labels, give different values for the same pair.
    """
    position = {label: i for i, label in enumerate(labels)}
    of_classes: dict[tuple[int, int], list[Any]] = {}
    of_pairs: dict[tuple[int, int], list[Any]] = {}
    for key, value in mapping.items():
        if key not in position and isinstance(key, tuple) and len(key) == 2:
            i, j = (_find(label, position, name) for label in key)
            if i == j:
                raise ValueError(
                    f"{name} has the key {key!r}, which pairs a class with itself; a pair needs two different classes."
                )
            of_pairs.setdefault((min(i, j), max(i, j)), []).append(value)
        else:
            i = _find(key, position, name)
            for j in set(range(len(labels))) - {i}:
                of_classes.setdefault((min(i, j), max(i, j)), []).append(value)
    for (i, j), values in (of_classes | of_pairs).items():
        for value in values:
            if value != values[0]:
                key = labels[i], labels[j]
                raise ValueError(
                    f"{name} contradicts itself: it has both {values[0]!r} and {value!r} for {key[0]!r} and "
                    f"{key[1]!r}. Give one value, with the key {key!r}."
                )
        yield i, j, values[0]


def _find(label: Any, position: Mapping[Any, int], name: str) -> int:
    if label in position:
        return position[label]
    close = nearest(label, position, n=3) or list(position)[:10]
    more = ", …" if len(close) < len(position) else ""
    raise ValueError(
        f"{name} names {label!r}, which is not a class; the closest are {', '.join(map(repr, close))}{more}"
    )
