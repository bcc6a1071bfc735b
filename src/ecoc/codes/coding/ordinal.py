"""Thresholds between ordered classes."""

from typing import Any

import numpy as np

from ecoc.codes.coding.base import Code, Coding


class Ordinal(Coding):
    """For classes in an order: column j asks whether the class comes after the j-th.

    Length: k−1 columns. Codewords are as far apart as their classes are in the order, which is that of
    ``np.unique(y)``: number the classes, for strings sort by the alphabet.

    See Also
    --------
    ecoc.OneVsAll : For classes without an order.

    References
    ----------
    E. Frank and M. Hall, "A simple approach to ordinal classification", ECML 2001.

    Examples
    --------
    >>> from ecoc.codes.coding import Ordinal
    >>> Ordinal().build(4)
    CodeBook 4 × 3 (classes × columns), min distance 1, correction 0
      0  ---
      1  +--
      2  ++-
      3  +++
    """

    def _build(self, n_classes: int, X: Any, y: Any, random_state: Any) -> Code:
        return 2 * np.tri(n_classes, n_classes - 1, -1, dtype=np.int8) - 1
