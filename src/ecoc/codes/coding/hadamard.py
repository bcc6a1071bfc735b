"""Hadamard codes, whose codewords are all equally far apart, as far as their length allows."""

from typing import Any

from ecoc.codes.codebook.hadamard import hadamard_matrix
from ecoc.codes.coding.base import Code, Coding


class Hadamard(Coding):
    """Rows of a Hadamard matrix without its constant column: all distances are n/2, the most there can be.

    Length: n−1 columns, where n is the smallest order from k up that Sylvester's doubling and both of
    Paley's constructions reach, over fields of primes and, for the second, of squares of primes. These are
    all multiples of 4 up to 200 but 92, 116, 156, 172, 184 and 188; there the next one is taken.

    See Also
    --------
    ecoc.Exhaustive : All dichotomies.
    ecoc.ECF : Distances by what the data need.

    References
    ----------
    R. Paley, "On orthogonal matrices", Journal of Mathematics and Physics 12, 1933.
    V. Guruswami and A. Sahai, "Multiclass learning, boosting, and error-correcting codes", COLT 1999.

    Examples
    --------
    >>> from ecoc.codes.coding import Hadamard
    >>> Hadamard().build(4)
    CodeBook 4 × 3 (classes × columns), min distance 2, correction 0
      0  +++
      1  -+-
      2  --+
      3  +--
    """

    def _build(self, n_classes: int, X: Any, y: Any, random_state: Any) -> Code:
        n = n_classes
        while (matrix := hadamard_matrix(n)) is None:
            n += 1
        matrix = matrix * matrix[:, :1]
        # Two columns agree in n/2 places. There is a power of 2 below 2k, so k > n/2 rows are kept: no two
        # columns become equal or complementary on them, and none constant.
        return matrix[:n_classes, 1:]
