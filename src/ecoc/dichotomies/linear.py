"""How are linear classifiers trained, and how do they get held-out outputs? By Newton steps, where they are cheap."""

from typing import Any

import numpy as np
from scipy.linalg import cholesky
from scipy.sparse import issparse
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC
from sklearn.utils.extmath import safe_sparse_dot

from ecoc.dichotomies.base import Array, Kind, Task, Trained, is_numeric, of_kind
from ecoc.dichotomies.binary import Constant, check_squares, seeded_clone
from ecoc.dichotomies.left_out import newton_step
from ecoc.dichotomies.newton import LOGISTIC, SQUARED_HINGE, Loss, minimise
from ecoc.dichotomies.parallel import Shared
from ecoc.dichotomies.separate import SeparateTraining, logistic
from ecoc.dichotomies.sparse import PARAMETERS as OF_LINEAR_SVC
from ecoc.dichotomies.supported import finite, honoured, one_of, supports
from ecoc.utils.folds import make_folds
from ecoc.utils.scikit import check_parameters
from ecoc.utils.threads import in_threads, one_blas_thread

# Samples or features, whichever are fewer, up to which the formula pays: with more, it takes longer than training on
# the folds. Its time grows with the square of this number, and with the cube for few samples.
_MOST_DIRECTIONS = 2000
# Features up to which Newton's method trains the columns: 3 times as fast as scikit-learn's solvers with 16 to 101
# features (logistic regression and LinearSVC on pendigits, letter, traffic36), 3 and 12 times with 120 (orl40).
_MOST_FEATURES = 256
_SOLVERS = ("lbfgs", "newton-cg", "newton-cholesky", "liblinear")  # of logistic regression: those without random order
_OF_LOGISTIC = {
    "C": finite,
    "penalty": one_of("l2", "deprecated"),
    "l1_ratio": one_of(None, 0),
    "solver": one_of(*_SOLVERS, "sag", "saga"),
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

    n_folds = 5

    @staticmethod
    def fit_one(estimator: Any, shared: Shared, column: int, seed: int | None) -> Any:
        """Train one column by Newton's method if there are few features, else by scikit-learn."""
        model = fit_by_newton(estimator, Task(*shared.values), column, seed)
        return SeparateTraining.fit_one(estimator, shared, column, seed) if model is None else model

    @staticmethod
    def suits(estimator: Any, task: Task) -> bool:
        """Tell whether the formulas hold: squared penalty, smooth loss, no class weights, not too many features."""
        return (
            type(estimator) in _PARAMETERS
            and supports(_PARAMETERS[type(estimator)], estimator)
            and is_numeric(task.X)
            and min(task.X.shape) <= _MOST_DIRECTIONS
        )

    def fit_held_out(self, kind: Kind, random_state: int | None = None) -> Trained:
        """Leave out one fold at a time, by one Newton step from the fitted model."""
        estimator, task = self.estimator, self.task
        models = self.fit()
        outputs = models.margins(task.X)
        folds = make_folds(self.n_folds, task.y, random_state)
        loss, C = loss_of(estimator), strengths(estimator, task)
        X, penalty = with_intercept(same_products(task.X), estimator)

        def correct(column: int) -> None:
            if isinstance(models.estimators[column], Constant):
                return
            sides, f = task.sides(column), outputs[:, column]
            gradient, curvature = loss.slopes(f, (sides > 0).astype(np.float64))
            weight = C * (sides != 0)
            outputs[:, column] = newton_step(X, penalty, f, weight * gradient, weight * curvature, folds)

        in_threads(correct, range(outputs.shape[1]))
        return Trained(models, None, logistic(outputs) if kind == "probabilities" else of_kind(kind, outputs))


def fit_by_newton(estimator: Any, task: Task, column: int, seed: int | None) -> Any:
    """Train one column; return None if scikit-learn should train it.

    Both find the same minimum, and scikit-learn's solvers stop farther from it. If `max_iter` Newton steps do not reach
    it, scikit-learn trains the column and warns.
    """
    if (
        issparse(task.X)
        or task.X.shape[1] > _MOST_FEATURES
        or task.params
        or getattr(estimator, "solver", "lbfgs") not in _SOLVERS
    ):
        return None
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


def same_products(X: Any) -> Array:
    """Return samples with the same scalar products, and no more features than there are samples.

    Linear models with a squared penalty depend on the samples only by their scalar products.
    """
    n, n_features = X.shape
    if n_features <= n:
        return np.asarray(X.toarray() if issparse(X) else X, dtype=np.float64)
    gram = np.asarray(safe_sparse_dot(X, X.T, dense_output=True), dtype=np.float64)
    gram[np.diag_indices(n)] += 1e-10 * max(np.trace(gram) / n, 1e-300)
    return np.asarray(cholesky(gram, lower=True))
