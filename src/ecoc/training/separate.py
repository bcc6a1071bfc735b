"""Train each column on its own, with any estimator, in parallel."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse, vstack
from scipy.special import expit
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC, NuSVC
from sklearn.utils.parallel import delayed

from ecoc.training.binary import Constant, check_squares, margins, probabilities, seeded_clone, targets
from ecoc.training.forest import Trees, consist_of_trees
from ecoc.training.interfaces import Array, Dichotomizers, Task, Training, is_numeric
from ecoc.training.parallel import Shared, run_parallel, share
from ecoc.utils.codewords import column_keys, leading_signs
from ecoc.utils.scikit import BaseLibSVM, LinearClassifierMixin
from ecoc.utils.threads import matrix_product, one_blas_thread

Ints = NDArray[np.int64]


class SeparateDichotomizers(Dichotomizers):
    """A list of binary classifiers. Equal columns share one, and opposite ones if the learner is symmetric."""

    def __init__(
        self, models: Sequence[Any], model_of: Ints, signs: Ints, supports: Sequence[Ints] | None = None
    ) -> None:
        self.models = list(models)
        self.model_of = model_of
        self.signs = signs
        self.model_supports = supports

    @property
    def estimators(self) -> list[Any]:
        """A fitted model for each column; the same object where columns share one."""
        return [self.models[i] for i in self.model_of]

    def first(self, n_columns: int) -> "SeparateDichotomizers":
        """Return the models of the first columns."""
        used, model_of = np.unique(self.model_of[:n_columns], return_inverse=True)
        supports = None if self.model_supports is None else [self.model_supports[i] for i in used]
        return stacked(
            SeparateDichotomizers([self.models[i] for i in used], model_of, self.signs[:n_columns], supports)
        )

    def supports(self) -> list[Ints] | None:
        """Return the support vectors of each column."""
        return None if self.model_supports is None else [self.model_supports[i] for i in self.model_of]

    def margins(self, X: Any) -> Array:
        """Return margins, from one model at a time."""
        each = np.column_stack([margins(model, X) for model in self.models])
        return np.asarray(each[:, self.model_of] * self.signs)

    def probabilities(self, X: Any) -> Array:
        """Return probabilities of the +1 side, from one model at a time."""
        each = np.column_stack([probabilities(model, X) for model in self.models])[:, self.model_of]
        return np.where(self.signs > 0, each, 1.0 - each)


class TreeDichotomizers(SeparateDichotomizers):
    """Trees, or means of trees, that were trained separately. One pass goes through all of them.

    Its arrays are made from the models at the first use, and are neither copied nor saved.
    """

    _trees: Trees | None = None

    def margins(self, X: Any) -> Array:
        """Return 2p − 1, as the models have no margins."""
        p = self._of_all(X)
        return super().margins(X) if p is None else (2.0 * p - 1.0)[:, self.model_of] * self.signs

    def probabilities(self, X: Any) -> Array:
        """Return probabilities of the +1 side; sparse samples and other objects go to one model at a time."""
        p = self._of_all(X)
        if p is None:
            return super().probabilities(X)
        return np.where(self.signs > 0, p[:, self.model_of], 1.0 - p[:, self.model_of])

    def _of_all(self, X: Any) -> Array | None:
        if issparse(X) or not is_numeric(X):
            return None
        if self._trees is None:
            self._trees = Trees.of(self.models)
        return self._trees.probabilities(X)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_trees"}


class LinearDichotomizers(SeparateDichotomizers):
    """Linear models that were trained separately. Their weights are the columns of one matrix.

    The matrix is sparse if weights of one of the models are.
    """

    def __init__(self, separate: SeparateDichotomizers) -> None:
        super().__init__(separate.models, separate.model_of, separate.signs)
        n_features = next(m.coef_.shape[1] for m in self.models if not isinstance(m, Constant))
        rows = [csr_array((1, n_features)) if isinstance(m, Constant) else m.coef_ for m in self.models]
        intercepts = [m.side if isinstance(m, Constant) else np.ravel(m.intercept_)[0] for m in self.models]
        self.weights = _columns(rows, self.model_of, self.signs)
        self.intercepts = np.array(intercepts, dtype=np.float64)[self.model_of] * self.signs

    def margins(self, X: Any) -> Array:
        """Return margins, all columns in one product."""
        if not is_numeric(X):
            return super().margins(X)
        return matrix_product(X, self.weights) + self.intercepts

    def linear_form(self) -> tuple[Array, Array] | None:
        """Return weights and intercepts, unless the weights are sparse."""
        return None if issparse(self.weights) else (self.weights, self.intercepts)

    def probabilities(self, X: Any) -> Array:
        """Return probabilities; those of a logistic regression are the logistic function of its margin."""
        if is_numeric(X) and all(type(model) is LogisticRegression for model in self.models):
            return np.asarray(expit(self.margins(X)))
        return super().probabilities(X)


def _columns(rows: list[Any], model_of: Ints, signs: Ints) -> Any:
    """Return the weights of models, each a row of its own, as the columns of a matrix; the signs multiply them."""
    if any(issparse(row) and row.nnz for row in rows):
        places = np.arange(len(model_of))
        signed = csr_array((signs.astype(np.float64), (places, model_of)), shape=(len(model_of), len(rows)))
        return csr_array((signed @ vstack(rows, format="csr")).T)
    dense = np.vstack([row.toarray() if issparse(row) else row for row in rows])
    return np.ascontiguousarray((dense[model_of] * signs[:, None]).T)


def are_linear(models: list[Any]) -> bool:
    """Tell whether all models decide by a scalar product, as scikit-learn's linear classifiers do."""
    real = [model for model in models if not isinstance(model, Constant)]
    return bool(real) and all(
        isinstance(model, LinearClassifierMixin)
        and type(model).decision_function is LinearClassifierMixin.decision_function
        and np.ndim(model.coef_) == 2
        and model.coef_.shape[0] == 1
        for model in real
    )


