"""Evidence for decodings: outputs for training samples, and held-out outputs that compare and calibrate."""

import sys
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecoc.utils.folds import Folds

Array = NDArray[np.float64]
Classes = NDArray[np.intp]


class Judging(NamedTuple):
    """Numbers for comparing and calibrating decodings, which ``ecoc.policy`` chooses."""

    n_folds: int = 3  # unless the evidence has folds of its own
    clearly: float = 0.0  # standard errors by which a decoding that learns must beat class frequencies
    most_scores: int = sys.maxsize  # to compare and calibrate by; of more, evenly spaced samples are taken
    most_compared: int = sys.maxsize  # samples × classes beyond which decodings are not compared

    def __str__(self) -> str:
        return (
            f"{self.n_folds} folds; a learned decoding must beat class frequencies by {self.clearly:g} standard errors"
        )

    def step(self, n_samples: int, n_classes: int) -> int:
        """Return the step between samples whose scores are at most about `most_scores`."""
        return 1 + n_samples * n_classes // self.most_scores


NEUTRAL = Judging()


class Rehearsal(NamedTuple):
    """Evidence without some of the samples, and outputs for these samples, for comparing decodings.

    None of the binary classifiers behind it has seen these samples. In held-out outputs alone, this is not so: the
    classifiers that are held out for other samples have been trained on them, and a decoding that learns from their
    outputs looks worse than it is.
    """

    evidence: "Evidence"
    outputs: Array
    y: Classes
    weight: Array | None

    def first(self, n_columns: int) -> "Rehearsal":
        """Return the rehearsal of the first columns."""
        return self._replace(evidence=self.evidence.first(n_columns), outputs=self.outputs[:, :n_columns])

    def judged_by_every(self, step: int) -> "Rehearsal":
        """Return the rehearsal with every `step`-th sample to evaluate on."""
        weight = None if self.weight is None else self.weight[::step]
        return self._replace(outputs=self.outputs[::step], y=self.y[::step], weight=weight)


@dataclass(frozen=True)
class Evidence:
    """Outputs for training samples: those that the decoding learns from, and those of samples that were held out.

    Either is None if nothing needs it. `folds` are the folds of the held-out outputs, if they had any, and `rows` the
    training samples that the evidence is about; None: all. `features` are those of the samples with held-out outputs,
    if they are numbers.
    """

    outputs: Array | None
    held_out: Array | None
    y: Classes
    weight: Array | None = None
    folds: Folds | None = None
    judging: Judging = NEUTRAL
    rows: NDArray[np.intp] | None = None
    features: Array | None = None

    @property
    def known_rows(self) -> NDArray[np.intp]:
        """The training samples that the evidence is about."""
        return np.arange(len(self.y)) if self.rows is None else self.rows

    def first(self, n_columns: int) -> "Evidence":
        """Return the evidence for the first columns."""
        outputs, held_out = (None if part is None else part[:, :n_columns] for part in (self.outputs, self.held_out))
        return replace(self, outputs=outputs, held_out=held_out)

    def some(self, most: int) -> "Evidence":
        """Return the evidence of evenly spaced samples: about `most` outputs, and features if they are as few."""
        widest = max((part.shape[1] for part in (self.outputs, self.held_out) if part is not None), default=1)
        step = 1 + len(self.y) * widest // most

        def copied(part: Any) -> Any:
            return None if part is None else part[::step].copy()

        outputs = copied(self.outputs)
        held_out = outputs if self.held_out is self.outputs else copied(self.held_out)
        folds = None if step > 1 else self.folds
        rows = self.known_rows[::step].copy()
        features = None if self.features is None or self.features[::step].size > most else copied(self.features)
        return Evidence(
            outputs, held_out, self.y[::step].copy(), copied(self.weight), folds, self.judging, rows, features
        )

    def is_part_of(self, other: "Evidence") -> bool:
        """Tell whether samples or features were left out of the other evidence."""
        return len(self.y) < len(other.y) or (self.features is None and other.features is not None)
