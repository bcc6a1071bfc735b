"""Train forests and bagging, whose members give out-of-bag outputs."""

from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier
from sklearn.utils.parallel import delayed

from ecoc.training.base import Array, Kind, Task, Trained, is_numeric, of_kind
from ecoc.training.binary import Constant
from ecoc.training.parallel import run_parallel
from ecoc.training.separate import SeparateTraining


class ForestTraining(SeparateTraining):
    """Train forests or bagged classifiers whose members see bootstrap samples, each column on its own."""

    @staticmethod
    def suits(estimator: Any, task: Task) -> bool:
        """Tell whether the members see only a part of the samples each."""
        return (
            type(estimator) in (RandomForestClassifier, ExtraTreesClassifier, BaggingClassifier)
            and bool(estimator.bootstrap)
            and (type(estimator) is not BaggingClassifier or hasattr(estimator.estimator or Constant, "predict_proba"))
            and is_numeric(task.X)
        )

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
