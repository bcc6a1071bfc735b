"""Train support vector classifiers that share a kernel: one Gram matrix for all columns.

All columns see the same samples, so they have the same Gram matrix. It is computed once, and every column is solved on
it. The trained model holds the union of the support vectors, with a coefficient for every column.
"""

import warnings
from collections.abc import Iterable, Sequence
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC, NuSVC
from sklearn.utils import compute_class_weight
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.parallel import delayed

from ecoc.training.base import Array, Dichotomizers, Kind, Options, Task, Training, is_numeric, of_kind
from ecoc.training.binary import Constant
from ecoc.training.cache import get_or_make
from ecoc.training.gram import Kernel, gram_matrix
from ecoc.training.parallel import run_parallel
from ecoc.training.separate import SeparateTraining, columns_to_train
from ecoc.training.supported import honoured, one_of, supports
from ecoc.utils.scikit import check_parameters, effective_gamma
from ecoc.utils.threads import in_threads, matrix_product, one_blas_thread

Rows = NDArray[np.intp]
Machine = tuple[Rows, Array, float]  # support vectors, their coefficients, intercept

_KERNELS = one_of("linear", "poly", "rbf", "sigmoid")
_PARAMETERS = {
    "kernel": lambda kernel: callable(kernel) or _KERNELS(kernel),
    "probability": one_of(False, "deprecated"),
    "verbose": one_of(False),
    **honoured("C nu gamma degree coef0 class_weight shrinking tol max_iter"),
    **honoured("cache_size random_state decision_function_shape break_ties"),
}
_SHARE_OF_FREE = 0.25  # of the free memory that a Gram matrix may take by default
_WORTH_COMPILING = 5e7  # kernel values over all columns; above it, the compiled solver saves seconds
_BLOCK_BYTES = 2**21  # size of a kernel block in prediction


class KernelModel:
    """One column of machines that share a kernel. It predicts what an SVC trained on this column predicts."""

    def __init__(self, shared: "KernelDichotomizers", column: int) -> None:
        self._shared = shared
        self._column = column

    @property
    def classes_(self) -> NDArray[np.int64]:
        """The labels 0 and 1."""
        return np.array([0, 1])

    @property
    def support_(self) -> Rows:
        """Its support vectors, as rows of the training set."""
        used = self._shared.coefficients[:, self._column] != 0
        return np.asarray(self._shared.support[used])

    def decision_function(self, X: Any) -> Array:
        """Return margins."""
        return self._shared.margins(X)[:, self._column]

    def predict(self, X: Any) -> NDArray[np.int64]:
        """Return 0 or 1."""
        return np.where(self.decision_function(X) > 0, 1, 0)


class KernelDichotomizers(Dichotomizers):
    """Machines on common support vectors; `coefficients` has a column for each of them."""

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
        values = self.kernel.with_rows(self.vectors)
        out = np.empty((X.shape[0], len(self.intercepts)))

        def fill(start: int) -> None:
            rows = slice(start, start + step)
            out[rows] = values(X[rows]) @ self.coefficients + self.intercepts

        in_threads(fill, range(0, X.shape[0], step), parallel=not callable(self.kernel.kind))
        return out

    def probabilities(self, X: Any) -> Array:
        """Raise an error: support vector classifiers with a shared kernel have no probabilities."""
        raise AttributeError("Support vector classifiers with a shared kernel have no probabilities.")


