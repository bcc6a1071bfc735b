"""Which codes with large distances are known? Parts of Hadamard matrices, side by side."""

from collections.abc import Iterator

import numpy as np

from ecoc.codebook.hadamard import hadamard_matrix
from ecoc.design.checks import Matrix
from ecoc.factorization.budget import Budget
from ecoc.factorization.descent import columns_are_valid
from ecoc.factorization.problem import Problem

_MOST_CLASSES = 256  # the largest codes that are built
_DRAWS = 8  # arrangements of each combination that are tried
_SPARE = 4  # columns that may be left out of a known code


def constructed(problem: Problem, rng: np.random.Generator, limit: Budget) -> Matrix | None:
    """Return a code with the demanded distances that is made of Hadamard matrices; None if none of them fits.

    All rows of a Hadamard matrix of order n differ in n/2 places. Without its constant column it gives n codewords of
    length n − 1; with all negated rows, 2n codewords of length n; the rows that agree in a column, n/2 codewords that
    are one column shorter. All of them have the distance n/2. Longer codes have several of these side by side.
    """
    k, l = problem.n_classes, problem.n_columns
    if k > _MOST_CLASSES or l > 4 * _MOST_CLASSES:
        return None
    for block in _blocks(k, l):
        for _ in range(_DRAWS):
            if limit.out_of_time:
                return None
            code = _side_by_side(block, k, l, rng)
            if _distances_suffice(code, problem) and columns_are_valid(code):
                return code
    return None


def _blocks(k: int, l: int) -> Iterator[Matrix]:
    """Yield known codes of at least k codewords, with at most a few columns more than l."""
    for n in range(4 * (k // 8), 4 * (l + _SPARE + 4), 4):
        if n < 2 or n - 1 > 2 * (l + _SPARE) or (matrix := hadamard_matrix(n)) is None:
            continue
        signs = (matrix * matrix[:, :1]).astype(np.float64)
        if n < k <= 2 * n and n <= l + _SPARE:
            yield np.vstack([signs, -signs])
        words = signs[:, 1:]
        while len(words) >= k:
            if words.shape[1] <= l + _SPARE:
                yield words
            words = words[words[:, 0] > 0, 1:]


def _side_by_side(block: Matrix, k: int, l: int, rng: np.random.Generator) -> Matrix:
    """Put the block side by side, each time with its rows in another order, and cut it to k rows and l columns."""
    n, width = block.shape
    parts = [block[rng.permutation(n)[:k]] for _ in range(-(-l // width))]
    last = l - (len(parts) - 1) * width
    parts[-1] = parts[-1][:, rng.permutation(width)[:last]]
    return np.ascontiguousarray(np.hstack(parts))


def _distances_suffice(code: Matrix, problem: Problem) -> bool:
    inner = code @ code.T
    np.fill_diagonal(inner, -np.inf)
    return bool((inner <= problem.cap).all())
