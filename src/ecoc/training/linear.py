"""Train linear classifiers with few features by Newton's method."""

from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from ecoc.training.base import Array, Task, is_numeric
from ecoc.training.binary import Constant, check_squares, seeded_clone
from ecoc.training.newton import LOGISTIC, SQUARED_HINGE, Loss, minimise
from ecoc.training.parallel import Shared
from ecoc.training.separate import SeparateTraining
from ecoc.training.sparse import PARAMETERS as OF_LINEAR_SVC
from ecoc.training.supported import finite, honoured, one_of, supports
from ecoc.utils.scikit import check_parameters
from ecoc.utils.threads import one_blas_thread

# Features up to which Newton's method trains the columns: 3 times as fast as scikit-learn's solvers with 16 to 101
# features (logistic regression and LinearSVC on pendigits, letter, traffic36), 3 and 12 times with 120 (orl40).
_MOST_FEATURES = 256
_SOLVERS = ("lbfgs", "newton-cg", "newton-cholesky", "liblinear")  # of logistic regression: those without random order
_OF_LOGISTIC = {
    "C": finite,
    "penalty": one_of("l2", "deprecated"),
    "l1_ratio": one_of(None, 0),
    "solver": one_of(*_SOLVERS),
    "tol": OF_LINEAR_SVC["tol"],  # Newton's method finds the minimum itself, which fulfils smaller tolerances, too
    "multi_class": one_of("deprecated"),
    "class_weight": one_of(None),
    "dual": one_of(False),
    "verbose": one_of(0),
    **honoured("max_iter fit_intercept intercept_scaling random_state n_jobs warm_start"),
}
_PARAMETERS = {LogisticRegression: _OF_LOGISTIC, LinearSVC: {**OF_LINEAR_SVC, **honoured("max_iter")}}


class LinearTraining(SeparateTraining):
    """Train logistic regression or a linear support vector classifier, each column on its own."""

    @staticmethod
    def fit_one(estimator: Any, shared: Shared, column: int, seed: int | None) -> Any:
        """Train one column by Newton's method; by scikit-learn, if that does not converge."""
        model = fit_by_newton(estimator, Task(*shared.values), column, seed)
        return SeparateTraining.fit_one(estimator, shared, column, seed) if model is None else model

    @staticmethod
    def suits(estimator: Any, task: Task) -> bool:
        """Tell whether Newton's method finds the model: squared penalty, smooth loss, equal classes, few features."""
        return (
            type(estimator) in _PARAMETERS
            and supports(_PARAMETERS[type(estimator)], estimator)
            and is_numeric(task.X)
            and not issparse(task.X)
            and task.X.shape[1] <= _MOST_FEATURES
            and not task.params
        )


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
            labels = (sides > 0).astype(np.float64)
            weights, n_steps = minimise(X, labels, C, penalty, loss_of(estimator), estimator.max_iter)
    except np.linalg.LinAlgError:
        check_squares(samples)
        return None
    model = seeded_clone(estimator, seed)
    model.classes_, model.n_features_in_ = np.array([0, 1]), samples.shape[1]
    model.coef_ = weights[None, : samples.shape[1]].copy()
    model.intercept_ = np.array([X[0, -1] * weights[-1] if estimator.fit_intercept else 0.0])
    model.n_iter_ = n_steps if type(model) is LinearSVC else np.array([n_steps], dtype=np.int32)
    return model


def loss_of(estimator: Any) -> Loss:
    """Return the loss that the estimator minimises."""
    return LOGISTIC if type(estimator) is LogisticRegression else SQUARED_HINGE


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
