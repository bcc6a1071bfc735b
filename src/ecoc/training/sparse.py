"""Train linear classifiers of texts, all columns in one pass over the sparse samples."""

import warnings
from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, csr_matrix
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from ecoc.training.binary import Constant, seeded_clone
from ecoc.training.interfaces import Array, Task
from ecoc.training.separate import SeparateDichotomizers, SeparateTraining, columns_to_train, stacked
from ecoc.utils.scikit import check_parameters
from ecoc.utils.threads import in_threads

Ints = NDArray[np.int64]

_LANES = 4  # columns that the processor trains in the time of one


class SparseLinearTraining(SeparateTraining):
    """Train LinearSVC on sparse samples; the solutions are LIBLINEAR's, up to the tolerance."""

    block_columns: ClassVar[int] = 64  # columns that a thread trains together

    def fit(self) -> SeparateDichotomizers:
        """Train the columns that are different, some at a time on each thread."""
        task, estimator = self.task, self.estimator
        check_parameters(estimator)
        columns, model_of, signs = columns_to_train(estimator, task.code)
        sides = task.code[:, columns].astype(np.float64)
        solver = _Solver(estimator, task, self.options.seed(0))
        found: dict[int, _Column] = {}

        def train(block: Ints) -> None:
            found.update(zip(block.tolist(), solver.solve(np.ascontiguousarray(sides[:, block]))))

        in_threads(train, _blocks(sides, np.bincount(task.y, minlength=len(sides)), self.block_columns))
        if max(column.n_iter for column in found.values()) >= estimator.max_iter:
            warnings.warn("LinearSVC failed to converge; increase max_iter.", ConvergenceWarning, stacklevel=2)
        present = sides[np.unique(task.y)]
        models = []
        for t, j in enumerate(columns):
            sides_seen = set(np.sign(present[:, t]).tolist()) - {0.0}
            if len(sides_seen) < 2:
                models.append(Constant(int(sides_seen.pop()) if sides_seen else 0))
            else:
                models.append(self._model(found[t], j))
        return stacked(SeparateDichotomizers(models, model_of, signs))

    def _model(self, column: "_Column", j: int) -> LinearSVC:
        model = seeded_clone(self.estimator, self.options.seed(j))
        model.classes_, model.n_features_in_, model.n_iter_ = np.array([0, 1]), self.task.X.shape[1], column.n_iter
        model.coef_, model.intercept_ = column.weights, np.array([column.intercept])
        return model


class _Column(NamedTuple):
    """A trained column: its weights as a row, the intercept, and the number of sweeps.

    The weights are sparse, as after scikit-learn's `sparsify`, if the column saw only some of the features.
    """

    weights: Any
    intercept: float
    n_iter: int


def _blocks(sides: Array, sizes: Ints, most: int) -> list[Ints]:
    """Return the columns that are trained together: those that leave out the same classes, if this saves time.

    A block reads all samples that one of its columns sees. So a column that sees few samples gets a block of its own,
    or one with others that see the same samples, unless there are too few of them for vector instructions.
    """
    patterns, pattern = np.unique(sides != 0, axis=1, return_inverse=True)
    pattern = pattern.ravel()
    share = sizes @ patterns / max(sizes.sum(), 1)
    alone = share < np.minimum(1, np.bincount(pattern) / _LANES)
    order = np.argsort(np.where(alone, np.arange(len(alone)), -1)[pattern], kind="stable")
    kind = np.where(alone, np.arange(len(alone)), -1)[pattern[order]]
    starts = np.flatnonzero(np.diff(kind, prepend=-2))
    blocks: list[Ints] = []
    for part in np.split(order, starts[1:]):
        blocks += [part[first : first + most] for first in range(0, len(part), most)]
    return blocks


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

    def solve(self, sides: Array) -> Iterator[_Column]:
        """Train some columns."""
        from ecoc.training._sparse_kernels import sweep

        used, X, features = self.used, self.X, None
        seen = np.asarray(sides.any(axis=1))
        if not seen.all():
            used = used[seen[self.y[used]]]
            X, features = _with_own_features(self.X[used])
        y, squares, ridge = self.y[used], self.squares[used], self.ridge[used]
        X = X if features is not None or len(used) == len(self.y) else X[used]
        n_columns = sides.shape[1]
        weights, alpha = np.zeros((X.shape[1] + 1, n_columns)), np.zeros((len(y), n_columns))
        indices, start = X.indices.astype(np.int64), X.indptr.astype(np.int64)
        rng = np.random.default_rng(self.seed)
        n_iter, worst = 0, np.inf
        while n_iter < self.max_iter and worst > self.tol:
            order = rng.permutation(len(y))
            worst = sweep(X.data, indices, start, order, sides, y, squares, ridge, self.scale, weights, alpha)
            n_iter += 1
        for column in weights.T:
            row = column[None, :-1].copy()
            if features is not None:
                row = csr_matrix((row[0], (np.zeros_like(features), features)), shape=(1, self.X.shape[1]))
            yield _Column(row, self.scale * float(column[-1]), n_iter)


def _with_own_features(X: Any) -> tuple[Any, Ints]:
    """Return samples with only the features that they have, and the numbers of these features."""
    features, indices = np.unique(X.indices, return_inverse=True)
    return csr_array((X.data, indices, X.indptr), shape=(X.shape[0], len(features))), features
