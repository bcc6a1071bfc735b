"""Dichotomizers that learn from batches: incremental models, of which columns equal up to sign share one."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_regressor

from ecoc.dichotomies.base import Dichotomizers, Task
from ecoc.dichotomies.binary import Constant, seeded_clone
from ecoc.dichotomies.separate import SeparateDichotomizers, columns_to_train, estimator_of_columns


class StreamDichotomizers(SeparateDichotomizers):
    """Models with `partial_fit`; until a column has seen a sample of either side, it is undecided."""

    def __init__(self, estimator: Any, code: NDArray[np.int8], seeds: Sequence[int] | None) -> None:
        estimators = estimator_of_columns(estimator, code)
        self.columns, model_of, signs = columns_to_train(estimators, code)
        self.untrained = [seeded_clone(estimators[j], None if seeds is None else seeds[j]) for j in self.columns]
        super().__init__([Constant(0) for _ in self.columns], model_of, signs)

    @classmethod
    def resume(
        cls, trained: Dichotomizers, estimator: Any, code: NDArray[np.int8], seeds: Sequence[int] | None = None
    ) -> Self:
        """Return models that go on from trained ones."""
        if isinstance(trained, cls):
            return trained
        stream = cls(estimator, code, seeds)
        if not isinstance(trained, SeparateDichotomizers) or len(trained.models) != len(stream.models):
            raise ValueError(
                "These binary classifiers were trained in a way that partial_fit cannot go on with; begin with "
                "partial_fit, e.g. of clone(model)."
            )
        stream.models = list(trained.models)
        return stream

    def learn(self, task: Task) -> None:
        """Give every model its side of a batch."""
        for i, j in enumerate(self.columns):
            sides = task.sides(j)
            used = np.flatnonzero(sides)
            if len(used) == 0:
                continue
            begins = isinstance(self.models[i], Constant)
            model = self.untrained[i] if begins else self.models[i]
            part = task.part(used) if len(used) < len(sides) else task
            weight = {} if part.sample_weight is None else {"sample_weight": part.sample_weight}
            if is_regressor(model):
                model.partial_fit(part.X, sides[used].astype(np.float64), **weight, **part.params)
            else:
                classes = {"classes": np.array([-1, 1])} if begins else {}
                model.partial_fit(part.X, sides[used].astype(np.int64), **classes, **weight, **part.params)
            self.models[i] = model
