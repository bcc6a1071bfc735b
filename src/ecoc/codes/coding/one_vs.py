"""One-vs-all and one-vs-one codes."""

from typing import Any

import numpy as np

from ecoc.codes.coding.base import Code, Coding


class OneVsAll(Coding):
    """A column for each class, in which it stands against all others.

    Length: k columns. Every two codewords differ in 2 places, so nothing is corrected, but each class has a
    model of its own.

    See Also
    --------
    ecoc.OneVsOne : A column for each pair of classes.
    ecoc.Hadamard : About as many columns, at a much larger distance.

    References
    ----------
    R. Rifkin and A. Klautau, "In defense of one-vs-all classification", JMLR 5, 2004.

    Examples
    --------
    >>> from ecoc.codes.coding import OneVsAll
    >>> OneVsAll().build(3)
    CodeBook 3 × 3 (classes × columns), min distance 2, correction 0
      0  +--
      1  -+-
      2  --+
    """

    def _build(self, n_classes: int, X: Any, y: Any, random_state: Any) -> Code:
        return 2 * np.eye(n_classes, dtype=np.int8) - 1


class OneVsOne(Coding):
    """A column for each pair of classes, which leaves the others out.

    Length: k(k−1)/2 columns, ordered (0, 1), (0, 2), …, (1, 2), …; the later class of a pair is at +1.

    See Also
    --------
    ecoc.OneVsAll : A column for each class.

    References
    ----------
    T. Hastie and R. Tibshirani, "Classification by pairwise coupling", Annals of Statistics 26(2), 1998.

    Examples
    --------
    >>> from ecoc.codes.coding import OneVsOne
    >>> OneVsOne().build(3)
    CodeBook 3 × 3 (classes × columns), 33% zeros, min distance 1, correction 0
      0  --·
      1  +·-
      2  ·++
    """

    def _build(self, n_classes: int, X: Any, y: Any, random_state: Any) -> Code:
        first, second = np.triu_indices(n_classes, 1)
        code = np.zeros((n_classes, len(first)), dtype=np.int8)
        columns = np.arange(len(first))
        code[first, columns], code[second, columns] = -1, 1
        return code
