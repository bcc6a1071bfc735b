"""Train all columns in one call, by a regressor with several targets, one for each column."""

from copy import copy
from typing import Any

import numpy as np
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge, RidgeClassifier

from ecoc.training.binary import check_squares, seeded_clone
from ecoc.training.interfaces import Array, Dichotomizers, Training, is_numeric
from ecoc.utils.scikit import n_samples
from ecoc.utils.threads import one_blas_thread


class JointDichotomizers(Dichotomizers):
    """One regressor with a target for each column."""

    def __init__(self, model: Any, n_columns: int) -> None:
        self.model = model
        self.n_columns = n_columns

    @property
    def estimators(self) -> list[Any]:
        """The regressor, once for each column."""
        return [self.model] * self.n_columns

    def first(self, n_columns: int) -> "JointDichotomizers":
        """Return the same regressor for the first targets only; ridge regression drops the other coefficients."""
        model = copy(self.model)
        if type(model) is KernelRidge:
            model.dual_coef_ = model.dual_coef_[:, :n_columns]
        elif type(model) is Ridge:
            model.coef_ = model.coef_[:n_columns]
            model.intercept_ = model.intercept_[:n_columns] if np.ndim(model.intercept_) else model.intercept_
        return JointDichotomizers(model, n_columns)

    def margins(self, X: Any) -> Array:
        """Return predictions of the targets ±1."""
        predicted = np.asarray(self.model.predict(X), dtype=np.float64).reshape(n_samples(X), -1)
        return predicted[:, : self.n_columns]

    def probabilities(self, X: Any) -> Array:
        """Raise an error: a regressor has no probabilities."""
        raise AttributeError(f"{type(self.model).__name__} is a regressor and has no probabilities.")


class JointTraining(Training):
    """Train a regressor that takes several targets, or a ridge classifier, which is ridge regression on ±1."""

    def fit(self) -> JointDichotomizers:
        """Train one regressor with all columns as targets."""
        task, model = self.task, seeded_clone(self.estimator, self.options.seed(0))
        if type(model) is RidgeClassifier:
            model = Ridge(**{name: value for name, value in model.get_params().items() if name != "class_weight"})
        if isinstance(model, Ridge | KernelRidge) and is_numeric(task.X):
            check_squares(task.X)
        weight = {} if task.sample_weight is None else {"sample_weight": task.sample_weight}
        with one_blas_thread():
            model.fit(task.X, task.code[task.y].astype(np.float64), **weight, **task.params)
        return JointDichotomizers(model, task.code.shape[1])
