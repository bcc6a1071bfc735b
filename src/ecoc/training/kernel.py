"""Train support vector classifiers that share a kernel: one Gram matrix for all columns.

All columns see the same samples, so they have the same Gram matrix. It is computed once, and every column is solved on
it. The trained model holds the union of the support vectors, with a coefficient for every column.
"""

import warnings
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.svm import SVC
from sklearn.utils import compute_class_weight
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.parallel import delayed

from ecoc.training.binary import ColumnModel, Constant, check_squares
from ecoc.training.interfaces import Array, Dichotomizers, Kind, Options, Task, Training, of_kind, sure_of_one_side
from ecoc.training.parallel import run_parallel
from ecoc.training.separate import SeparateTraining, columns_to_train
from ecoc.utils.numerics import without_duplicates
from ecoc.utils.scikit import check_parameters, effective_gamma
from ecoc.utils.threads import in_threads, matrix_product, one_blas_thread

Rows = NDArray[np.intp]
Machine = tuple[Rows, Array, float]  # support vectors, their coefficients, intercept

_BLOCK_BYTES = 2**21  # size of a kernel block in prediction
_GRAM_ROWS = 256
_TILE = 64  # of a matrix that is transposed; 10,600 rows, 256 instead of 64: 1.9 times as long, and 128: as long


@dataclass(frozen=True)
class Kernel:
    """A kernel whose parameters are numbers."""

    kind: Any  # a name or a callable
    gamma: float = 1.0
    degree: int = 3
    coef0: float = 0.0

    @classmethod
    def of(cls, estimator: Any, X: Any) -> "Kernel":
        """Return the kernel of an SVC on X; its gamma may depend on the variance of X."""
        if callable(estimator.kernel):
            return cls(estimator.kernel)
        check_squares(X)
        gamma = estimator.gamma
        if gamma == "scale":
            X = as_floats(X)
            variance = X.multiply(X).mean() - X.mean() ** 2 if issparse(X) else X.var()
            gamma = 1.0 / (X.shape[1] * variance) if variance != 0 else 1.0
        elif gamma == "auto":
            gamma = 1.0 / X.shape[1]
        return cls(estimator.kernel, float(gamma), int(estimator.degree), float(estimator.coef0))

    def __call__(self, A: Any, B: Any) -> Array:
        """Return kernel values between the rows of A and of B."""
        return self.with_rows(B)(A)

    def with_rows(self, B: Any) -> Callable[[Any], Array]:
        """Return a function of A that computes kernel values between its rows and those of B; B is prepared once."""
        if callable(self.kind):
            return lambda A: np.asarray(self.kind(A, B), dtype=np.float64)
        B = as_floats(B)
        if self.kind == "rbf" and not issparse(B):
            return _gaussian(B, self.gamma)
        numbers = {"rbf": ("gamma",), "sigmoid": ("gamma", "coef0"), "poly": ("gamma", "degree", "coef0"), "linear": ()}
        options = {name: getattr(self, name) for name in numbers[self.kind]}

        def values(A: Any) -> Array:
            block = pairwise_kernels(as_floats(A), B, metric=self.kind, **options)
            return np.ascontiguousarray(block.toarray() if issparse(block) else block)

        return values


def as_floats(X: Any) -> Any:
    """Return samples in double precision, as LIBSVM reads them; in a narrow type, squares and sums would overflow."""
    return without_duplicates(X.astype(np.float64, copy=False))


def _gaussian(B: Array, gamma: float) -> Callable[[Any], Array]:
    """Return exp(−γ|a−b|²) as a function of A, with both centred at the mean of B.

    One matrix product gives the exponent: (√2γ·a, −γ|a|², 1)·(√2γ·b, 1, −γ|b|²).
    """
    centre, scale = B.mean(axis=0), np.sqrt(2.0 * gamma)

    def scaled(A: Any) -> tuple[Array, Array, Array]:
        A = (np.asarray(A, dtype=np.float64) - centre) * scale
        return A, -0.5 * np.einsum("ij,ij->i", A, A), np.ones(len(A))

    vectors, halves, ones = scaled(B)
    right = np.vstack([vectors.T, ones, halves])

    def values(A: Any) -> Array:
        block: Array = np.column_stack(scaled(A)) @ right
        np.minimum(block, 0.0, out=block)
        return np.exp(block, out=block)

    return values


