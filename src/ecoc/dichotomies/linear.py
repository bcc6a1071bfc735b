"""How do linear classifiers get held-out outputs? By a Newton step for each fold, without further training."""

from typing import Any

import numpy as np
from scipy.linalg import cholesky
from scipy.sparse import issparse
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC
from sklearn.utils.extmath import safe_sparse_dot

from ecoc.dichotomies.base import Array, Kind, Task, Trained, is_numeric, of_kind
from ecoc.dichotomies.binary import Constant
from ecoc.dichotomies.left_out import logistic as logistic_loss
from ecoc.dichotomies.left_out import newton_step, squared_hinge
from ecoc.dichotomies.separate import SeparateTraining, logistic
from ecoc.utils.folds import make_folds
from ecoc.utils.threads import in_threads

# Samples or features, whichever are fewer, up to which the formula pays: with more, it takes longer than training on
# the folds. Its time grows with the square of this number, and with the cube for few samples.
_MOST_DIRECTIONS = 2000


class LinearTraining(SeparateTraining):
    """Train logistic regression or a linear support vector classifier, each column on its own."""

    n_folds = 5

    @staticmethod
    def suits(estimator: Any, task: Task) -> bool:
        """Tell whether the formulas hold: squared penalty, smooth loss, no class weights, not too many features."""
        return (
            type(estimator) in (LogisticRegression, LinearSVC)
            and estimator.penalty in ("l2", "deprecated")
            and getattr(estimator, "l1_ratio", None) in (None, 0)
            and getattr(estimator, "loss", "squared_hinge") == "squared_hinge"
            and estimator.class_weight is None
            and bool(np.isfinite(estimator.C))
            and is_numeric(task.X)
            and min(task.X.shape) <= _MOST_DIRECTIONS
        )

    def fit_held_out(self, kind: Kind, random_state: int | None = None) -> Trained:
        """Leave out one fold at a time, by one Newton step from the fitted model."""
        estimator, task = self.estimator, self.task
        models = self.fit()
        outputs = models.margins(task.X)
        folds = make_folds(self.n_folds, task.y, random_state)
        loss = logistic_loss if type(estimator) is LogisticRegression else squared_hinge
        C = estimator.C * (np.ones(len(task.y)) if task.sample_weight is None else task.sample_weight)
        X, penalty = with_intercept(same_products(task.X), estimator)

        def correct(column: int) -> None:
            if isinstance(models.estimators[column], Constant):
                return
            sides, f = task.sides(column), outputs[:, column]
            gradient, curvature = loss(f, (sides > 0).astype(np.float64), C * (sides != 0))
            outputs[:, column] = newton_step(X, penalty, f, gradient, curvature, folds)

        in_threads(correct, range(outputs.shape[1]))
        return Trained(models, None, logistic(outputs) if kind == "probabilities" else of_kind(kind, outputs))


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
