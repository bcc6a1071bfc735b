"""Newton's method for linear models with few features.

A quasi-Newton method or coordinate descent takes tens or hundreds of passes over the samples. Newton's method takes
about seven, and each of them is a product of matrices.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.special import expit

Array = NDArray[np.float64]

_MAX_ITER = 50
_PRECISION = 1e-12  # stop if a step promises to lower the loss by less, relative to the loss
_ENOUGH, _HALVINGS = 1e-4, 30  # share of the promised decrease that a step must bring, and how often it is halved
_JITTER = 1e-14  # added to the diagonal of the Hessian, relative to its mean, for features that repeat each other


class Loss(NamedTuple):
    """A loss of outputs for labels 0 and 1: values, and first and second derivatives by the outputs."""

    values: Callable[[Array, Array], Array]
    slopes: Callable[[Array, Array], tuple[Array, Array]]


def _log_loss(outputs: Array, labels: Array) -> Array:
    return np.logaddexp(0.0, (1 - 2 * labels) * outputs)


def _log_slopes(outputs: Array, labels: Array) -> tuple[Array, Array]:
    p = expit(outputs)
    return p - labels, p * (1 - p)


def _squared_hinge(outputs: Array, labels: Array) -> Array:
    return np.asarray(np.maximum(1 - (2 * labels - 1) * outputs, 0.0) ** 2)


def _hinge_slopes(outputs: Array, labels: Array) -> tuple[Array, Array]:
    signs = 2 * labels - 1
    slack = np.maximum(1 - signs * outputs, 0)
    return -2 * signs * slack, np.where(slack > 0, 2.0, 0.0)


LOGISTIC, SQUARED_HINGE = Loss(_log_loss, _log_slopes), Loss(_squared_hinge, _hinge_slopes)


def minimise(
    X: Array,
    labels: Array,
    C: Array,
    penalty: Array,
    loss: Loss,
    max_iter: int = _MAX_ITER,
) -> tuple[Array, int]:
    """Minimise Σ p_d·w_d² / 2 + Σ C_i·loss(x_i·w, label_i).

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Samples, with a constant feature for the intercept.
    labels : ndarray of shape (n_samples,)
        0 or 1.
    C : ndarray of shape (n_samples,)
        Weight of each sample's loss.
    penalty : ndarray of shape (n_features,)
        The numbers p; 0 for an intercept without penalty.
    loss : Loss
        The loss.
    max_iter : int, default=50
        Largest number of steps; never more than 50.

    Returns
    -------
    (ndarray of shape (n_features,), int)
        The weights w, and the number of Newton steps.

    Raises
    ------
    numpy.linalg.LinAlgError
        If there are too many steps, the Hessian matrix is not finite, or rounding makes it indefinite.

    Examples
    --------
    >>> import numpy as np
    >>> from ecoc.training.newton import LOGISTIC, minimise
    >>> X = np.array([[-1.0, 1.0], [0.0, 1.0], [1.0, 1.0], [2.0, 1.0]])
    >>> weights, n_steps = minimise(X, np.array([0, 1, 0, 1]), np.ones(4), np.array([1.0, 0.0]), LOGISTIC)
    >>> weights.round(4), n_steps
    (array([ 0.4529, -0.2264]), 3)
    """
    w, outputs = np.zeros(X.shape[1]), np.zeros(len(X))
    value = float(C @ loss.values(outputs, labels))
    for n_steps in range(min(max_iter, _MAX_ITER)):
        gradient, curvature = loss.slopes(outputs, labels)
        slope = X.T @ (C * gradient) + penalty * w
        root = cho_factor(hessian(X, C * curvature, penalty), check_finite=False)
        step = -cho_solve(root, slope, check_finite=False)
        promised = -float(slope @ step)
        if not np.isfinite(promised):
            break
        if promised <= _PRECISION * value:
            return w + step, n_steps
        along, size = X @ step, 1.0
        for _ in range(_HALVINGS):
            tried, new = w + size * step, outputs + size * along
            found = float(C @ loss.values(new, labels) + (penalty * tried**2).sum() / 2)
            if found <= value - _ENOUGH * size * promised:
                break
            size /= 2
        else:  # rounding hides any further decrease
            return w, n_steps
        w, outputs, value = tried, new, found
    raise np.linalg.LinAlgError("Newton's method does not converge.")


def hessian(X: Array, curvature: Array, penalty: Array) -> Array:
    """Return Xᵀ diag(curvature) X + diag(penalty), for samples whose curvature is not 0."""
    used = curvature > 0
    if used.mean() < 0.7:  # fewer rows save more than copying them costs
        X, curvature = X[used], curvature[used]
    scaled = X * np.sqrt(curvature)[:, None]
    product: Array = scaled.T @ scaled
    trace = np.trace(product)
    if not np.isfinite(trace):  # the root of such a matrix would give steps of length 0, as if at the minimum
        raise np.linalg.LinAlgError("The squares of the features are too large.")
    product[np.diag_indices_from(product)] += penalty + _JITTER * trace / len(product) + 1e-300
    return product
