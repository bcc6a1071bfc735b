"""Train linear classifiers with few features by Newton's method.

A quasi-Newton method or coordinate descent takes tens or hundreds of passes over the samples. Newton's method takes
about seven, and each of them is a product of matrices.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.special import expit
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from ecoc.training.binary import Constant, check_squares, seeded_clone
from ecoc.training.interfaces import Array, Task
from ecoc.training.parallel import Shared
from ecoc.training.separate import SeparateTraining
from ecoc.utils.scikit import check_parameters
from ecoc.utils.threads import one_blas_thread

_MAX_ITER = 50
_PRECISION = 1e-12  # stop if a step promises to lower the loss by less, relative to the loss
_ENOUGH, _HALVINGS = 1e-4, 30  # share of the promised decrease that a step must bring, and how often it is halved
_JITTER = 1e-14  # added to the diagonal of the Hessian, relative to its mean, for features that repeat each other


class LinearTraining(SeparateTraining):
    """Train logistic regression or a linear support vector classifier, each column on its own."""

    @staticmethod
    def fit_one(estimator: Any, shared: Shared, column: int, seed: int | None) -> Any:
        """Train one column by Newton's method; by scikit-learn, if that does not converge."""
        model = fit_by_newton(estimator, Task(*shared.values), column, seed)
        return SeparateTraining.fit_one(estimator, shared, column, seed) if model is None else model


def fit_by_newton(estimator: Any, task: Task, column: int, seed: int | None) -> Any:
    """Train one column; return None if scikit-learn should train it.

    Both find the same minimum, and scikit-learn's solvers stop farther from it. If `max_iter` Newton steps do not reach
    it, scikit-learn trains the column and warns.
    """
    check_parameters(estimator)
    sides, C = task.sides(column), strengths(estimator, task)
    used = np.flatnonzero((sides != 0) & (C > 0))
    if len(np.unique(sides[used])) < 2:
        return Constant(int(sides[used[0]]) if len(used) else 0)
    samples = np.asarray(task.X, dtype=np.float64)
    if len(used) < len(samples):
        samples, sides, C = samples[used], sides[used], C[used]
    X, penalty = with_intercept(samples, estimator)
    try:
        with one_blas_thread():
            loss = LOGISTIC if type(estimator) is LogisticRegression else SQUARED_HINGE
            labels = (sides > 0).astype(np.float64)
            weights, n_steps = minimise(X, labels, C, penalty, loss, estimator.max_iter)
    except np.linalg.LinAlgError:
        check_squares(samples)
        return None
    model = seeded_clone(estimator, seed)
    model.classes_, model.n_features_in_ = np.array([0, 1]), samples.shape[1]
    model.coef_ = weights[None, : samples.shape[1]].copy()
    model.intercept_ = np.array([X[0, -1] * weights[-1] if estimator.fit_intercept else 0.0])
    model.n_iter_ = n_steps if type(model) is LinearSVC else np.array([n_steps], dtype=np.int32)
    return model


def strengths(estimator: Any, task: Task) -> Array:
    """Return the weight of each sample's loss: C times its own weight."""
    return np.full(len(task.y), float(estimator.C)) * (1.0 if task.sample_weight is None else task.sample_weight)


def with_intercept(X: Array, estimator: Any) -> tuple[Array, Array]:
    """Return samples with a constant feature for the intercept, and the penalty of each feature's weight.

    LIBLINEAR penalises the intercept like the other weights.
    """
    penalty = np.ones(X.shape[1])
    if not estimator.fit_intercept:
        return X, penalty
    penalised = type(estimator) is LinearSVC or estimator.solver == "liblinear"
    constant = np.full((len(X), 1), float(estimator.intercept_scaling) if penalised else 1.0)
    return np.hstack([X, constant]), np.append(penalty, float(penalised))


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

    X has a constant feature for the intercept, whose penalty p may be 0; labels are 0 or 1. Return the weights w and
    the number of Newton steps. Raise LinAlgError if there are too many steps, the Hessian matrix is not finite, or
    rounding makes it indefinite.
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
