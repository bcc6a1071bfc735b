"""Train binary classifiers on batches by `partial_fit`."""

from collections.abc import Sequence
from copy import copy, deepcopy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_regressor

from ecoc.training.binary import Constant, seeded_clone, targets
from ecoc.training.interfaces import Array, Dichotomizers, Kind, Task
from ecoc.training.plain import PlainStream
from ecoc.training.separate import SeparateDichotomizers, columns_to_train, estimator_of_columns
from ecoc.utils.folds import make_folds


class StreamDichotomizers(SeparateDichotomizers):
    """Models with `partial_fit`. A column that has seen no sample yet is undecided: its margins are 0."""

    def __init__(self, estimator: Any, code: NDArray[np.int8], seeds: Sequence[int] | None) -> None:
        estimators = estimator_of_columns(estimator, code)
        self.columns, model_of, signs = columns_to_train(estimator, code)
        self.untrained = [seeded_clone(estimators[j], None if seeds is None else seeds[j]) for j in self.columns]
        super().__init__([Constant(0) for _ in self.columns], model_of, signs)

    @classmethod
    def resume(
        cls, trained: Dichotomizers, estimator: Any, code: NDArray[np.int8], seeds: Sequence[int] | None = None
    ) -> Self:
        """Return models that continue from trained ones, which stay as they are."""
        if isinstance(trained, cls):
            return copy(trained)
        stream = cls(estimator, code, seeds)
        if not isinstance(trained, SeparateDichotomizers) or len(trained.models) != len(stream.models):
            raise ValueError(
                "partial_fit cannot continue from these binary classifiers, which were trained in one call. Start with "
                "partial_fit on a new model, e.g. clone(model).partial_fit(X, y, classes=...)."
            )
        stream.models = list(trained.models)
        return stream

    def with_code(self, estimator: Any, code: NDArray[np.int8]) -> Self:
        """Return the models for a code with more classes, and with further columns at the end, which are untrained.

        A new column has the seed of its number, if the learner has none.
        """
        grown = type(self)(estimator, code, list(range(code.shape[1])))
        known = dict(zip(self.columns, self.models))
        grown.models = [known.get(j, model) for j, model in zip(grown.columns, grown.models)]
        return grown

    def learn(self, task: Task) -> None:
        """Replace every model by one that has also learned its samples of a batch; all of them, or none after an error.

        The models may belong to others, too: a cache, or the classifier that a truncated one was cut from.
        """
        self.models = [self._learned(i, j, task) for i, j in enumerate(self.columns)]

    def _learned(self, i: int, column: int, task: Task) -> Any:
        sides = task.sides(column)
        used = np.flatnonzero(sides)
        if len(used) == 0:
            return self.models[i]
        begins = isinstance(self.models[i], Constant)
        model = clone(self.untrained[i]) if begins else deepcopy(self.models[i])
        part = task.part(used) if len(used) < len(sides) else task
        weight = {} if part.sample_weight is None else {"sample_weight": part.sample_weight}
        classes = {"classes": np.array([0, 1])} if begins and not is_regressor(model) else {}
        model.partial_fit(part.X, targets(model, sides[used]), **classes, **weight, **part.params)
        return model


class Rivals:
    """One-vs-all and the learner's own multi-class stream. Both learn; the one that predicts better gives the outputs.

    That is one-vs-all, unless the other predicted the later half of the samples, before learning them, better by more
    than two standard errors. For the first batch, folds decide.
    """

    most_recent = 4096  # samples that are compared by
    n_folds = 5
    clearly = 2.0  # standard errors. With one, GaussianNB's first batches of yeast are 1.2 points below one-vs-rest

    def __init__(self, one_vs_all: StreamDichotomizers, plain: PlainStream) -> None:
        self.models = one_vs_all, plain
        self.gains = np.zeros(0)  # of recent samples: 1 where only the learner's own was right, −1 where only the other
        self.n_seen = 0

    def copy(self) -> "Rivals":
        """Return rivals that go on from here, while these stay as they are."""
        other = copy(self)
        other.models = copy(self.models[0]), copy(self.models[1])
        return other

    @property
    def gain(self) -> Array:
        """Gains of the samples that are compared."""
        return self.gains[-((self.n_seen + 1) // 2) :]

    @property
    def leader(self) -> StreamDichotomizers | PlainStream:
        """The one that predicts better."""
        gain = self.gain
        is_better = len(gain) > 0 and gain.mean() > self.clearly * gain.std() / np.sqrt(len(gain))
        return self.models[1 if is_better else 0]

    def outputs(self, X: Any, kind: Kind) -> Array:
        """Return the outputs of the one that predicts better."""
        return self.leader.outputs(X, kind)

    def judge(self, task: Task) -> None:
        """Compare the two on a batch that they have not learned."""
        n = len(task.y)
        gains = np.zeros(n)
        if self.n_seen:
            gains = _gains(self.models, task)
        elif n > 1:
            for train, test in make_folds(self.n_folds, task.y, 0):
                rivals = self.copy()
                rivals.learn(task.part(train))
                gains[test] = _gains(rivals.models, task.part(test))
        self.gains = np.concatenate([self.gains, gains])[-self.most_recent :]
        self.n_seen += n

    def learn(self, task: Task) -> None:
        """Let both learn a batch."""
        for model in self.models:
            model.learn(task)


def _gains(models: tuple[StreamDichotomizers, PlainStream], task: Task) -> Array:
    """Return how much more often the second is right about each sample, times the sample's weight."""
    first, second = (model.outputs(task.X, "margins").argmax(axis=1) == task.y for model in models)
    gains: Array = second.astype(np.float64) - first
    return gains if task.sample_weight is None else gains * task.sample_weight
