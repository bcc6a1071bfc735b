"""Random codes: the best of many valid draws, and codes with a given minimum distance."""

from collections.abc import Callable
from math import ceil, comb, log2
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ecoc.codes.codebook.book import pair_distances
from ecoc.codes.coding.coding import FREE_LENGTH, Code, Coding
from ecoc.codes.design import shortest_length
from ecoc.codes.design.length import resolve_length
from ecoc.codes.factorization import factorize
from ecoc.utils.codewords import column_keys
from ecoc.utils.numerics import generator
from ecoc.utils.scikit import Interval
from ecoc.utils.threads import one_blas_thread

_DRAWS = [Interval(Integral, 1, None, closed="left")]


class DenseRandom(Coding):
    """Columns of ±1 drawn at random, the best of many draws.

    Length: ⌈10·log2 k⌉ columns, or all different columns if there are fewer. Every draw is a valid code: its columns
    and its codewords are different. The best draw has the largest minimum distance and, of several, the smallest
    correlation between columns.

    Parameters
    ----------
    n_columns : int or float, default=None
        Number of columns, or a float, the number divided by that of the classes. None: ⌈10·log2 k⌉.
    n_draws : int, default=1000
        Number of codes to draw. With very many classes, fewer are drawn: as many as take 2·10¹⁰ products to compare.

    See Also
    --------
    ecoc.SparseRandom : With zeros.
    ecoc.FixedDistanceRandom : With a distance that is kept for certain.

    References
    ----------
    E. Allwein, R. Schapire and Y. Singer, "Reducing multiclass to binary: a unifying approach for margin
    classifiers", JMLR 1, 2000.

    Examples
    --------
    >>> from ecoc.codes.coding import DenseRandom
    >>> book = DenseRandom().build(10, random_state=0)
    >>> book.n_columns, book.min_distance
    (34, 14)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"n_columns": FREE_LENGTH, "n_draws": _DRAWS}

    def __init__(self, n_columns: int | float | None = None, n_draws: int = 1000) -> None:
        self.n_columns = n_columns
        self.n_draws = n_draws

    def _build(self, n_classes: int, X: Any, y: Any, random_state: Any) -> Code:
        most, rng = 2 ** (n_classes - 1) - 1, generator(random_state)
        length = resolve_length(self.n_columns, n_classes, ceil(10 * log2(n_classes)), most)
        n_draws = self.n_draws if length < most else 1  # there is one code of all columns

        def draw() -> Code:
            return distinct_columns(n_classes, length, rng, start=random_codewords(n_classes, rng))

        return _best(draw, n_draws, n_classes**2 * length)


class SparseRandom(Coding):
    """Columns drawn at random, half of the entries 0, the best of many draws.

    Length: ⌈15·log2 k⌉ columns, or all different ternary columns if there are fewer. A draw in which some pair of
    classes is never on opposite sides is drawn again with ⌈log2 k⌉ dense columns that separate all classes. The best
    is chosen as for :class:`DenseRandom`.

    Parameters
    ----------
    n_columns : int or float, default=None
        Number of columns, or a float, the number divided by that of the classes. None: ⌈15·log2 k⌉.
    n_draws : int, default=1000
        Number of codes to draw. With very many classes, fewer are drawn: as many as take 2·10¹⁰ products to compare.

    See Also
    --------
    ecoc.DenseRandom : Without zeros.

    References
    ----------
    E. Allwein, R. Schapire and Y. Singer, "Reducing multiclass to binary: a unifying approach for margin
    classifiers", JMLR 1, 2000.

    Examples
    --------
    >>> from ecoc.codes.coding import SparseRandom
    >>> book = SparseRandom().build(10, random_state=0)
    >>> book.n_columns, book.min_distance, book.is_ternary
    (50, 5, True)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"n_columns": FREE_LENGTH, "n_draws": _DRAWS}

    def __init__(self, n_columns: int | float | None = None, n_draws: int = 1000) -> None:
        self.n_columns = n_columns
        self.n_draws = n_draws

    def _build(self, n_classes: int, X: Any, y: Any, random_state: Any) -> Code:
        # Of 3^k columns, 2·2^k − 1 lack +1 or −1, and complements are the same dichotomy.
        most, rng = (3**n_classes - 2 ** (n_classes + 1) + 1) // 2, generator(random_state)
        length = resolve_length(self.n_columns, n_classes, ceil(15 * log2(n_classes)), most)
        n_draws = self.n_draws if length < most else 1

        def draw() -> Code:
            code = distinct_columns(n_classes, length, rng, sides=(0, 0, -1, 1))
            if _min_distance(code) > 0:
                return code
            return distinct_columns(n_classes, length, rng, sides=(0, 0, -1, 1), start=random_codewords(n_classes, rng))

        return _best(draw, n_draws, n_classes**2 * length)


