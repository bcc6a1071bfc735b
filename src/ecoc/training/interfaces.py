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

    Parameters
    ----------
    code : int8 ndarray of shape (n_classes, n_columns)
        The code book.
    X : {array-like, sparse matrix, DataFrame, list} of n_samples rows
        The samples.
    y : ndarray of shape (n_samples,)
        Their classes, 0 to n_classes − 1.
    sample_weight : ndarray of shape (n_samples,), default=None
        Weights of the samples.
    params : mapping, default={}
        Other parameters of the estimators' `fit`.

    Examples
    --------
    >>> import numpy as np
    >>> from ecoc.training import Task
    >>> one_vs_one = np.array([[-1, -1, 0], [1, 0, -1], [0, 1, 1]])
    >>> problems = Task(one_vs_one, np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 0, 1, 2]))
    >>> problems.sides(0)
    array([-1, -1,  1,  0])
    >>> problems.part(np.array([0, 3])).sides(1)
    array([-1,  1])
    """

    code: NDArray[np.int8]
    X: Any
    y: NDArray[np.intp]
    sample_weight: Array | None = None
    params: Mapping[str, Any] = field(default_factory=dict)

    def sides(self, column: int) -> NDArray[np.int8]:
        """Return the side of every sample in a column.

        Parameters
        ----------
        column : int
            The column.

        Returns
        -------
        int8 ndarray of shape (n_samples,)
            +1, −1 or 0 for every sample.
        """
        sides: NDArray[np.int8] = self.code[self.y, column]
        return sides

    def part(self, rows: NDArray[np.intp]) -> "Task":
        """Return the same problems on some of the samples.

        Parameters
        ----------
        rows : ndarray of int
            The samples.

        Returns
        -------
        Task
            The samples with their weights and parameters.
        """
        weight = None if self.sample_weight is None else self.sample_weight[rows]
        params = check_method_params(self.X, dict(self.params), indices=rows)
        return Task(self.code, safe_indexing(self.X, rows), self.y[rows], weight, params)


class HeldOut(NamedTuple):
    """How held-out outputs are computed.

    Attributes
    ----------
    way : {"folds", "mean", "bag", "part"}
        By folds; by folds whose mean is the classifier; by members of the classifier that did not see the sample; or
        for a part of the samples: the part that stops boosting early, or one half.
    n_folds : int
        Number of folds.
    """

    way: Literal["folds", "mean", "bag", "part"]
    n_folds: int

    def __str__(self) -> str:
        words = {"mean": f"mean of {self.n_folds} folds", "bag": "out of bag", "part": "a part of the samples"}
        return words.get(self.way, f"{self.n_folds} folds")


FIVE_FOLDS = HeldOut("folds", 5)


@dataclass(frozen=True)
class Options:
    """How to train: seeds, parallel trainings, memory, and messages.

    Parameters
    ----------
    seeds : sequence of int, default=None
        A seed for each column, for estimators whose own `random_state` is None.
    n_jobs : int, default=None
        Number of models that are trained at the same time.
    verbose : int, default=0
        From 1 on, show progress.
    kernel_memory : float, default=None
        Bytes that a Gram matrix may take. None: a quarter of the memory that is free.
    cache : TrainingCache, default=None
        Keeps trained models for later fits.
    held_out : HeldOut, default=HeldOut("folds", 5)
        How held-out outputs are computed, if the training can do it in this way; else by folds.
    threads : bool, default=False
        Whether training releases the interpreter lock, so that several models are best trained in threads.
    plain : bool, default=False
        Whether one multi-class model gives the outputs of all columns of one-vs-all.

    Examples
    --------
    >>> from ecoc.training import Options
    >>> Options(seeds=[3, 1, 4], n_jobs=2).seed(2)
    4
    """

    seeds: Sequence[int] | None = None
    n_jobs: int | None = None
    verbose: int = 0
    kernel_memory: float | None = None
    cache: TrainingCache | None = None
    held_out: HeldOut = FIVE_FOLDS
    threads: bool = False
    plain: bool = False

    def seed(self, column: int) -> int | None:
        """Return the seed of a column.

        Parameters
        ----------
        column : int
            The column.

        Returns
        -------
        int or None
            The seed; None if there are no seeds.
        """
        return None if self.seeds is None else self.seeds[column]

    def get_or_make(self, task: Task, keys: Sequence[Hashable], make: Callable[[list[int]], list[Any]]) -> list[Any]:
        """Return models: those that the cache has of earlier fits on the same samples, and new ones.

        Parameters
        ----------
        task : Task
            The samples.
        keys : sequence of hashable
            A key for each model.
        make : callable
            Makes the missing models, whose places it gets.

        Returns
        -------
        list
            A model for each key.
        """
        if self.cache is None:
            return make(list(range(len(keys))))
        return get_or_make(self.cache.entries(task.X, task.y, task.sample_weight, dict(task.params)), keys, make)

    def key(self, estimator: Any, *column: Hashable) -> Hashable:
        """Return a key for a model that is trained on given samples.

        Parameters
        ----------
        estimator : estimator
            Identified by its content if there is a cache, because the cache may live longer than the object.
        *column : hashable
            Everything else that the model depends on.

        Returns
        -------
        hashable
            A key for `get_or_make`.
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

    def folds(self, random_state: int | None = None) -> Folds:
        """Return the folds of held-out outputs."""
        return make_folds(self.options.held_out.n_folds, self.task.y, random_state)

    def out_of_fold(self, folds: Iterable[tuple[Any, Any]], kind: Kind) -> Array:
        """Compute outputs by models that were trained without the sample; NaN for samples that are in no test fold."""
        outputs = np.full((len(self.task.y), self.task.code.shape[1]), np.nan)
        for train, test in folds:
            models = type(self)(self.estimator, self.task.part(train), self.options).fit()
            outputs[test] = models.outputs(self.task.part(test).X, kind)
        return outputs