class Gram(NamedTuple):
    """Kernel values between all samples, perhaps in single precision, and those of samples with themselves."""

    values: Any
    diagonal: Array


def gram_matrix(kernel: Kernel, X: Any, precision: Any = np.float64) -> Gram:
    """Return kernel values between all samples, which do not depend on the number of threads."""
    n = X.shape[0]
    X = X if callable(kernel.kind) else as_floats(X)
    gram, diagonal = np.empty((n, n), precision), np.ones(n)

    def fill(rows: slice) -> None:
        block = kernel(X[rows], X[: rows.stop])
        values = block.astype(precision, copy=False)  # NumPy converts slowly while it transposes
        gram[rows, : rows.stop] = values
        for start in range(0, rows.start, _TILE):
            part = slice(start, start + _TILE)
            gram[part, rows] = values[:, part].T
        square = gram[rows, rows]
        square[:] = np.tril(square) + np.tril(square, -1).T  # exactly symmetric, in spite of rounding
        diagonal[rows] = 1.0 if kernel.kind == "rbf" else block[:, rows].diagonal()
        np.fill_diagonal(square, diagonal[rows])

    blocks = [slice(start, min(start + _GRAM_ROWS, n)) for start in range(0, n, _GRAM_ROWS)]
    in_threads(fill, reversed(blocks), parallel=not callable(kernel.kind))  # the last blocks are the largest
    return Gram(gram, diagonal)


class KernelModel(ColumnModel):
    """One column of machines that share a kernel. It predicts what an SVC trained on this column predicts."""

    def __init__(self, shared: "KernelDichotomizers", column: int) -> None:
        self._shared = shared
        self._column = column

    @property
    def support_(self) -> Rows:
        """Its support vectors, as rows of the training set."""
        used = self._shared.coefficients[:, self._column] != 0
        return np.asarray(self._shared.support[used])

    def decision_function(self, X: Any) -> Array:
        """Return margins."""
        return self._shared.margins(X)[:, self._column]


