"""List the candidates: all distinct combinations of coding, length and decoding, and the baselines."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ecoc.classifier import ECOCClassifier
from ecoc.codes.coding import get_coding
from ecoc.codes.design.length import resolve_length
from ecoc.policy.trials import FORESTS, Trials
from ecoc.tool.comparison.learners import BASELINES, make_baseline
from ecoc.tool.comparison.protected_classes import Protection

Length = int | float | str


@dataclass(frozen=True)
class CodeCandidate:
    """A code to compare."""

    coding: str
    columns: int | str | None  # or "auto" or "rank"; None if the coding knows its own
    decoding: str
    protected: bool = False  # whether some classes are protected
    learner: str = ""  # its name; empty if there is only one
    is_small = False  # so that its size on disk is measured in no time

    @property
    def name(self) -> str:
        """Name in tables, where a numeric length has a column of its own."""
        rule = f" {self.columns}" if isinstance(self.columns, str) else ""
        return (
            self.coding + rule + (" protected" if self.protected else "") + (f" ({self.learner})" * bool(self.learner))
        )

    @property
    def cells(self) -> dict[str, Any]:
        """What tables say about it."""
        asked = {"coding": self.coding, "columns": self.columns, "decoding": self.decoding}
        return {"model": self.name, "kind": "code", **asked, "protected": self.protected, "learner": self.learner}

    @property
    def code(self) -> tuple[Any, ...]:
        """Key that candidates with the same code book share: everything but the decoding."""
        return self.coding, self.columns, self.protected, self.learner

    @property
    def family(self) -> str:
        """Key that candidates of the same learner share."""
        return self.learner

    @property
    def tuned_part(self) -> str:
        """Name of what is tuned: the learner."""
        return self.learner

    def expected_work(self, n_classes: int) -> float:
        """Return the work of a fit before the number of columns is known."""
        return self.work(self.columns if isinstance(self.columns, int) else n_classes, n_classes)

    def make(self, learner: Any, protection: Protection, *, seed: int, n_jobs: int | None, **options: Any) -> Any:
        """Make the classifier, unfitted."""
        if "coding" not in options:
            parameters = {} if self.columns is None else {"n_columns": self.columns}
            if self.protected:
                parameters |= protection.options()
            options["coding"] = get_coding(self.coding).set_params(**parameters)
        return ECOCClassifier(learner, decoding=self.decoding, n_jobs=n_jobs, random_state=seed, **options)

    def count(self, model: Any) -> int:
        """Return the number of columns."""
        return int(model.n_columns_)

    def work(self, count: int, n_classes: int) -> float:
        """Return two trainings for each column: held-out outputs and the design take at most as long as training."""
        return 2.0 * count


@dataclass(frozen=True)
class BaselineCandidate:
    """A model without a code."""

    baseline: str  # a key of `BASELINES`
    name: str  # in tables
    n_models: int = 1  # that it consists of; one that handles all classes at once counts as one
    learner: str = ""  # its name, if it has one; empty if there is only one learner
    protected = False

    @property
    def cells(self) -> dict[str, Any]:
        """What tables say about it."""
        none = {"coding": None, "columns": None, "decoding": None}
        return {"model": self.name, "kind": self.baseline, **none, "protected": False, "learner": self.learner}

    @property
    def family(self) -> str:
        """Key that candidates of the same learner share; other baselines are their own family."""
        return self.tuned_part

    @property
    def tuned_part(self) -> str:
        """Name of what is tuned: the learner, or the baseline itself if it has none."""
        return self.learner if self.uses_learner else self.baseline

    def expected_work(self, n_classes: int) -> float:
        """Return the work of a fit; boosting trains a tree for each class in each round."""
        return float(n_classes if self.n_models == 1 else self.n_models)

    @property
    def is_small(self) -> bool:
        """Whether its size on disk is quick to measure; that of a hundred trees is not."""
        return self.baseline not in FORESTS

    @property
    def uses_learner(self) -> bool:
        """Whether the learner is a part of it."""
        return BASELINES[self.baseline].uses_learner

    def make(self, learner: Any, protection: Protection, *, seed: int, n_jobs: int | None, **options: Any) -> Any:
        """Make the model, unfitted."""
        return make_baseline(self.baseline, learner, seed, n_jobs)

    def count(self, model: Any) -> int:
        """Return the number of models."""
        return self.n_models

    def work(self, count: int, n_classes: int) -> float:
        """Return the number of models; those for pairs of classes see two classes each."""
        of_pairs = count > 1 and count == n_classes * (n_classes - 1) // 2
        return n_classes - 1.0 if of_pairs else float(count)


Candidate = CodeCandidate | BaselineCandidate


def baseline_candidate(name: str, trials: Trials, learner: str = "") -> BaselineCandidate:
    """Make the candidate of a baseline, named after its parts."""
    title, n_models = BASELINES[name].title, trials.models[name]
    if not BASELINES[name].uses_learner:
        return BaselineCandidate(name, title, n_models)
    settings = f" ({learner})" if ":" in learner else ""
    return BaselineCandidate(name, f"{title} {trials.learner.name}{settings}".strip(), n_models, learner)


def code_candidates(
    k: int,
    codings: Iterable[str],
    columns: Sequence[Length],
    decodings: Sequence[str],
    protects: bool = False,
    learner: str = "",
) -> list[CodeCandidate]:
    """Make all distinct combinations, short codes first; two classes have one column, whatever the coding.

    Only ECF knows the lengths ``"auto"`` and ``"rank"``, and is tried with protected classes, too.
    """
    if k == 2:
        return [CodeCandidate("ova", None, "auto", learner=learner)]
    found: dict[CodeCandidate, None] = {}
    for coding in codings:
        lengths: list[int | str | None] = [None]
        if "n_columns" in get_coding(coding).get_params():
            lengths = [
                value if isinstance(value, str | int) else resolve_length(value, k, k)
                for value in columns
                if coding == "ecf" or not isinstance(value, str)
            ]
        for length in lengths:
            for decoding in decodings:
                found[CodeCandidate(coding, length, decoding, learner=learner)] = None
                if protects and coding == "ecf":
                    found[CodeCandidate(coding, length, decoding, True, learner)] = None
    return list(found)


def is_floor(candidate: Candidate) -> bool:
    """Tell whether a candidate always predicts the most frequent class."""
    return isinstance(candidate, BaselineCandidate) and candidate.baseline == "majority"
