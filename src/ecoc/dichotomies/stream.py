"""How do binary classifiers learn from batches? By `partial_fit`; equal columns share a model."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_regressor

from ecoc.dichotomies.base import Dichotomizers, Task
from ecoc.dichotomies.binary import Constant, seeded_clone, targets
from ecoc.dichotomies.separate import SeparateDichotomizers, columns_to_train, estimator_of_columns


class StreamDichotomizers(SeparateDichotomizers):
    """Models with `partial_fit`. A column that has seen no sample yet is undecided: its margins are 0."""

    def __init__(self, estimator: Any, code: NDArray[np.int8], seeds: Sequence[int] | None) -> None:
        estimators = estimator_of_columns(estimator, code)
        self.columns, model_of, signs = columns_to_train(estimators, code)
        self.untrained = [seeded_clone(estimators[j], None if seeds is None else seeds[j]) for j in self.columns]
        super().__init__([Constant(0) for _ in self.columns], model_of, signs)

    @classmethod
    def resume(
        cls, trained: Dichotomizers, estimator: Any, code: NDArray[np.int8], seeds: Sequence[int] | None = None
    ) -> Self:
        """Return models that continue from trained ones."""
        if isinstance(trained, cls):
            return trained
        stream = cls(estimator, code, seeds)
        if not isinstance(trained, SeparateDichotomizers) or len(trained.models) != len(stream.models):
            raise ValueError(
                "partial_fit cannot continue from these binary classifiers, which were trained in one call. Start with "
                "partial_fit on a new model, e.g. clone(model).partial_fit(X, y, classes=...)."
            )
        stream.models = list(trained.models)
        return stream

    def learn(self, task: Task) -> None:
        """Train every model on its samples of a batch."""
        for i, j in enumerate(self.columns):
            sides = task.sides(j)
            used = np.flatnonzero(sides)
            if len(used) == 0:
                continue
            begins = isinstance(self.models[i], Constant)
            model = self.untrained[i] if begins else self.models[i]
            part = task.part(used) if len(used) < len(sides) else task
            weight = {} if part.sample_weight is None else {"sample_weight": part.sample_weight}
            classes = {"classes": np.array([0, 1])} if begins and not is_regressor(model) else {}
            model.partial_fit(part.X, targets(model, sides[used]), **classes, **weight, **part.params)
            self.models[i] = model
