"""Which correlation matrix is nearest to a design matrix, and how far is it?

The paper's Algorithm 2 alternates between projections onto positive semi-definite matrices and onto unit diagonals.
Without Dykstra's correction it converges to *some* correlation matrix. With the correction (Higham 2002) it converges
to the nearest one, which is unique, but only linearly. The semismooth Newton method of Qi and Sun (2006) converges to
the same matrix quadratically. It solves the dual problem

    min_y  θ(y) = ½‖(D + Diag y)₊‖² − Σy,     ∇θ(y) = diag (D + Diag y)₊ − 1,     X = (D + Diag y*)₊,

which has k unknowns instead of k², and takes about five eigendecompositions instead of hundreds.
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

_ZERO = 1e-8  # an eigenvalue below this share of the largest is zero; the error of the solver is well below
_LARGEST = 1e10  # with larger entries, rounding in double precision hides the unit diagonal


@dataclass(frozen=True)
class Projection:
    """The nearest correlation matrix to a design matrix, with bounds on its error.

    Attributes
    ----------
    matrix : ndarray of shape (n_classes, n_classes)
        Exactly symmetric, diagonal exactly one, entries in [−1, 1], positive semi-definite up to rounding.
    distance : float
        Frobenius norm of `matrix` minus D.
    max_error : float
        Upper bound on the error of each entry of `matrix`. It follows from the duality gap, which bounds ½‖X − X*‖²
        because the objective is strongly convex.
    rank : int
        Number of non-zero eigenvalues of `matrix`; all others are zero up to rounding.
    n_iter : int
        Number of Newton steps; 0 if D is a correlation matrix.
    converged : bool
        Whether the tolerance was met. If not, `matrix` is still a correlation matrix.

    See Also
    --------
    ecoc.design.project : Find the nearest correlation matrix.

    Examples
    --------
    >>> from ecoc.design import project
    >>> found = project([[1, -1, -1], [-1, 1, -1], [-1, -1, 1]])
    >>> found.matrix.round(6)
    array([[ 1. , -0.5, -0.5],
           [-0.5,  1. , -0.5],
           [-0.5, -0.5,  1. ]])
    >>> found.rank, round(found.distance, 6), found.converged, found.max_error < 1e-6
    (2, 1.224745, True, True)
    """

    matrix: Matrix = field(repr=False)
    distance: float
    max_error: float
    rank: int
    n_iter: int
    converged: bool


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
    ecoc.design.project : The same, with the distance to D, the rank and a bound on the error.
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
    """Find the nearest correlation matrix, its distance to D, its rank and a bound on its error.

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
    Projection
        The matrix with its attributes.

    Warns
    -----
    ConvergenceWarning
        If `max_iter` steps were not enough.

    See Also
    --------
    ecoc.nearest_correlation : The matrix alone.
    """
    return project_checked(_check_design(D), tol=tol, max_iter=max_iter)


def _check_design(D: ArrayLike) -> Matrix:
    given = check_between_classes(D, "D")
    if np.abs(given).max() > _LARGEST:
        raise ValueError(
            f"D has an entry of size {np.abs(given).max():.3g}; above {_LARGEST:g}, rounding hides the unit diagonal. "
            "A design matrix should lie in [-1, 1]: divide D by its largest entry."
        )
    return given


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
            f"nearest_correlation stopped after {n_iter} steps (max_iter={max_iter}) with an error of the diagonal "
            f"of {error:.2g} (tol={tol:.2g}). The result is a correlation matrix, but not the nearest one. Increase "
            "max_iter to get closer.",
            ConvergenceWarning,
            stacklevel=3,
        )
    distance = float(np.linalg.norm(X - given))
    return Projection(X, distance, float(np.sqrt(2 * gap)), F.shape[1], n_iter, converged)


class _Point(NamedTuple):
    """The dual objective θ(y), its gradient, and the eigenpairs of D + Diag y in ascending order."""

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
    """Minimise θ. If D has entries far above 1, solve for smaller multiples of D first.

    For such a D, θ is nearly piecewise linear, and Newton's method is slow. But y is almost proportional to D, so ten
    times the solution for D/10 is a good start for D.
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
        # Close to the solution, θ changes by less than its rounding error, but the gradient still shows progress.
        while new.value > point.value + 1e-4 * length * slope and np.abs(new.gradient).max() > error / 2:
            length /= 2
            if length < 1e-10:
                return point, n_iter, False
            new = _evaluate(D, point.multipliers + length * step)
        point = new
    return point, max_iter, bool(np.abs(point.gradient).max() <= tol)


def _newton_step(point: _Point) -> Vector:
    """Solve V·step = −gradient, where V is an element of the generalised Hessian of θ (Qi and Sun, section 3).

    V h = diag P (Ω ∘ (Pᵀ Diag(h) P)) Pᵀ. Ω is 1 for two positive eigenvalues, 0 for two others, and λᵢ/(λᵢ − λⱼ) for a
    positive λᵢ and another λⱼ. The two mixed blocks are equal by symmetry, hence the factor 2.
    """
    w, P = point.eigenvalues, point.eigenvectors
    positive = w > 0
    P_positive = P[:, positive]
    omega = np.ones((P_positive.shape[1], len(w)))
    omega[:, ~positive] = 2 * w[positive, None] / (w[positive, None] - w[~positive])
    # V may be singular far from the solution. The damping is scaled so that it stays small compared with Ω.
    damping = 1e-3 * min(1.0, float(np.linalg.norm(point.gradient))) / max(1.0, -float(w[0]))

    def hessian(h: Vector) -> Vector:
        between = omega * ((P_positive * h[:, None]).T @ P)
        product: Vector = np.sum(P_positive * (P @ between.T), axis=1) + damping * h
        return product

    diagonal = np.sum(P_positive**2 * (P**2 @ omega.T), axis=1) + damping
    return _conjugate_gradient(hessian, -point.gradient, diagonal)


def _conjugate_gradient(product: Callable[[Vector], Vector], b: Vector, diagonal: Vector) -> Vector:
    """Solve A x = b with Jacobi preconditioning, up to ‖b‖², which Newton's method needs to converge quadratically."""
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
    """Return F with FFᵀ = X, from the positive eigenpairs of D + Diag y, with rows scaled to length one.

    The rank of X is the number of columns of F, whatever error remains in y. Scaling the rows does not change the rank
    and makes the diagonal exact.
    """
    w, P = point.eigenvalues, point.eigenvectors
    positive = w > zero * w[-1]
    F = P[:, positive] * np.sqrt(w[positive])
    lengths = np.linalg.norm(F, axis=1, keepdims=True)
    rows: Matrix = np.divide(F, lengths, out=np.zeros_like(F), where=lengths > 0)
    return rows


def _duality_gap(point: _Point, F: Matrix, X: Matrix) -> float:
    """Return ½‖X − D‖² minus the dual value, as ½‖X − A₊‖² + ⟨X, A₋⟩ with A = D + Diag y, which avoids cancellation."""
    w, P = point.eigenvalues, point.eigenvectors
    positive = (P * np.maximum(w, 0)) @ P.T
    return float(np.sum((X - positive) ** 2) / 2 + np.sum((F.T @ P) ** 2 * np.maximum(-w, 0)))
