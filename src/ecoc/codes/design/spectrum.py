"""Split a symmetric matrix into its positive and negative part, without all of its eigenvectors.

A symmetric matrix A is reduced to a tridiagonal T = QᵀAQ, in a third of the time that all eigenvectors take. T gives
all eigenvalues. Eigenvectors are computed for one sign only, the rarer one; designs made from data have few negative
eigenvalues. The other part follows from A = A₊ − A₋. Where the method needs the other eigenvectors, it needs them in
(A − s)⁻¹b only, which is the solution of a tridiagonal system.
"""

from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import scipy.linalg
from numpy.typing import NDArray
from scipy.linalg import lapack

from ecoc.codes.design.checks import Matrix

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Spectrum:
    """A symmetric matrix A = QTQᵀ with tridiagonal T.

    Parameters
    ----------
    reflectors, scales : ndarray
        Q as LAPACK stores it, a product of reflections.
    diagonal, beside : ndarray of shape (n,) and (n − 1,)
        The diagonal of T and the entries beside it.
    eigenvalues : ndarray of shape (n,)
        In ascending order.
    """

    reflectors: Matrix
    scales: Vector
    diagonal: Vector
    beside: Vector
    eigenvalues: Vector

    @classmethod
    def of(cls, A: Matrix) -> "Spectrum":
        """Reduce a symmetric matrix."""
        size = int(lapack.dsytrd_lwork(len(A), lower=1)[0])
        reduced, diagonal, beside, scales, _ = lapack.dsytrd(A, lower=1, lwork=size)
        return cls(np.asfortranarray(reduced[1:, :-1]), scales, diagonal, beside, _eigenvalues(diagonal, beside))

    def moved(self, factor: float, shift: float) -> "Spectrum":
        """Return the spectrum of factor·A + shift·I, which has the eigenvectors of A."""
        values = (factor * each for each in (self.diagonal, self.beside, self.eigenvalues))
        diagonal, beside, eigenvalues = values
        return Spectrum(self.reflectors, self.scales, diagonal + shift, beside, eigenvalues + shift)

    def vectors(self, first: int, last: int) -> Matrix:
        """Return the eigenvectors of the eigenvalues from number `first` to before number `last`."""
        n = len(self.diagonal)
        if first == last:
            return np.empty((n, 0))
        # Bisection and inverse iteration are safe, but slow if there are many vectors to keep orthogonal.
        if 8 * (last - first) > n:
            with suppress(np.linalg.LinAlgError):
                return self._rotated(self._inner_vectors(first, last, "stemr"), "N")
        return self._rotated(self._inner_vectors(first, last, "stebz"), "N")

    def _inner_vectors(self, first: int, last: int, driver: str) -> Matrix:
        """Return eigenvectors of T."""
        places = (first, last - 1)
        _, vectors = scipy.linalg.eigh_tridiagonal(
            self.diagonal, self.beside, select="i", select_range=places, lapack_driver=driver
        )
        return np.asarray(vectors)

    def solve(self, shifts: Vector, B: Matrix) -> Matrix:
        """Return (A − sⱼ)⁻¹bⱼ for each shift and column; a column whose system is singular becomes zero."""
        rotated = self._rotated(B, "T")
        for j, shift in enumerate(shifts):
            *_, solution, info = lapack.dgtsv(self.beside, self.diagonal - shift, self.beside, rotated[:, j])
            rotated[:, j] = 0 if info else solution
        return self._rotated(rotated, "N")

    def _rotated(self, B: Matrix, transposed: str) -> Matrix:
        """Return QB or QᵀB. Q keeps the first row as it is."""
        below = np.asfortranarray(B[1:])
        size = int(lapack.dormqr("L", transposed, self.reflectors, self.scales, below, -1)[1][0])
        rotated = np.empty_like(B, order="F")
        rotated[0] = B[0]
        rotated[1:] = lapack.dormqr("L", transposed, self.reflectors, self.scales, below, size, overwrite_c=1)[0]
        return rotated


def _eigenvalues(diagonal: Vector, beside: Vector) -> Vector:
    values: Vector = lapack.dsterf(diagonal, beside)[0]
    return values
