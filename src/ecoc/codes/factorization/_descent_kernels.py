"""Improve a code of any size row by row, without a k × k table (compiled).

With the other rows fixed, the objective as a function of row i is 2·(xᵀMx − 2xᵀb) + const, where H = XᵀX,
M = H − x_i x_iᵀ and b = l·(D X)_i − l·x_i. Flipping x_j changes the objective by 8·(k − 1 − x_j v_j) with v = Mx − b.
Updating v after a flip takes O(l).

D is never needed as such, only D X. If D = FFᵀ, then D X = left @ right with left = F and right = FᵀX. For a dense D,
left = D and right = D X itself. In both cases, flipping x_ij adds a multiple of row i of `left` to column j of `right`.

Codewords are packed into 64-bit words, so that their Hamming distances are fast to count.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecoc.utils.codewords import Words
from ecoc.utils.jit import kernel, popcount

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class State(NamedTuple):
    """A code and the tables that row updates need; each table is updated together with the code."""

    x: Floats  # (k, l) the code
    words: Words  # (k, ⌈l/64⌉) the codewords packed
    overlap: Floats  # (l, l + 1) XᵀX, and the column sums in the last column
    left: Floats  # (k, r) F, or (k, k) D
    right: Floats  # (r, l) FᵀX, or (k, l) D X
    distance: Ints  # (1, 1) or (k, k): smallest distance allowed
    work: Ints  # (1,) number of pairs of codewords compared so far


@kernel
def pack(codeword: Floats, words: Words) -> None:
    """Pack the signs of a codeword, 64 in a word."""
    for w in range(words.shape[0]):
        words[w] = 0
    for j in range(codeword.shape[0]):
        if codeword[j] > 0:
            words[j >> 6] |= np.uint64(1) << np.uint64(j & 63)


@kernel
def deficit(s: State, words: Words, i: int, last: int, limit: int) -> int:
    """Sum by how much codeword i, packed in `words`, is too close to the rows before `last`; stop at `limit`."""
    total, r = 0, 0
    single = s.distance.shape[0] == 1
    for r in range(last):
        if r != i:
            apart = 0
            for w in range(words.shape[0]):
                apart += int(popcount(words[w] ^ s.words[r, w]))
            total += max(0, (s.distance[0, 0] if single else s.distance[i, r]) - apart)
            if total >= limit:
                break
    s.work[0] += r + 1
    return int(total)


@kernel
def repair(s: State, orders: Ints, first: int, last: int) -> bool:
    """Move the codewords from `first` to `last` − 1 until each is far enough from all before it; tell whether all are.

    A row flips the entry that leaves the smallest deficit, even if the deficit does not fall, but no entry twice. This
    leads out of crowded regions. `orders` breaks ties: it holds random orders of the columns, used in turn.
    """
    moved = np.empty(s.x.shape[1], np.int64)
    for i in range(first, last):
        words = s.words[i]
        current = deficit(s, words, i, i, 2**62)
        if current > 0:
            for j in range(moved.shape[0]):
                moved[j] = 0
        while current > 0:
            smallest, choice = 2**62, -1
            for j in orders[i % orders.shape[0]]:
                if moved[j] == 0:
                    bit = np.uint64(1) << np.uint64(j & 63)
                    words[j >> 6] ^= bit
                    candidate = deficit(s, words, i, i, smallest)
                    words[j >> 6] ^= bit
                    if candidate < smallest:
                        smallest, choice = candidate, j
            if choice < 0:
                return False
            words[choice >> 6] ^= np.uint64(1) << np.uint64(choice & 63)
            s.x[i, choice] = -s.x[i, choice]
            moved[choice] = 1
            current = smallest
    return True


@kernel
def columns_stay_valid(s: State, i: int, codeword: Floats) -> bool:
    """Tell whether no column would be constant, equal or complementary to another with this codeword as row i."""
    k, l = s.x.shape
    for j in range(l):
        if codeword[j] != s.x[i, j]:
            for c in range(l):
                if c != j and abs(s.overlap[j, c] - s.x[i, j] * s.x[i, c] + codeword[j] * codeword[c]) == k:
                    return False
            if abs(s.overlap[j, l] + 2.0 * codeword[j]) == k:
                return False
    return True


@kernel
def set_row(s: State, i: int, codeword: Floats) -> None:
    """Replace row i by the codeword and update the tables."""
    l = s.x.shape[1]
    for j in range(l):
        if codeword[j] != s.x[i, j]:
            for c in range(l):
                if c != j:
                    s.overlap[j, c] += 2.0 * codeword[j] * s.x[i, c]
                    s.overlap[c, j] = s.overlap[j, c]
            s.overlap[j, l] += 2.0 * codeword[j]
            s.x[i, j] = codeword[j]
            for r in range(s.left.shape[1]):
                s.right[r, j] += 2.0 * codeword[j] * s.left[i, r]
    pack(s.x[i], s.words[i])


@kernel
def axpy(a: float, x: Floats, y: Floats) -> None:
    """Add a·x to y, for as many entries as y has."""
    for j in range(y.shape[0]):
        y[j] += a * x[j]


@kernel
def sweep(s: State, order: Ints, low_rank: bool) -> float:
    """Improve each row in turn by its best flips; skip a change that would break a demand. Return the total change."""
    k, l = s.x.shape
    codeword, v = np.empty(l), np.empty(l)
    words = np.empty(s.words.shape[1], np.uint64)
    gained = 0.0
    for i in order:
        row = s.x[i]
        for c in range(l):
            codeword[c] = row[c]
            v[c] = 0.0
        if low_rank:
            for r in range(s.left.shape[1]):
                axpy(-l * s.left[i, r], s.right[r], v)
        else:
            axpy(-float(l), s.right[i], v)
        for c in range(l):
            axpy(row[c], s.overlap[c], v)
        change = 0.0
        while True:
            j, effect = 0, np.inf
            for c in range(l):
                if k - 1 - codeword[c] * v[c] < effect:
                    j, effect = c, k - 1 - codeword[c] * v[c]
            if effect > -1e-9:
                break
            axpy(-2.0 * codeword[j], s.overlap[j], v)
            axpy(2.0 * codeword[j] * row[j], row, v)
            codeword[j] = -codeword[j]
            change += effect
        if change == 0.0:
            continue
        pack(codeword, words)
        if deficit(s, words, i, k, 1) > 0:
            # The best codeword is too near another one: flip one more entry if the objective still falls.
            extra, cheapest = -1, -1e-9 - change
            for j in range(l):
                effect = k - 1 - codeword[j] * v[j]
                if effect < cheapest:
                    bit = np.uint64(1) << np.uint64(j & 63)
                    words[j >> 6] ^= bit
                    if deficit(s, words, i, k, 1) == 0:
                        extra, cheapest = j, effect
                    words[j >> 6] ^= bit
            change += cheapest
            if extra < 0:
                continue
            codeword[extra] = -codeword[extra]
        if columns_stay_valid(s, i, codeword):
            set_row(s, i, codeword)
            gained += 8.0 * change
    return gained
