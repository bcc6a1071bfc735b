"""Compare codewords and columns: pack them into words, find equal ones, test whether columns separate all classes."""

import numpy as np
from numpy.typing import NDArray

Code = NDArray[np.int8]
Words = NDArray[np.uint64]


def pack(positive: NDArray[np.bool_]) -> Words:
    """Pack each row of a matrix of bits into 64-bit words; the last word is filled up with zeros."""
    n, l = positive.shape
    padded = np.zeros((n, -(-l // 64) * 64), dtype=bool)
    padded[:, :l] = positive
    return np.packbits(padded, axis=1, bitorder="little").view("<u8").astype(np.uint64, copy=False)


def leading_signs(code: Code) -> NDArray[np.int8]:
    """Return each column's first entry that is not zero; 1 for a column of zeros."""
    first = np.take_along_axis(code, (code != 0).argmax(axis=0)[None], axis=0)[0]
    return np.where(first == 0, 1, first).astype(np.int8)


def column_keys(code: Code) -> list[bytes]:
    """Return a key for each column. Columns that are equal or complementary have the same key."""
    return [column.tobytes() for column in np.ascontiguousarray((code * leading_signs(code)).T)]


def are_separated(code: Code) -> bool:
    """Tell whether every two rows have a column in which one is +1 and the other −1."""
    if code.shape[1] == 0:
        return len(code) < 2
    if code.all():
        return len({row.tobytes() for row in np.ascontiguousarray(code)}) == len(code)
    plus, minus = (code == 1).astype(np.float32), (code == -1).astype(np.float32)
    rows = max(1, 2**24 // len(code))  # a block of pairs at a time
    for start in range(0, len(code), rows):
        block = slice(start, start + rows)
        apart = plus[block] @ minus.T + minus[block] @ plus.T
        apart[np.arange(len(apart)), np.arange(start, start + len(apart))] = 1  # a row and itself
        if not apart.all():
            return False
    return True


def shortest_prefix(code: Code) -> int | None:
    """Return the smallest m for which the first m columns separate all rows; None if all columns do not."""
    if not are_separated(code):
        return None
    low, high = 1, code.shape[1]  # more columns never separate less
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if are_separated(code[:, :middle]) else (middle + 1, high)
    return low
