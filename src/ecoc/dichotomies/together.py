"""How are all columns trained in one call? By a regressor with several targets, one for each column.

Ridge regression has a closed form for the predictions of samples that are left out. So its held-out outputs need no
further training, and are those of real folds.
"""

from collections.abc import Callable, Iterable
from copy import copy
from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve, cholesky, solve, solve_triangular
from scipy.sparse import issparse
from sklearn.base import is_regressor
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge, RidgeClassifier
from sklearn.utils import get_tags

from ecoc.dichotomies.base import Array, Dichotomizers, Kind, Task, Trained, Training, is_numeric, of_kind
from ecoc.dichotomies.binary import check_squares, seeded_clone
from ecoc.utils.folds import make_folds
from ecoc.utils.scikit import kernel_values, n_samples
from ecoc.utils.threads import one_blas_thread

_ROUNDING = 1e-10  # added to diagonals, for samples that determine their own predictions


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
    """Train a regressor that takes several targets."""

    @staticmethod
    def suits(estimator: Any, task: Task) -> bool:
        """Tell whether one call can train all columns: no column leaves a class out."""
        return (
            is_regressor(estimator) and get_tags(estimator).target_tags.multi_output and bool(np.all(task.code))
        ) or RidgeTraining.suits(estimator, task)

    def regressor(self) -> Any:
        """Return an unfitted regressor."""
        return seeded_clone(self.estimator, self.options.seed(0))

    def fit(self) -> JointDichotomizers:
        """Train one regressor with all columns as targets."""
        task, model = self.task, self.regressor()
        weight = {} if task.sample_weight is None else {"sample_weight": task.sample_weight}
        model.fit(task.X, task.code[task.y].astype(np.float64), **weight, **task.params)
        return JointDichotomizers(model, task.code.shape[1])


class RidgeTraining(JointTraining):
    """Train Ridge, KernelRidge, or RidgeClassifier, which is ridge regression on ±1."""

    n_folds = 5

    @staticmethod
    def suits(estimator: Any, task: Task) -> bool:
        """Tell whether the closed form holds: one penalty, dense numbers, every class in every column, no weights."""
        if type(estimator) is RidgeClassifier and estimator.class_weight is not None:
            return False
        return (
            type(estimator) in (Ridge, RidgeClassifier, KernelRidge)
            and np.ndim(estimator.alpha) == 0
            and estimator.alpha > 0
            and not getattr(estimator, "positive", False)
            and task.sample_weight is None
            and is_numeric(task.X)
            and not issparse(task.X)
            and bool(np.all(task.code))
        )

    def fit(self) -> JointDichotomizers:
        """Train one regressor with all columns as targets; features must have finite squares."""
        check_squares(self.task.X)
        return super().fit()

    def regressor(self) -> Any:
        """Return an unfitted regressor; for a ridge classifier, the equivalent ridge regression."""
        model = super().regressor()
        if type(model) is RidgeClassifier:
            return Ridge(**{name: value for name, value in model.get_params().items() if name != "class_weight"})
        return model

    def out_of_fold(self, folds: Iterable[tuple[Any, Any]], kind: Kind) -> Array:
        """Return the outputs of models without each fold, in closed form."""
        return self._left_out(self.fit(), folds, kind)

    def fit_held_out(self, kind: Kind, random_state: int | None = None) -> Trained:
        """Leave out one fold at a time, in closed form."""
        models, folds = self.fit(), make_folds(self.n_folds, self.task.y, random_state)
        return Trained(models, None, self._left_out(models, folds, kind))

    def _left_out(self, models: JointDichotomizers, folds: Iterable[tuple[Any, Any]], kind: Kind) -> Array:
        """Return y − (I − H)⁻¹ (y − f) for each fold, where H is its part of the matrix that maps all y to f."""
        targets = self.task.code[self.task.y].astype(np.float64)
        residuals = targets - models.margins(self.task.X)
        outputs, every = np.full(targets.shape, np.nan), np.arange(len(targets))
        with one_blas_thread():
            remove = self._removal(models.model)
            for train, test in folds:
                left = np.setdiff1d(every, train)
                found = targets[left] - remove(left, residuals[left])
                outputs[test] = found[np.searchsorted(left, test)]
        return of_kind(kind, outputs)

    def _removal(self, model: Any) -> Callable[[Any, Array], Array]:
        """Return a function that computes (I − H)⁻¹ r for some rows and their residuals r.

        With fewer features than rows, H = RᵀR with a thin R, and (I − RᵀR)⁻¹ = I + Rᵀ(I − RRᵀ)⁻¹R. So no matrix of
        rows × rows is needed, which would take gigabytes for ten thousands of samples.
        """
        X, alpha, n = np.asarray(self.task.X, dtype=np.float64), float(self.estimator.alpha), len(self.task.y)
        kernel, intercept = type(model) is KernelRidge, 0.0
        if not kernel and model.fit_intercept:
            X, intercept = X - X.mean(axis=0), 1.0 / n
        if kernel or X.shape[1] > n:
            gram = kernel_values(model, X) if kernel else X @ X.T
            inverse = cho_solve(cho_factor(gram + alpha * np.eye(n)), np.eye(n))
            return lambda rows, r: solve(
                alpha * inverse[np.ix_(rows, rows)] - intercept + _ROUNDING * np.eye(len(rows)), r, assume_a="pos"
            )
        root = solve_triangular(cholesky(X.T @ X + alpha * np.eye(X.shape[1]), lower=True), X.T, lower=True)
        root = np.vstack([root, np.full((1, n), np.sqrt(intercept))])

        def remove(rows: Any, r: Array) -> Array:
            R = root[:, rows]
            if len(rows) < len(R):
                return np.asarray(solve((1 + _ROUNDING) * np.eye(len(rows)) - R.T @ R, r, assume_a="pos"))
            core = (1 + _ROUNDING) * np.eye(len(R)) - R @ R.T
            return np.asarray(r + R.T @ solve(core, R @ r, assume_a="pos"))

        return remove
