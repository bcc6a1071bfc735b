"""All dichotomies in one call: a regressor that takes several targets fits every column at once.

Ridge regression goes further: what a prediction would have been without its own sample is known in closed form from the
one factorization, so out-of-fold outputs cost nothing extra.
"""

from copy import copy
from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse import issparse
from sklearn.base import is_regressor
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge, RidgeClassifier
from sklearn.utils import get_tags

from ecoc.dichotomies.base import Array, Dichotomizers, Kind, Task, Training
from ecoc.dichotomies.binary import seeded_clone
from ecoc.utils.scikit import kernel_values
from ecoc.utils.threads import one_blas_thread


class JointDichotomizers(Dichotomizers):
    """One regressor with a target a column."""

    def __init__(self, model: Any, n_columns: int) -> None:
        self.model = model
        self.n_columns = n_columns

    @property
    def estimators(self) -> list[Any]:
        """The regressor, once a column."""
        return [self.model] * self.n_columns

    def first(self, n_columns: int) -> "JointDichotomizers":
        """The same regressor, of which the first targets are taken; ridge regression is cut to them."""
        model = copy(self.model)
        if type(model) is KernelRidge:
            model.dual_coef_ = model.dual_coef_[:, :n_columns]
        elif type(model) is Ridge:
            model.coef_ = model.coef_[:n_columns]
            model.intercept_ = model.intercept_[:n_columns] if np.ndim(model.intercept_) else model.intercept_
        return JointDichotomizers(model, n_columns)

    def margins(self, X: Any) -> Array:
        """(n, l) predictions of the targets ±1."""
        predicted = np.asarray(self.model.predict(X), dtype=np.float64).reshape(X.shape[0], -1)
        return predicted[:, : self.n_columns]

    def probabilities(self, X: Any) -> Array:
        """A regressor has none."""
        raise AttributeError(f"{type(self.model).__name__} is a regressor and gives no probabilities.")


class JointTraining(Training):
    """A regressor of several targets."""

    @staticmethod
    def suits(estimator: Any, task: Task) -> bool:
        """Whether one call can fit all columns: no column leaves a class out."""
        return (
            is_regressor(estimator) and get_tags(estimator).target_tags.multi_output and bool(np.all(task.code))
        ) or RidgeTraining.suits(estimator, task)

    def regressor(self) -> Any:
        """An unfitted regressor."""
        return seeded_clone(self.estimator, self.options.seed(0))

    def fit(self) -> JointDichotomizers:
        """Train one regressor on all columns as targets."""
        task, model = self.task, self.regressor()
        weight = {} if task.sample_weight is None else {"sample_weight": task.sample_weight}
        model.fit(task.X, task.code[task.y].astype(np.float64), **weight, **task.params)
        return JointDichotomizers(model, task.code.shape[1])


class RidgeTraining(JointTraining):
    """Ridge, kernel ridge, or a ridge classifier, which is ridge regression on ±1."""

    @staticmethod
    def suits(estimator: Any, task: Task) -> bool:
        """Whether the closed form holds: one penalty for all, dense data, every class in every column, no weights."""
        if type(estimator) is RidgeClassifier and estimator.class_weight is not None:
            return False
        return (
            type(estimator) in (Ridge, RidgeClassifier, KernelRidge)
            and np.ndim(estimator.alpha) == 0
            and estimator.alpha > 0
            and not getattr(estimator, "positive", False)
            and task.sample_weight is None
            and not issparse(task.X)
            and bool(np.all(task.code))
        )

    def regressor(self) -> Any:
        """A ridge classifier as the regression it is."""
        model = super().regressor()
        if type(model) is RidgeClassifier:
            return Ridge(**{name: value for name, value in model.get_params().items() if name != "class_weight"})
        return model

    def leave_one_out(self, kind: Kind) -> Array:
        """y_i − (y_i − f(x_i)) / (1 − h_i): outputs without sample i, h the diagonal of the smoother y ↦ f(X)."""
        targets = self.task.code[self.task.y].astype(np.float64)
        fitted = self.fit()
        residuals = targets - fitted.margins(self.task.X)
        with one_blas_thread():
            leverage = self._leverage(fitted.model)
        outputs = targets - residuals / np.maximum(1.0 - leverage, 1e-10)[:, None]
        return outputs if kind == "margins" else np.where(outputs > 0, 1.0, -1.0)

    def _leverage(self, model: Any) -> Array:
        X, alpha, n = np.asarray(self.task.X, dtype=np.float64), float(self.estimator.alpha), len(self.task.y)
        if type(model) is KernelRidge:
            gram = kernel_values(model, X)
            return np.asarray(1.0 - alpha * np.diag(cho_solve(cho_factor(gram + alpha * np.eye(n)), np.eye(n))))
        intercept = 0.0
        if model.fit_intercept:
            X, intercept = X - X.mean(axis=0), 1.0 / n
        if X.shape[1] > n:
            inverse = cho_solve(cho_factor(X @ X.T + alpha * np.eye(n)), np.eye(n))
            return np.asarray(1.0 - alpha * np.diag(inverse) + intercept)
        solved = cho_solve(cho_factor(X.T @ X + alpha * np.eye(X.shape[1])), X.T)
        return np.asarray((X * solved.T).sum(axis=1) + intercept)
