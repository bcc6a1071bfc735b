"""Scores and costs of one candidate in the cross-validation."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import sqrt
from statistics import median_high
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import f1_score, recall_score

from ecoc.decoding.costs import cost_matrix
from ecoc.tool.comparison.candidates import Candidate

COSTS = ("classifiers", "support_vectors", "fit_seconds", "predict_seconds", "model_bytes")
METRICS = ("accuracy", "balanced_accuracy", "macro_f1", "log_loss")


@dataclass(frozen=True, eq=False)
class CandidateResult:
    """Scores and costs of one candidate."""

    candidate: Candidate
    make: Callable[[], Any] = field(repr=False)
    tuned: dict[str, Any]  # parameters as chosen in most folds; empty if none was changed
    predicted: NDArray[Any]  # of each tested sample, by a model that was trained without it
    tested: NDArray[np.bool_]  # all samples, unless the candidate was dropped to save time
    n_folds: int
    accuracy: float
    standard_error: float  # of the accuracy
    mean_cost: float | None  # None if no costs were given
    balanced_accuracy: float  # mean over the classes of the share predicted right
    macro_f1: float  # mean over the classes of the F1 score
    log_loss: float | None  # None unless it was asked for and the model has probabilities
    classifiers: int  # models that were trained: columns of a code; the median, if it differs between folds
    support_vectors: int | None  # different ones, if the learner has any
    fit_seconds: float | None  # None if it was only fitted together with others, which shares work
    predict_seconds: float  # for 1,000 samples
    model_bytes: int | None  # None if skops is not installed, or if there was no time
    protected_errors: int | None  # confusions of protected classes; None if no class is protected

    @cached_property
    def estimator(self) -> Any:
        """The model with its tuned parameters, unfitted: ``result.estimator.fit(X, y)`` trains it."""
        return self.make()

    @property
    def merit(self) -> float:
        """Score that ranks candidates: the accuracy or, if costs were given, minus the mean cost."""
        return self.accuracy if self.mean_cost is None else -self.mean_cost

    def cost(self, name: str) -> float | None:
        """Return one of `COSTS`; None if it is not known."""
        value: float | None = getattr(self, name)
        return value

    def to_dict(self) -> dict[str, Any]:
        """Return the result as a row of a table: plain values by name."""
        names = ("accuracy", "standard_error", "mean_cost", *METRICS[1:], *COSTS, "protected_errors")
        tuned = ", ".join(f"{name}={value}" for name, value in self.tuned.items())
        values = {name: getattr(self, name) for name in names}
        return {**self.candidate.cells, "tuned": tuned, **values, "folds": self.n_folds}


@dataclass(frozen=True, eq=False)
class Judge:
    """The true labels, and the costs of taking one class for another, if errors do not all cost the same."""

    y: NDArray[Any]
    costs: Mapping[tuple[Any, Any], float] | None = None

    @cached_property
    def classes(self) -> NDArray[Any]:
        """The class labels, sorted."""
        return np.unique(self.y)

    @cached_property
    def matrix(self) -> NDArray[np.float64]:
        """Cost of each true class (row) when each class (column) is predicted."""
        return cost_matrix(self.costs, self.classes.tolist())

    @property
    def top(self) -> float:
        """The mean merit of a model without errors."""
        return 1.0 if self.costs is None else 0.0

    def merits(self, predicted: NDArray[Any], rows: NDArray[Any]) -> NDArray[np.float64]:
        """Return 1 for each correct prediction and 0 for the others; with costs, minus the cost of each."""
        if self.costs is None:
            return np.asarray(predicted[rows] == self.y[rows], dtype=np.float64)
        true, said = (np.searchsorted(self.classes, labels[rows]) for labels in (self.y, predicted))
        return np.asarray(-self.matrix[true, said])


@dataclass(eq=False)
class Record:
    """Results of a candidate while the cross-validation goes on, one value per fold."""

    candidate: Candidate
    predicted: NDArray[Any]
    tested: NDArray[np.bool_]
    losses: NDArray[np.float64] | None = None
    counts: list[int] = field(default_factory=list)
    supports: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    predict_seconds: list[float] = field(default_factory=list)
    alone_seconds: list[float] = field(default_factory=list)
    model_bytes: int | None = None

    @classmethod
    def of(cls, candidate: Candidate, y: NDArray[Any]) -> "Record":
        """Make an empty one."""
        return cls(candidate, np.empty_like(y), np.zeros(len(y), dtype=bool))

    def merit(self, judge: Judge) -> float:
        """Return the mean merit of the tested samples."""
        return float(judge.merits(self.predicted, self.tested).mean())

    def result(
        self, judge: Judge, protected: Collection[frozenset[Any]], make: Callable[[], Any], tuned: dict[str, Any]
    ) -> CandidateResult:
        """Summarise the results."""
        true, predicted = judge.y[self.tested], self.predicted[self.tested]
        accuracy = float(np.mean(true == predicted))
        classes = np.unique(true)
        macro = {"labels": classes, "average": "macro", "zero_division": 0}
        errors = sum(frozenset(pair) in protected for pair in zip(true.tolist(), predicted.tolist()))
        return CandidateResult(
            candidate=self.candidate,
            make=make,
            tuned=tuned,
            predicted=self.predicted,
            tested=self.tested,
            n_folds=len(self.counts),
            accuracy=accuracy,
            standard_error=sqrt(accuracy * (1 - accuracy) / len(true)),
            mean_cost=None if judge.costs is None else -self.merit(judge),
            balanced_accuracy=float(recall_score(true, predicted, **macro)),
            macro_f1=float(f1_score(true, predicted, **macro)),
            log_loss=None if self.losses is None else float(np.mean(self.losses[self.tested])),
            classifiers=median_high(self.counts),
            support_vectors=round(float(np.mean(self.supports))) if self.supports else None,
            fit_seconds=float(np.mean(self.alone_seconds)) if self.alone_seconds else None,
            predict_seconds=float(np.mean(self.predict_seconds)),
            model_bytes=self.model_bytes,
            protected_errors=errors if protected else None,
        )
