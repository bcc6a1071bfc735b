"""Project a design matrix onto the correlation matrices.

The paper's Algorithm 2 alternates between projections onto positive semi-definite matrices and onto unit diagonals.
Without Dykstra's correction it converges to *some* correlation matrix. With the correction (Higham 2002) it converges
to the nearest one, which is unique, but only linearly. The semismooth Newton method of Qi and Sun (2006) converges to
the same matrix quadratically. It solves the dual problem

    min_y  θ(y) = ½‖(D + Diag y)₊‖² − Σy,     ∇θ(y) = diag (D + Diag y)₊ − 1,     X = (D + Diag y*)₊,

which has k unknowns instead of k², and takes about five eigendecompositions instead of hundreds. Of each of them, only
the eigenvectors of one sign are computed.
"""

from contextlib import suppress
from dataclasses import dataclass, field
from typing import Literal, NamedTuple
from warnings import warn

import numpy as np
import scipy.linalg
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import lapack
from scipy.sparse.linalg import LinearOperator, cg
from sklearn.exceptions import ConvergenceWarning

from ecoc.codes.design.checks import Matrix, check_between_classes
from ecoc.utils.threads import one_blas_thread

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Spectrum:
    """A symmetric matrix A = QTQᵀ with tridiagonal T, which takes a third of the time of all eigenvectors.

    T gives all eigenvalues. Eigenvectors are computed for one sign only, the rarer one; designs made from data have few
    negative eigenvalues. The other part follows from A = A₊ − A₋. Where the method needs the other eigenvectors, it
    needs them in (A − s)⁻¹b only, which is the solution of a tridiagonal system.
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


@dataclass(frozen=True)
class Projection:
    """The nearest correlation matrix to a design matrix, with bounds on its error."""

    matrix: Matrix = field(repr=False)  # diagonal exactly one, positive semi-definite up to rounding
    distance: float  # Frobenius norm of the difference
    max_error: float  # of each entry: the duality gap bounds ½‖X − X*‖², which is strongly convex
    rank: int  # number of eigenvalues that are not zero up to rounding
    n_iter: int  # Newton steps; 0 if D is a correlation matrix
    converged: bool  # whether the tolerance was met; if not, `matrix` is still a correlation matrix


def nearest_correlation(D: ArrayLike, *, tol: float = 1e-9, max_iter: int = 100) -> Matrix:
    """Find the nearest correlation matrix: positive semi-definite with unit diagonal, so with entries in [−1, 1].

    The similarities XXᵀ/l of codewords form such a matrix, so codewords cannot match any other design. Nearest means in
    the Frobenius norm.

    Parameters
    ----------
    D : array-like of shape (n_classes, n_classes)
        Symmetric design matrix. Its diagonal is ignored.
    tol : float, default=1e-9
        Error of the diagonal at which the iteration stops. The result is then scaled to an exact unit diagonal.
    max_iter : int, default=100
        Largest number of Newton steps; about five are usual.

    Returns
    -------
    ndarray of shape (n_classes, n_classes)
        The nearest correlation matrix. If D is one already, the values are those of D.

    See Also
    --------
    ecoc.allocate : Make a design matrix.
    ecoc.factorize : Turn a design into a code.

    Examples
    --------
    Three classes cannot all be opposites of each other. The best they can do is 120°:

    >>> import numpy as np
    >>> from ecoc import nearest_correlation
    >>> nearest_correlation([[1, -1, -1], [-1, 1, -1], [-1, -1, 1]]).round(6)
    array([[ 1. , -0.5, -0.5],
           [-0.5,  1. , -0.5],
           [-0.5, -0.5,  1. ]])
    """
    return project_checked(_check_design(D), tol=tol, max_iter=max_iter).matrix


def project(D: ArrayLike, *, tol: float = 1e-9, max_iter: int = 100) -> Projection:
    """Find the nearest correlation matrix, its distance to D, its rank and a bound on its error."""
    return project_checked(_check_design(D), tol=tol, max_iter=max_iter)


def _check_design(D: ArrayLike) -> Matrix:
    largest = 1e10  # with larger entries, rounding in double precision hides the unit diagonal
    given = check_between_classes(D, "D")
    if np.abs(given).max() > largest:
        raise ValueError(
            f"D has an entry of size {np.abs(given).max():.3g}; above {largest:g}, rounding hides the unit diagonal. "
            "A design matrix should lie in [-1, 1]: divide D by its largest entry."
        )
    return given


def project_checked(given: Matrix, *, tol: float = 1e-9, max_iter: int = 100) -> Projection:
    """Project a symmetric, finite matrix that has been checked already, e.g. one that `allocate` returned."""
    zero = 1e-8  # an eigenvalue below this share of the largest is zero; the error of the solver is well below
    target = given.copy()
    np.fill_diagonal(target, 1)  # the diagonal of the result is 1 whatever D has there
    with one_blas_thread():
        spectrum = Spectrum.of(target)
        w = spectrum.eigenvalues
        if np.abs(target).max() <= 1 + 1e-12 and w[0] >= -1e-12 * len(target):
            X = np.clip(target, -1, 1)
            rank = int(np.count_nonzero(w > zero * w[-1]))
            return Projection(X, float(np.linalg.norm(X - given)), 0.0, rank, 0, True)
        tol = max(tol, len(target) * np.finfo(float).eps * np.abs(w).max())
        point, n_iter, converged = _solve(target, spectrum, tol, max_iter)
        X, rank, gap = _correlation(target, point, max(zero, tol))
    if not converged:
        error = np.abs(point.gradient).max()
        warn(
            f"nearest_correlation stopped after {n_iter} steps (max_iter={max_iter}) with an error of the diagonal "
            f"of {error:.2g} (tol={tol:.2g}). The result is a correlation matrix, but not the nearest one. Increase "
            "max_iter to get closer.",
            ConvergenceWarning,
            stacklevel=3,
        )
    distance = float(np.linalg.norm(X - given))
    return Projection(X, distance, float(np.sqrt(2 * gap)), rank, n_iter, converged)


class _Point(NamedTuple):
    """The dual objective θ(y), its gradient, and the eigenpairs of A = D + Diag y that have the rarer sign."""

    multipliers: Vector
    value: float
    gradient: Vector
    diagonal: Vector  # of A
    spectrum: Spectrum
    is_positive: bool  # the rarer sign
    values: Vector
    vectors: Matrix


def _evaluate(D: Matrix, y: Vector, spectrum: Spectrum | None = None) -> _Point:
    """Evaluate θ. If the negative eigenpairs are fewer, A₊ = A + A₋."""
    diagonal = D.diagonal() + y
    if spectrum is None:
        A = D.copy()
        np.fill_diagonal(A, diagonal)
        spectrum = Spectrum.of(A)
    w = spectrum.eigenvalues
    border = int(np.searchsorted(w, 0, side="right"))
    is_positive = 2 * border >= len(w)
    some = slice(border, len(w)) if is_positive else slice(0, border)
    P = spectrum.vectors(some.start, some.stop)
    part = P**2 @ np.abs(w[some])
    gradient = (part if is_positive else diagonal + part) - 1
    positive = w[border:]
    return _Point(y, float(positive @ positive / 2 - y.sum()), gradient, diagonal, spectrum, is_positive, w[some], P)


def _solve(D: Matrix, spectrum: Spectrum, tol: float, max_iter: int) -> tuple[_Point, int, bool]:
    """Minimise θ. If D has entries far above 1, solve for smaller multiples of D first.

    For such a D, θ is nearly piecewise linear, and Newton's method is slow. But y is almost proportional to D, so ten
    times the solution for D/10 is a good start for D. The first start is the best y with equal entries, because
    D + yI has the eigenvectors of D.
    """
    share = min(1.0, 10 / np.abs(D).max())
    spectrum = spectrum.moved(share, 1 - share)
    shift = _best_shift(spectrum.eigenvalues)
    start: Spectrum | None = spectrum.moved(1, shift)
    y, n_iter = np.full(len(D), shift), 0
    while True:
        scaled = share * D
        np.fill_diagonal(scaled, 1)
        point, steps, converged = _newton(scaled, _evaluate(scaled, y, start), tol, max_iter - n_iter)
        n_iter += steps
        if share == 1:
            return point, n_iter, converged
        larger = min(1.0, 10 * share)
        share, y, start = larger, point.multipliers * (larger / share), None


def _best_shift(w: Vector) -> float:
    """Return the t for which the sum of all (w + t)₊ is k, so that the diagonal is right on average."""
    descending = w[::-1]
    shifts = (len(w) - np.cumsum(descending)) / np.arange(1, len(w) + 1)
    return float(shifts[np.flatnonzero(descending + shifts > 0)[-1]])


def _newton(D: Matrix, point: _Point, tol: float, max_iter: int) -> tuple[_Point, int, bool]:
    """Damped Newton steps until the diagonal is within `tol` of one."""
    for n_iter in range(max_iter):
        error = np.abs(point.gradient).max()
        if error <= tol:
            return point, n_iter, True
        step = _newton_step(point, tol)
        slope = point.gradient @ step
        length = 1.0
        new = _evaluate(D, point.multipliers + step)
        # Close to the solution, θ changes by less than its rounding error, but the gradient still shows progress.
        while new.value > point.value + 1e-4 * length * slope and np.abs(new.gradient).max() > error / 2:
            length /= 2
            if length < 1e-10:
                return point, n_iter, False
            new = _evaluate(D, point.multipliers + length * step)
        point = new
    return point, max_iter, bool(np.abs(point.gradient).max() <= tol)


def _newton_step(point: _Point, tol: float) -> Vector:
    """Solve V·step = −gradient, where V is an element of the generalised Hessian of θ (Qi and Sun, section 3).

    With the eigenvectors P of all positive eigenvalues and H = Diag h, V h is the diagonal of

        P PᵀHP Pᵀ + 2 Σⱼ wⱼ (wⱼ − A)⁻¹ (H pⱼ − P PᵀH pⱼ) pⱼᵀ.

    If P has the negative ones, the same expression is h − V h.
    """
    w, P, spectrum = point.values, point.vectors, point.spectrum
    largest = np.abs(spectrum.eigenvalues[[0, -1]]).max()
    # V may be singular far from the solution. The damping is scaled so that it stays small compared with V.
    damping = 1e-3 * min(1.0, float(np.linalg.norm(point.gradient))) / max(1.0, -float(spectrum.eigenvalues[0]))
    # The systems are nearly singular, but not for the right sides, which are orthogonal to P. What rounding adds in the
    # directions of P is removed. The shift is moved away from the other eigenvalues, so that no system is singular.
    shifts = w + (1e-12 if point.is_positive else -1e-12) * largest

    def curvature(h: Vector) -> Vector:
        scaled = h[:, None] * P
        within = ((P.T @ scaled) @ P.T).T
        beyond = spectrum.solve(shifts, scaled - within) * -w
        beyond -= ((beyond.T @ P) @ P.T).T
        product: Vector = np.sum(P * (within + 2 * beyond), axis=1)
        return product

    # For each class, the preconditioner replaces the other eigenvalues by their mean, which the diagonal of A gives.
    squares = P**2
    own = np.sum(squares, axis=1)
    means = np.abs(point.diagonal - squares @ w) / np.maximum(1 - own, 1e-12)
    shares = np.sum(squares * (np.abs(w) / (np.abs(w) + means[:, None])), axis=1)
    diagonal = own**2 + 2 * (1 - own) * shares
    if not point.is_positive:
        diagonal = 1 - diagonal

    def hessian(h: Vector) -> Vector:
        return (curvature(h) if point.is_positive else h - curvature(h)) + damping * h

    # With an error up to ‖gradient‖·max |gradient|, Newton's method converges quadratically.
    k, rate = len(own), min(0.1, float(np.abs(point.gradient).max()))
    system = LinearOperator((k, k), hessian, dtype=np.float64)
    preconditioner = LinearOperator((k, k), lambda h: h / (diagonal + damping), dtype=np.float64)
    step: Vector = cg(system, -point.gradient, rtol=rate, atol=tol / 10, maxiter=k, M=preconditioner)[0]
    return step


def _correlation(D: Matrix, point: _Point, zero: float) -> tuple[Matrix, int, float]:
    """Return the correlation matrix X of a point, its rank, and its duality gap ½‖X − D‖² − dual value.

    X is A₊ without eigenvalues of almost zero, so that its rank does not depend on the error in y, with rows and
    columns scaled to an exact unit diagonal, X = SGS. The gap is ½‖X − A₊‖² + ⟨X, A₋⟩. As G A₋ = 0, the second term is
    ⟨EGE, A₋⟩ with E = S − I, which avoids cancellation.
    """
    w, spectrum = point.spectrum.eigenvalues, point.spectrum
    A = D.copy()
    np.fill_diagonal(A, D.diagonal() + point.multipliers)
    rank = int(np.count_nonzero(w > zero * w[-1]))
    n_tiny = int(np.count_nonzero(w > 0)) - rank
    # Rounding of the size of A₋ would spoil A₊ if A₋ were larger than correlation matrices can be.
    if point.is_positive or -w[0] > len(w):
        G = _weighted(spectrum, len(w) - rank, len(w))
    else:
        G = A - _weighted(spectrum, 0, len(w) - rank)
    positive = G + _weighted(spectrum, len(w) - rank - n_tiny, len(w) - rank)
    lengths = np.sqrt(np.maximum(G.diagonal(), 0))
    scales = np.divide(1, lengths, out=np.zeros_like(lengths), where=lengths > 0)
    X = np.clip(scales[:, None] * G * scales, -1, 1)
    X = (X + X.T) / 2
    np.fill_diagonal(X, 1)
    gap = np.sum((X - positive) ** 2) / 2 + (scales - 1) @ (G * (positive - A)) @ (scales - 1)
    return X, rank, max(float(gap), 0.0)


def _weighted(spectrum: Spectrum, first: int, last: int) -> Matrix:
    """Return the part of A that belongs to some eigenvalues."""
    P = spectrum.vectors(first, last)
    part: Matrix = (P * spectrum.eigenvalues[first:last]) @ P.T
    return part


class Alternated(NamedTuple):
    """A matrix between two sets, and how far it is from both."""

    matrix: Matrix  # unit diagonal, entries in [−1, 1]
    n_iter: int  # rounds
    least_eigenvalue: float  # negative unless the rounds have converged to the last bit


def alternating_projections(
    D: ArrayLike, *, tol: float = 1e-9, max_iter: int = 1000, scaling: Literal["clip", "linear"] = "clip"
) -> Alternated:
    """Alternate between positive semi-definite matrices and those with unit diagonal and entries in [−1, 1].

    This is the paper's Algorithm 2. Without Dykstra's correction the rounds end at a matrix in both sets that is near
    D, but not the nearest; :func:`~ecoc.nearest_correlation` finds that.

    Parameters
    ----------
    D : array-like of shape (n_classes, n_classes)
        Symmetric design matrix.
    tol : float, default=1e-9
        Largest change of an entry in a round at which to stop.
    max_iter : int, default=1000
        Largest number of rounds.
    scaling : {"clip", "linear"}, default="clip"
        How entries get into [−1, 1]: by clipping, which is a projection; or by mapping their range off the diagonal
        linearly onto [−1, 1], another reading of the paper's "scale", which need not converge.

    Returns
    -------
    Alternated
        The matrix, the number of rounds, and its smallest eigenvalue.

    Examples
    --------
    >>> from ecoc.codes.design import alternating_projections
    >>> alternating_projections([[1, -1, -1], [-1, 1, -1], [-1, -1, 1]]).matrix.round(3)
    array([[ 1. , -0.5, -0.5],
           [-0.5,  1. , -0.5],
           [-0.5, -0.5,  1. ]])
    """
    matrix = check_between_classes(D, "D")
    np.fill_diagonal(matrix, 1)
    if scaling not in ("clip", "linear"):
        raise ValueError(f"scaling must be 'clip' or 'linear'; got {scaling!r}.")
    off = ~np.eye(len(matrix), dtype=bool)
    with one_blas_thread():
        n_iter, change = 0, np.inf
        while change > tol and n_iter < max_iter:
            n_iter += 1
            values, vectors = np.linalg.eigh(matrix)
            projected = (vectors * np.maximum(values, 0)) @ vectors.T
            projected = (projected + projected.T) / 2
            if scaling == "linear":
                low, high = np.min(projected, where=off, initial=1e9), np.max(projected, where=off, initial=-1e9)
                projected = 2 * (projected - low) / (high - low) - 1 if high > low else 0 * projected
            projected = np.clip(projected, -1, 1)
            np.fill_diagonal(projected, 1)
            change = np.abs(projected - matrix).max()
            matrix = projected
        least = float(np.linalg.eigvalsh(matrix)[0])
    return Alternated(matrix, n_iter, least)