class KernelTraining(Training):
    """Train SVC or NuSVC for columns that share one Gram matrix."""

    def __init__(self, estimator: Any, task: Task, options: Options) -> None:
        super().__init__(estimator, task, options)
        check_parameters(estimator)
        self.kernel = Kernel.of(estimator, task.X)
        self.entries = options.entries(task)
        (self.gram,) = get_or_make(self.entries, [self.kernel], lambda _: [gram_matrix(self.kernel, task.X)])

    @staticmethod
    def suits(estimator: Any, task: Task, options: Options) -> bool:
        """Tell whether one Gram matrix serves all columns, saves kernel values, and fits into memory."""
        if not is_machine(estimator, task):
            return False
        used = np.array([np.count_nonzero(task.sides(j)) for j in range(task.code.shape[1])], dtype=np.float64)
        of_its_own = estimator.gamma == "scale" and estimator.kernel != "linear" and not np.all(task.code)
        if task.code.shape[1] == 1 or of_its_own or (used**2).sum() < len(task.y) ** 2:
            return False
        needed, allowed = 8.0 * len(task.y) ** 2, options.kernel_memory
        if allowed is None:
            allowed = free_memory() * _SHARE_OF_FREE
        if needed > allowed and options.verbose > 1:
            print(
                f"The Gram matrix takes {needed / 2**20:,.0f} MB, more than the {allowed / 2**20:,.0f} MB of "
                "kernel_memory; every binary classifier computes its own kernel."
            )
        return needed <= allowed

    def fit(self) -> KernelDichotomizers:
        """Solve every column on the Gram matrix."""
        return self._fit_on(np.arange(len(self.task.y)))

    def out_of_fold(self, folds: Iterable[tuple[Any, Any]], kind: Kind) -> Array:
        """Train on rows of the one Gram matrix; gamma is that of the whole training set."""
        outputs = np.full((len(self.task.y), self.task.code.shape[1]), np.nan)
        for train, test in folds:
            models = self._fit_on(np.asarray(train))
            with one_blas_thread():
                outputs[test] = self.gram[np.ix_(test, models.support)] @ models.coefficients + models.intercepts
        return of_kind(kind, outputs)

    def _fit_on(self, rows: Rows) -> KernelDichotomizers:
        task = self.task
        columns, model_of, signs = columns_to_train([self.estimator] * task.code.shape[1], task.code)
        large = type(self.estimator) is SVC and len(columns) * len(rows) ** 2 >= _WORTH_COMPILING

        def solve(places: list[int]) -> list[Machine]:
            gram, inside, weight, solver = self.gram, rows, task.sample_weight, solve_compiled
            if not large:
                solver = solve_by_sklearn
                if len(rows) < len(gram):  # one copy for all columns
                    gram, inside = gram[np.ix_(rows, rows)], np.arange(len(rows))
                    weight = None if weight is None else weight[rows]
            # The solvers release the interpreter lock, so threads can share the matrix.
            tasks = (
                delayed(solver)(self.estimator, gram, inside, task.sides(columns[place])[rows], weight)
                for place in places
            )
            machines = run_parallel(tasks, self.options, in_place=True, total=len(places))
            return machines if inside is rows else [(rows[support], *rest) for support, *rest in machines]

        keys = [self.options.key(self.estimator, rows.tobytes(), task.code[:, j].tobytes()) for j in columns]
        machines = get_or_make(self.entries, keys, solve)
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


def is_machine(estimator: Any, task: Task) -> bool:
    """Tell whether support vectors, coefficients and an intercept describe the trained estimator."""
    return (
        type(estimator) in (SVC, NuSVC)
        and supports(_PARAMETERS, estimator)
        and is_numeric(task.X)
        and not (callable(estimator.kernel) and issparse(task.X))
    )


def _parts(model: Any, rows: Rows) -> Machine:
    if isinstance(model, Constant):
        return rows, np.array([]), float(model.side)
    dual = model.dual_coef_.toarray() if issparse(model.dual_coef_) else model.dual_coef_
    return rows, dual.ravel(), float(model.intercept_[0])


def solve_by_sklearn(estimator: Any, gram: Array, rows: Rows, sides: NDArray[np.int8], weight: Array | None) -> Machine:
    """Train on some rows of a Gram matrix; rows with side 0 are left out."""
    rows, labels, weight = _used(rows, sides, weight)
    if len(np.unique(labels)) < 2:  # a fold may lack classes
        return _constant(rows, labels)
    model = clone(estimator).set_params(kernel="precomputed")
    with config_context(assume_finite=True, skip_parameter_validation=True):  # both were checked
        model.fit(gram if len(rows) == len(gram) else gram[np.ix_(rows, rows)], labels, sample_weight=weight)
    return _parts(model, rows[model.support_])


def solve_compiled(estimator: Any, gram: Array, rows: Rows, sides: NDArray[np.int8], weight: Array | None) -> Machine:
    """Do the same for an SVC, with equal results to the last bit; faster, as rows are not copied."""
    from ecoc.training._smo_kernels import solve

    rows, labels, weight = _used(rows, sides, weight)
    if len(np.unique(labels)) < 2:
        return _constant(rows, labels)
    order = np.argsort(labels, kind="stable")  # as in LIBSVM: by label, and its first label is the positive one
    rows, y = rows[order], (1 - 2 * labels[order]).astype(np.float64)
    bound, limit = _bounds(estimator, labels, weight)[order], estimator.max_iter
    alpha, threshold, steps = solve(gram, rows, y, bound, estimator.tol, bool(estimator.shrinking), limit)
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


def free_memory() -> float:
    """Return the bytes of free memory; 2 GB if the system does not say."""
    try:
        with open("/proc/meminfo") as info:
            fields = dict(line.split(":", 1) for line in info)
        return 1024.0 * float(fields["MemAvailable"].split()[0])
    except (OSError, KeyError):
        return 2.0**31
