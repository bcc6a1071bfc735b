"""How are codewords compared fast? As bits, 64 to a word, whose differences the processor counts."""

from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

Words = NDArray[np.uint64]


def _popcount(typing_context: Any, word: Any) -> Any:
    """Count the set bits of a 64-bit word by the processor's own instruction."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), code


popcount: Any = intrinsic(_popcount)


def pack(positive: NDArray[np.bool_]) -> Words:
    """Pack each row of a matrix of bits into 64-bit words; the last word is filled up with zeros."""
    n, l = positive.shape
    padded = np.zeros((n, -(-l // 64) * 64), dtype=bool)
    padded[:, :l] = positive
    return np.packbits(padded, axis=1, bitorder="little").view("<u8").astype(np.uint64, copy=False)
