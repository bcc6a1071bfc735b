"""The best classes of each sample, without a matrix of all scores: tiles of codewords that stay in the cache."""

import numpy as np
from numpy.typing import NDArray

from ecoc.utils.bits import Words
from ecoc.utils.jit import kernel
from ecoc.utils.popcount import popcount

Ints = NDArray[np.int64]
Singles = NDArray[np.float32]

_TILE = 1024  # codewords; 16 KB for each 128 columns
_STRETCH = 256  # scores that are skipped together if none of them is high enough


@kernel
def nearest_codewords(codewords: Words, samples: Words, classes: Ints, distances: Ints) -> None:
    """Write the nearest codewords of each sample, nearest first, and their Hamming distances.

    Codewords have a row for each word and a column for each class, samples the reverse. `distances` comes filled with
    large numbers. Of equally near codewords, the first come first.
    """
    n, m = classes.shape
    k = codewords.shape[1]
    buffer = np.empty(_TILE, dtype=np.int64)
    for start in range(0, k, _TILE):
        stop = min(start + _TILE, k)
        apart = buffer[: stop - start]
        for i in range(n):
            least = count(codewords[0, start:stop], samples[i, 0], apart)
            for w in range(1, codewords.shape[0]):
                least = count_more(codewords[w, start:stop], samples[i, w], apart)
            if least < distances[i, m - 1]:
                for r in range(len(apart)):
                    if apart[r] < distances[i, m - 1]:
                        insert(classes[i], distances[i], start + r, int(apart[r]))


@kernel
def count(words: Words, word: int, apart: Ints) -> int:
    """Write the number of bits in which each word differs from a given one; return the least number.

    This loop and the next one have no branch and one-dimensional arrays only, so they use vector instructions.
    """
    least = 2**62
    for r in range(len(apart)):
        apart[r] = popcount(words[r] ^ word)
        least = min(least, apart[r])
    return least


@kernel
def count_more(words: Words, word: int, apart: Ints) -> int:
    """Add the number of bits in which each word differs from a given one; return the least sum."""
    least = 2**62
    for r in range(len(apart)):
        apart[r] += popcount(words[r] ^ word)
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
    n, m = classes.shape
    size = scores.shape[1]
    for i in range(n):
        for first in range(0, size, _STRETCH):
            stretch = scores[i, first : first + _STRETCH]
            if largest(stretch) > highest[i, m - 1]:
                for r in range(len(stretch)):
                    if stretch[r] > highest[i, m - 1]:
                        p = m - 1
                        while p > 0 and highest[i, p - 1] < stretch[r]:
                            classes[i, p], highest[i, p] = classes[i, p - 1], highest[i, p - 1]
                            p -= 1
                        classes[i, p], highest[i, p] = start + first + r, stretch[r]
