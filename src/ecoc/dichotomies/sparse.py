"""How are linear classifiers of texts trained? All columns in one pass over the sparse samples."""

import warnings
from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from ecoc.dichotomies.base import Array, Task
from ecoc.dichotomies.binary import Constant, seeded_clone
from ecoc.dichotomies.separate import (
    SeparateDichotomizers,
    SeparateTraining,
    columns_to_train,
    estimator_of_columns,
    stacked,
)
from ecoc.utils.threads import in_threads

_BLOCK = 64  # columns that a thread trains together
_LEAST_COLUMNS = 8  # with fewer, there is nothing to share


class SparseLinearTraining(SeparateTraining):
    """Train LinearSVC on sparse samples; the solutions are LIBLINEAR's, up to the tolerance."""

    @staticmethod
    def suits(estimator: Any, task: Task) -> bool:
        """Tell whether the solver can do it: squared penalty and squared hinge loss, and no weights of classes."""
        return (
            type(estimator) is LinearSVC
            and estimator.penalty == "l2"
            and estimator.loss == "squared_hinge"
            and estimator.class_weight is None
            and issparse(task.X)
            and not task.params
            and task.code.shape[1] >= _LEAST_COLUMNS
        )

    def fit(self) -> SeparateDichotomizers:
        """Train the columns that are different, some at a time on each thread."""
        task, estimator = self.task, self.estimator
        columns, model_of, signs = columns_to_train(estimator_of_columns(estimator, task.code), task.code)
        sides = task.code[:, columns].astype(np.float64)
        weights = np.zeros((task.X.shape[1] + 1, len(columns)))
        n_iter = np.zeros(len(columns), dtype=np.int64)
        solver = _Solver(estimator, task, self.options.seed(0))

        def train(first: int) -> None:
            block = slice(first, first + _BLOCK)
            weights[:, block], n_iter[block] = solver.solve(np.ascontiguousarray(sides[:, block]))

        in_threads(train, range(0, len(columns), _BLOCK))
        if n_iter.max() >= estimator.max_iter:
            warnings.warn("LinearSVC failed to converge; increase max_iter.", ConvergenceWarning, stacklevel=2)
        present = sides[np.unique(task.y)]
        models = []
        for t, j in enumerate(columns):
            found = set(np.sign(present[:, t]).tolist()) - {0.0}
            if len(found) < 2:
                models.append(Constant(int(found.pop()) if found else 0))
            else:
                models.append(self._model(weights[:, t], int(n_iter[t]), solver.scale, j))
        return stacked(SeparateDichotomizers(models, model_of, signs))

    def _model(self, weights: Array, n_iter: int, scale: float, column: int) -> LinearSVC:
        model = seeded_clone(self.estimator, self.options.seed(column))
        model.classes_, model.n_features_in_, model.n_iter_ = np.array([0, 1]), len(weights) - 1, n_iter
        model.coef_, model.intercept_ = weights[None, :-1].copy(), np.array([scale * weights[-1]])
        return model


class _Solver:
    """What all blocks of columns share: the samples, their lengths and their weights."""

    def __init__(self, estimator: LinearSVC, task: Task, seed: int | None) -> None:
        self.X = csr_array(task.X, dtype=np.float64)
        self.y = task.y.astype(np.int64)
        self.scale = float(estimator.intercept_scaling) if estimator.fit_intercept else 0.0
        self.squares = np.asarray(self.X.multiply(self.X).sum(axis=1)).ravel() + self.scale**2
        weight = np.ones(len(task.y)) if task.sample_weight is None else task.sample_weight
        self.used = np.flatnonzero(weight > 0)
        self.ridge = 0.5 / (estimator.C * np.where(weight > 0, weight, 1.0))
        self.tol, self.max_iter, self.seed = estimator.tol, estimator.max_iter, seed or 0

    def solve(self, sides: Array) -> tuple[Array, int]:
        """Return the weights of some columns, the intercept's last, and the number of sweeps."""
        from ecoc.dichotomies._sparse_kernels import sweep

        n_columns = sides.shape[1]
        weights, alpha = np.zeros((self.X.shape[1] + 1, n_columns)), np.zeros((len(self.y), n_columns))
        indices, start = self.X.indices.astype(np.int64), self.X.indptr.astype(np.int64)
        rng = np.random.default_rng(self.seed)
        n_iter, worst = 0, np.inf
        while n_iter < self.max_iter and worst > self.tol:
            order = rng.permutation(self.used)
            samples = (self.X.data, indices, start, order, sides, self.y, self.squares, self.ridge)
            worst = sweep(*samples, self.scale, weights, alpha)
            n_iter += 1
        return weights, n_iter
