"""Find the nearest codeword by multi-index hashing, without comparing all of them (compiled).

Multi-index hashing: M. Norouzi, A. Punjani, D. J. Fleet: Fast exact search in Hamming space with multi-index hashing.
IEEE Transactions on Pattern Analysis and Machine Intelligence 36, 2014.

The columns are cut into m parts. A table for each part holds the classes by the bits of their codewords in this part.
The search looks up the sample's own bits in all tables, then all bits that differ from them in one place, then in two
places, and so on. After tables 0 to s have been searched with r differences and the others with r − 1, every codeword
within distance m·r + s has been seen: an unseen one has at least r + 1 differences in s + 1 parts and r in the others.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecoc.utils.codewords import Words
from ecoc.utils.jit import kernel, popcount

Ints = NDArray[np.int64]
Numbers = NDArray[np.int32]


class Tables(NamedTuple):
    """Codewords by the bits of each part of their columns.

    `starts` holds the first column of each part, and the number of columns. The classes whose codewords have the bits v
    in part s are ``members[s, first[s, v] : first[s, v + 1]]``. `codewords` has a row for each class.
    """

    codewords: Words
    starts: Ints
    first: Numbers
    members: Numbers


def hash_tables(codewords: Words, n_columns: int) -> Tables:
    """Make tables of packed codewords, which have a row for each word; they take less memory than the code book.

    Parts have about log2 k columns, so that a bucket holds one or two of k codewords. On random codes of 10,000 and
    100,000 classes, parts that are longer or shorter by two columns took up to twice the time.
    """
    width = codewords.shape[1].bit_length() - 1
    m = -(-n_columns // width)
    starts = np.arange(m + 1) * n_columns // m
    by_class = np.ascontiguousarray(codewords.T)
    return Tables(by_class, starts, *buckets(parts(by_class, starts), 1 << width))


@kernel
def parts(words: Words, starts: Ints) -> Numbers:
    """Return the bits of each part of the columns, as a number; a row for each row of words."""
    n, m = len(words), len(starts) - 1
    bits = np.empty((n, m), dtype=np.int32)
    for s in range(m):
        word, shift, width = starts[s] // 64, starts[s] % 64, starts[s + 1] - starts[s]
        mask = np.uint64((1 << width) - 1)
        for i in range(n):
            value = words[i, word] >> np.uint64(shift)
            if shift + width > 64:
                value |= words[i, word + 1] << np.uint64(64 - shift)
            bits[i, s] = np.int32(value & mask)
    return bits


@kernel
def buckets(bits: Numbers, size: int) -> tuple[Numbers, Numbers]:
    """Sort the classes by their bits in each part; return where each bucket starts, and the sorted classes."""
    k, m = bits.shape
    first = np.zeros((m, size + 1), dtype=np.int32)
    members = np.empty((m, k), dtype=np.int32)
    for s in range(m):
        for i in range(k):
            first[s, bits[i, s] + 1] += 1
        for v in range(size):
            first[s, v + 1] += first[s, v]
        place = first[s].copy()
        for i in range(k):
            v = bits[i, s]
            members[s, place[v]] = i
            place[v] += 1
    return first, members


@kernel
def look_up(
    codewords: Words, starts: Ints, first: Numbers, members: Numbers, samples: Words, classes: Ints
) -> NDArray[np.bool_]:
    """Write the nearest codeword of each sample, the first of equally near ones; return which samples have none yet.

    The search gives a sample up if a scan would cost less. It gives up all further samples if it has not paid so far:
    searches and the scan of the rest cost at most 17/16 times the scan of all samples.
    """
    # A bucket that is looked up, or a codeword in it, takes as long as the scan of so many words. Measured: 50 to 90
    # with a processor that counts the bits of eight words at once, 140 if other programs use the cache. If the scan is
    # slower, the tables are used less than they could be. With 96 instead, 100,000 classes and 16 % wrong signs,
    # decoding was 0.62 to 0.76 times as fast as the scan (160: 0.87 to 0.93). With 10,000 classes and 10 %: 1.1 to 1.4
    # (160: 0.93).
    words_per_bucket = 160
    # From words_per_bucket * cached classes on, the price grows with their number, since the tables do not fit into the
    # cache. Without this, a million classes with 15 % wrong signs took 2.9 times as long as a scan.
    cached = 1000
    risk = 1 / 16  # share of a scan of all samples that searches in vain may cost
    n = len(samples)
    k, n_words = codewords.shape
    scan = k * n_words // max(words_per_bucket, k // cached)
    spare = int(n * scan * risk)
    bits = parts(samples, starts)
    is_left = np.ones(n, dtype=np.bool_)
    for i in range(n):
        classes[i], work = nearest(codewords, starts, first, members, samples[i], bits[i], min(scan, spare))
        is_left[i] = classes[i] < 0
        spare -= work if is_left[i] else work - scan
        if spare <= 0:
            break
    return is_left


@kernel
def nearest(
    codewords: Words, starts: Ints, first: Numbers, members: Numbers, sample: Words, bits: Numbers, limit: int
) -> tuple[int, int]:
    """Return the nearest class, or −1 if the limit is reached, and the number of buckets and codewords looked at."""
    m = len(bits)
    best, least = -1, 2**62
    work = r = 0
    while True:
        for s in range(m):
            change, end = (1 << r) - 1, 1 << (starts[s + 1] - starts[s])
            while change < end:
                v = bits[s] ^ change
                start, stop = first[s, v], first[s, v + 1]
                work += 1 + stop - start
                if work > limit:
                    return -1, work
                for c in members[s, start:stop]:
                    distance = apart(codewords[c], sample)
                    if distance < least or (distance == least and c < best):
                        best, least = c, distance
                if r == 0:
                    break
                change = following(change)
            if least <= m * r + s:  # nothing unseen is as near
                return best, work
        r += 1


@kernel
def apart(a: Words, b: Words) -> int:
    """Return the number of bits in which two codewords differ."""
    total = 0
    for w in range(len(a)):
        total += int(np.int64(popcount(a[w] ^ b[w])))
    return total


@kernel
def following(number: int) -> int:
    """Return the next larger number with as many bits set (Gosper's method)."""
    low = number & -number
    carried = number + low
    return carried | (((number ^ carried) >> 2) // low)
