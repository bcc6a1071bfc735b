"""What is the optimum? Depth-first branch and bound over codewords, for codes small enough to enumerate.

A codeword is an l-bit number (bit set: −1). Complementing and permuting columns changes nothing, so the first codeword
is all +1 and, among columns that agree in all rows so far, a new codeword has its −1s first. Every open row keeps the
cost of each of its 2^l codewords against the rows already fixed. The sum of the cheapest ones, plus what any pair of
open rows must cost because inner products are integers of l's parity, bounds a branch from below.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecoc.utils.jit import kernel

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@kernel
def pair_costs(target: Floats, cap: Floats) -> Floats:
    """(k, k, l + 1) cost of each pair at each Hamming distance, both triangles counted; infinite beyond its cap."""
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
    """A search tree in the middle of its depth-first walk."""

    cost: Floats  # (k, k, l + 1) as pair_costs gives it
    floor: Floats  # (k + 1,) [d]: what the pairs among rows d … k−1 cost at the very least
    so_far: Floats  # (k, k, 2^l) [d, r, w]: row r as codeword w against rows 0 … d−1
    order: Ints  # (k, 2^l) [d]: codewords of row d, cheapest first
    position: Ints  # (k,) [d]: the next of them to try
    code: Ints  # (k,) codewords of the rows so far
    fixed: Floats  # (k + 1,) [d]: cost among rows 0 … d−1
    alike: Ints  # (k + 1,) [d] bit c: columns c and c+1 agree in rows 0 … d−1
    seen: Ints  # (k + 1,) [d] bit c: column c has a −1 in rows 0 … d−1
    weight: Ints  # (2^l,) number of set bits
    depth: Ints  # (1,) row to choose next; 0 when the walk is over
    best: Ints  # (k,) the cheapest code found
    upper: Floats  # (1,) its cost


@kernel
def cheapest_first(keys: Floats, order: Ints) -> None:
    """Write the positions of the keys in ascending order (Shell's sort: quick to compile, and 2^l is not large).

    Its gaps are Gonnet's and Baeza-Yates's: powers of two take quadratic time, as costs go by the bits of a position.
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
def plant(t: Tree) -> None:
    """Set up the tree with the first codeword all +1."""
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
def walk(t: Tree, allowed: int) -> int:
    """Visit more nodes, looking for codes cheaper than `upper`, until this much work is done; returns the work."""
    k, size = t.order.shape
    looking, sorting = 2 * size, 12 * size * (t.cost.shape[2] - 1)  # in the time of table entries touched
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
            t.position[d] = size  # codewords come cheapest first: the rest cannot do better
            continue
        if t.alike[d] & ~w & (w >> 1):
            continue  # not −1 first among columns that still agree
        work += 1
        t.code[d] = w
        t.fixed[d + 1] = total
        t.alike[d + 1] = t.alike[d] & ~(w ^ (w >> 1))
        t.seen[d + 1] = t.seen[d] | w
        if d == k - 1:
            if t.alike[k] == 0 and t.seen[k] == size - 1:  # columns differ, and from the constant
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
            work += looking
            if bound >= limit:
                break
        if bound < limit:
            d += 1
            cheapest_first(t.so_far[d, d], t.order[d])
            work += sorting
            t.position[d] = 0
    t.depth[0] = d
    return int(work)
