"""Measure the effect of protecting a pair: confusions and accuracy with the protecting columns and without."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ecoc.classifier.decision import Decision
from ecoc.classifier.fitted import FittedModel
from ecoc.codes.codebook import CodeBook
from ecoc.codes.coding import Coding
from ecoc.decoding.choice import outputs_for
from ecoc.decoding.evidence import Classes, Evidence
from ecoc.utils.folds import make_folds

_FOLDS = 5  # of held-out outputs, for decodings that learn


@dataclass(frozen=True)
class PairEffect:
    """Confusions of one protected pair among held-out training samples.

    Parameters
    ----------
    pair : tuple of labels
        The two classes.
    before, after : int
        Samples of one class that were taken for the other, without the protecting columns and with them.
    standard_error : float
        Standard error of the difference.
    n_columns : int
        Columns that were added for the pair; 0 if the code had one of its own for it already.
    """

    pair: tuple[Any, Any]
    before: int
    after: int
    standard_error: float
    n_columns: int

    def __str__(self) -> str:
        first, second = self.pair
        text = f"{first!r} and {second!r}: {self.before} → {self.after} confusions (± {self.standard_error:.1f})"
        return text if self.n_columns else f"{text}, with a column of its own already"


@dataclass(frozen=True)
class ProtectionReport:
    """The effect of `protect`, measured on held-out training samples.

    Parameters
    ----------
    pairs : list of PairEffect
        The protected pairs.
    accuracy_before, accuracy_after : float
        Accuracy without the protecting columns and with them.
    accuracy_error : float
        Standard error of the difference.
    is_kept : bool
        Whether the classifier has the protecting columns. They are kept if they lower the confusions by more than a
        standard error, lower the accuracy by no more than one, and every class is still predicted.
    """

    pairs: list[PairEffect]
    accuracy_before: float
    accuracy_after: float
    accuracy_error: float
    is_kept: bool

    def __str__(self) -> str:
        lines = [str(pair) for pair in self.pairs]
        lines.append(
            f"accuracy: {100 * self.accuracy_before:.1f} → {100 * self.accuracy_after:.1f} "
            f"(± {100 * self.accuracy_error:.1f}) %"
        )
        if not self.is_kept:
            a, b = self.pairs[0].pair
            costs = f"{{({a!r}, {b!r}): 5, ({b!r}, {a!r}): 5}}"
            lines.append(
                "More columns of their own do not help these classes with this learner. Give the errors a cost: "
                f'ECOCClassifier(costs={costs}), or let predict answer "don\'t know": reject_cost=0.5.'
            )
        return "\n".join(lines)


def keep_what_protects(
    fitted: FittedModel, coding: Coding, evidence: Evidence, learn: Callable[[CodeBook, Evidence], Decision]
) -> tuple[FittedModel, ProtectionReport]:
    """Measure the effect of the protecting columns, and drop them if they do not help."""
    protecting: Any = coding
    without, n_columns = fitted, protecting.n_unprotected_
    if n_columns < fitted.codebook.n_columns:
        codebook = CodeBook(fitted.codebook.matrix[:, :n_columns], fitted.codebook.labels)
        decision = learn(codebook, evidence.first(n_columns))
        without = FittedModel(codebook, fitted.dichotomizers.first(n_columns), decision)
    report = measure_protection(protecting.protected_, without.decision, fitted.decision, evidence)
    return fitted if report.is_kept else without, report


def measure_protection(
    pairs: Sequence[tuple[int, int]], without: Decision, with_columns: Decision, evidence: Evidence
) -> ProtectionReport:
    """Compare two decisions, of the code without the protecting columns and with them."""
    before, after = (held_out_choices(decision, evidence) for decision in (without, with_columns))
    codebook = with_columns.decoding.codebook_
    added = codebook.matrix[:, without.decoding.codebook_.n_columns :]
    return compare_choices(pairs, before, after, evidence.y, codebook, added)


def compare_choices(
    pairs: Sequence[tuple[int, int]],
    before: Classes,
    after: Classes,
    y: Classes,
    codebook: CodeBook,
    added: NDArray[np.int8],
) -> ProtectionReport:
    """Count confusions among the choices without protection and with it, by the columns that were added."""
    names = codebook.labels.tolist()
    effects, fewer = [], np.zeros(len(y))
    for a, b in pairs:
        errors = [_confusions(chosen, y, a, b) for chosen in (before, after)]
        difference = errors[0].astype(float) - errors[1]
        fewer += difference
        n_columns = int(np.count_nonzero(added[a] * added[b] == -1))
        sums = [int(error.sum()) for error in errors]
        effects.append(PairEffect((names[a], names[b]), sums[0], sums[1], _error_of_sum(difference), n_columns))
    hits = [(chosen == y).astype(float) for chosen in (before, after)]
    gain = hits[1] - hits[0]
    error = _error_of_sum(gain) / len(y)
    lost = np.setdiff1d(np.intersect1d(before, np.ravel(list(pairs))), after)
    is_kept = not added.size or bool(fewer.sum() > _error_of_sum(fewer) and gain.mean() >= -error and not len(lost))
    return ProtectionReport(effects, float(hits[0].mean()), float(hits[1].mean()), error, is_kept)


def held_out_choices(decision: Decision, evidence: Evidence) -> Classes:
    """Return the class of each training sample by a decision that did not learn from it."""
    decoding = clone(decision.decoding)
    codebook: CodeBook = decision.decoding.codebook_
    assert evidence.held_out is not None
    outputs = outputs_for(decoding, evidence.held_out[:, : codebook.n_columns])
    folds = evidence.folds or make_folds(_FOLDS, evidence.y, 0)
    scores = decoding.cross_fit(codebook, outputs, evidence.y, evidence.weight, folds).scores
    chosen: Classes = scores.argmax(axis=1)
    return chosen


def _confusions(chosen: Classes, y: Classes, a: int, b: int) -> NDArray[np.bool_]:
    return np.asarray(((y == a) & (chosen == b)) | ((y == b) & (chosen == a)))


def _error_of_sum(values: NDArray[np.float64]) -> float:
    """Return the standard error of a sum of independent values."""
    return float(np.sqrt(len(values)) * values.std())
