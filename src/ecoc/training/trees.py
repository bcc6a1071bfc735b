"""Train forests, whose members give out-of-bag outputs, and trees, whose mean over the folds may be the classifier."""

from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.parallel import delayed

from ecoc.training.binary import ColumnModel, Constant, margins, probabilities
from ecoc.training.interfaces import Array, Dichotomizers, Kind, Trained, of_kind
from ecoc.training.parallel import run_parallel
from ecoc.training.separate import SeparateTraining


class ForestTraining(SeparateTraining):
    """Train forests or bagged classifiers whose members see bootstrap samples, each column on its own."""

    def fit_held_out(self, kind: Kind, random_state: int | None = None) -> Trained:
        """Compute out-of-bag outputs, of samples that every column has one for; in folds, if these are too few."""
        if self.options.held_out.way != "bag":
            return super().fit_held_out(kind, random_state)
        task = self.task
        X = task.X if issparse(task.X) else np.ascontiguousarray(task.X, dtype=np.float32)
        models = self.fit()
        first = np.unique(models.model_of, return_index=True)[1]  # the column that each model was trained for
        tasks = (delayed(out_of_bag)(model, X, task.sides(j)) for model, j in zip(models.models, first))
        each = np.column_stack(run_parallel(tasks, self.options, total=len(first), threads=True))
        p = np.where(models.signs > 0, each[:, models.model_of], 1 - each[:, models.model_of])
        rows = np.flatnonzero(~np.isnan(p).any(axis=1))
        if 2 * len(rows) < len(task.y):
            return super().fit_held_out(kind, random_state)._replace(models=models)
        p = p[rows]
        held_out = p if kind == "probabilities" else of_kind(kind, 2 * p - 1)
        return Trained(models, None, held_out, None if len(rows) == len(task.y) else rows)


def out_of_bag(model: Any, X: Any, sides: Any) -> Array:
    """Return the probability of the +1 side by the members that did not draw the sample; NaN if all drew it.

    Samples that the column leaves out (side 0) are outside every bag.
    """
    n = len(sides)
    if isinstance(model, Constant):
        return np.full(n, (1.0 + model.side) / 2)
    used = np.flatnonzero(sides)
    total, count = np.zeros(n), np.zeros(n)
    features = getattr(model, "estimators_features_", [slice(None)] * len(model.estimators_))
    for member, drawn, seen in zip(model.estimators_, model.estimators_samples_, features):
        outside = np.ones(n, dtype=bool)
        outside[used[drawn]] = False
        p = member.predict_proba(X[outside][:, seen])
        # A bagged member whose sample has one class only knows no other.
        total[outside] += p[:, 1] if p.shape[1] == 2 else float(member.classes_[0])
        count += outside
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


class MeanModel(ColumnModel):
    """The mean of the models of one column that were trained on different samples."""

    def __init__(self, estimators: list[Any]) -> None:
        self.estimators_ = estimators

    def decision_function(self, X: Any) -> Array:
        """Return the mean of the margins."""
        return np.asarray(np.mean([margins(model, X) for model in self.estimators_], axis=0))

    def predict_proba(self, X: Any) -> Array:
        """Return the mean of the probabilities."""
        p = np.mean([probabilities(model, X) for model in self.estimators_], axis=0)
        return np.column_stack([1 - p, p])


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
