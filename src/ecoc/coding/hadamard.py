"""All codewords equally far apart, and no code of this length farther: Hadamard matrices."""

from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecoc.coding.base import Code, Coding

Matrix = NDArray[np.int8]


class Hadamard(Coding):
    """Rows of a Hadamard matrix without its constant column: all distances are n/2, the most there can be.

    Length: n−1 columns, where n is the smallest order from k up that Sylvester's doubling and both of
    Paley's constructions over prime fields reach: every multiple of 4 up to 200 but 52, 92, 100, 116,
    156, 172, 184 and 188; there the next one is taken.

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
    >>> from ecoc.coding import Hadamard
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


def hadamard_matrix(n: int) -> Matrix | None:
    """Matrix H of ±1 with HHᵀ = n·I, or None if there is none of that order among the constructions here."""
    if n == 1:
        return np.ones((1, 1), dtype=np.int8)
    if n % 4 and n != 2:
        return None
    if n > 2 and _is_prime(n - 1):  # Paley I: q = n − 1 ≡ 3 (mod 4), where the conference matrix is skew
        return _conference(n - 1, -1) + np.eye(n, dtype=np.int8)
    if n > 8 and n // 2 % 4 == 2 and _is_prime(n // 2 - 1):  # Paley II: q ≡ 1 (mod 4), where it is symmetric
        blocks = np.array([[1, 1], [1, -1]], dtype=np.int8), np.array([[1, -1], [-1, -1]], dtype=np.int8)
        return np.kron(_conference(n // 2 - 1, 1), blocks[0]) + np.kron(np.eye(n // 2, dtype=np.int8), blocks[1])
    half = hadamard_matrix(n // 2)
    return None if half is None else np.kron(np.array([[1, 1], [1, -1]], dtype=np.int8), half)


def _conference(q: int, border: int) -> Matrix:
    """Paley's matrix of order q + 1: χ(i − j) within a border, χ(x) = 1 for squares modulo q, −1 for others."""
    chi = np.full(q, -1, dtype=np.int8)
    chi[np.arange(1, q, dtype=np.int64) ** 2 % q] = 1
    chi[0] = 0
    matrix = np.ones((q + 1, q + 1), dtype=np.int8)
    matrix[1:, 1:] = chi[np.subtract.outer(np.arange(q), np.arange(q)) % q]
    matrix[1:, 0], matrix[0, 0] = border, 0
    return matrix


def _is_prime(n: int) -> bool:
    return n > 1 and all(n % divisor for divisor in range(2, isqrt(n) + 1))
