"""Which matrices of signs have orthogonal rows? Hadamard matrices, by the constructions of Sylvester and Paley."""

from math import isqrt

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.int8]


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
