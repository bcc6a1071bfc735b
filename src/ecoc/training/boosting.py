"""Train boosters for many columns: prepare features once, and stop all columns by one part of the samples.

Held-out outputs come from the part that stops boosting. Without early stopping, boosters of half of the samples give
outputs for the other half: on six data sets this chose the same decodings as two, three or five folds.
"""

import threading
from abc import abstractmethod
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.base import clone
from sklearn.utils.parallel import delayed

from ecoc.training.binary import ColumnModel, Constant, for_two_classes, seeded_clone
from ecoc.training.interfaces import Array, Dichotomizers, Kind, Task, Trained, is_numeric, of_kind
from ecoc.training.parallel import Shared, n_workers, run_parallel, share
from ecoc.training.separate import SeparateDichotomizers, SeparateTraining, columns_to_train
from ecoc.utils.folds import make_folds

Rows = NDArray[np.intp]
# How the libraries are told which features are categories.
_CATEGORIES = ("feature_types", "categorical_feature", "categorical_features", "cat_features")


class Boosted(NamedTuple):
    """A trained model of one column, and its log-odds for the training samples; None if they need a prediction."""

    model: Any
    outputs: Array | None


class BoosterModel(ColumnModel):
    """A trained booster of one column. It predicts what the library's classifier predicts for this column."""

    def __init__(self, booster: Any) -> None:
        self.booster = booster

    def predict_proba(self, X: Any) -> Array:
        """Return the probabilities of both labels."""
        p = expit(self.decision_function(X))
        return np.column_stack([1 - p, p])


class BoostedDichotomizers(SeparateDichotomizers):
    """Boosters whose probabilities are the logistic function of their margins."""

    def first(self, n_columns: int) -> "BoostedDichotomizers":
        """Return the models of the first columns."""
        part = super().first(n_columns)
        return type(self)(part.models, part.model_of, part.signs)

    def prepare(self, X: Any) -> Any:
        """Return X in the form that all boosters predict from; it is made once."""
        return X

    def log_odds(self, model: Any, data: Any) -> Array:
        """Return the log-odds of one booster, from prepared samples."""
        return np.asarray(model.decision_function(data), dtype=np.float64)

    def margins(self, X: Any) -> Array:
        """Return log-odds, from one booster at a time."""
        data = self.prepare(X)
        each = [m.decision_function(X) if isinstance(m, Constant) else self.log_odds(m, data) for m in self.models]
        return np.asarray(np.column_stack(each)[:, self.model_of] * self.signs)

    def probabilities(self, X: Any) -> Array:
        """Return probabilities of the +1 side."""
        constant = np.array([isinstance(model, Constant) for model in self.models])[self.model_of]
        outputs = self.margins(X)
        return np.where(constant, (1 + outputs) / 2, expit(outputs))


