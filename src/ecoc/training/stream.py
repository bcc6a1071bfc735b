"""Train binary classifiers on batches by `partial_fit`."""

from collections.abc import Sequence
from copy import copy, deepcopy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_regressor

from ecoc.training.binary import Constant, seeded_clone, targets
from ecoc.training.interfaces import Dichotomizers, Task
from ecoc.training.separate import SeparateDichotomizers, columns_to_train, estimator_of_columns


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