class Dichotomizers(ABC):
    """Trained binary classifiers, one for each column.

    Examples
    --------
    >>> import numpy as np
    >>> from ecoc.training import Task, choose_training
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import Ridge
    >>> X, y = load_iris(return_X_y=True)
    >>> one_vs_all = np.array([[1, -1, -1], [-1, 1, -1], [-1, -1, 1]])
    >>> models = choose_training(Ridge(), Task(one_vs_all, X, y)).fit()
    >>> models.outputs(X[:1], "signs")
    array([[ 1., -1., -1.]])
    >>> len(models.estimators), models.first(2).margins(X).shape
    (3, (150, 2))
    """

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
    """Trained binary classifiers, and their outputs for training samples as far as these were asked for.

    Attributes
    ----------
    models : Dichotomizers
        The trained models.
    seen : ndarray of shape (n_samples, n_columns), or None
        Outputs of the models themselves, which have seen the samples.
    held_out : ndarray of shape (n_held_out, n_columns), or None
        Outputs of models that were trained without the sample.
    rows : ndarray of shape (n_held_out,), or None
        The samples that `held_out` is about; None: all of them.
    path : str
        How the columns were trained.
    """

    models: Dichotomizers
    seen: Array | None
    held_out: Array | None
    rows: NDArray[np.intp] | None = None
    path: str = ""


def of_kind(kind: Kind, margins: Array) -> Array:
    """Return margins, or their signs. A margin of zero is on the −1 side, as in scikit-learn."""
    return margins if kind == "margins" else np.where(np.isnan(margins), np.nan, np.where(margins > 0, 1.0, -1.0))


def is_numeric(X: Any) -> bool:
    """Tell whether X is a matrix of numbers, dense or sparse: not a DataFrame, list or array of other objects."""
    return bool(issparse(X) or (isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind in "fiub"))
