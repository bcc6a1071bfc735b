"""Support vector machines that share a kernel: one Gram matrix for all columns, one kernel block to predict with.

All dichotomies see the same samples, so their kernel matrices are the same. It is computed once, every column is solved
on it, and what is kept is the union of the support vectors with a coefficient for every column.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.svm import SVC, NuSVC
from sklearn.utils.parallel import delayed

from ecoc._threads import one_blas_thread
from ecoc.dichotomies.base import Array, Dichotomizers, Kind, Options, Task, Training
from ecoc.dichotomies.parallel import run_parallel
from ecoc.dichotomies.separate import columns_to_train

_SHARE_OF_FREE = 0.25  # of the free memory that a Gram matrix may take unless told otherwise
_GRAM_ROWS = 512
_BLOCK_BYTES = 2**26  # of a kernel block in prediction


@dataclass(frozen=True)
class Kernel:
    """A kernel with its parameters resolved to numbers."""

    kind: Any  # a name or a callable
    gamma: float = 1.0
    degree: int = 3
    coef0: float = 0.0

    @classmethod
    def of(cls, estimator: Any, X: Any) -> "Kernel":
        """The kernel an SVC would use on X: its gamma may depend on the variance of X."""
        gamma = estimator.gamma
        if gamma == "scale":
            mean_of_squares = X.multiply(X).mean() if issparse(X) else 0.0
            variance = mean_of_squares - X.mean() ** 2 if issparse(X) else X.var()
            gamma = 1.0 / (X.shape[1] * variance) if variance != 0 else 1.0
        elif gamma == "auto":
            gamma = 1.0 / X.shape[1]
        return cls(estimator.kernel, float(gamma), int(estimator.degree), float(estimator.coef0))

    def __call__(self, A: Any, B: Any) -> Array:
        """Kernel values between the rows of A and of B."""
        if callable(self.kind):
            return np.asarray(self.kind(A, B), dtype=np.float64)
        numbers = {"rbf": ("gamma",), "sigmoid": ("gamma", "coef0"), "poly": ("gamma", "degree", "coef0"), "linear": ()}
        options = {name: getattr(self, name) for name in numbers[self.kind]}
        values = pairwise_kernels(A, B, metric=self.kind, **options)
        return np.ascontiguousarray(values.toarray() if issparse(values) else values)


class KernelModel:
    """One column of a shared machine: what an SVC of its own would say."""

    def __init__(self, shared: "KernelDichotomizers", column: int) -> None:
        self._shared = shared
        self._column = column

    @property
    def support_(self) -> NDArray[np.intp]:
        """Its support vectors as rows of the training set."""
        used = self._shared.coefficients[:, self._column] != 0
        return np.asarray(self._shared.support[used])

    def decision_function(self, X: Any) -> Array:
        """(n,) margins."""
        return self._shared.margins(X)[:, self._column]

    def predict(self, X: Any) -> NDArray[np.int64]:
        """±1."""
        return np.where(self.decision_function(X) > 0, 1, -1)


class KernelDichotomizers(Dichotomizers):
    """Machines on common support vectors; `coefficients` has a column for every dichotomy."""

    def __init__(
        self, kernel: Kernel, vectors: Any, support: NDArray[np.intp], coefficients: Array, intercepts: Array
    ) -> None:
        self.kernel = kernel
        self.vectors = vectors
        self.support = support
        self.coefficients = coefficients
        self.intercepts = intercepts

    @property
    def estimators(self) -> list[KernelModel]:
        """A model a column."""
        return [KernelModel(self, j) for j in range(len(self.intercepts))]

    def supports(self) -> list[NDArray[np.intp]]:
        """Each column's support vectors."""
        return [model.support_ for model in self.estimators]

    def margins(self, X: Any) -> Array:
        """(n, l) margins: a kernel block and a matrix product, a bounded number of samples at a time."""
        step = max(1, _BLOCK_BYTES // (8 * max(1, len(self.support))))
        out = np.empty((X.shape[0], len(self.intercepts)))
        for start in range(0, X.shape[0], step):
            rows = slice(start, start + step)
            out[rows] = self.kernel(X[rows], self.vectors) @ self.coefficients + self.intercepts
        return out

    def probabilities(self, X: Any) -> Array:
        """A support vector machine has none of its own."""
        raise AttributeError("Support vector machines with a shared kernel give no probabilities.")


class KernelTraining(Training):
    """SVC or NuSVC of which every column sees all samples; the Gram matrix is computed once."""

    def __init__(self, estimator: Any, task: Task, options: Options) -> None:
        super().__init__(estimator, task, options)
        self.kernel = Kernel.of(estimator, task.X)
        self.gram = np.empty((len(task.y), len(task.y)))
        blocks = [slice(start, start + _GRAM_ROWS) for start in range(0, len(task.y), _GRAM_ROWS)]
        run_parallel((delayed(self._fill)(rows) for rows in blocks), options, threads=True, total=len(blocks))

    def _fill(self, rows: slice) -> None:
        """Blocks of one size, each on one BLAS thread: the same bits whatever the number of jobs."""
        with one_blas_thread():
            block = self.kernel(self.task.X[rows], self.task.X[: rows.stop])
        self.gram[rows, : rows.stop] = block
        self.gram[: rows.stop, rows] = block.T  # symmetric to the last bit, which rounding alone would not make it
        if self.kernel.kind == "rbf":
            np.fill_diagonal(self.gram[rows, rows], 1.0)

    @staticmethod
    def suits(estimator: Any, task: Task, options: Options) -> bool:
        """Whether one Gram matrix serves all columns, and fits into memory."""
        suitable = (
            type(estimator) in (SVC, NuSVC)
            and estimator.kernel != "precomputed"
            and getattr(estimator, "probability", False) is not True
            and bool(np.all(task.code))
            and not (callable(estimator.kernel) and issparse(task.X))
            and task.code.shape[1] > 1
        )
        if not suitable:
            return False
        needed, allowed = 8.0 * len(task.y) ** 2, options.kernel_memory
        if allowed is None:
            allowed = free_memory() * _SHARE_OF_FREE
        if needed > allowed and options.verbose > 1:
            print(
                f"The Gram matrix takes {needed / 2**20:,.0f} MB, more than the {allowed / 2**20:,.0f} MB of "
                "kernel_memory; every dichotomizer computes its own kernel."
            )
        return needed <= allowed

    def fit(self) -> KernelDichotomizers:
        """Solve every column on the Gram matrix."""
        return self._machines(self.task, self.gram)

    def out_of_fold(self, folds: Iterable[tuple[Any, Any]], kind: Kind) -> Array:
        """As in general, but every fold is a block of the Gram matrix; gamma is that of the whole training set."""
        outputs = np.full((len(self.task.y), self.task.code.shape[1]), np.nan)
        for train, test in folds:
            machines = self._machines(self.task.part(train), self.gram[np.ix_(train, train)])
            block = self.gram[np.ix_(test, np.asarray(train)[machines.support])]
            outputs[test] = block @ machines.coefficients + machines.intercepts
        return outputs if kind == "margins" else np.where(np.isnan(outputs), np.nan, np.where(outputs > 0, 1.0, -1.0))

    def _machines(self, task: Task, gram: Array) -> KernelDichotomizers:
        # libsvm lets go of the interpreter: threads share the matrix.
        columns, model_of, signs = columns_to_train([self.estimator] * task.code.shape[1], task.code)
        solved = run_parallel(
            (delayed(_solve)(self.estimator, gram, task, j) for j in columns),
            self.options,
            threads=True,
            total=len(columns),
        )
        support = np.unique(np.concatenate([indices for indices, _, _ in solved]))
        coefficients = np.zeros((len(support), len(solved)))
        for j, (indices, dual, _) in enumerate(solved):
            coefficients[np.searchsorted(support, indices), j] = dual
        intercepts = np.array([intercept for _, _, intercept in solved])
        coefficients, intercepts = coefficients[:, model_of] * signs, intercepts[model_of] * signs
        return KernelDichotomizers(self.kernel, task.X[support], support, coefficients, intercepts)


def _solve(estimator: Any, gram: Array, task: Task, column: int) -> tuple[NDArray[np.intp], Array, float]:
    sides = task.sides(column).astype(np.int64)
    if (sides == sides[0]).all():  # in a fold that lacks classes
        return np.array([], dtype=np.intp), np.array([]), float(sides[0])
    model = clone(estimator).set_params(kernel="precomputed")
    model.fit(gram, sides, sample_weight=task.sample_weight, **task.params)
    return model.support_.astype(np.intp), model.dual_coef_.ravel(), float(model.intercept_[0])


def free_memory() -> float:
    """Bytes of memory that are free, as far as the system tells."""
    try:
        with open("/proc/meminfo") as info:
            fields = dict(line.split(":", 1) for line in info)
        return 1024.0 * float(fields["MemAvailable"].split()[0])
    except (OSError, KeyError):
        return 2.0**31