class BoostingTraining(SeparateTraining):
    """Train boosters, each column on its own, from features that are prepared once for each worker."""

    threads: ClassVar[bool] = True  # whether training releases the interpreter lock
    thread_parameter: ClassVar[str] = "n_jobs"
    bin_parameter: ClassVar[str] = "max_bin"
    makes: ClassVar[type[BoostedDichotomizers]] = BoostedDichotomizers

    @classmethod
    def stopping_share(cls, estimator: Any, n: int) -> float:
        """Return the share of the samples that stops boosting early; 0 for boosting of a fixed number of rounds."""
        return 0.0

    @classmethod
    def prepared(cls, estimator: Any, part: Task, stop: Task | None) -> tuple[Any, Any]:
        """Return training samples, and those that stop boosting, in the form that all columns train on."""
        return part, stop

    @classmethod
    @abstractmethod
    def boost(cls, estimator: Any, prepared: Any, labels: Any, stop_labels: Any, seen: bool) -> "Boosted":
        """Train a booster for the labels of a column; if `seen`, return its outputs for the samples as well."""

    @classmethod
    def boost_together(
        cls, estimator: Any, seeds: list[int | None], prepared: Any, labels: Any, stop_labels: Any, seen: bool
    ) -> "list[Boosted]":
        """Train a booster with each of the seeds, for the labels of as many columns."""
        return [
            cls.boost(
                seeded_clone(estimator, seed),
                prepared,
                labels[:, j],
                None if stop_labels is None else stop_labels[:, j],
                seen,
            )
            for j, seed in enumerate(seeds)
        ]

    def together(self, places: list[int]) -> list[list[int]]:
        """Return the columns that a worker trains together: each on its own."""
        return [[place] for place in places]

    @classmethod
    def joined(cls, models: list[Any]) -> list[Any]:
        """Return the models of several workers, as one model if there is one for all columns."""
        return models

    def fit(self) -> BoostedDichotomizers:
        """Train a booster for every column that does not equal an earlier one."""
        return self._fit(seen=False)[0]

    def fit_seen(self, kind: Kind) -> Trained:
        """Train, and take the outputs for the training samples that boosting ended with, if the library gives them."""
        models, each = self._fit(seen=True)
        if kind == "probabilities" or any(one is None for one in each):
            return Trained(models, models.outputs(self.task.X, kind), None)
        margins = np.column_stack([one for one in each if one is not None])[:, models.model_of] * models.signs
        return Trained(models, of_kind(kind, margins), None)

    def _fit(self, *, seen: bool) -> tuple[BoostedDichotomizers, list[Array | None]]:
        """Return the boosters, and outputs for the samples from each; None where only a prediction gives them."""
        task, options = self.task, self.options
        columns, model_of, signs = columns_to_train(self.estimator, task.code)
        outputs: list[Array | None] = [None] * len(columns)

        def train(places: list[int]) -> list[Any]:
            samples = Samples(type(self), self.estimator, task, self.stopping_rows(), n_workers(options) > 1)
            parts = self.together(places)
            of_parts = [[columns[place] for place in part] for part in parts]
            tasks = (delayed(fit_columns)(samples, part, list(map(options.seed, part)), seen) for part in of_parts)
            boosted = [
                one for part in run_parallel(tasks, options, threads=self.threads, total=len(parts)) for one in part
            ]
            for place, one in zip(places, boosted):
                outputs[place] = one.outputs
            return self.joined([one.model for one in boosted])

        keys = [options.key(self.estimator, options.seed(j), task.code[:, j].tobytes()) for j in columns]
        models = options.get_or_make(task, keys, train)
        return self.makes(models, model_of, signs), outputs

    def fit_held_out(self, kind: Kind, random_state: int | None = None) -> Trained:
        """Take outputs of the part that stops boosting, or boosters of one half for the other half."""
        models, rows = self.fit(), self.stopping_rows()
        if rows is None and self.options.held_out.way != "part":
            return Trained(models, None, self.out_of_fold(self.folds(random_state), kind))
        if rows is not None:
            return Trained(models, None, models.outputs(self.task.part(rows).X, kind), rows)
        half, rest = make_folds(2, self.task.y, random_state)[0]
        of_half = type(self)(self.estimator, self.task.part(half), self.options).fit()
        return Trained(models, None, of_half.outputs(self.task.part(rest).X, kind), rest)

    def calibrating(self, models: Dichotomizers, kind: Kind, random_state: int | None = None) -> Trained:
        """Take outputs of the part that stops boosting, or of boosters of a part of the samples with coarser bins.

        Calibration needs outputs that are about as confident as those of the classifier. Seven cases of 26 to 200
        classes: coarser bins change the log-loss by −1.5 to +0.8 %, and take down to a quarter of the time. A third of
        the samples, instead of one half, changes it by 0.2 to 0.3 % with 50 samples a class, and by 2 % with ten. Half
        as many rounds with twice the learning rate lose up to 3.5 %. On 100 leaves, 32 bins take 0.7 to 1.0 times as
        long as 64, and change the log-loss by −1 % (LightGBM), +1 % (XGBoost) and +8 % (HistGradientBoosting).
        """
        many_per_class, coarse = 50, 64
        rows, y = self.stopping_rows(), self.task.y
        if rows is not None:
            return Trained(models, None, models.outputs(self.task.part(rows).X, kind), rows)
        if self.options.held_out.way != "part":
            return super().calibrating(models, kind, random_state)
        parts = 3 if len(y) >= many_per_class * len(self.task.code) else 2
        rest, part = make_folds(parts, y, random_state)[0]
        of_part = type(self)(self.with_bins(coarse), self.task.part(part), self.options).fit()
        return Trained(models, None, of_part.outputs(self.task.part(rest).X, kind), rest)

    def with_bins(self, most: int) -> Any:
        """Return the estimator with at most so many bins for each feature, unless there are categories or `max_bin`."""
        estimator = for_two_classes(self.estimator)
        given = estimator.get_params()
        # "auto" and "from_dtype" find no categories in numbers; anything else lists some.
        may_have_categories = any(not isinstance(given.get(name), str | None) for name in _CATEGORIES)
        other_name = given.get("max_bin") if self.bin_parameter != "max_bin" else None
        finer = given.get(self.bin_parameter) is None or given[self.bin_parameter] > most
        if not is_numeric(self.task.X) or may_have_categories or other_name is not None or not finer:
            return estimator
        return clone(estimator).set_params(**{self.bin_parameter: most})

    def stopping_rows(self) -> Rows | None:
        """Return the samples that stop boosting, which are the same for all columns; None if nothing stops it."""
        share_of_all = self.stopping_share(self.estimator, len(self.task.y))
        if share_of_all <= 0:
            return None
        seed = self.options.seed(0) if self.options.seeds is not None else 0
        return make_folds(max(2, round(1 / share_of_all)), self.task.y, seed)[0][1]