def stacked(separate: SeparateDichotomizers) -> SeparateDichotomizers:
    """Return the same models, joined if they are linear or consist of trees."""
    if are_linear(separate.models):
        return LinearDichotomizers(separate)
    if consist_of_trees(separate.models):
        return TreeDichotomizers(separate.models, separate.model_of, separate.signs)
    return separate


class SeparateTraining(Training):
    """Train any estimator, or a list with one for each column, in parallel."""

    def fit(self) -> SeparateDichotomizers:
        """Train a model for every column that does not repeat an earlier one with the same estimator."""
        task, options = self.task, self.options
        estimators = estimator_of_columns(self.estimator, task.code)
        columns, model_of, signs = columns_to_train(self.estimator, task.code)

        def train(places: list[int]) -> list[Any]:
            shared = share(task.code, task.X, task.y, task.sample_weight, task.params)
            of_places = [columns[place] for place in places]
            tasks = (delayed(self.fit_one)(estimators[j], shared, j, options.seed(j)) for j in of_places)
            return run_parallel(tasks, options, threads=options.threads, total=len(places))

        keys = [options.key(estimators[j], options.seed(j), task.code[:, j].tobytes()) for j in columns]
        models = options.get_or_make(task, keys, train)
        supports = None
        if any(isinstance(model, BaseLibSVM) for model in models):  # counted in a column's own samples
            supports = [
                np.flatnonzero(task.sides(j))[model.support_ if isinstance(model, BaseLibSVM) else []]
                for j, model in zip(columns, models)
            ]
        return stacked(SeparateDichotomizers(models, model_of, signs, supports))

    @staticmethod
    def fit_one(estimator: Any, shared: Shared, column: int, seed: int | None) -> Any:
        """Train a clone of the estimator on the samples that a column does not leave out, on one BLAS thread."""
        task = Task(*shared.values)
        sides = task.sides(column)
        used = np.flatnonzero(sides)
        if len(used) < len(sides):
            task, sides = task.part(used), sides[used]
        if len(sides) == 0 or (sides == sides[0]).all():
            return Constant(int(sides[0]) if len(sides) else 0)
        model = seeded_clone(estimator, seed)
        weight = {} if task.sample_weight is None else {"sample_weight": task.sample_weight}
        with one_blas_thread():
            try:
                return model.fit(task.X, targets(model, sides), **weight, **task.params)
            except ValueError:
                check_squares(task.X)  # a solver's own message does not name the features
                raise


def estimator_of_columns(estimator: Any, code: NDArray[np.int8]) -> Sequence[Any]:
    """Return the list of estimators, or the one estimator for every column."""
    return estimator if isinstance(estimator, Sequence) else [estimator] * code.shape[1]


def is_symmetric(estimator: Any) -> bool:
    """Tell whether exchanging the sides is known to change only the sign of the outputs, up to the tolerance.

    Weights of classes, monotonic constraints and prior probabilities of other learners may treat the sides differently.
    """
    return type(estimator) in (SVC, NuSVC) and estimator.class_weight in (None, "balanced") and estimator.max_iter == -1


def columns_to_train(estimator: Any, code: NDArray[np.int8]) -> tuple[list[int], Ints, Ints]:
    """Find the columns to train: those that do not equal an earlier one with the same estimator.

    For symmetric learners, a column that is opposite to an earlier one is not trained either. Returns the columns to
    train; and for every column the place of its model among them, and its sign.
    """
    estimators = estimator_of_columns(estimator, code)
    trained: dict[tuple[int, bytes, int], int] = {}
    columns: list[int] = []
    model_of, signs = [], []
    leading = leading_signs(code).astype(np.int64)
    for j, key in enumerate(column_keys(code)):
        side = 0 if is_symmetric(estimators[j]) else int(leading[j])
        model = trained.setdefault((id(estimators[j]), key, side), len(columns))
        if model == len(columns):
            columns.append(j)
        model_of.append(model)
        signs.append(leading[j] * leading[columns[model]])
    return columns, np.array(model_of), np.array(signs)
