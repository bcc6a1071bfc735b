"""Minimal codes: the numbers of the classes in binary."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecoc.codes.coding.base import Code, Coding


class Minimal(Coding):
    """The number of each class in binary, the fewest columns that tell the classes apart.

    Length: ⌈log2 k⌉ columns. Every dichotomizer must be right. An ECF code of the same length puts similar
    classes on the same sides: ``ECF(n_columns=...)``.

    See Also
    --------
    ecoc.ECF : Short codes that are fitted to data.

    Examples
    --------
    >>> from ecoc.codes.coding import Minimal
    >>> Minimal().build(5)
    CodeBook 5 × 3 (classes × columns), min distance 1, correction 0
      0  ---
      1  --+
      2  -+-
      3  -++
      4  +--
    """

    def _build(self, n_classes: int, X: Any, y: Any, random_state: Any) -> Code:
        return binary_words(np.arange(n_classes), (n_classes - 1).bit_length())


def binary_words(numbers: NDArray[np.int64], n_columns: int) -> Code:
    """Each number in binary, most significant digit first, 0 as −1.

    Any k different numbers below 2^l, l = ⌈log2 k⌉, make a valid code: on a constant column, or on two equal
    or complementary ones, only 2^(l−1) < k words differ.
    """
    digits = numbers[:, None] >> np.arange(n_columns - 1, -1, -1) & 1
    return (2 * digits - 1).astype(np.int8)
