"""The best classes of each sample, without a matrix of all scores: tiles of codewords that stay in the cache."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecoc.utils.codewords import Words
from ecoc.utils.jit import kernel, popcount

Ints = NDArray[np.int64]
Doubles = NDArray[np.float64]
Singles = NDArray[np.float32]

_TILE = 1024  # codewords; 16 KB for each 128 columns


@kernel
def nearest_codewords(codewords: Words, samples: Words, classes: Ints, distances: Ints) -> None:
    """Write the nearest codewords of each sample, nearest first, and their Hamming distances.

    Codewords have a row for each word and a column for each class, samples the reverse. `distances` comes filled with
    large numbers. Of equally near codewords, the first come first.
    """
    n, m = classes.shape
    k = codewords.shape[1]
    every: Any = ~np.uint64(0)
    buffer = np.empty(_TILE, dtype=np.int64)
    for start in range(0, k, _TILE):
        stop = min(start + _TILE, k)
        apart = buffer[: stop - start]
        for i in range(n):
            least = count(codewords[0, start:stop], samples[i, 0], apart)
            for w in range(1, codewords.shape[0]):
                least = count_digit(codewords[w, start:stop], samples[i, w], every, 0, apart)
            if least < distances[i, m - 1]:
                for r in range(len(apart)):
                    if apart[r] < distances[i, m - 1]:
                        insert(classes[i], distances[i], start + r, int(apart[r]))


@kernel
def count(words: Words, word: int, apart: Ints) -> int:
    """Write the number of bits in which each word differs from a given one; return the least number.

    This loop and `count_digit` have no branch and one-dimensional arrays only, so they use vector instructions.
    """
    least = 2**62
    for r in range(len(apart)):
        apart[r] = popcount(words[r] ^ word)
        least = min(least, apart[r])
    return least


@kernel
def insert(classes: Ints, distances: Ints, new: int, distance: int) -> None:
    """Put a class in its place in a sorted list, behind those that are as near; the last one drops out."""
    p = len(classes) - 1
    while p > 0 and distances[p - 1] > distance:
        classes[p], distances[p] = classes[p - 1], distances[p - 1]
        p -= 1
    classes[p], distances[p] = new, distance


@kernel
def least_wrong(
    codewords: Words, samples: Words, digits: Words, unit: Doubles, sizes: Doubles, tie: Doubles, classes: Ints
) -> None:
    """Write the class of each sample whose wrong signs have the least total size, the first one of equal ones.

    `sizes` are those of the outputs. Divided by `unit` and rounded down, they have the binary digits `digits`, a row of
    bits for each digit, the lowest first. So a few counts of bits give a lower bound of the size for each class. The
    size itself is computed where the bound is low enough. The class is −1 if this is so for too many classes.
    """
    few, share = 16, 200  # sizes of wrong signs are computed for this number of classes, and one of so many more
    most_tied = 32  # classes whose scores are equal
    n, k = len(samples), codewords.shape[1]
    tied, tied_sizes = np.empty((n, most_tied), dtype=np.int64), np.empty((n, most_tied))
    n_tied = np.zeros(n, dtype=np.int64)
    spare = np.full(n, few + k // share)
    least, limit = np.full(n, np.inf), np.full(n, 2**62)
    buffer = np.empty(_TILE, dtype=np.int64)
    for start in range(0, k, _TILE):
        bounds = buffer[: min(start + _TILE, k) - start]
        for i in range(n):
            if spare[i] < 0 or lower_bounds(codewords, start, samples[i], digits[:, i], bounds) > limit[i]:
                continue
            likely = wrong_size(codewords[:, start + np.argmin(bounds)], samples[i], sizes[i])
            limit[i] = min(limit[i], highest_bound(likely + tie[i], unit[i]))
            for r in range(len(bounds)):
                if bounds[r] <= limit[i]:
                    size = wrong_size(codewords[:, start + r], samples[i], sizes[i])
                    spare[i] -= 1
                    if size + tie[i] < least[i]:
                        n_tied[i] = 0
                    if n_tied[i] == most_tied or spare[i] < 0:
                        spare[i] = -1
                        break
                    if size <= least[i] + tie[i]:
                        tied[i, n_tied[i]], tied_sizes[i, n_tied[i]] = start + r, size
                        n_tied[i] += 1
                        least[i] = min(least[i], size)
                        limit[i] = min(limit[i], highest_bound(size + tie[i], unit[i]))
    for i in range(n):
        classes[i] = -1
        if spare[i] >= 0:
            classes[i] = tied[i, np.argmax(tied_sizes[i, : n_tied[i]] <= least[i] + tie[i])]


@kernel
def highest_bound(size: float, unit: float) -> int:
    """Return the highest lower bound that a codeword with wrong signs of a given total size may have."""
    rounding = 1 + 1e-9  # far above the rounding error of sums
    return int(min(size * rounding / unit, 1e18))  # a larger number is no integer of 64 bits


@kernel
def lower_bounds(codewords: Words, start: int, sample: Words, digits: Words, bounds: Ints) -> int:
    """Write the sizes of wrong signs, rounded down, for codewords from `start` on; return the least one."""
    bounds[:] = 0
    least = 0
    for d in range(len(digits)):
        for w in range(len(sample)):
            least = count_digit(codewords[w, start : start + len(bounds)], sample[w], digits[d, w], d, bounds)
    return least


@kernel
def count_digit(words: Words, word: int, digit: int, d: int, bounds: Ints) -> int:
    """Add 2^d for each bit of `digit` in which each word differs from a given one; return the least sum."""
    least = 2**62
    for r in range(len(bounds)):
        bounds[r] += popcount((words[r] ^ word) & digit) << d
        least = min(least, bounds[r])
    return least


@kernel
def wrong_size(codeword: Words, sample: Words, sizes: Doubles) -> float:
    """Return the total size of the outputs whose signs differ from a codeword."""
    total = 0.0
    for w in range(len(sample)):
        different = codeword[w] ^ sample[w]
        while different:
            following = different & (different - np.uint64(1))
            total += sizes[64 * w + int(np.int64(popcount((different ^ following) - np.uint64(1))))]
            different = following
    return total


def _largest(values: Singles) -> float:
    """Return the largest of several numbers."""
    top = values[0]
    for r in range(len(values)):
        top = max(top, values[r])
    return float(top)


largest = kernel(_largest, fastmath={"nnan", "nsz"})  # so that it uses vector instructions


@kernel
def highest_scores(scores: Singles, start: int, classes: Ints, highest: Singles) -> None:
    """Update the classes with the highest scores of each sample by the scores of the classes from `start` on."""
    length = 256  # scores that are skipped together if none of them is high enough
    n, m = classes.shape
    size = scores.shape[1]
    for i in range(n):
        for first in range(0, size, length):
            stretch = scores[i, first : first + length]
            if largest(stretch) > highest[i, m - 1]:
                for r in range(len(stretch)):
                    if stretch[r] > highest[i, m - 1]:
                        p = m - 1
                        while p > 0 and highest[i, p - 1] < stretch[r]:
                            classes[i, p], highest[i, p] = classes[i, p - 1], highest[i, p - 1]
                            p -= 1
                        classes[i, p], highest[i, p] = start + first + r, stretch[r]
