"""Bounds of coding theory on the distances of a code, in exact integers.

A binary code book has k different codewords and l columns. No column is constant, equal to another column or its
complement. The bounds of Singleton, Plotkin and Hamming hold for all binary codes; the limited number of different
columns makes some of them tighter. A code that a bound excludes does not exist. A code that no bound excludes may
exist or not.
"""

from collections.abc import Callable, Iterator
from math import comb, log2

import numpy as np
from numpy.typing import NDArray

from ecoc.utils.exceptions import InfeasibleError

Demands = NDArray[np.int64]


def violated_bound(n_classes: int, n_columns: int, min_distance: int | Demands) -> str | None:
    """Return the bound that excludes every code book of this size with these distances, or None.

    Parameters
    ----------
    n_classes, n_columns : int
        Number of classes, at least 2, and number of columns.
    min_distance : int or integer ndarray of shape (n_classes, n_classes)
        Smallest Hamming distance of all pairs of codewords, or of each pair, as
        :func:`~ecoc.codes.design.check_min_distance` returns it.

    Returns
    -------
    str or None
        ``"<bound>: <reason>"``, or None if no bound excludes the code.

    See Also
    --------
    ecoc.codes.design.shortest_length : The smallest number of columns that no bound excludes.

    Examples
    --------
    >>> from ecoc.codes.design import violated_bound
    >>> violated_bound(8, 5, 3)
    'Plotkin: 8 codewords of length 5 have an average distance of at most 2.86, below 3'
    >>> violated_bound(8, 6, 3) is None
    True
    """
    return bounds_checker(n_classes, min_distance)(int(n_columns))


def shortest_length(n_classes: int, min_distance: int | Demands) -> tuple[int, str]:
    """Find the smallest number of columns that no bound excludes.

    Parameters
    ----------
    n_classes : int
        Number of classes, at least 2.
    min_distance : int or integer ndarray of shape (n_classes, n_classes)
        Smallest Hamming distance of all pairs of codewords, or of each pair, as
        :func:`~ecoc.codes.design.check_min_distance` returns it.

    Returns
    -------
    length : int
        Number of columns. No shorter code exists; a code of this length may or may not exist.
    bound : str
        Name of the bound that excludes one column less: ``"Singleton"``, ``"Plotkin"``, …

    Raises
    ------
    InfeasibleError
        If the bounds exclude every number of columns.

    See Also
    --------
    ecoc.code_length : The number of columns for a design matrix.
    ecoc.codes.design.violated_bound : Why a shorter code is impossible.

    Examples
    --------
    >>> from ecoc.codes.design import shortest_length
    >>> shortest_length(1000, 3)
    (14, 'Hamming')
    """
    return shortest_allowed(n_classes, min_distance, bounds_checker(n_classes, min_distance))


def shortest_allowed(
    n_classes: int, min_distance: int | Demands, violated: Callable[[int], str | None]
) -> tuple[int, str]:
    """Find the shortest length that a checker of bounds allows, as `shortest_length` does, and its bound."""
    most = 2 ** (int(n_classes) - 1) - 1
    # More columns never make a bound tighter, except the number of different columns. So bisection is safe.
    high = 1
    while high < most and violated(high):
        high = min(2 * high, most)
    if reason := violated(high):
        largest = int(np.max(min_distance))
        raise InfeasibleError(
            f"No code book of {n_classes} classes has min_distance={largest} at any length. {reason}. "
            f"All {most} different columns together separate each pair {2 ** (n_classes - 2)} times; ask for "
            f"min_distance={2 ** (n_classes - 2)} or less.",
            bound=_name(reason),
        )
    low = 0  # a code without columns is always excluded
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if violated(middle) else (low, middle)
    return high, _name(violated(low) or "")


def _name(reason: str) -> str:
    return reason.partition(":")[0]