class Samples:
    """The samples of all columns. Each worker prepares them once, because columns exchange the labels in place."""

    def __init__(
        self, training: type[BoostingTraining], estimator: Any, task: Task, stop: Rows | None, one_thread: bool
    ) -> None:
        self.training = training
        self.estimator = one_threaded(estimator, training.thread_parameter) if one_thread else estimator
        self.values: Shared = share(task.code, task.X, task.y, task.sample_weight)
        self.stop = stop
        self._local = threading.local()

    def prepared(self) -> tuple[Task, Task | None, Any]:
        """Return the training samples, those that stop boosting, and what the columns train on."""
        if not hasattr(self._local, "prepared"):
            task, stop = Task(*self.values.values), None
            if self.stop is not None:
                rest = np.setdiff1d(np.arange(len(task.y)), self.stop)
                task, stop = task.part(rest), task.part(self.stop)
            self._local.prepared = task, stop, self.training.prepared(self.estimator, task, stop)
        prepared: tuple[Task, Task | None, Any] = self._local.prepared
        return prepared

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_local"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _local=threading.local())


def fit_columns(samples: Samples, columns: list[int], seeds: list[int | None], seen: bool) -> list[Boosted]:
    """Train boosters for some columns; a column with one side only is constant."""
    task, stop, data = samples.prepared()
    labels = np.column_stack([task.sides(column) > 0 for column in columns])
    n = len(labels)
    constant = labels.all(axis=0) | ~labels.any(axis=0)
    boosted = [Boosted(Constant(int(2 * labels[0, j] - 1) if n else 0), None) for j in range(len(columns))]
    real = np.flatnonzero(~constant)
    if len(real):
        stop_labels = None
        if stop is not None:
            stop_labels = np.column_stack([stop.sides(columns[j]) > 0 for j in real]).astype(np.int64)
        # With early stopping, the last round is not the best one, and a part of the samples is not among those boosted.
        seen = seen and stop is None
        own, sides = [seeds[j] for j in real], labels[:, real].astype(np.int64)
        made = samples.training.boost_together(samples.estimator, own, data, sides, stop_labels, seen)
        for j, one in zip(real, made):
            boosted[j] = one
    return boosted


def one_threaded(estimator: Any, parameter: str) -> Any:
    """Return a copy that uses one thread, unless the number of threads is given."""
    model = seeded_clone(estimator, None)
    if (hasattr(model, parameter) or parameter == "thread_count") and model.get_params().get(parameter) is None:
        model.set_params(**{parameter: 1})
    return model
