"""List the candidates: all distinct combinations of coding, length and decoding, and the baselines."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ecoc.classifier import ECOCClassifier
from ecoc.codes.coding import get_coding
from ecoc.codes.design.length import resolve_length
from ecoc.policy import describe
from ecoc.tool.comparison.baselines import BASELINES, make_baseline
from ecoc.tool.comparison.protected_classes import Protection

Length = int | float | str

_MOST_CHOSEN = 64  # classes up to which ECF chooses its length by default; beyond, that takes minutes


class Candidate(ABC):
    """A model to try; it is either a :class:`CodeCandidate` or a :class:`BaselineCandidate`."""

    @property
    @abstractmethod
    def name(self) -> str:
        """What tables call it."""

    @property
    def protected(self) -> bool:
        """Whether it protects some classes; a baseline does not."""
        return False

    @property
    @abstractmethod
    def cells(self) -> dict[str, Any]:
        """What tables say about it: its kind, coding, columns, decoding, and whether it is protected."""

    @property
    def is_small(self) -> bool:
        """Whether its size on disk is measured in no time."""
        return False

    @abstractmethod
    def make(self, learner: Any, protection: Protection, *, seed: int, n_jobs: int | None, **options: Any) -> Any:
        """Make the model, unfitted. Options are those of :class:`ecoc.ECOCClassifier`, which baselines ignore."""

    @abstractmethod
    def count(self, model: Any, learner: Any) -> int:
        """Return how many models a fitted one consists of."""

    @abstractmethod
    def work(self, count: int, n_classes: int) -> float:
        """Return how many models are trained, each counted by the share of the samples that it is trained on."""


@dataclass(frozen=True)
class CodeCandidate(Candidate):
    """A code to try.

    Attributes
    ----------
    coding : str
        Name of the coding.
    columns : int, str or None
        Number of columns, or ``"auto"`` or ``"rank"``; None if the coding knows its own.
    decoding : str
        Name of the decoding.
    protected : bool
        Whether some classes are protected.

    Examples
    --------
    >>> from ecoc.tool.comparison import CodeCandidate
    >>> CodeCandidate("ecf", "auto", "discriminant").name
    'ecf auto'
    """

    coding: str
    columns: int | str | None
    decoding: str
    protected: bool = False

    @property
    def name(self) -> str:
        """What tables call it. A length that is a number has a column of its own there."""
        rule = f" {self.columns}" if isinstance(self.columns, str) else ""
        return self.coding + rule + (" protected" if self.protected else "")

    @property
    def cells(self) -> dict[str, Any]:
        """What tables say about it."""
        asked = {"coding": self.coding, "columns": self.columns, "decoding": self.decoding}
        return {"model": self.name, "kind": "code", **asked, "protected": self.protected}

    @property
    def code(self) -> tuple[Any, ...]:
        """What candidates of the same code book have in common: all but the decoding."""
        return self.coding, self.columns, self.protected

    def make(self, learner: Any, protection: Protection, *, seed: int, n_jobs: int | None, **options: Any) -> Any:
        """Make the classifier, unfitted."""
        if "coding" not in options:
            parameters = {} if self.columns is None else {"n_columns": self.columns}
            if self.protected:
                parameters |= protection.options()
            options["coding"] = get_coding(self.coding).set_params(**parameters)
        return ECOCClassifier(learner, decoding=self.decoding, n_jobs=n_jobs, random_state=seed, **options)

    def count(self, model: Any, learner: Any) -> int:
        """Return the number of columns."""
        return int(model.n_columns_)

    def work(self, count: int, n_classes: int) -> float:
        """Return two trainings a column: held-out outputs and the design take as long as training, at most."""
        return 2.0 * count


@dataclass(frozen=True)
class BaselineCandidate(Candidate):
    """A model without a code.

    Attributes
    ----------
    baseline : str
        A key of `ecoc.tool.comparison.BASELINES`.
    title : str
        What tables call it.

    Examples
    --------
    >>> from ecoc.tool.comparison import BaselineCandidate
    >>> BaselineCandidate("lda", "LDA").name
    'LDA'
    """

    baseline: str
    title: str

    @property
    def name(self) -> str:
        """What tables call it."""
        return self.title

    @property
    def cells(self) -> dict[str, Any]:
        """What tables say about it."""
        none = {"coding": None, "columns": None, "decoding": None}
        return {"model": self.name, "kind": self.baseline, **none, "protected": False}

    @property
    def is_small(self) -> bool:
        """Whether its size on disk is measured in no time; that of a hundred trees is not."""
        return self.baseline != "forest"

    @property
    def uses_learner(self) -> bool:
        """Whether the learner is a part of it."""
        return BASELINES[self.baseline].uses_learner

    def make(self, learner: Any, protection: Protection, *, seed: int, n_jobs: int | None, **options: Any) -> Any:
        """Make the model, unfitted."""
        return make_baseline(self.baseline, learner, seed, n_jobs)

    def count(self, model: Any, learner: Any) -> int:
        """Return the number of models; one that handles all classes at once counts as one."""
        return BASELINES[self.baseline].count(learner, len(model.classes_))

    def work(self, count: int, n_classes: int) -> float:
        """Return the number of models; those for pairs of classes see two classes each."""
        of_pairs = count > 1 and count == n_classes * (n_classes - 1) // 2
        return n_classes - 1.0 if of_pairs else float(count)


def baseline_candidate(name: str, learner: Any) -> BaselineCandidate:
    """Make the candidate of a baseline, called by what it is made of."""
    kind, title = type(learner).__name__, BASELINES[name].title
    if name == "native":
        title = kind
    elif BASELINES[name].uses_learner:
        title = f"{title} {kind}"
    return BaselineCandidate(name, title)


def default_columns(k: int, learner: Any) -> tuple[Length, ...]:
    """Return the lengths that are tried for k classes: longer codes for learners that gain from them."""
    described = describe(learner)
    if described.kind == "booster" and k > _MOST_CHOSEN:  # with more columns, boosters take longer than by themselves
        return tuple(dict.fromkeys((min(k // 6, 48), min(k // 2, 64))))
    shares = (0.5, 1.0, 2.0) if described.is_linear or described.kind == "tree" else (0.25, 0.5, 1.0)
    return ("auto", *shares) if k <= _MOST_CHOSEN else shares


def code_candidates(
    k: int, codings: Iterable[str], columns: Sequence[Length], decodings: Sequence[str], protects: bool = False
) -> list[CodeCandidate]:
    """Make all combinations that differ, short codes first.

    Parameters
    ----------
    k : int
        Number of classes. Two classes have one column, whatever the coding.
    codings : iterable of str
        Names of codings.
    columns : sequence of int, float or str
        Lengths: numbers, shares of k, or ``"auto"`` or ``"rank"``, which only ECF knows.
    decodings : sequence of str
        Names of decodings.
    protects : bool, default=False
        Whether ECF is to be tried with protected classes, too.

    Returns
    -------
    list of CodeCandidate
        Each once.

    Examples
    --------
    >>> from ecoc.tool.comparison import code_candidates
    >>> [candidate.columns for candidate in code_candidates(10, ["ecf"], ["auto", 0.5, 5], ["linear"])]
    ['auto', 5]
    """
    if k == 2:
        return [CodeCandidate("ova", None, "auto")]
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
                found[CodeCandidate(coding, length, decoding)] = None
                if protects and coding == "ecf":
                    found[CodeCandidate(coding, length, decoding, True)] = None
    return list(found)
