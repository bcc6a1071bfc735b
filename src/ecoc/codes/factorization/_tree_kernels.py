"""Depth-first searches that can be stopped and resumed: branch and bound, and columns of given products (compiled).

Branch and bound is for codes small enough to enumerate. A codeword is an l-bit number; a set bit means −1.
Complementing or permuting columns does not change the objective. So the first codeword is all +1, and among columns
that agree in all rows so far, a new codeword has its −1s first. For every row that is not fixed yet, a table holds the
cost of each of its 2^l codewords against the fixed rows. The lower bound of a branch is the sum of the cheapest
entries, plus the least cost of each pair of rows that are not fixed. That least cost is not zero, because inner
products are integers with the parity of l.

The other search lists the columns that a code X with XXᵀ = G can have, where the rank of G is the number of columns.
Then X has full column rank, and XᵀG⁺X is the identity. So every column x has xᵀG⁺x = 1. With a Cholesky factor LLᵀ of
G, this is the sum of z_i², where z solves Lz = x row by row. A branch ends as soon as the sum exceeds 1 (Fincke and
Pohst). A row of G that depends on earlier rows has L_ii = 0, and leaves one sign at most.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecoc.utils.jit import kernel

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@kernel
def pair_costs(target: Floats, cap: Floats) -> Floats:
    """Return the (k, k, l + 1) cost of each pair at each Hamming distance, counted twice; infinite if too close."""
    k = target.shape[0]
    l = int(target[0, 0] + 0.5)
    cost = np.empty((k, k, l + 1))
    for i in range(k):
        for r in range(k):
            for h in range(l + 1):
                product = l - 2 * h
                cost[i, r, h] = 2.0 * (target[i, r] - product) ** 2 if product <= cap[i, r] else np.inf
    return cost


class Tree(NamedTuple):
    """State of a depth-first search that can be stopped and resumed."""

    cost: Floats  # (k, k, l + 1) as pair_costs returns it
    floor: Floats  # (k + 1,) [d]: least possible cost of the pairs among rows d … k−1
    so_far: Floats  # (k, k, 2^l) [d, r, w]: cost of codeword w for row r against rows 0 … d−1
    order: Ints  # (k, 2^l) [d]: codewords of row d, cheapest first
    position: Ints  # (k,) [d]: position in `order` of the next codeword to try
    code: Ints  # (k,) codewords of the rows so far
    fixed: Floats  # (k + 1,) [d]: cost among rows 0 … d−1
    alike: Ints  # (k + 1,) [d] bit c: columns c and c+1 agree in rows 0 … d−1
    seen: Ints  # (k + 1,) [d] bit c: column c has a −1 in rows 0 … d−1
    weight: Ints  # (2^l,) number of set bits
    depth: Ints  # (1,) row to choose next; 0 when the search is complete
    best: Ints  # (k,) the cheapest code found
    upper: Floats  # (1,) cost of `best`; only cheaper codes are searched for


@kernel
def cheapest_first(keys: Floats, order: Ints) -> None:
    """Write the positions of the keys in ascending order, by Shell's sort, which compiles fast.

    The gaps are those of Gonnet and Baeza-Yates. Gaps that are powers of two would take quadratic time, because the
    keys depend on the bits of their positions.
    """
    n = keys.shape[0]
    for i in range(n):
        order[i] = i
    gap = max(1, 5 * n // 11)
    while gap > 0:
        for i in range(gap, n):
            item = order[i]
            j = i
            while j >= gap and keys[order[j - gap]] > keys[item]:
                order[j] = order[j - gap]
                j -= gap
            order[j] = item
        gap = 1 if gap == 2 else 5 * gap // 11


@kernel
def start(t: Tree) -> None:
    """Fill the tables for a first codeword of all +1."""
    k, size = t.order.shape
    for w in range(1, size):
        t.weight[w] = t.weight[w >> 1] + (w & 1)
    for d in range(k - 1, -1, -1):
        t.floor[d] = t.floor[d + 1]
        for r in range(d + 1, k):
            cheapest = np.inf
            for h in range(t.cost.shape[2]):
                cheapest = min(cheapest, t.cost[d, r, h])
            t.floor[d] += cheapest
    for r in range(1, k):
        for w in range(size):
            t.so_far[1, r, w] = t.cost[r, 0, t.weight[w]]
    t.alike[1] = (size >> 1) - 1
    cheapest_first(t.so_far[1, 1], t.order[1])
    t.depth[0] = 1


@kernel
def advance(t: Tree, allowed: int) -> int:
    """Search on for codes cheaper than `upper` until the allowed work is done; return the work done."""
    k, size = t.order.shape
    # Work of updating one row's costs and of one sort, in the time that touching one table entry takes.
    updating, sorting = 2 * size, 12 * size * (t.cost.shape[2] - 1)
    d, work = t.depth[0], 0
    while d > 0 and work < allowed:
        if t.position[d] == size:
            t.position[d] = 0
            d -= 1
            continue
        w = t.order[d, t.position[d]]
        t.position[d] += 1
        total = t.fixed[d] + t.so_far[d, d, w]
        limit = t.upper[0] - 1e-9
        if total + t.floor[d + 1] >= limit:
            t.position[d] = size  # the codewords are sorted by cost: no later one can be cheaper
            continue
        if t.alike[d] & ~w & (w >> 1):
            continue  # the same code with two columns swapped is visited elsewhere
        work += 1
        t.code[d] = w
        t.fixed[d + 1] = total
        t.alike[d + 1] = t.alike[d] & ~(w ^ (w >> 1))
        t.seen[d + 1] = t.seen[d] | w
        if d == k - 1:
            if t.alike[k] == 0 and t.seen[k] == size - 1:  # no two columns are equal and none is constant
                t.upper[0] = total
                for r in range(k):
                    t.best[r] = t.code[r]
            continue
        bound = total + t.floor[d + 1]
        for r in range(d + 1, k):
            cheapest = np.inf
            before, after, price = t.so_far[d, r], t.so_far[d + 1, r], t.cost[r, d]
            for u in range(size):
                after[u] = before[u] + price[t.weight[u ^ w]]
                cheapest = min(cheapest, after[u])
            bound += cheapest
            work += updating
            if bound >= limit:
                break
        if bound < limit:
            d += 1
            cheapest_first(t.so_far[d, d], t.order[d])
            work += sorting
            t.position[d] = 0
    t.depth[0] = d
    return int(work)


TOLERANCE = 1e-6  # of sums and signs, which are computed with errors below 1e-9


class Signs(NamedTuple):
    """State of a search that can be stopped and resumed."""

    lower: Floats  # (k, k) the Cholesky factor; a zero on its diagonal is a row that depends on those above
    x: Floats  # (k,) signs so far; the first is +1, because the negative of a column is no other column
    z: Floats  # (k,) solution of L z = x so far
    total: Floats  # (k + 1,) [d]: sum of the first d squares of z
    tried: Ints  # (k,) signs tried in each row
    depth: Ints  # (1,) row whose sign is chosen next; −1 when the search is complete
    found: Floats  # (most, k) columns found
    n_found: Ints  # (1,)


@kernel
def list_columns(s: Signs, work: float) -> float:
    """Search on for about this much work; return the work done. The search ends if there is no room for a column."""
    k, done, d = s.x.shape[0], 0.0, s.depth[0]
    while d >= 0 and done < work:
        if d == k:
            if abs(s.total[k] - 1.0) < TOLERANCE:
                if s.n_found[0] == s.found.shape[0]:
                    d = -1
                    break
                for i in range(k):
                    s.found[s.n_found[0], i] = s.x[i]
                s.n_found[0] += 1
            d -= 1
            continue
        if s.tried[d] == (1 if d == 0 else 2):
            s.tried[d] = 0
            d -= 1
            continue
        s.x[d] = 1.0 if s.tried[d] == 0 else -1.0
        s.tried[d] += 1
        rest, row = s.x[d], s.lower[d]
        for j in range(d):
            rest -= row[j] * s.z[j]
        done += d + 4.0
        if row[d] == 0.0:
            if abs(rest) > TOLERANCE:
                continue
            s.z[d] = 0.0
        else:
            s.z[d] = rest / row[d]
        s.total[d + 1] = s.total[d] + s.z[d] * s.z[d]
        if s.total[d + 1] < 1.0 + TOLERANCE:
            d += 1
    s.depth[0] = d
    return done
