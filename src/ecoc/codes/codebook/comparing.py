"""Count the places in which codewords differ."""

import numpy as np
from numpy.typing import NDArray

_BLOCK_COLUMNS = 1024  # columns converted to float32 at once; one-vs-one has k(k-1)/2 of them


def count_differences(
    a: NDArray[np.int8], b: NDArray[np.int8], ternary: bool
) -> tuple[NDArray[np.float32], NDArray[np.float32] | np.float32]:
    """Count in how many places each row of a and each row of b differ, and in how many neither is zero.

    The counts are float32, which BLAS multiplies fast and which is exact up to 2**24.
    """
    product = np.zeros((len(a), len(b)), dtype=np.float32)
    both = np.zeros_like(product) if ternary else np.float32(a.shape[1])
    for start in range(0, a.shape[1], _BLOCK_COLUMNS):
        x, y = (m[:, start : start + _BLOCK_COLUMNS].astype(np.float32) for m in (a, b))
        product += x @ y.T
        if ternary:
            both += np.abs(x) @ np.abs(y).T
    np.subtract(both, product, out=product)
    product /= 2
    return product, both
