"""Fit a decoding to outputs, calibrate its probabilities, and choose classes with both."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ecoc.codes.codebook import CodeBook
from ecoc.decoding import Decoding
from ecoc.decoding.calibration import Calibration
from ecoc.decoding.choice import calibrated, fit_decoding, fit_sets, outputs_for
from ecoc.decoding.conformal import SetPredictor
from ecoc.decoding.evidence import Classes, Evidence, Rehearsal
from ecoc.decoding.statistics import OutputStatistics
from ecoc.decoding.top import best_classes, top_of_all
from ecoc.utils.threads import one_blas_thread

Array = NDArray[np.float64]


@dataclass(eq=False)
class Decision:
    """A fitted decoding and the calibration of its probabilities."""

    most_outputs: ClassVar[int] = 2**20  # numbers of evidence that a classifier keeps for `truncate`: 8 MB
    decoding: Decoding
    _calibration: Calibration  # see `calibration`
    calibrates: bool  # whether a decoding that has only scores gets probabilities
    evidence: Evidence | None  # what the decision was fitted to, for `first`
    keeps_evidence: bool = False  # in copies and files
    trials: dict[str, list[Any]] | None = None  # what decoding="auto" compared
    sets: SetPredictor | None = None  # if these took no trainings of their own
    _later: Any = None  # an object with held-out outputs as `evidence`, computed once probabilities are asked for
    _rehearsal: Rehearsal | None = None  # what judged the decision, if not the evidence; for `first`
    _statistics: OutputStatistics | None = None  # of held-out outputs, if these were computed; see `statistics`

    @classmethod
    def learn(
        cls,
        wanted: Decoding | None,
        codebook: CodeBook,
        evidence: Evidence,
        *,
        calibrates: bool,
        keeps_evidence: bool = False,
        seed: int | None = 0,
        later: Any = None,
        rehearse: Callable[[], Rehearsal] | None = None,
    ) -> "Decision":
        """Fit a decoding and its calibration to evidence, which also chooses the decoding if `wanted` is None."""
        with one_blas_thread():
            fitted = fit_decoding(wanted, codebook, evidence, calibrates=calibrates, seed=seed, rehearse=rehearse)
        retained = evidence.some(cls.most_outputs)
        return cls(
            fitted.decoding,
            fitted.calibration,
            calibrates,
            retained,
            keeps_evidence,
            fitted.trials,
            fitted.sets,
            later,
            fitted.rehearsal,
            _described(fitted.decoding, evidence) if retained.is_part_of(evidence) else None,
        )

    @property
    def calibration(self) -> Calibration:
        """Calibration that turns scores into probabilities."""
        self.calibrate()
        return self._calibration

    def calibrate(self) -> None:
        """Compute held-out outputs and the calibration if they were put off."""
        if self._later is None:
            return
        evidence = self._later.evidence()
        fitted = calibrated(self.decoding, self.decoding.codebook_, evidence)
        self._calibration, self.sets, self.evidence = fitted.calibration, fitted.sets, evidence.some(self.most_outputs)
        self._statistics = _described(self.decoding, evidence)
        self._later = None

    def statistics(self) -> OutputStatistics | None:
        """Return statistics of held-out outputs, computed from the evidence if necessary; None without evidence."""
        self.calibrate()
        if self._statistics is None and self.evidence is not None:
            self._statistics = _described(self.decoding, self.evidence)
        return self._statistics

    def first(self, codebook: CodeBook) -> "Decision":
        """Return the decision for `codebook`, the first columns of the code."""
        if self.evidence is None:
            if self.decoding.fit_on is not None:
                raise ValueError(
                    f"{type(self.decoding).__name__} decoding learns from outputs of the training samples, and this "
                    "copy of the classifier has none. Truncate the classifier before you save or copy it, or fit "
                    "it with keep_outputs=True (ecoc fit --keep-outputs)."
                )
            return Decision(clone(self.decoding).fit(codebook), self.calibration, self.calibrates, None)
        n_columns, rehearsal, evidence = codebook.n_columns, self._rehearsal, self.evidence
        if self._statistics is not None and self._statistics.scale is None:  # features did not help
            evidence = replace(evidence, features=None)
        return Decision.learn(
            None if self.trials is not None else self.decoding,
            codebook,
            evidence.first(n_columns),
            calibrates=self.calibrates,
            keeps_evidence=self.keeps_evidence,
            later=None if self._later is None else self._later.first(n_columns),
            rehearse=None if rehearsal is None else partial(rehearsal.first, n_columns),
        )

    def scores(self, outputs: Array) -> Array:
        """Return the scores of all classes, for each row of outputs."""
        scores: Array = self.decoding.scores(outputs)
        return scores

    def probabilities(self, outputs: Array) -> Array:
        """Return the probabilities of all classes, for each row of outputs."""
        return self.calibration.probabilities(self.scores(outputs))

    def set_probabilities(self, outputs: Array) -> Array:
        """Return the probabilities for prediction sets."""
        return self.probabilities(outputs)

    def held_out_probabilities(self, held_out: Array) -> Array:
        """Return the probabilities of all classes, for held-out outputs of the kind that the decoding was chosen by."""
        return self.probabilities(outputs_for(self.decoding, held_out))

    def set_predictor(self) -> SetPredictor:
        """Return the predictor of sets of classes, which the first call makes from the evidence."""
        self.calibrate()
        if self.sets is None:
            if self.evidence is None or self.evidence.held_out is None:
                raise ValueError(
                    "sets of classes need held-out outputs of the training samples, and this classifier has none: fit "
                    "it with decoding='auto' or probability=True or, to predict sets from a copy, keep_outputs=True."
                )
            self.sets = fit_sets(self.decoding, self.decoding.codebook_, self.evidence, self.calibration)
        return self.sets

    def choose(self, outputs: Array) -> Classes:
        """Return the best class of each row of outputs."""
        return best_classes(self.decoding, outputs)[:, 0]

    def top(self, outputs: Array, n_best: int, probabilities: bool) -> tuple[Classes, Array]:
        """Return the best classes of each row of outputs, with their probabilities or scores, some rows at a time."""
        return top_of_all(self.probabilities if probabilities else self.scores, outputs, n_best)

    def __getstate__(self) -> dict[str, Any]:
        """Drop the evidence, which holds outputs for training samples, unless `keep_outputs` asks for it.

        Features of training samples are dropped in any case.
        A copy has no training samples for a later calibration, so the decision is calibrated now. Statistics stay.
        """
        self.statistics()
        kept: dict[str, Any] = {"evidence": None, "_rehearsal": None}
        if self.keeps_evidence:
            kept = {"evidence": self.evidence and replace(self.evidence, features=None)}
        return {**self.__dict__, **kept}

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Earlier files have no rehearsal, and a temperature alone.
        earlier = {"_rehearsal": None, "_statistics": None, "_calibration": Calibration(state.get("_temperature", 1.0))}
        self.__dict__.update({**earlier, **state})


def _described(decoding: Decoding, evidence: Evidence) -> OutputStatistics | None:
    """Return statistics of held-out outputs."""
    if evidence.held_out is None:
        return None
    # Where held-out samples chose a decoding of signs, the outputs are margins.
    is_margins = decoding.needs == "signs" and bool((np.abs(evidence.held_out) != 1).any())
    kind = "margins" if is_margins else decoding.needs
    k = decoding.codebook_.n_classes
    return OutputStatistics.of(evidence.held_out, evidence.y, evidence.weight, k, kind, evidence.features)
