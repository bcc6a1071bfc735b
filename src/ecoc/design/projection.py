"""Which correlation matrix is nearest to a design matrix, and how far did the design have to move?

The paper's Algorithm 2 alternates between the positive semi-definite cone and the unit diagonal. Without
Dykstra's correction that ends at *some* valid matrix; with it (Higham 2002) at the nearest one, linearly. The
nearest one is unique, so we take the quadratic road to it: the semismooth Newton method of Qi and Sun (2006)
on the dual

    min_y  θ(y) = ½‖(D + Diag y)₊‖² − Σy,     ∇θ(y) = diag (D + Diag y)₊ − 1,     X = (D + Diag y*)₊,

k unknowns instead of k², and some five eigendecompositions instead of hundreds.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple
from warnings import warn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecoc.design.checks import Matrix, check_between_classes
from ecoc.utils.threads import one_blas_thread

Vector = NDArray[np.float64]

_ZERO = 1e-8  # an eigenvalue below this share of the largest is zero: well above what error the solver leaves
_LARGEST = 1e10  # entries beyond it leave the unit diagonal no digits in double precision


@dataclass(frozen=True)
class Projection:
    """The nearest correlation matrix to a design matrix, with the proof of how near it is.

    Attributes
    ----------
    matrix : ndarray of shape (n_classes, n_classes)
        Exactly symmetric, diagonal exactly one, entries in [−1, 1], positive semi-definite up to rounding.
    distance : float
        How far the design moved: the Frobenius norm of `matrix` minus D.
    max_error : float
        No entry of `matrix` is further than this from the exact answer. Follows from the duality gap, which
        bounds ½‖X − X*‖² because the objective is strongly convex.
    rank : int
        Number of non-zero eigenvalues of `matrix`; all others are zero up to rounding.
    n_iter : int
        Newton steps taken; 0 if D was a correlation matrix already.
    converged : bool
        Whether the tolerance was met. The matrix is a correlation matrix in any case.

    See Also
    --------
    ecoc.design.project : Makes them.

    Examples
    --------
    >>> from ecoc.design import project
    >>> found = project([[1, -1, -1], [-1, 1, -1], [-1, -1, 1]])
    >>> found.matrix.round(6)
    array([[ 1. , -0.5, -0.5],
           [-0.5,  1. , -0.5],
           [-0.5, -0.5,  1. ]])
    >>> found.converged, found.max_error < 1e-6
    (True, True)
    """

    matrix: Matrix = field(repr=False)
    distance: float
    max_error: float
    rank: int
    n_iter: int
    converged: bool


def nearest_correlation(D: ArrayLike, *, tol: float = 1e-9, max_iter: int = 100) -> Matrix:
    """Find the nearest matrix in the Frobenius norm that is positive semi-definite with unit diagonal.

    Only such a matrix can be matched by codewords: XXᵀ/l is one. Its entries are then in [−1, 1].

    Parameters
    ----------
    D : array-like of shape (n_classes, n_classes)
        Symmetric design matrix. Its diagonal is of no consequence.
    tol : float, default=1e-9
        Largest error of the diagonal at which to stop; what remains of it is then scaled away.
    max_iter : int, default=100
        Newton steps at most; five are usual.

    Returns
    -------
    ndarray of shape (n_classes, n_classes)
        D itself, bit for bit, if it is such a matrix already.

    See Also
    --------
    ecoc.design.project : The same, with the distance moved, the rank and a bound on the error.
    ecoc.allocate : Make a design matrix.
    ecoc.factorize : Make a code of the result.

    Examples
    --------
    Three classes cannot all be opposites of each other; 120° is the best they can do:

    >>> import numpy as np
    >>> from ecoc import nearest_correlation
    >>> nearest_correlation([[1, -1, -1], [-1, 1, -1], [-1, -1, 1]]).round(6)
    array([[ 1. , -0.5, -0.5],
           [-0.5,  1. , -0.5],
           [-0.5, -0.5,  1. ]])
    """
    return project(D, tol=tol, max_iter=max_iter).matrix


def project(D: ArrayLike, *, tol: float = 1e-9, max_iter: int = 100) -> Projection:
    """Find the nearest correlation matrix with its proof: how far D moved, how exact the result is, and its rank.

    Parameters
    ----------
    D : array-like of shape (n_classes, n_classes)
        Symmetric design matrix. Its diagonal is of no consequence.
    tol : float, default=1e-9
        Largest error of the diagonal at which to stop; what remains of it is then scaled away.
    max_iter : int, default=100
        Newton steps at most; five are usual.

    Returns
    -------
    Projection
        The matrix and what is known of it.

    Warns
    -----
    ConvergenceWarning
        If `max_iter` steps were not enough.

    See Also
    --------
    ecoc.nearest_correlation : The matrix alone.

    Examples
    --------
    >>> from ecoc.design import project
    >>> found = project([[1, -1, -1], [-1, 1, -1], [-1, -1, 1]])
    >>> found.rank, round(found.distance, 6), found.converged
    (2, 1.224745, True)
    """
    given = check_between_classes(D, "D")
    if np.abs(given).max() > _LARGEST:
        raise ValueError(
            f"D has an entry of size {np.abs(given).max():.3g}; beyond {_LARGEST:g} the unit diagonal is "
            "lost in rounding. A design matrix is meant to lie in [-1, 1]: divide D by its largest entry."
        )
    return project_checked(given, tol=tol, max_iter=max_iter)


def project_checked(given: Matrix, *, tol: float = 1e-9, max_iter: int = 100) -> Projection:
    """Project a symmetric, finite matrix that has been checked already, e.g. one that `allocate` returned."""
    target = given.copy()
    np.fill_diagonal(target, 1)  # the diagonal of the result is 1 whatever D has there
    with one_blas_thread():
        start = _evaluate(target, np.zeros(len(target)))
        if np.abs(target).max() <= 1 + 1e-12 and start.eigenvalues[0] >= -1e-12 * len(target):
            X = np.clip(target, -1, 1)
            rank = int(np.count_nonzero(start.eigenvalues > _ZERO * start.eigenvalues[-1]))
            return Projection(X, float(np.linalg.norm(X - given)), 0.0, rank, 0, True)
        tol = max(tol, len(target) * np.finfo(float).eps * np.abs(start.eigenvalues).max())
        point, n_iter, converged = _solve(target, tol, max_iter)
        F = _unit_rows(point, max(_ZERO, tol))
        X = np.clip(F @ F.T, -1, 1)
        gap = _duality_gap(point, F, X)
    X = (X + X.T) / 2
    np.fill_diagonal(X, 1)
    if not converged:
        from sklearn.exceptions import ConvergenceWarning

        error = np.abs(point.gradient).max()
        warn(
            f"nearest_correlation stopped after {n_iter} steps (max_iter={max_iter}) with the diagonal off "
            f"by up to {error:.2g} (tol={tol:.2g}). The result is a correlation matrix, but not quite the "
            "nearest; a larger max_iter gets nearer.",
            ConvergenceWarning,
            stacklevel=4,
        )
    distance = float(np.linalg.norm(X - given))
    return Projection(X, distance, float(np.sqrt(2 * gap)), F.shape[1], n_iter, converged)


class _Point(NamedTuple):
    """The dual at y: θ(y), its gradient, and the eigenpairs of D + Diag y in ascending order."""

    multipliers: Vector
    value: float
    gradient: Vector
    eigenvalues: Vector
    eigenvectors: Matrix


def _evaluate(D: Matrix, y: Vector) -> _Point:
    w, P = np.linalg.eigh(D + np.diag(y))
    positive = np.maximum(w, 0)
    return _Point(y, float(positive @ positive / 2 - y.sum()), P**2 @ positive - 1, w, P)


def _solve(D: Matrix, tol: float, max_iter: int) -> tuple[_Point, int, bool]:
    """Minimise θ: in one go for entries of a design's size, else by way of scaled-down designs.

    With entries far beyond 1, θ is nearly a polyhedron, which Newton's method crosses edge by edge; but y
    grows with D almost in proportion, so that the solution for a tenth of D, times ten, is a good start.
    """
    share, y, n_iter = min(1.0, 10 / np.abs(D).max()), np.zeros(len(D)), 0
    while True:
        scaled = share * D
        np.fill_diagonal(scaled, 1)
        point, steps, converged = _newton(scaled, y, tol, max_iter - n_iter)
        n_iter += steps
        if share == 1:
            return point, n_iter, converged
        larger = min(1.0, 10 * share)
        share, y = larger, point.multipliers * (larger / share)


def _newton(D: Matrix, y: Vector, tol: float, max_iter: int) -> tuple[_Point, int, bool]:
    """Damped Newton steps until the diagonal is within `tol` of one."""
    point = _evaluate(D, y)
    for n_iter in range(max_iter):
        error = np.abs(point.gradient).max()
        if error <= tol:
            return point, n_iter, True
        step = _newton_step(point)
        slope = point.gradient @ step
        length = 1.0
        new = _evaluate(D, point.multipliers + step)
        # Close to the solution θ changes by less than its own rounding; the gradient still tells progress.
        while new.value > point.value + 1e-4 * length * slope and np.abs(new.gradient).max() > error / 2:
            length /= 2
            if length < 1e-10:
                return point, n_iter, False
            new = _evaluate(D, point.multipliers + length * step)
        point = new
    return point, max_iter, bool(np.abs(point.gradient).max() <= tol)


def _newton_step(point: _Point) -> Vector:
    """Solve V·step = −gradient, V an element of the generalised Hessian of θ (Qi and Sun, section 3).

    V h = diag P (Ω ∘ (Pᵀ Diag(h) P)) Pᵀ, with Ω = 1 between two positive eigenvalues, 0 between two others
    and λᵢ/(λᵢ − λⱼ) across. Both mixed blocks are the same by symmetry, hence the 2.
    """
    w, P = point.eigenvalues, point.eigenvectors
    positive = w > 0
    P_positive = P[:, positive]
    omega = np.ones((P_positive.shape[1], len(w)))
    omega[:, ~positive] = 2 * w[positive, None] / (w[positive, None] - w[~positive])
    # V may be singular away from the solution; the damping must stay small beside Ω, hence its scale.
    damping = 1e-3 * min(1.0, float(np.linalg.norm(point.gradient))) / max(1.0, -float(w[0]))

    def hessian(h: Vector) -> Vector:
        between = omega * ((P_positive * h[:, None]).T @ P)
        product: Vector = np.sum(P_positive * (P @ between.T), axis=1) + damping * h
        return product

    diagonal = np.sum(P_positive**2 * (P**2 @ omega.T), axis=1) + damping
    return _conjugate_gradient(hessian, -point.gradient, diagonal)


def _conjugate_gradient(product: Callable[[Vector], Vector], b: Vector, diagonal: Vector) -> Vector:
    """Solve A x = b with Jacobi preconditioning, within ‖b‖², as quadratic convergence of Newton asks."""
    x, residual = np.zeros_like(b), b.copy()
    goal = np.linalg.norm(b) * min(0.1, float(np.linalg.norm(b)))
    direction = scaled = residual / diagonal
    for _ in range(len(b)):
        image = product(direction)
        energy = residual @ scaled
        step = energy / (direction @ image)
        x = x + step * direction
        residual = residual - step * image
        if np.linalg.norm(residual) <= goal:
            break
        scaled = residual / diagonal
        direction = scaled + (residual @ scaled) / energy * direction
    return x


def _unit_rows(point: _Point, zero: float) -> Matrix:
    """F with FFᵀ = X: the eigenpairs of (D + Diag y)₊ that count, rows scaled to length one.

    This makes the rank well defined: it is the number of columns of F, whatever error is left in y. Scaling
    the rows is a congruence, which keeps the rank, and makes the diagonal exact.
    """
    w, P = point.eigenvalues, point.eigenvectors
    kept = w > zero * w[-1]
    F = P[:, kept] * np.sqrt(w[kept])
    lengths = np.linalg.norm(F, axis=1, keepdims=True)
    rows: Matrix = np.divide(F, lengths, out=np.zeros_like(F), where=lengths > 0)
    return rows


def _duality_gap(point: _Point, F: Matrix, X: Matrix) -> float:
    """½‖X − D‖² minus the dual value: ½‖X − A₊‖² + ⟨X, A₋⟩ with A = D + Diag y, which cannot cancel."""
    w, P = point.eigenvalues, point.eigenvectors
    positive = (P * np.maximum(w, 0)) @ P.T
    return float(np.sum((X - positive) ** 2) / 2 + np.sum((F.T @ P) ** 2 * np.maximum(-w, 0)))
