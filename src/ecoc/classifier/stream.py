"""Learn from batches: each trains the binary classifiers and refits the decision."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ecoc.classifier.decision import Decision
from ecoc.classifier.fitted import FittedModel
from ecoc.codes.codebook import CodeBook
from ecoc.codes.coding import Coding
from ecoc.decoding import Decoding
from ecoc.decoding.evidence import Evidence, Judging
from ecoc.training.interfaces import Task
from ecoc.training.plain import PlainStream
from ecoc.training.stream import Rivals, StreamDichotomizers

Array = NDArray[np.float64]


@dataclass(eq=False)
class Stream:
    """Memory of a classifier between batches: the outputs for its latest samples."""

    most_recent: ClassVar[int] = 4096  # samples of a stream whose outputs the decision is fitted to
    keeps_evidence: bool = False  # in copies and files; a copy without these outputs goes on with the decision it has
    recent: Evidence | None = None
    rivals: Rivals | None = None  # if samples that are not learned yet choose between one-vs-all and the learner itself

    @property
    def n_recent(self) -> int:
        """Number of samples whose outputs are remembered."""
        return 0 if self.recent is None else len(self.recent.y)

    def first(self, n_columns: int) -> "Stream":
        """Return the state for the first columns."""
        return Stream(self.keeps_evidence, None if self.recent is None else self.recent.first(n_columns))

    def learn(
        self,
        models: StreamDichotomizers | PlainStream | Rivals,
        codebook: CodeBook,
        decision: Decision | None,
        task: Task,
        wanted: Decoding | None,
        *,
        calibrates: bool,
        judging: Judging,
    ) -> tuple["Stream", FittedModel]:
        """Return the state and the model after one batch; `wanted` is None if the evidence chooses the decoding."""
        before, rivals = self.recent, models if isinstance(models, Rivals) else None
        leads = True
        if rivals is not None:
            leader = rivals.leader
            rivals.judge(task)
            leads = rivals.leader is leader
        if decision is not None and before is None and leads:  # a decision of `fit`, or of a copy
            models.learn(task)
            return Stream(self.keeps_evidence, None, rivals), FittedModel(codebook, leading(models), decision)
        kind = "margins" if wanted is None else wanted.needs
        # Before learning from a batch, the models have not seen it: their outputs are held-out ones.
        ahead = None if decision is None else models.outputs(task.X, kind)
        models.learn(task)
        outputs = models.outputs(task.X, kind) if ahead is None else ahead
        recent = self._joined(before if leads else None, outputs, task, judging)
        decision = Decision.learn(wanted, codebook, recent, calibrates=calibrates, keeps_evidence=self.keeps_evidence)
        return Stream(self.keeps_evidence, recent, rivals), FittedModel(codebook, leading(models), decision)

    def _joined(self, before: Evidence | None, outputs: Array, task: Task, judging: Judging) -> Evidence:
        weight = np.ones(len(task.y)) if task.sample_weight is None else task.sample_weight
        parts: tuple[Any, ...] = (outputs, task.y, weight)
        if before is not None:
            earlier: tuple[Any, ...] = (before.outputs, before.y, before.weight)
            parts = tuple(np.concatenate(pair) for pair in zip(earlier, parts))
        outputs, y, weight = (part[-self.most_recent :] for part in parts)
        return Evidence(outputs, outputs, y, weight, judging=judging)

    def __getstate__(self) -> dict[str, Any]:
        """Drop the outputs, which are for training samples, unless `keep_outputs` asks for them."""
        return {**self.__dict__, "recent": self.recent if self.keeps_evidence else None}


def leading(models: StreamDichotomizers | PlainStream | Rivals) -> StreamDichotomizers | PlainStream:
    """Return the models; if two kinds compete, those that predict better."""
    return models.leader if isinstance(models, Rivals) else models


def check_first_batch(coding: Coding, classes: NDArray[Any], y: NDArray[Any]) -> None:
    """Raise an error if a coding needs data and the first batch lacks a class."""
    missing = np.setdiff1d(classes, y)
    if coding.needs_data and len(missing):
        raise ValueError(
            f"{type(coding).__name__} designs its code from the first batch, which lacks {missing[:5].tolist()}; give "
            "a first batch with every class, or a coding that needs no data, e.g. coding='dense'."
        )
