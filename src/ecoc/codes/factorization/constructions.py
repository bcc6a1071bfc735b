"""Construct codes with large or given distances: Hadamard matrices, linear codes, integer programs, inner products."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, milp

from ecoc.codes.codebook.hadamard import hadamard_matrix
from ecoc.codes.design.checks import Matrix
from ecoc.codes.factorization.budget import WORK_PER_EFFORT, Budget
from ecoc.codes.factorization.problem import Problem
from ecoc.codes.factorization.search import columns_are_valid


def constructed(problem: Problem, rng: np.random.Generator, limit: Budget) -> Matrix | None:
    """Return a code with the demanded distances that is made of Hadamard matrices; None if none of them fits.

    All rows of a Hadamard matrix of order n differ in n/2 places. Without its constant column it gives n codewords of
    length n − 1; with all negated rows, 2n codewords of length n; the rows that agree in a column, n/2 codewords that
    are one column shorter. All of them have the distance n/2. Longer codes have several of these side by side.
    """
    k, l = problem.n_classes, problem.n_columns
    if k > limit.limits.most_constructed or l > 4 * limit.limits.most_constructed:
        return None
    for block in _blocks(k, l, limit.limits.spare_columns):
        for _ in range(limit.limits.n_arrangements):
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
    if bits > limit.limits.most_bits or not griesmer <= l <= n:
        return None
    numbers = np.arange(1, n + 1)
    odd = _parity(numbers[:, None] & numbers)  # [message, column]
    for _ in range(limit.limits.n_starts):
        if limit.exhausted:
            return None
        chosen = _generator_columns(odd, l, distance, rng, limit)
        if chosen is not None:
            break
    else:
        return None
    for _ in range(limit.limits.n_arrangements):
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
    for step in range(limit.limits.n_exchanges):
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
    parity: NDArray[np.int64] = np.bitwise_count(numbers).astype(np.int64) & 1
    return parity


def _blocks(k: int, l: int, spare: int) -> Iterator[Matrix]:
    """Yield known codes of at least k codewords, with at most `spare` columns more than l."""
    for n in range(4 * (k // 8), 4 * (l + spare + 4), 4):
        if n < 2 or n - 1 > 2 * (l + spare) or (matrix := hadamard_matrix(n)) is None:
            continue
        signs = (matrix * matrix[:, :1]).astype(np.float64)
        if n < k <= 2 * n and n <= l + spare:
            yield np.vstack([signs, -signs])
        words = signs[:, 1:]
        while len(words) >= k:
            if words.shape[1] <= l + spare:
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


def code_with_products(products: Matrix, l: int, rng: np.random.Generator, limit: Budget) -> Matrix | None:
    """Return a valid code X of l columns with XXᵀ = `products`, a k × k matrix of integers; None if none is found.

    The rank of the matrix must be l. Then a column of the code is a column of signs with xᵀG⁺x = 1. These columns are
    listed, and l of them are chosen so that xᵀG⁺y = 0 for any two.
    """
    from ecoc.codes.factorization import _tree_kernels as kernels

    k = len(products)
    if l > k or limit.exhausted:
        return None
    values, vectors = np.linalg.eigh(products)
    dependent = limit.limits.dependent
    positive = values > dependent * l
    if values[0] < -dependent * l or np.count_nonzero(positive) != l:
        return None
    order, lower = _smallest_pivots_first(vectors[:, positive] * np.sqrt(values[positive]), dependent)
    signs = kernels.Signs(
        lower=lower,
        x=np.zeros(k),
        z=np.zeros(k),
        total=np.zeros(k + 1),
        tried=np.zeros(k, dtype=np.int64),
        depth=np.zeros(1, dtype=np.int64),
        found=np.zeros((limit.limits.listed_per_column * l, k)),
        n_found=np.zeros(1, dtype=np.int64),
    )
    while signs.depth[0] >= 0 and not limit.exhausted:
        limit.spend(kernels.list_columns(signs, max(1.0, min(limit.limits.chunk, limit.allowed - limit.spent))))
    columns = np.empty((int(signs.n_found[0]), k))
    columns[:, order] = signs.found[: len(columns)]
    scaled = columns @ (vectors[:, positive] / np.sqrt(values[positive]))  # their inner products are xᵀG⁺y
    for _ in range(limit.limits.n_orders if len(columns) > l else 1):
        chosen: list[int] = []
        for candidate in rng.permutation(len(columns)).tolist():
            if np.all(np.abs(scaled[chosen] @ scaled[candidate]) < kernels.TOLERANCE):
                chosen.append(candidate)
        code = np.ascontiguousarray(columns[chosen].T)
        if len(chosen) == l and np.array_equal(code @ code.T, products) and columns_are_valid(code):
            return code
    return None


def _smallest_pivots_first(factor: Matrix, dependent: float) -> tuple[list[int], Matrix]:
    """Return an order of the rows of F, and L with LLᵀ = FFᵀ in that order. Small pivots first cut the search early.

    The rows are made orthogonal one after the other (Gram and Schmidt), each new direction twice against rounding.
    """
    k, l = factor.shape
    lower, directions, rest = np.zeros((k, k)), np.zeros((k, l)), factor.copy()
    left, order = list(range(k)), []
    for d in range(k):
        norms = np.linalg.norm(rest[left], axis=1)
        row = left.pop(int(norms.argmin()))
        order.append(row)
        lower[d, :d] = directions[:d] @ factor[row]
        if norms.min() > dependent:
            direction = rest[row] - directions[:d].T @ (directions[:d] @ rest[row])
            lower[d, d] = np.linalg.norm(direction)
            directions[d] = direction / lower[d, d]
            rest -= np.outer(rest @ directions[d], directions[d])
    return order, lower


def linear_codewords(
    problem: Problem, rng: np.random.Generator, limit: Budget, scattered: bool = False
) -> Matrix | None:
    """Return random codewords of a linear code with the largest distance demanded; None if no such code is found.

    The code is the null space of a parity-check matrix, which is built column by column (Gilbert, Varshamov). The next
    column is the smallest number that is not a sum of c − 2 or fewer earlier columns, so that any c − 1 columns are
    independent. This finds a code wherever the Gilbert–Varshamov bound guarantees a linear one, and often elsewhere.

    If many numbers are allowed, the smallest ones can make parity bits that are constant or equal. With `scattered`,
    the columns are the powers of two, then random allowed numbers.
    """
    k, l = problem.n_classes, problem.n_columns
    distance = int(np.max(problem.demands))
    dimension = (k - 1).bit_length()
    redundancy = min(l - dimension, limit.limits.most_parity_bits)
    length = dimension + redundancy  # further columns are drawn at random
    work = distance * length << redundancy
    if limit.out_of_time or work > min(
        limit.limits.most_table_work, max(limit.limits.free_table_work, limit.allowed - limit.spent)
    ):
        return None
    limit.spend(work)
    sums = np.zeros((max(1, distance - 1), 2**redundancy), dtype=bool)  # [t]: sums of t or fewer columns
    sums[:, 0] = distance > 1
    columns: list[int] = []
    numbers = np.arange(2**redundancy)
    for j in range(length):
        column = int(sums[-1].argmin())
        if sums[-1, column] or limit.out_of_time:
            return None
        if scattered:
            column = 1 << j if j < redundancy else int(rng.choice(np.flatnonzero(~sums[-1])))
        columns.append(column)
        for t in range(len(sums) - 1, 0, -1):
            sums[t] |= sums[t - 1, numbers ^ column]
            if limit.out_of_time:
                return None
    checks = np.array(columns)
    is_check = np.array([c != 0 and c & (c - 1) == 0 and c not in columns[:j] for j, c in enumerate(columns)])
    free = np.flatnonzero(~is_check)
    words = _distinct_numbers(2 ** len(free), k, rng)
    bits = np.zeros((k, length), dtype=np.int64)
    bits[:, free] = (words[:, None] >> np.arange(len(free))) & 1
    syndrome = np.bitwise_xor.reduce(np.where(bits[:, free] == 1, checks[free], 0), axis=1)
    for parity in np.flatnonzero(is_check):
        bits[:, parity] = (syndrome >> int(checks[parity]).bit_length() - 1) & 1
    code = 1.0 - 2.0 * bits
    extra = rng.choice(np.array([-1.0, 1.0]), size=(k, l - length))
    return np.column_stack([code, extra])[:, rng.permutation(l)]


def _distinct_numbers(n: int, size: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw `size` different numbers below n."""
    if n <= 2**22:
        return rng.permutation(n)[:size]
    numbers = np.unique(rng.integers(0, min(n, 2**62), 2 * size))
    return rng.permutation(numbers)[:size]
