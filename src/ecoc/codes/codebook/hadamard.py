"""Hadamard matrices, whose rows are orthogonal, by the constructions of Sylvester and Paley."""

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
    q = n // 2 - 1
    if n > 8 and q % 4 == 1 and (_is_prime(q) or _is_prime_square(q)):  # Paley II: q ≡ 1 (mod 4), where it is symmetric
        blocks = np.array([[1, 1], [1, -1]], dtype=np.int8), np.array([[1, -1], [-1, -1]], dtype=np.int8)
        return np.kron(_conference(q, 1), blocks[0]) + np.kron(np.eye(n // 2, dtype=np.int8), blocks[1])
    half = hadamard_matrix(n // 2)
    return None if half is None else np.kron(np.array([[1, 1], [1, -1]], dtype=np.int8), half)


def _conference(q: int, border: int) -> Matrix:
    """Paley's matrix of order q + 1: χ(i − j) within a border, χ(x) = 1 for squares in a field of q, else −1."""
    matrix = np.ones((q + 1, q + 1), dtype=np.int8)
    if _is_prime(q):
        matrix[1:, 1:] = _squares(q)[np.subtract.outer(np.arange(q), np.arange(q)) % q]
    else:  # The field of p² has the elements a + b√r, where r is no square. A square is one whose norm a² − rb² is one.
        p = isqrt(q)
        chi = _squares(p)
        a, b = (np.subtract.outer(part, part) for part in np.divmod(np.arange(q), p))
        matrix[1:, 1:] = chi[(a**2 - int(chi.argmin()) * b**2) % p]
    matrix[1:, 0], matrix[0, 0] = border, 0
    return matrix


def _squares(p: int) -> NDArray[np.int8]:
    """Return 0 for zero, 1 for the squares modulo p, and −1 for the other numbers."""
    chi = np.full(p, -1, dtype=np.int8)
    chi[np.arange(1, p, dtype=np.int64) ** 2 % p] = 1
    chi[0] = 0
    return chi


def _is_prime(n: int) -> bool:
    return n > 1 and all(n % divisor for divisor in range(2, isqrt(n) + 1))


def _is_prime_square(n: int) -> bool:
    return isqrt(n) ** 2 == n and n % 2 == 1 and _is_prime(isqrt(n))