class KernelDichotomizers(Dichotomizers):
    """Machines with common support vectors; `coefficients` has a column for each machine."""

    _values: Callable[[Any], Array] | None = None  # kernel values with the support vectors, prepared at the first use

    def __init__(self, kernel: Kernel, X: Any, support: Rows, coefficients: Array, intercepts: Array) -> None:
        self.kernel = kernel
        self.support = support
        self.coefficients = coefficients
        self.intercepts = intercepts
        # A linear kernel needs only the sum of the vectors: a weight for every feature.
        linear = kernel.kind == "linear"
        self.vectors = safe_sparse_dot(X[support].T, coefficients, dense_output=True) if linear else X[support]

    @classmethod
    def of(
        cls, kernel: Kernel, X: Any, machines: Sequence[Machine], model_of: Any, signs: Any
    ) -> "KernelDichotomizers":
        """Join machines; column j is machine `model_of[j]`, with opposite sides if its sign is negative."""
        support = np.unique(np.concatenate([rows for rows, _, _ in machines]))
        coefficients = np.zeros((len(support), len(machines)))
        for j, (rows, dual, _) in enumerate(machines):
            coefficients[np.searchsorted(support, rows), j] = dual
        intercepts = np.array([intercept for _, _, intercept in machines])
        return cls(kernel, X, support, coefficients[:, model_of] * signs, intercepts[model_of] * signs)

    @property
    def estimators(self) -> list[KernelModel]:
        """A model for each column."""
        return [KernelModel(self, j) for j in range(len(self.intercepts))]

    def first(self, n_columns: int) -> "KernelDichotomizers":
        """Return the first columns, with their support vectors only."""
        part = copy(self)
        part._values = None
        part.intercepts, coefficients = self.intercepts[:n_columns], self.coefficients[:, :n_columns]
        used = np.flatnonzero(coefficients.any(axis=1))
        part.support, part.coefficients = self.support[used], coefficients[used]
        part.vectors = self.vectors[:, :n_columns] if self.kernel.kind == "linear" else self.vectors[used]
        return part

    def supports(self) -> list[Rows]:
        """Return the support vectors of each column."""
        return [model.support_ for model in self.estimators]

    def margins(self, X: Any) -> Array:
        """Return margins from a kernel block and a matrix product, for a bounded number of samples at a time."""
        if self.kernel.kind == "linear":
            return matrix_product(X, self.vectors) + self.intercepts
        step = max(1, _BLOCK_BYTES // (8 * max(1, len(self.support))))
        if self._values is None:
            self._values = self.kernel.with_rows(self.vectors)
        values, out = self._values, np.empty((X.shape[0], len(self.intercepts)))

        def fill(start: int) -> None:
            rows = slice(start, start + step)
            out[rows] = values(X[rows]) @ self.coefficients + self.intercepts

        in_threads(fill, range(0, X.shape[0], step), parallel=not callable(self.kernel.kind))
        return out

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_values"}

    def probabilities(self, X: Any) -> Array:
        """Raise an error: support vector classifiers with a shared kernel have no probabilities."""
        raise AttributeError("Support vector classifiers with a shared kernel have no probabilities.")


class KernelTraining(Training):
    """Train SVC or NuSVC for columns that share one Gram matrix."""

    worth_compiling: ClassVar[float] = 2e8  # kernel values from which the compiled solver saves seconds

    def __init__(self, estimator: Any, task: Task, options: Options) -> None:
        super().__init__(estimator, task, options)
        check_parameters(estimator)
        self.kernel = Kernel.of(estimator, task.X)
        n_columns = len(columns_to_train(estimator, task.code)[0])
        self.compiled = type(estimator) is SVC and n_columns * len(task.y) ** 2 >= self.worth_compiling
        # LIBSVM copies kernel values in single precision. If all solvers do, the matrix needs no more.
        kind = np.dtype(np.float32 if self.compiled else np.float64)
        key = (self.kernel, kind.name)
        (self.gram,) = options.get_or_make(task, [key], lambda _: [gram_matrix(self.kernel, task.X, kind)])

    def fit(self) -> KernelDichotomizers:
        """Solve every column on the Gram matrix."""
        return self._fit_on(np.arange(len(self.task.y)))

    def out_of_fold(self, folds: Iterable[tuple[Any, Any]], kind: Kind) -> Array:
        """Train on rows of the one Gram matrix; gamma is that of the whole training set."""
        outputs = np.full((len(self.task.y), self.task.code.shape[1]), np.nan)
        for train, test in folds:
            models = self._fit_on(np.asarray(train), self.options.held_out_tol)
            coefficients = np.zeros_like(outputs)  # whole rows of the matrix are copied faster than parts of rows
            coefficients[models.support] = models.coefficients
            found = np.empty((len(test), outputs.shape[1]))
            with one_blas_thread():
                for start in range(0, len(test), _GRAM_ROWS):
                    part = slice(start, start + _GRAM_ROWS)
                    found[part] = self.gram.values[test[part]] @ coefficients + models.intercepts
            outputs[test] = sure_of_one_side(found, self.task.code, self.task.y[train])
        return of_kind(kind, outputs)

    def _fit_on(self, rows: Rows, least_tol: float = 0.0) -> KernelDichotomizers:
        task, estimator = self.task, self.estimator
        columns, model_of, signs = columns_to_train(estimator, task.code)
        if self.compiled and estimator.tol < least_tol:
            # Without shrinking, 1,000 characters take 0.7 times as long, and 7,000 letters 0.9 to 1.3 times.
            estimator = clone(estimator).set_params(tol=least_tol, shrinking=False)

        def solve(places: list[int]) -> list[Machine]:
            gram, inside, weight, solver = self.gram, rows, task.sample_weight, solve_compiled
            if not self.compiled:
                solver = solve_by_sklearn
                if len(rows) < len(gram.values):  # one copy for all columns
                    gram = Gram(gram.values[np.ix_(rows, rows)], gram.diagonal[rows])
                    inside = np.arange(len(rows))
                    weight = None if weight is None else weight[rows]
            # The solvers release the interpreter lock, so threads can share the matrix.
            tasks = (
                delayed(solver)(estimator, gram, inside, task.sides(columns[place])[rows], weight) for place in places
            )
            machines = run_parallel(tasks, self.options, in_place=True, total=len(places))
            return machines if inside is rows else [(rows[support], *rest) for support, *rest in machines]

        keys = [self.options.key(estimator, rows.tobytes(), task.code[:, j].tobytes()) for j in columns]
        machines = self.options.get_or_make(task, keys, solve)
        return KernelDichotomizers.of(self.kernel, task.X, machines, model_of, signs)


class MachineTraining(Training):
    """Train machines that compute their kernels themselves; if the kernels are equal, they predict in one pass."""

    def fit(self) -> Dichotomizers:
        """Train separately, then join the machines."""
        separate = SeparateTraining(self.estimator, self.task, self.options).fit()
        kernels = {
            Kernel(model.kernel, effective_gamma(model), model.degree, model.coef0)
            for model in separate.models
            if not isinstance(model, Constant)
        }
        if len(kernels) != 1 or separate.model_supports is None:  # none, if every column has samples of one side only
            return separate
        machines = list(map(_parts, separate.models, separate.model_supports))
        return KernelDichotomizers.of(kernels.pop(), self.task.X, machines, separate.model_of, separate.signs)


def _parts(model: Any, rows: Rows) -> Machine:
    if isinstance(model, Constant):
        return rows, np.array([]), float(model.side)
    dual = model.dual_coef_.toarray() if issparse(model.dual_coef_) else model.dual_coef_
    return rows, dual.ravel(), float(model.intercept_[0])


def solve_by_sklearn(estimator: Any, gram: Gram, rows: Rows, sides: NDArray[np.int8], weight: Array | None) -> Machine:
    """Train on some rows of a Gram matrix; rows with side 0 are left out."""
    rows, labels, weight = _used(rows, sides, weight)
    if len(np.unique(labels)) < 2:  # a fold may lack classes
        return _constant(rows, labels)
    model = clone(estimator).set_params(kernel="precomputed")
    with config_context(assume_finite=True, skip_parameter_validation=True):  # both were checked
        values = gram.values if len(rows) == len(gram.values) else gram.values[np.ix_(rows, rows)]
        model.fit(values, labels, sample_weight=weight)
    return _parts(model, rows[model.support_])


def solve_compiled(estimator: Any, gram: Gram, rows: Rows, sides: NDArray[np.int8], weight: Array | None) -> Machine:
    """Do the same for an SVC, with results equal to the last bit, but faster because rows are not copied."""
    from ecoc.training._smo_kernels import solve

    rows, labels, weight = _used(rows, sides, weight)
    if len(np.unique(labels)) < 2:
        return _constant(rows, labels)
    order = np.argsort(labels, kind="stable")  # as in LIBSVM: by label, and its first label is the positive one
    rows, y = rows[order], (1 - 2 * labels[order]).astype(np.float64)
    bound, limit = _bounds(estimator, labels, weight)[order], estimator.max_iter
    n_cached = min(len(rows), max(2, int(estimator.cache_size * 2**20 / (4 * len(rows)))))
    room = np.empty((n_cached, len(rows)), np.float32)  # NumPy's memory has large pages
    alpha, threshold, steps = solve(*gram, rows, y, bound, estimator.tol, bool(estimator.shrinking), limit, room)
    if steps < 0:
        message = f"SVC stopped after max_iter={limit} steps; scale the data, or allow more."
        warnings.warn(message, ConvergenceWarning, stacklevel=2)
    support = np.flatnonzero(alpha)
    return rows[support], (-y * alpha)[support], threshold


def _used(rows: Rows, sides: NDArray[np.int8], weight: Array | None) -> tuple[Rows, NDArray[np.int64], Array]:
    weight = np.ones(len(rows)) if weight is None else weight[rows]
    used = (sides != 0) & (weight > 0)
    return rows[used], (sides[used] > 0).astype(np.int64), weight[used]


def _bounds(estimator: Any, labels: NDArray[np.int64], weight: Array) -> Array:
    """Return the upper bound of each sample's multiplier."""
    of_class = compute_class_weight(estimator.class_weight, classes=np.array([0, 1]), y=labels)
    return np.asarray((estimator.C * of_class)[labels] * weight)


def _constant(rows: Rows, labels: NDArray[np.int64]) -> Machine:
    """Return a machine without support vectors, whose margin is the only side; 0 if there are no samples."""
    return rows[:0], np.array([]), float((2 * labels[:1] - 1).sum())
