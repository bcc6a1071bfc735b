"""Random codes with a given minimum distance, to measure the effect of error correction alone."""

from math import comb
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ecoc.codes.coding.base import FREE_LENGTH, Code, Coding
from ecoc.codes.coding.random import distinct_columns, random_codewords
from ecoc.codes.design import shortest_length
from ecoc.codes.design.length import resolve_length
from ecoc.codes.factorization import factorize
from ecoc.utils.numerics import generator
from ecoc.utils.scikit import Interval


class FixedDistanceRandom(Coding):
    """A random code with its smallest distance held at a value: the paper's RAND.

    Length: the shortest at which a code of that distance is sure to exist, by the Gilbert–Varshamov bound, or
    all dichotomies if there are fewer. A code is drawn, changed as little as it takes to keep the distance, and
    then brought down to it where it is larger: the smallest distance is `min_distance` exactly, unless
    different columns do not allow that.

    Parameters
    ----------
    min_distance : int, default=None
        Smallest Hamming distance of any two codewords. None: 3, which corrects one error; 2 for three classes,
        which allow no more.
    n_columns : int or float, default=None
        Number of columns, or a float, the number divided by that of the classes, or more if the distance
        needs it. None: as above.

    See Also
    --------
    ecoc.DenseRandom : The best of many draws.
    ecoc.ECF : Distances by what the data need.

    References
    ----------
    M. A. Bautista, O. Pujol, F. de la Torre and S. Escalera, "Error-correcting factorization", 2015.

    Examples
    --------
    >>> from ecoc.codes.coding import FixedDistanceRandom
    >>> book = FixedDistanceRandom(min_distance=5).build(10, random_state=0)
    >>> book.n_columns, book.min_distance
    (14, 5)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "min_distance": [None, Interval(Integral, 1, None, closed="left")],
        "n_columns": FREE_LENGTH,
    }

    def __init__(self, min_distance: int | None = None, n_columns: int | float | None = None) -> None:
        self.min_distance = min_distance
        self.n_columns = n_columns

    def _build(self, n_classes: int, X: Any, y: Any, random_state: Any) -> Code:
        effort = 0.05  # of the factorization: a valid code near a random one is wanted, not the nearest
        distance = int(self.min_distance or min(3, 2 ** (n_classes - 2)))
        shortest, _ = shortest_length(n_classes, distance)  # raises InfeasibleError if no length will do
        length = resolve_length(self.n_columns, n_classes, _sure_length(n_classes, distance))
        if not isinstance(self.n_columns, Integral):
            length = max(length, shortest)
        rng = generator(random_state)
        # The valid code whose distances are nearest to those of a random one is that one if it is valid.
        drawn = distinct_columns(n_classes, length, rng, start=random_codewords(n_classes, rng)).astype(float)
        result = factorize(
            drawn @ drawn.T / length,
            length,
            min_distance=distance,
            effort=effort,
            random_state=rng,
            progress=False,
        )
        return _lowered(result.code.copy(), distance)


def _sure_length(k: int, distance: int) -> int:
    """Smallest l with (k − 1)·V(l, c − 1) < 2^l: the balls of k − 1 codewords leave a word for one more."""
    length = distance
    while (k - 1) * sum(comb(length, i) for i in range(distance)) >= 2**length:
        length += 1
    return length


def _lowered(code: Code, distance: int) -> Code:
    """Bring the smallest distance down to `distance`, as far as columns stay different.

    Where all distances exceed c, a flip in one of the two nearest codewords takes 1 from their distance, and
    no more than 1 from any other.
    """
    while True:
        x = code.astype(np.float64)
        apart = (code.shape[1] - x @ x.T) / 2
        np.fill_diagonal(apart, np.inf)
        if apart.min() <= distance or (flip := _first_flip(code, apart)) is None:
            return code
        code[flip] *= -1


def _first_flip(code: Code, apart: NDArray[np.float64]) -> tuple[int, int] | None:
    """An entry in which two nearest codewords differ, and whose flip leaves all columns different dichotomies."""
    x = code.astype(np.float64)
    with_constant = np.hstack([x, np.ones((len(x), 1))])
    for i, j in np.argwhere(apart == apart.min()):
        for column in np.flatnonzero(code[i] != code[j]):
            flipped = x[:, column].copy()
            flipped[i] *= -1
            if np.abs(flipped @ np.delete(with_constant, column, axis=1)).max() < len(x):
                return int(i), int(column)
    return None
