"""Pack codewords into 64-bit words; see `popcount` for counting their differences."""

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]


def pack(positive: NDArray[np.bool_]) -> Words:
    """Pack each row of a matrix of bits into 64-bit words; the last word is filled up with zeros."""
    n, l = positive.shape
    padded = np.zeros((n, -(-l // 64) * 64), dtype=bool)
    padded[:, :l] = positive
    return np.packbits(padded, axis=1, bitorder="little").view("<u8").astype(np.uint64, copy=False)
