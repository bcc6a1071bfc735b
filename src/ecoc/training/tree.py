"""Train single trees; the mean of the trees of the folds may be the classifier."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier

from ecoc.training.base import Array, Dichotomizers, Kind, Task, Trained
from ecoc.training.binary import margins, probabilities
from ecoc.training.separate import SeparateTraining
from ecoc.utils.estimators import last_step


class MeanModel:
    """The mean of the models of one column that were trained on different samples."""

    def __init__(self, estimators: list[Any]) -> None:
        self.estimators_ = estimators

    @property
    def classes_(self) -> NDArray[np.int64]:
        """The labels 0 and 1."""
        return np.array([0, 1])

    def decision_function(self, X: Any) -> Array:
        """Return the mean of the margins."""
        return np.asarray(np.mean([margins(model, X) for model in self.estimators_], axis=0))

    def predict_proba(self, X: Any) -> Array:
        """Return the mean of the probabilities."""
        p = np.mean([probabilities(model, X) for model in self.estimators_], axis=0)
        return np.column_stack([1 - p, p])

    def predict(self, X: Any) -> NDArray[np.int64]:
        """Return 0 or 1."""
        return (self.decision_function(X) > 0).astype(np.int64)


class MeanDichotomizers(Dichotomizers):
    """Binary classifiers that were trained several times, each time on other samples; their outputs are averaged."""

    def __init__(self, parts: list[Dichotomizers]) -> None:
        self.parts = parts

    @property
    def estimators(self) -> list[MeanModel]:
        """A mean of fitted models for each column."""
        return [MeanModel(list(models)) for models in zip(*(part.estimators for part in self.parts))]

    def first(self, n_columns: int) -> "MeanDichotomizers":
        """Return the models of the first columns."""
        return MeanDichotomizers([part.first(n_columns) for part in self.parts])

    def margins(self, X: Any) -> Array:
        """Return the mean of the margins."""
        return np.asarray(np.mean([part.margins(X) for part in self.parts], axis=0))

    def probabilities(self, X: Any) -> Array:
        """Return the mean of the probabilities."""
        return np.asarray(np.mean([part.probabilities(X) for part in self.parts], axis=0))


class TreeTraining(SeparateTraining):
    """Train decision trees, each column on its own."""

    @staticmethod
    def suits(estimator: Any, task: Task) -> bool:
        """Tell whether the estimator is a single tree, or a pipeline that ends in one."""
        return isinstance(last_step(estimator), DecisionTreeClassifier)

    def fit_held_out(self, kind: Kind, random_state: int | None = None) -> Trained:
        """Train on each fold; the mean of these models is the classifier, if that is asked for."""
        if self.options.held_out.way != "mean":
            return super().fit_held_out(kind, random_state)
        held_out = np.full((len(self.task.y), self.task.code.shape[1]), np.nan)
        parts: list[Dichotomizers] = []
        for train, test in self.folds(random_state):
            parts.append(SeparateTraining(self.estimator, self.task.part(train), self.options).fit())
            held_out[test] = parts[-1].outputs(self.task.part(test).X, kind)
        return Trained(MeanDichotomizers(parts), None, held_out)
