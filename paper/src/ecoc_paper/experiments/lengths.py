"""Random codes of a given length, with the largest minimum distance that is sure to exist."""

from math import comb
from typing import Any, ClassVar

from ecoc.codes.coding import Coding, FixedDistanceRandom


class RandomAtLength(Coding):
    """The paper's RAND at a given length.

    Its minimum distance is the largest that the Gilbert–Varshamov bound promises for the length, which is how RAND
    chooses its length for a given distance.

    Parameters
    ----------
    n_columns : int
        Number of columns.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}

    def __init__(self, n_columns: int) -> None:
        self.n_columns = n_columns

    def _build(self, n_classes: int, X: Any, y: Any, random_state: Any) -> Any:
        distance = sure_distance(n_classes, self.n_columns)
        return FixedDistanceRandom(distance, self.n_columns).build(n_classes, random_state=random_state).matrix


def sure_distance(k: int, length: int) -> int:
    """Return the largest c with (k − 1)·V(l, c − 1) < 2^l, or 1.

    Then balls of radius c − 1 around k − 1 codewords leave a word for one more.
    """
    distance, ball = 1, 1
    while (k - 1) * (ball := ball + comb(length, distance)) < 2**length and distance < length:
        distance += 1
    return distance
