"""What did each candidate reach, what did it cost, and which one is recommended?"""

from collections import Counter
from dataclasses import dataclass, field
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

COSTS = ("classifiers", "support_vectors", "fit_seconds", "predict_seconds", "model_bytes")


@dataclass(frozen=True)
class Candidate:
    """One way to do it."""

    coding: str
    columns: int | str | None
    decoding: str
    protects: bool = False

    @property
    def name(self) -> str:
        """What tables call it; a length that is a number stands there beside it."""
        rule = f" {self.columns}" if isinstance(self.columns, str) else ""
        return self.coding + rule + (" protected" if self.protects else "")

    def options(self) -> list[str]:
        """Options of ``ecoc fit`` that ask for it."""
        columns = [] if self.columns is None else ["--columns", str(self.columns)]
        return ["--coding", self.coding, *columns, "--decoding", self.decoding]


@dataclass(eq=False)
class Outcome:
    """What a candidate reached, and what it cost; fitting is timed on the last fold, where nothing is shared."""

    candidate: Candidate
    predicted: NDArray[Any]
    n_columns: list[int] = field(default_factory=list)
    n_support: list[int] = field(default_factory=list)
    predict_times: list[float] = field(default_factory=list)
    fit_seconds: float = 0.0
    model_bytes: int | None = None
    accuracy: float = 0.0
    standard_error: float = 0.0
    protected_errors: int | None = None
    frontier: list[str] = field(default_factory=list)

    def cost(self, name: str) -> float | None:
        """One of `COSTS`, as the mean over the folds."""
        many: dict[str, Any] = {
            "classifiers": self.n_columns,
            "support_vectors": self.n_support,
            "predict_seconds": self.predict_times,
        }
        if name in many:
            return float(np.mean(many[name])) if many[name] else None
        value: float | None = getattr(self, name)
        return value

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "coding": self.candidate.coding,
            "columns": self.candidate.columns,
            "protected": self.candidate.protects,
            "decoding": self.candidate.decoding,
            "accuracy": self.accuracy,
            "standard_error": self.standard_error,
            **{name: self.cost(name) for name in COSTS},
            "protected_errors": self.protected_errors,
            "pareto": self.frontier,
        }


@dataclass(frozen=True, eq=False)
class Comparison:
    """All outcomes, fewest classifiers first, and why some candidates have none."""

    outcomes: list[Outcome]
    failures: dict[Candidate, str]
    y: NDArray[Any]
    folds: list[tuple[NDArray[np.intp], NDArray[np.intp]]]
    protected: set[frozenset[Any]]

    @property
    def best(self) -> Outcome:
        """The most accurate."""
        return max(self.outcomes, key=lambda outcome: outcome.accuracy)

    @property
    def recommended(self) -> Outcome:
        """Fewest classifiers within one standard error of the best; with wishes, of those that protect, and of these
        the one that confuses the protected classes least."""
        protecting = _good([outcome for outcome in self.outcomes if outcome.candidate.protects])
        if not protecting:
            return self.without_protection
        return min(protecting, key=lambda o: (o.protected_errors, o.cost("classifiers"), -o.accuracy))

    @property
    def without_protection(self) -> Outcome:
        """What would be recommended without wishes."""
        good = _good([outcome for outcome in self.outcomes if not outcome.candidate.protects] or self.outcomes)
        return min(good, key=lambda outcome: (outcome.cost("classifiers"), -outcome.accuracy))

    def verdict(self, first: Outcome, second: Outcome) -> int:
        """1 if the first confuses the protected classes less than the second, -1 if more; 0 if it may be chance."""
        one, other = (self._slips(outcome) for outcome in (first, second))
        fewer = int(other.sum()) - int(one.sum())
        return 0 if abs(fewer) <= 2 * sqrt(np.sum(one != other)) else int(np.sign(fewer))

    def _slips(self, outcome: Outcome) -> NDArray[np.bool_]:
        """Rows at which it confuses protected classes."""
        pairs = zip(self.y.tolist(), outcome.predicted.tolist())
        return np.array([frozenset(pair) in self.protected for pair in pairs])

    def confused(self, outcome: Outcome, n: int = 5) -> list[tuple[Any, Any, int]]:
        """Pairs of classes that an outcome confuses most, both directions together."""
        wrong = self.y != outcome.predicted
        pairs = zip(self.y[wrong].tolist(), outcome.predicted[wrong].tolist())
        counts = Counter(tuple(sorted(pair, key=str)) for pair in pairs)
        return [(a, b, count) for (a, b), count in counts.most_common(n)]


def _good(outcomes: list[Outcome]) -> list[Outcome]:
    """Those within one standard error of the most accurate."""
    best = max(outcomes, key=lambda outcome: outcome.accuracy, default=None)
    return [] if best is None else [o for o in outcomes if o.accuracy >= best.accuracy - best.standard_error]
