"""Interfaces of training: the binary problems, the options, and trained binary classifiers."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from ecoc.training.cache import TrainingCache, content_key, get_or_make
from ecoc.utils.folds import Folds, make_folds
from ecoc.utils.scikit import check_method_params, safe_indexing

Kind = Literal["signs", "margins", "probabilities"]
Array = NDArray[np.float64]


@dataclass(frozen=True)
class Task:
    """Binary problems on common samples.

    In column j, a sample of class y is on side code[y, j]. If that is 0, column j leaves the sample out.
    """

    code: NDArray[np.int8]
    X: Any  # one row for each sample
    y: NDArray[np.intp]  # 0 to n_classes − 1
    sample_weight: Array | None = None
    params: Mapping[str, Any] = field(default_factory=dict)  # of the estimators' `fit`

    def sides(self, column: int) -> NDArray[np.int8]:
        """Return the side of every sample in a column: +1, −1 or 0."""
        sides: NDArray[np.int8] = self.code[self.y, column]
        return sides

    def part(self, rows: NDArray[np.intp]) -> "Task":
        """Return the same problems on some of the samples, with their weights and parameters."""
        weight = None if self.sample_weight is None else self.sample_weight[rows]
        params = check_method_params(self.X, dict(self.params), indices=rows)
        return Task(self.code, safe_indexing(self.X, rows), self.y[rows], weight, params)


class HeldOut(NamedTuple):
    """Way to compute held-out outputs.

    Folds; folds whose mean is the classifier; members of the classifier that did not see the sample ("bag"); or a part
    of the samples: the part that stops boosting early, or one half.
    """

    way: Literal["folds", "mean", "bag", "part"]
    n_folds: int

    def __str__(self) -> str:
        words = {"mean": f"mean of {self.n_folds} folds", "bag": "out of bag", "part": "a part of the samples"}
        return words.get(self.way, f"{self.n_folds} folds")


FIVE_FOLDS = HeldOut("folds", 5)


class CoarseBins(NamedTuple):
    """A small number of bins for each feature, and how to find out whether it suffices.

    Some columns are trained for some rounds on half of the samples, with these bins and with the usual ones. The
    log-loss of the other half may be larger by a share, `tolerance`. `share` is the largest share of the rounds of the
    fit that the trial may take.
    """

    n_bins: int
    n_columns: int
    n_rounds: int
    learning_rate: float
    tolerance: float
    share: float

    def __str__(self) -> str:
        return f"{self.n_bins} bins of each feature are tried"


@dataclass(frozen=True)
class Options:
    """Options of training: seeds, parallel trainings, memory, and messages."""

    seeds: Sequence[int] | None = None  # one for each column, for estimators without a `random_state`
    n_jobs: int | None = None  # models that are trained at the same time
    verbose: int = 0  # from 1 on, show progress
    kernel_memory: float | None = None  # bytes for a Gram matrix. None: a quarter of the free memory
    cache: TrainingCache | None = None  # keeps trained models for later fits
    held_out: HeldOut = FIVE_FOLDS  # if the training can do it in this way; else by folds
    threads: bool = False  # whether training releases the interpreter lock
    plain: bool = False  # whether one multi-class model gives the outputs of all columns of one-vs-all
    bins: CoarseBins | None = None  # to try with boosters whose own number of bins is left open
    held_out_tol: float = 0.0  # least tolerance of support vector machines that only give held-out outputs

    def seed(self, column: int) -> int | None:
        """Return the seed of a column; None if there are no seeds."""
        return None if self.seeds is None else self.seeds[column]

    def get_or_make(self, task: Task, keys: Sequence[Hashable], make: Callable[[list[int]], list[Any]]) -> list[Any]:
        """Return a model for each key: from the cache, or from `make`, which gets the places of the missing ones."""
        if self.cache is None:
            return make(list(range(len(keys))))
        return get_or_make(self.cache.entries(task.X, task.y, task.sample_weight, dict(task.params)), keys, make)

    def key(self, estimator: Any, *column: Hashable) -> Hashable:
        """Return a key for a model that is trained on given samples.

        With a cache, the key holds the content of the estimator, because the cache may outlive the object.
        """
        return (id(estimator) if self.cache is None else content_key(estimator), *column)


class Training(ABC):
    """A way to train an estimator, or a list with one for each column, on all columns of a task.

    It holds what the columns share, such as a Gram matrix.
    """

    def __init__(self, estimator: Any, task: Task, options: Options) -> None:
        self.estimator = estimator
        self.task = task
        self.options = options
        self.remark = ""  # about how the columns were trained, for users

    @abstractmethod
    def fit(self) -> "Dichotomizers":
        """Train on all samples."""

    def fit_seen(self, kind: Kind) -> "Trained":
        """Train on all samples, and compute the outputs of the trained models for the same samples."""
        models = self.fit()
        return Trained(models, models.outputs(self.task.X, kind), None)

    def fit_held_out(self, kind: Kind, random_state: int | None = None) -> "Trained":
        """Train on all samples, and compute held-out outputs, of all samples or of some, as the options say."""
        return Trained(self.fit(), None, self.out_of_fold(self.folds(random_state), kind))

    def calibrating(self, models: "Dichotomizers", kind: Kind, random_state: int | None = None) -> "Trained":
        """Compute held-out outputs that only calibrate trained models, so that these need not be trained again."""
        if self.options.held_out.way in ("mean", "bag"):
            return self.fit_held_out(kind, random_state)
        return Trained(models, None, self.out_of_fold(self.folds(random_state), kind))

    def folds(self, random_state: int | None = None) -> Folds:
        """Return the folds of held-out outputs."""
        return make_folds(self.options.held_out.n_folds, self.task.y, random_state)

    def out_of_fold(self, folds: Iterable[tuple[Any, Any]], kind: Kind) -> Array:
        """Compute outputs by models that were trained without the sample; NaN for samples that are in no test fold."""
        outputs = np.full((len(self.task.y), self.task.code.shape[1]), np.nan)
        for train, test in folds:
            part = self.task.part(train)
            models = type(self)(self.estimator, part, self.options).fit()
            found = models.outputs(self.task.part(test).X, kind)
            outputs[test] = sure_of_one_side(found, part.code, part.y) if kind == "margins" else found
        return outputs


def sure_of_one_side(margins: Array, code: NDArray[np.int8], y: NDArray[np.intp]) -> Array:
    """Make columns whose training samples, of classes y, were on one side as sure of it as the surest other column.

    If the only samples of a class are held out, its columns may be of this kind. With ∓1 they would stand out among
    columns of larger margins, and tell which class was held out.
    """
    seen = code[np.unique(y)]
    side = (seen > 0).any(axis=0).astype(int) - (seen < 0).any(axis=0)
    return np.where(side, side * np.maximum(np.abs(margins).max(axis=1, keepdims=True), 1.0), margins)


class Dichotomizers(ABC):
    """Trained binary classifiers, one for each column."""

    @property
    @abstractmethod
    def estimators(self) -> Sequence[Any]:
        """A fitted model for each column."""

    @abstractmethod
    def margins(self, X: Any) -> Array:
        """Compute outputs whose sign is the side."""

    @abstractmethod
    def probabilities(self, X: Any) -> Array:
        """Estimate probabilities of the +1 side."""

    @abstractmethod
    def first(self, n_columns: int) -> "Dichotomizers":
        """Return the models of the first columns, without data that only the others need."""

    def supports(self) -> list[NDArray[np.intp]] | None:
        """Return the support vectors of each column, as rows of the training set; None if there are none."""
        return None

    def linear_form(self) -> tuple[Array, Array] | None:
        """Return dense weights, a column for each classifier, and intercepts, if margins are linear in the features."""
        return None

    def outputs(self, X: Any, kind: Kind) -> Array:
        """Compute outputs of the kind that a decoding needs. A margin of zero is on the −1 side, as in scikit-learn."""
        outputs = self.probabilities(X) if kind == "probabilities" else of_kind(kind, self.margins(X))
        if not np.isfinite(outputs).all():
            i, j = np.argwhere(~np.isfinite(outputs))[0]
            raise ValueError(
                f"the {type(self.estimators[j]).__name__} of column {j} returned {outputs[i, j]} for sample {i}. "
                "Scale the features, or choose another estimator."
            )
        return outputs


class Trained(NamedTuple):
    """Trained binary classifiers, and their outputs for training samples as far as these were asked for."""

    models: Dichotomizers
    seen: Array | None  # of the models themselves, which have seen the samples
    held_out: Array | None  # of models that were trained without the sample
    rows: NDArray[np.intp] | None = None  # samples that `held_out` is about; None: all
    path: str = ""  # how the columns were trained
    estimator: Any = None  # with parameters that a trial chose; None: as it was given


def of_kind(kind: Kind, margins: Array) -> Array:
    """Return margins, or their signs. A margin of zero is on the −1 side, as in scikit-learn."""
    return margins if kind == "margins" else np.where(np.isnan(margins), np.nan, np.where(margins > 0, 1.0, -1.0))


def is_numeric(X: Any) -> bool:
    """Tell whether X is a matrix of numbers, dense or sparse: not a DataFrame, list or array of other objects."""
    return bool(issparse(X) or (isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind in "fiub"))
