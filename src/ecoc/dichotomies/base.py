"""What is a set of trained dichotomizers? Outputs for every column of a code, of the kind a decoding asks for."""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import joblib
import numpy as np
from numpy.typing import NDArray

from ecoc.dichotomies.kept import TrainingCache

Kind = Literal["signs", "margins", "probabilities"]
Array = NDArray[np.float64]


@dataclass(frozen=True)
class Task:
    """Binary problems on common samples: class y of a sample is on side code[y, j] of dichotomy j, out of it at 0."""

    code: NDArray[np.int8]
    X: Any
    y: NDArray[np.intp]
    sample_weight: Array | None = None
    params: Mapping[str, Any] = field(default_factory=dict)

    def sides(self, column: int) -> NDArray[np.int8]:
        """+1, −1 or 0 for every sample."""
        sides: NDArray[np.int8] = self.code[self.y, column]
        return sides

    def part(self, rows: NDArray[np.intp]) -> "Task":
        """The same problems on some of the samples."""
        from sklearn.utils import _safe_indexing
        from sklearn.utils.validation import _check_method_params

        weight = None if self.sample_weight is None else self.sample_weight[rows]
        params = _check_method_params(self.X, dict(self.params), indices=rows)
        return Task(self.code, _safe_indexing(self.X, rows), self.y[rows], weight, params)


@dataclass(frozen=True)
class Options:
    """How to train: seeds for estimators whose own is None, one a column; models at once; how much to tell."""

    seeds: Sequence[int] | None = None
    n_jobs: int | None = None
    verbose: int = 0
    kernel_memory: float | None = None
    cache: TrainingCache | None = None

    def seed(self, column: int) -> int | None:
        """The seed of a column, if there are any."""
        return None if self.seeds is None else self.seeds[column]

    def kept(self, task: Task) -> dict[Hashable, Any]:
        """What earlier fits on the same samples have left."""
        return {} if self.cache is None else self.cache.kept(task.X, task.y, task.sample_weight, dict(task.params))

    def key(self, estimator: Any, *column: Hashable) -> Hashable:
        """What a model trained on given samples depends on: by content if there is a cache to outlive the objects."""
        return (id(estimator) if self.cache is None else joblib.hash(estimator), *column)


class Training(ABC):
    """A way to train the dichotomizers of a task; what their trainings share is computed once and kept here."""

    def __init__(self, estimator: Any, task: Task, options: Options) -> None:
        self.estimator = estimator
        self.task = task
        self.options = options

    @abstractmethod
    def fit(self) -> "Dichotomizers":
        """Train on all samples."""

    def out_of_fold(self, folds: Iterable[tuple[Any, Any]], kind: Kind) -> Array:
        """(n, l) outputs for every sample from models that were trained without it."""
        outputs = np.full((len(self.task.y), self.task.code.shape[1]), np.nan)
        for train, test in folds:
            models = type(self)(self.estimator, self.task.part(train), self.options).fit()
            outputs[test] = models.outputs(self.task.part(test).X, kind)
        return outputs


class Dichotomizers(ABC):
    """Trained binary models, one a column, whatever way they were trained."""

    @property
    @abstractmethod
    def estimators(self) -> Sequence[Any]:
        """A fitted model a column."""

    @abstractmethod
    def margins(self, X: Any) -> Array:
        """(n, l) outputs whose sign is the side."""

    @abstractmethod
    def probabilities(self, X: Any) -> Array:
        """(n, l) probabilities of the +1 side."""

    @abstractmethod
    def first(self, n_columns: int) -> "Dichotomizers":
        """Those of the first columns alone, without what only the others need."""

    def supports(self) -> list[NDArray[np.intp]] | None:
        """Each column's support vectors as rows of the training set; None if the models have none."""
        return None

    def outputs(self, X: Any, kind: Kind) -> Array:
        """Outputs of the kind a decoding needs; a margin of zero is on the −1 side, as in scikit-learn."""
        if kind == "probabilities":
            return self.probabilities(X)
        margins = self.margins(X)
        return margins if kind == "margins" else np.where(margins > 0, 1.0, -1.0)
