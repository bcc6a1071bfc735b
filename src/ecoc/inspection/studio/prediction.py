"""Measure confusions of held-out samples, and predict the accuracy for each number of columns with a cheap proxy."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecoc.classifier.pair_protection import held_out_choices
from ecoc.codes.factorization.factorize import factorize_problem
from ecoc.codes.refinement.limits import LIMITS
from ecoc.codes.refinement.proxy import HeldOut, proxy_outputs
from ecoc.codes.refinement.selection import held_out_hits
from ecoc.inspection.studio.certificate import DRAFT, make_problem
from ecoc.inspection.studio.state import State
from ecoc.inspection.studio.subject import Subject
from ecoc.utils.estimators import unwrap
from ecoc.utils.exceptions import InfeasibleError
from ecoc.utils.labels import known_indices

Counts = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Prediction:
    """Held-out outputs for the samples of a subject, with their confusions and predicted accuracies.

    Parameters
    ----------
    subject : Subject
        Classes and samples.
    n_lengths : int
        Numbers of columns to try.
    """

    subject: Subject
    n_lengths: int = 9

    @cached_property
    def held_out(self) -> HeldOut | None:
        """Outputs of kernel ridge regression without the sample itself; None without samples."""
        samples = self.subject.samples
        if samples is None or len(np.unique(samples.y)) < len(self.subject.labels):
            return None
        return proxy_outputs(samples.features, samples.y, np.random.default_rng(0))

    @cached_property
    def confusions(self) -> dict[str, Any] | None:
        """Confusions of held-out samples for JSON, and the model behind them; None if there are none."""
        found = self._of_model() or self._of_proxy()
        if found is None:
            return None
        true, said, source = found
        k = len(self.subject.labels)
        counts = np.zeros((k, k), dtype=np.int64)
        answered = said >= 0
        np.add.at(counts, (true[answered], said[answered]), 1)
        accuracy = float(np.mean(true == said))
        rows, columns = np.nonzero(counts * ~np.eye(k, dtype=bool))
        flat = np.column_stack([rows, columns, counts[rows, columns]]).ravel().tolist()
        return {
            "source": source,
            "pairs": flat,
            "samples": np.bincount(true, minlength=k).tolist(),
            "accuracy": accuracy,
        }

    def _of_model(self) -> tuple[Any, Any, str] | None:
        """Return true and predicted classes of the samples, or of the model's own held-out samples."""
        model, samples = self.subject.model, self.subject.samples
        if model is None:
            return None
        inner = unwrap(model)[0]
        if samples is not None:
            said = known_indices(np.ravel(model.predict(samples.X)), np.asarray(inner.classes_))
            return samples.y, said, "the model on the given samples"
        decision: Any = getattr(getattr(inner, "fitted_", None), "decision", None)
        evidence = getattr(decision, "evidence", None)
        if evidence is None or evidence.held_out is None:
            return None
        return evidence.y, held_out_choices(decision, evidence), "the model on held-out training samples"

    def _of_proxy(self) -> tuple[Any, Any, str] | None:
        if self.held_out is None:
            return None
        said = self.held_out.under(np.eye(self.held_out.n_classes)).argmax(axis=1)
        return self.held_out.y, said, "kernel ridge regression on samples that it was not trained on"

    def curve(self, state: State, stop: Callable[[], bool]) -> Iterator[dict[str, Any]]:
        """Yield the predicted accuracy of the code of a state for some numbers of columns, and its standard error."""
        if self.held_out is None:
            return
        problem, _ = make_problem(self.subject, state, DRAFT.fills)
        k, l = problem.n_classes, problem.n_columns
        least = (k - 1).bit_length()
        longest = min(max(l + 2, k), 4 * l + 8, 2 ** min(k - 1, 20) - 1)
        lengths = np.unique(np.geomspace(least, max(longest, least), self.n_lengths).round().astype(int))
        fast = replace(LIMITS, many_classes=0)  # one covariance for all classes
        for m in sorted({*lengths.tolist(), l}, key=lambda m: (m != l, m)):
            if stop():
                return
            shorter = problem.with_columns(m)
            try:
                found = factorize_problem(
                    shorter, random_state=0, effort=DRAFT.effort, time_limit=1.0, progress=False, stop=stop
                )
            except InfeasibleError:
                continue
            hits = held_out_hits(self.held_out, found.code, fast)
            error = float(hits.std() / np.sqrt(len(hits)))
            yield {"n_columns": int(m), "accuracy": float(hits.mean()), "standard_error": error}