def distinct_columns(
    n_classes: int,
    n_columns: int,
    rng: np.random.Generator,
    *,
    sides: tuple[int, ...] = (-1, 1),
    start: Code | None = None,
) -> Code:
    """Draw different columns at random.

    Parameters
    ----------
    n_classes, n_columns : int
        Shape of the code. There must be as many different columns.
    rng : numpy.random.Generator
        Source of random numbers.
    sides : tuple of int, default=(-1, 1)
        Entries to draw from, all with the same probability.
    start : ndarray of shape (n_classes, n_start), default=None
        The first columns.

    Returns
    -------
    int8 ndarray of shape (n_classes, n_columns)
        Columns with both sides, no two of them equal or complementary. Codewords may be equal.

    Examples
    --------
    >>> import numpy as np
    >>> from ecoc.codes.coding import distinct_columns
    >>> distinct_columns(6, 4, np.random.default_rng(0), start=np.ones((6, 0), dtype=np.int8)).shape
    (6, 4)
    """
    code = np.empty((n_classes, 0), dtype=np.int8) if start is None else start
    values = np.array(sides, dtype=np.int8)
    while code.shape[1] < n_columns:
        drawn = values[rng.integers(len(values), size=(n_classes, n_columns + 16))]
        drawn = drawn[:, (drawn == 1).any(axis=0) & (drawn == -1).any(axis=0)]
        code = np.hstack([code, drawn])
        code = code[:, _first_of_each(code)][:, :n_columns]
    return code


def random_codewords(n_classes: int, rng: np.random.Generator) -> Code:
    """Different codewords of the fewest columns, drawn at random; see `binary_words` for why they are valid."""
    n_columns = (n_classes - 1).bit_length()
    return binary_words(rng.permutation(2**n_columns)[:n_classes], n_columns)


def _first_of_each(code: Code) -> list[int]:
    """Return the columns that are not equal to an earlier one up to sign."""
    first: dict[bytes, int] = {}
    for j, key in enumerate(column_keys(code)):
        first.setdefault(key, j)
    return list(first.values())


def _best(draw: Callable[[], Code], n_draws: int, work: int, most_work: float = 2e10) -> Code:
    """The draw of the largest smallest distance, and of these the one of the least correlated columns.

    Comparing draws takes at most `most_work` products of entries, which is about a second.
    """
    n_draws = min(n_draws, max(1, int(most_work / work)))
    if n_draws == 1:
        return draw()
    draws = (draw() for _ in range(n_draws))
    with one_blas_thread():  # products this small are ten times slower on several
        return max(draws, key=lambda code: (_min_distance(code), -_max_correlation(code)))


def _min_distance(code: Code) -> int:
    return int(min(apart.min() for _, apart in pair_distances(code)))


def _max_correlation(code: Code) -> float:
    x = code.astype(np.float32)
    x /= np.linalg.norm(x, axis=0)
    cosines = np.abs(x.T @ x)
    np.fill_diagonal(cosines, 0)
    return float(cosines.max())


def binary_words(numbers: NDArray[np.int64], n_columns: int) -> Code:
    """Each number in binary, most significant digit first, 0 as −1.

    Any k different numbers below 2^l, l = ⌈log2 k⌉, make a valid code: on a constant column, or on two equal
    or complementary ones, only 2^(l−1) < k words differ.
    """
    digits = numbers[:, None] >> np.arange(n_columns - 1, -1, -1) & 1
    return (2 * digits - 1).astype(np.int8)


class FixedDistanceRandom(Coding):
    """A random code with a given minimum distance: the paper's RAND.

    Length: the shortest at which the Gilbert–Varshamov bound guarantees such a code, or all different columns if
    there are fewer. A code is drawn and changed until its minimum distance is exactly `min_distance`, unless
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
    ecoc.ECF : Distances that suit the data.

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
    """Return an entry in which two nearest codewords differ, and whose flip keeps all columns different up to sign."""
    x = code.astype(np.float64)
    with_constant = np.hstack([x, np.ones((len(x), 1))])
    for i, j in np.argwhere(apart == apart.min()):
        for column in np.flatnonzero(code[i] != code[j]):
            flipped = x[:, column].copy()
            flipped[i] *= -1
            if np.abs(flipped @ np.delete(with_constant, column, axis=1)).max() < len(x):
                return int(i), int(column)
    return None
