"""Train the learner's own multi-class model: one model, whose scores take the place of one-vs-all's outputs."""

from collections.abc import Mapping, Sequence
from copy import copy, deepcopy
from typing import Any, Self

import numpy as np
from sklearn.base import is_regressor
from sklearn.dummy import DummyClassifier

from ecoc.training.binary import raw_outputs, seeded_clone
from ecoc.training.interfaces import Array, Dichotomizers, Task, Training
from ecoc.utils.estimators import innermost, last_step
from ecoc.utils.scikit import n_samples
from ecoc.utils.threads import one_blas_thread

LEAST = np.log(1e-3)  # logarithm of a probability that a model of counts, such as neighbours, says is zero
FAR = 100.0  # logarithm of the odds beyond which they grow by their logarithm


class PlainDichotomizers(Dichotomizers):
    """One multi-class model. The output of a column is how far its class is ahead of the others."""

    def __init__(self, model: Any, classes: Any, n_classes: int, n_columns: int) -> None:
        self.model = model
        self.classes = classes
        self.n_classes = n_classes
        self.n_columns = n_columns

    @property
    def estimators(self) -> list[Any]:
        """The one model, once for each column."""
        return [self.model] * self.n_columns

    def first(self, n_columns: int) -> "PlainDichotomizers":
        """Return the same model for the first columns."""
        return PlainDichotomizers(self.model, self.classes, self.n_classes, n_columns)

    def margins(self, X: Any) -> Array:
        """Return the score of each class less the mean of the two highest, so that only the best one is positive."""
        scores = class_scores(self.model, X, len(self.classes))
        every = np.repeat(scores.min(axis=1, keepdims=True) - 1.0, self.n_classes, axis=1)  # a class it does not know
        every[:, self.classes] = scores
        if self.n_classes == 2:
            return np.asarray(every[:, 1:] - every[:, :1])
        return np.asarray(every - np.sort(every, axis=1)[:, -2:].mean(axis=1, keepdims=True))[:, : self.n_columns]

    def probabilities(self, X: Any) -> Array:
        """Return the model's own probabilities."""
        every = np.zeros((n_samples(X), self.n_classes))
        every[:, self.classes] = self.model.predict_proba(X)
        return every[:, 1:] if self.n_classes == 2 else every[:, : self.n_columns]


class PlainTraining(Training):
    """Train one multi-class model; held-out outputs come from folds."""

    def fit(self) -> PlainDichotomizers:
        """Train the model on the numbers of the classes that there are."""
        task = self.task
        check_is_classifier(self.estimator, len(task.code))
        classes, y = np.unique(task.y, return_inverse=True)
        learner = self.estimator if len(classes) > 1 else DummyClassifier()
        model = seeded_clone(learner, self.options.seed(0), two_classes=False)
        weight = {} if task.sample_weight is None else {"sample_weight": task.sample_weight}
        with one_blas_thread():
            model.fit(task.X, y, **weight, **task.params)
        return PlainDichotomizers(model, classes, *task.code.shape)


class PlainStream(PlainDichotomizers):
    """One multi-class model that learns from batches."""

    def learn(self, task: Task) -> None:
        """Replace the model by one that has also learned a batch, and knows all classes from the first one on."""
        begins = not hasattr(self.model, "classes_")
        model = deepcopy(self.model)
        weight = {} if task.sample_weight is None else {"sample_weight": task.sample_weight}
        classes = {"classes": np.arange(self.n_classes)} if begins else {}
        self.model = model.partial_fit(task.X, task.y, **classes, **weight, **task.params)

    @classmethod
    def begin(cls, estimator: Any, code: Any, seed: int | None) -> Self:
        """Return an untrained model."""
        check_is_classifier(estimator, len(code))
        model = seeded_clone(estimator, seed, two_classes=False)
        return cls(model, np.arange(len(code)), *code.shape)

    @classmethod
    def resume(cls, trained: PlainDichotomizers) -> Self:
        """Return a model that continues from a trained one, which stays as it is."""
        return copy(trained) if isinstance(trained, cls) else cls(**vars(trained))


def check_is_classifier(estimator: Any, n_classes: int) -> None:
    """Raise an error for a list of estimators, for a regressor, and for weights of the two sides of columns."""
    if isinstance(estimator, Sequence) or is_regressor(estimator):
        what = "a list of estimators" if isinstance(estimator, Sequence) else f"the regressor {estimator!r}"
        raise ValueError(f"coding='plain' trains one multi-class classifier; got {what}. Use coding='ova'.")
    if n_classes > 2 and isinstance(getattr(last_step(estimator), "class_weight", None), Mapping):
        raise ValueError(
            "coding='plain' trains on numbers of classes, which class_weight does not name. Give fit "
            "sample_weight=compute_sample_weight(class_weight, y), of sklearn.utils.class_weight."
        )


def class_scores(model: Any, X: Any, n_classes: int) -> Array:
    """Return a score for each class that a model knows: decision values, else log-probabilities, else the prediction.

    Boosters have their raw scores. Scores are on the scale of the logarithms of probabilities, or of margins.
    """
    inner, _ = innermost(model)
    if (raw := raw_outputs(inner)) is not None:
        inner, X = innermost(model, X)
        return _one_for_each_class(inner.predict(X, **raw))
    by_pairs = getattr(inner, "decision_function_shape", None) == "ovo"  # a value for each pair of classes
    if hasattr(model, "decision_function") and not by_pairs:
        scores = _one_for_each_class(model.decision_function(X))
        if scores.shape[1] == n_classes:
            return scores
    if hasattr(model, "predict_proba"):
        with np.errstate(divide="ignore"):
            if hasattr(model, "predict_log_proba"):  # naive Bayes: finite where the probability is not
                logs = np.asarray(model.predict_log_proba(X), dtype=np.float64)
            else:
                logs = np.log(np.asarray(model.predict_proba(X), dtype=np.float64))
        least = np.minimum(logs.min(axis=1, where=np.isfinite(logs), initial=0.0, keepdims=True), LEAST)
        behind = np.where(np.isfinite(logs), logs, least)
        behind = behind.max(axis=1, keepdims=True) - behind
        # Naive Bayes may be 1e8 behind, beside which no common factor suits the others; the order stays.
        return np.asarray(-np.where(behind > FAR, FAR * (1.0 + np.log(np.maximum(behind, FAR) / FAR)), behind))
    return np.asarray(np.asarray(model.predict(X)).reshape(-1, 1) == np.arange(n_classes), dtype=np.float64)


def _one_for_each_class(values: Any) -> Array:
    scores = np.asarray(values, dtype=np.float64)
    scores = scores[:, 0] if scores.ndim == 2 and scores.shape[1] == 1 else scores
    return np.column_stack([-scores / 2, scores / 2]) if scores.ndim == 1 else scores
