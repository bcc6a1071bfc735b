"""Construct codes with large distances: Hadamard matrices side by side, short linear codes, and integer programs."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, milp

from ecoc.codes.codebook.hadamard import hadamard_matrix
from ecoc.codes.design.checks import Matrix
from ecoc.codes.factorization.budget import WORK_PER_EFFORT, Budget
from ecoc.codes.factorization.descent import columns_are_valid
from ecoc.codes.factorization.problem import Problem
from ecoc.codes.factorization.search_limits import LIMITS


def constructed(problem: Problem, rng: np.random.Generator, limit: Budget) -> Matrix | None:
    """Return a code with the demanded distances that is made of Hadamard matrices; None if none of them fits.

    All rows of a Hadamard matrix of order n differ in n/2 places. Without its constant column it gives n codewords of
    length n − 1; with all negated rows, 2n codewords of length n; the rows that agree in a column, n/2 codewords that
    are one column shorter. All of them have the distance n/2. Longer codes have several of these side by side.
    """
    k, l = problem.n_classes, problem.n_columns
    if k > LIMITS.most_constructed or l > 4 * LIMITS.most_constructed:
        return None
    for block in _blocks(k, l):
        for _ in range(LIMITS.n_arrangements):
            if limit.out_of_time:
                return None
            code = _side_by_side(block, k, l, rng)
            if _distances_suffice(code, problem) and columns_are_valid(code):
                return code
    return None


def linear_code(problem: Problem, rng: np.random.Generator, limit: Budget) -> Matrix | None:
    """Return codewords of a linear code with the largest distance demanded, or None if no such code is found.

    The columns of a generator matrix are l of the 2^b − 1 non-zero words of b bits. A message that is not zero has a
    codeword of weight c or more if c of these columns have an odd number of bits in common with it. A tabu search
    exchanges columns until this holds for all messages. For few bits, it finds the best linear codes that are known.
    """
    k, l = problem.n_classes, problem.n_columns
    bits, distance = (k - 1).bit_length(), int(np.max(problem.demands))
    n = 2**bits - 1
    griesmer = sum(-(-distance >> i) for i in range(bits))
    if bits > LIMITS.most_bits or not griesmer <= l <= n:
        return None
    numbers = np.arange(1, n + 1)
    odd = _parity(numbers[:, None] & numbers)  # [message, column]
    for _ in range(LIMITS.n_starts):
        if limit.exhausted:
            return None
        chosen = _generator_columns(odd, l, distance, rng, limit)
        if chosen is not None:
            break
    else:
        return None
    for _ in range(LIMITS.n_arrangements):
        messages = rng.permutation(n + 1)[:k]
        code: Matrix = 1.0 - 2.0 * _parity(messages[:, None] & rng.permutation(numbers[chosen])).astype(np.float64)
        if columns_are_valid(code):
            return np.ascontiguousarray(code)
    return None


def _generator_columns(
    odd: NDArray[np.int64], l: int, distance: int, rng: np.random.Generator, limit: Budget
) -> NDArray[np.bool_] | None:
    """Choose l columns so that each row has `distance` ones or more among them; None if a tabu search does not."""
    n = len(odd)
    chosen = np.zeros(n, dtype=bool)
    chosen[rng.choice(n, size=l, replace=False)] = True
    free_from, weight = np.zeros(n, dtype=np.int64), odd[:, chosen].sum(axis=1)
    for step in range(LIMITS.n_exchanges):
        if weight.min() >= distance:
            return chosen
        out, new = (np.flatnonzero(side & (free_from <= step)) for side in (chosen, ~chosen))
        limit.spend(n * len(out) * len(new))
        if not len(out) or not len(new) or limit.out_of_time:
            return None
        lacking = distance - weight[:, None, None] + odd[:, out, None] - odd[:, None, new]
        cost = (np.maximum(lacking, 0) ** 2).sum(axis=0) + rng.random((len(out), len(new))) / 2
        a, b = np.unravel_index(int(cost.argmin()), cost.shape)
        exchanged = np.array([out[a], new[b]])
        chosen[exchanged] = ~chosen[exchanged]
        free_from[exchanged] = step + rng.integers(2, 8, size=2)
        weight = weight - odd[:, exchanged[0]] + odd[:, exchanged[1]]
    return None


def _parity(numbers: NDArray[Any]) -> NDArray[np.int64]:
    """Return 1 for numbers with an odd number of bits, 0 for others."""
    parity: NDArray[np.int64] = numbers.astype(np.int64)
    for shift in (4, 2, 1):
        parity ^= parity >> shift
    return parity & 1


def _blocks(k: int, l: int) -> Iterator[Matrix]:
    """Yield known codes of at least k codewords, with at most a few columns more than l."""
    for n in range(4 * (k // 8), 4 * (l + LIMITS.spare_columns + 4), 4):
        if n < 2 or n - 1 > 2 * (l + LIMITS.spare_columns) or (matrix := hadamard_matrix(n)) is None:
            continue
        signs = (matrix * matrix[:, :1]).astype(np.float64)
        if n < k <= 2 * n and n <= l + LIMITS.spare_columns:
            yield np.vstack([signs, -signs])
        words = signs[:, 1:]
        while len(words) >= k:
            if words.shape[1] <= l + LIMITS.spare_columns:
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


def choose_columns(columns: Matrix, problem: Problem, limit: Budget) -> Matrix | None:
    """Return l of these columns that make a code with the demanded distances; None if none is found in time.

    The columns are all different. So a choice of them is a valid code if enough of them separate each pair of classes.
    The solver rounds numbers. So it is no proof if no code is found.
    """
    most_nodes = 10_000  # of the tree that is searched. Each of 1,050 problems of 5 to 7 classes took one
    effort = 0.01  # that is counted for a program. The solver does not count its work; most programs take 3 ms
    if limit.out_of_time:
        return None
    n, l = columns.shape[1], problem.n_columns
    i, j = np.triu_indices(problem.n_classes, 1)
    separates = (columns[i] != columns[j]).astype(np.float64)  # [pair, column]
    demands = np.broadcast_to(problem.demands, (len(columns), len(columns)))[i, j]
    solution = milp(
        np.zeros(n),
        integrality=np.ones(n),
        bounds=Bounds(0, 1),
        constraints=[LinearConstraint(separates, demands), LinearConstraint(np.ones((1, n)), l, l)],
        options={"time_limit": limit.seconds_left, "node_limit": most_nodes},
    )
    limit.spend(effort * WORK_PER_EFFORT)
    if solution.x is None:
        return None
    chosen = solution.x > 0.5
    if chosen.sum() != l or (separates[:, chosen].sum(axis=1) < demands).any():
        return None
    return np.ascontiguousarray(columns[:, chosen])