def bounds_checker(
    n_classes: int, min_distance: int | Demands, out_of_time: Callable[[], bool] = lambda: False
) -> Callable[[int], str | None]:
    """Return a function that maps a length to the first violated bound; what does not depend on it is computed here.

    With many classes and a matrix of demands, this takes a second. When time is out, the other bounds are left out.
    """
    k = int(n_classes)
    if k < 2:
        raise ValueError(f"A code needs at least two classes; got n_classes={k}.")
    if isinstance(min_distance, np.ndarray):
        demands = min_distance.astype(np.int64, copy=False)
        if (diagonal := np.diag(demands)).any():
            demands = demands - np.diag(diagonal)
        largest = int(demands.max())
        subsets = list(_heavy_subsets(demands, out_of_time))
        triple = _triple(demands, out_of_time)
        cliques = list(_cliques(demands, out_of_time))
    else:
        largest = c = int(min_distance)
        cliques, subsets, triple = [(k, c)], [(k, *_totals(k, c))], (0, "")

    def check(length: int) -> str | None:
        if reason := _columns(k, length, largest):
            return f"Columns: {reason}"
        for name, bound in _BOUNDS.items():
            for size, distance in cliques:
                if reason := bound(size, length, distance):
                    return f"{name}: {reason}"
        total, classes = triple
        if total > 2 * length:  # a column separates none or two of the three pairs among three codewords
            return f"Triangle: {classes} need distances of {total} in all, but {length} columns give only {2 * length}"
        for size, *totals in subsets:
            if reason := _average(size, length * (size * size // 4), *totals):
                return f"Plotkin: the {size} codewords with the largest distances, of length {length}, {reason}"
        if reason := _average(k, _separated_pairs(k, length), *subsets[0][1:]):
            return f"Plotkin: {k} codewords of {length} different columns {reason}"
        return None

    return check


def _columns(k: int, length: int, distance: int) -> str | None:
    """k classes have 2^(k−1) − 1 different columns, of which 2^(k−2) separate a given pair."""
    if length.bit_length() > k - 1:
        return f"{k} classes allow at most {2 ** (k - 1) - 1} different columns, fewer than {length}"
    if (distance - 1).bit_length() > k - 2:
        return f"at most {2 ** (k - 2)} different columns of {k} classes separate a given pair, fewer than {distance}"
    return None


def _singleton(k: int, length: int, distance: int) -> str | None:
    """k ≤ 2^(l−c+1), because codewords still differ after any c − 1 columns are removed."""
    if (k - 1).bit_length() <= length - distance + 1:
        return None
    return f"{k} codewords at distance {distance} need more than {length} columns"


def _plotkin(k: int, length: int, distance: int) -> str | None:
    """A column separates at most ⌊k²/4⌋ pairs, which limits the average distance.

    The bound can be tighter for a part of the codewords: at least ⌈k/2^s⌉ of them agree on any s columns, and these
    have the full distance on the other columns.
    """
    for shared in range(k.bit_length()):
        size = -(-k >> shared)
        if size < 2:
            break
        if reason := _average(size, (length - shared) * (size * size // 4), *_totals(size, distance)):
            alike = f", those of {k} that agree on {shared} columns," if shared else ""
            return f"{size} codewords of length {length - shared}{alike} {reason}"
    return None


def _hamming(k: int, length: int, distance: int) -> str | None:
    """Balls of radius ⌊(c−1)/2⌋ around the codewords are disjoint; for even c, even after a column is removed."""
    n, t = length - (distance % 2 == 0), (distance - 1) // 2
    # For c > l/2, Plotkin's bound is nearly exact (Levenshtein). Otherwise, a ball holds at most 2^(n·H(t/n)) words,
    # which decides all long codes without integers of thousands of digits.
    if t == 0 or 2 * distance > length or k.bit_length() + n * _entropy(t / n) < n - 1:
        return None
    ball = sum(comb(n, i) for i in range(t + 1))
    if k * ball <= 2**n:
        return None
    return f"{k} disjoint balls of {ball} words do not fit into the 2^{n} words of length {n}"


_BOUNDS: dict[str, Callable[[int, int, int], str | None]] = {
    "Singleton": _singleton,
    "Plotkin": _plotkin,
    "Hamming": _hamming,
}


def _entropy(share: float) -> float:
    return -share * log2(share) - (1 - share) * log2(1 - share)


def _totals(size: int, distance: int) -> tuple[int, int]:
    """Return the sum of the distances of all pairs, and the sum if odd distances are rounded up to even ones."""
    return distance * comb(size, 2), (distance + distance % 2) * comb(size, 2)


def _average(size: int, separated: int, total: int, even_total: int) -> str | None:
    """Return why `size` codewords cannot have a total distance if all columns separate `separated` pairs, or None.

    A parity column makes every distance even and separates up to ⌊size²/4⌋ more pairs, which `even_total` may use.
    """
    pairs, with_parity = comb(size, 2), separated + size * size // 4
    if total > separated:
        return f"have an average distance of at most {separated / pairs:.2f}, below {total / pairs:.4g}"
    if even_total > with_parity:
        limit, needed = with_parity / pairs, even_total / pairs
        return f"have, with a parity column, an average distance of at most {limit:.2f}, below {needed:.4g}"
    return None


def _separated_pairs(k: int, length: int) -> int:
    """Return the largest number of pairs, summed over columns, that `length` different columns separate.

    A column with m classes against k − m separates m(k−m) pairs. There are C(k, m) such columns, or half of that if
    2m = k.
    """
    # C(k, ⌊k/2⌋)/2 ≥ 2^(k−1)/(k+1): with many classes, there are more balanced columns than are needed.
    if length.bit_length() < k - k.bit_length():
        return length * (k * k // 4)
    total, m = 0, k // 2
    while length > 0 and m > 0:
        taken = min(length, comb(k, m) // (2 if 2 * m == k else 1))
        total, length, m = total + taken * m * (k - m), length - taken, m - 1
    return total


def _triple(demands: Demands, out_of_time: Callable[[], bool]) -> tuple[int, str]:
    """Return the largest total demand among three classes, and the names of the classes."""
    max_triple_classes = 300  # triples are checked among at most this many classes, those with the largest demands
    rows = np.argsort(-demands.max(axis=1), kind="stable")[:max_triple_classes]
    among = demands[np.ix_(rows, rows)]
    best, classes = 0, ""
    for i in range(len(rows) - 2):
        if out_of_time():
            break
        rest = among[i, i + 1 :]
        sums = rest[:, None] + rest + among[i + 1 :, i + 1 :]
        np.fill_diagonal(sums, 0)
        if sums.max() > best:
            best = int(sums.max())
            j, m = divmod(int(sums.argmax()), len(sums))
            a, b, c = sorted((rows[i], rows[i + 1 + j], rows[i + 1 + m]))
            classes = f"classes {a}, {b} and {c}"
    return best, classes


def _heavy_subsets(demands: Demands, out_of_time: Callable[[], bool]) -> Iterator[tuple[int, int, int]]:
    """Yield the size, total and even total demand of all classes, then of all but the class with the least, etc."""
    rows = demands.sum(axis=1)
    total = int(rows.sum()) // 2
    even_total = total + int(np.count_nonzero(demands & 1)) // 2
    alive = np.ones(len(demands), dtype=bool)
    for size in range(len(demands), 1, -1):
        yield size, total, even_total
        if out_of_time():
            return
        least = int(np.where(alive, rows, np.iinfo(np.int64).max).argmin())
        alive[least] = False
        lost = demands[least]
        total, even_total = total - int(rows[least]), even_total - int((lost + (lost & 1))[alive].sum())
        rows = rows - lost


def _cliques(demands: Demands, out_of_time: Callable[[], bool]) -> Iterator[tuple[int, int]]:
    """Yield the size and distance of sets of classes that are all at least this distance apart.

    The largest such set is hard to find. A large one is found by dropping the class with the fewest such demands until
    all demands among the rest are large enough.
    """
    # Both limit the time for a matrix of demands: 0.6 s for 1000 classes with random demands. Half and double of either
    # give the same length there, in 0.4 to 0.6 s and in 0.9 s.
    max_cliques = 32  # cliques are searched for at most this many of the different distances
    if out_of_time():
        return
    few = demands.max() < demands.size  # then counting is faster than sorting
    values = (np.flatnonzero(np.bincount(demands.ravel())) if few else np.unique(demands))[1:]  # the diagonal is zero
    for distance in values[np.unique(np.linspace(0, len(values) - 1, max_cliques).astype(int))]:
        if out_of_time():
            return
        wanted = demands >= distance
        np.fill_diagonal(wanted, False)
        degrees, size = wanted.sum(axis=1), len(demands)
        while degrees[least := degrees.argmin()] < size - 1:
            if out_of_time():
                return
            degrees -= wanted[least]
            degrees[least] = 2 * len(demands)  # never the smallest any more: it can fall by len(demands) at most
            size -= 1
        yield size, int(distance)
