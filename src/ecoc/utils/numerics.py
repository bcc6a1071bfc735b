"""Numerical routines that NumPy and SciPy lack."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

Array = NDArray[np.float64]


def generator(random_state: Any) -> np.random.Generator:
    """Return a NumPy generator: a generator itself, or one that is seeded by a RandomState, an integer or None."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31))
    return np.random.default_rng(random_state)


def without_duplicates(X: Any) -> Any:
    """Return samples whose sparse rows name each feature once, in order. The user's matrix is not changed.

    A sparse matrix may hold several entries for one element, which means their sum. LIBSVM and functions that square
    the entries get such a matrix wrong.
    """
    if not issparse(X) or X.has_canonical_format:
        return X
    X = X.copy()
    X.sum_duplicates()
    return X


def definite_root(covariance: Array, ridge: float) -> Array:
    """Return the Cholesky factor of a covariance, whose variances are raised until rounding leaves it definite.

    The smallest raise is the share `ridge` of the mean variance.
    """
    unit = max(float(np.trace(covariance)) / max(len(covariance), 1), 1e-300) * np.eye(len(covariance))
    for step in (1.0, 1e3, 1e6):
        with suppress(np.linalg.LinAlgError):
            return np.asarray(np.linalg.cholesky(covariance + step * ridge * unit))
    return np.asarray(np.linalg.cholesky(covariance + 1e9 * ridge * unit))


def lbfgs(loss: Callable[[Array], tuple[float, Array]], x: Array, n_steps: int, precision: float) -> tuple[Array, int]:
    """Minimise a smooth function of an array by L-BFGS; return the best argument and the number of steps.

    SciPy's version takes milliseconds for bookkeeping, which is longer than the losses of small decodings. It also
    begins with a careful step, while callers of this function choose variables in which the Hessian matrix is near the
    identity. `loss` returns the value and the gradient. The search ends after `n_steps`, or with a step that lowers
    the value by less than the share `precision`.
    """
    memory = 10  # steps that the estimate of the curvature remembers
    enough, halvings = 1e-4, 20  # share of the promised decrease that a step must bring, and how often it is halved
    value, gradient = loss(x)
    pairs: list[tuple[Array, Array, float]] = []  # changes of x and of the gradient, and their scalar product
    for step in range(n_steps):
        direction = _direction(gradient, pairs)
        slope = float(np.vdot(gradient, direction))
        if not slope < 0:
            return x, step
        size = 1.0
        for _ in range(halvings):
            new = x + size * direction
            new_value, new_gradient = loss(new)
            if new_value <= value + enough * size * slope:
                break
            size /= 2
        else:  # rounding hides any further decrease
            return x, step
        change, bend = new - x, new_gradient - gradient
        curvature = float(np.vdot(change, bend))
        if curvature > 0:
            pairs = [*pairs[-memory + 1 :], (change, bend, curvature)]
        decrease = value - new_value
        x, value, gradient = new, new_value, new_gradient
        if decrease <= precision * abs(value):
            return x, step + 1
    return x, n_steps


def _direction(gradient: Array, pairs: list[tuple[Array, Array, float]]) -> Array:
    """Return minus the gradient times the estimated inverse of the Hessian matrix, by the two-loop recursion."""
    direction = -gradient
    shares = []
    for change, bend, curvature in reversed(pairs):
        shares.append(float(np.vdot(change, direction)) / curvature)
        direction -= shares[-1] * bend
    if pairs:
        _, bend, curvature = pairs[-1]
        direction *= curvature / float(np.vdot(bend, bend))
    for (change, bend, curvature), share in zip(pairs, reversed(shares)):
        direction += (share - float(np.vdot(bend, direction)) / curvature) * change
    return direction
