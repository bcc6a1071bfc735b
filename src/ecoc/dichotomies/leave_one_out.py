"""What is the output for a sample by a model without that sample? Formulas that need no further training.

A model without sample i is one Newton step away from the model with it. The step needs no further training, only the
Hessian of the fitted model. For squared loss it is exact. For the other losses it is approximate; tests compare it with
real leave-one-out training.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky, solve_triangular
from scipy.special import expit

Array = NDArray[np.float64]

_LEAST_REST = 1e-6  # least share of its own curvature that a sample leaves to the others
_JITTER = 1e-10  # added to the diagonal of a Gram matrix, relative to its mean, for samples that are equal
_FREE = 1e-8  # a multiplier is at its bound C if it is nearer than this, relative to C


def logistic(X: Array, labels: Array, outputs: Array, C: Array, intercept: float | None) -> Array:
    """Return leave-one-out outputs of a logistic regression.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Samples.
    labels : ndarray of shape (n_samples,)
        0 or 1.
    outputs : ndarray of shape (n_samples,)
        Decision values of the fitted model.
    C : ndarray of shape (n_samples,)
        Weight of the loss of each sample; the penalty is |w|² / 2.
    intercept : float or None
        See :func:`leverages`.

    Returns
    -------
    ndarray of shape (n_samples,)
        The output for each sample by a model without it.
    """
    p = expit(outputs)
    return _newton_step(X, outputs, C * (p - labels), C * p * (1 - p), intercept)


def squared_hinge(X: Array, labels: Array, outputs: Array, C: Array, intercept: float | None) -> Array:
    """Return leave-one-out outputs of a linear machine with squared hinge loss; parameters as for `logistic`."""
    signs = 2 * labels - 1
    slack = np.maximum(1 - signs * outputs, 0)
    held_out = outputs.copy()
    if len(support := np.flatnonzero(slack)):  # the loss of all other samples is flat: without them nothing changes
        gradient, curvature = -2 * (C * signs * slack)[support], 2 * C[support]
        held_out[support] = _newton_step(X[support], outputs[support], gradient, curvature, intercept)
    return held_out


def _newton_step(X: Array, outputs: Array, gradient: Array, curvature: Array, intercept: float | None) -> Array:
    """Return f_i + g_i·h_i / (1 − a_i·h_i), where g and a are the derivatives of the loss and h the leverages."""
    h = leverages(X, curvature, intercept)
    held_out: Array = outputs + gradient * h / np.maximum(1 - curvature * h, _LEAST_REST)
    return held_out


def leverages(X: Array, curvature: Array, intercept: float | None) -> Array:
    """Return x_iᵀ (I + Σ_j a_j·x_j·x_jᵀ)⁻¹ x_i for each sample, where a is the curvature.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Samples.
    curvature : ndarray of shape (n_samples,)
        Second derivative of each sample's loss by its output; not negative.
    intercept : float or None
        Value of a constant feature whose weight is penalised, as in LIBLINEAR; infinity for an intercept without
        penalty; None for no intercept.

    Returns
    -------
    ndarray of shape (n_samples,)
        The leverages.
    """
    extra = 0.0
    if intercept is not None and np.isinf(intercept):
        # Elimination of the intercept centres the samples at their mean, weighted by the curvature.
        total = max(float(curvature.sum()), 1e-300)
        X, extra = X - (curvature / total) @ X, 1 / total
    elif intercept is not None:
        X = np.column_stack([X, np.full(len(X), intercept)])
    root = np.sqrt(curvature)[:, None]
    if X.shape[1] <= len(X):
        inner = (root * X).T @ (root * X)
        right = X.T
    else:  # (I + XᵀAX)⁻¹ = I − XᵀA½ (I + A½XXᵀA½)⁻¹ A½X
        gram = X @ X.T
        inner, right = root * gram * root.T, root * gram
    inner[np.diag_indices_from(inner)] += 1
    solved = solve_triangular(cholesky(inner, lower=True, overwrite_a=True), right, lower=True)
    squares = np.einsum("ij,ij->j", solved, solved)
    return np.asarray((squares if X.shape[1] <= len(X) else np.diag(gram) - squares) + extra)


def support_vectors(gram: Array, signs: Array, outputs: Array, alpha: Array, bound: Array) -> Array:
    """Return leave-one-out outputs of a support vector machine, by the span of its support vectors.

    It is assumed that without one sample the other multipliers stay between their bounds, or at them (Vapnik and
    Chapelle, 2000). Then y_i·f(x_i) falls by α_i·S_i², where S_i is the distance of sample i from the other support
    vectors that are not at the bound.

    Parameters
    ----------
    gram : ndarray of shape (n_support, n_support)
        Kernel values between the support vectors.
    signs : ndarray of shape (n_support,)
        −1 or +1.
    outputs : ndarray of shape (n_support,)
        Decision values of the fitted machine.
    alpha, bound : ndarray of shape (n_support,)
        Multipliers, all positive, and their upper bounds.

    Returns
    -------
    ndarray of shape (n_support,)
        The output for each support vector by a machine without it. Other samples keep their outputs.
    """
    free = alpha < (1 - _FREE) * bound
    n_free, inside = int(free.sum()), gram[np.ix_(free, free)]
    span = np.diag(gram).copy()
    if n_free:
        inside[np.diag_indices_from(inside)] += _JITTER * np.trace(inside) / n_free
        root = cholesky(inside, lower=True)
        inverse = solve_triangular(root, np.eye(n_free), lower=True)
        ones = inverse.T @ inverse.sum(axis=1)
        # The inverse of [[K, 1], [1ᵀ, 0]], in which the last row stands for the intercept:
        if n_free > 1:
            span[free] = 1 / np.maximum((inverse**2).sum(axis=0) - ones**2 / ones.sum(), 1e-300)
        across = gram[np.ix_(free, ~free)]
        span[~free] -= ((inverse @ across) ** 2).sum(axis=0) - (ones @ across - 1) ** 2 / ones.sum()
    return np.asarray(outputs - signs * alpha * np.maximum(span, 0))
