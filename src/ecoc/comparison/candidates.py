"""What is there to try? Codings, lengths and decodings, in all combinations that differ."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ecoc.coding import get_coding
from ecoc.comparison.protection import Protection
from ecoc.design.length import resolve_length

Length = int | float | str

MOST_ONE_VS_ONE = 50  # classes; beyond, one-vs-one is tried only if asked for


@dataclass(frozen=True)
class Candidate:
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
    >>> from ecoc.comparison import Candidate
    >>> Candidate("ecf", "auto", "discriminant").name
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

    def make_coding(self, protection: Protection) -> Any:
        """Make the coding.

        Parameters
        ----------
        protection : Protection
            What to protect, if the candidate does.

        Returns
        -------
        Coding
            Unfitted.
        """
        options = {} if self.columns is None else {"n_columns": self.columns}
        if self.protected:
            options |= protection.options()
        return get_coding(self.coding).set_params(**options)

    def make(self, learner: Any, protection: Protection, **options: Any) -> Any:
        """Make the classifier.

        Parameters
        ----------
        learner : estimator
            The binary learner.
        protection : Protection
            What to protect, if the candidate does.
        **options : dict
            More parameters of :class:`ecoc.ECOCClassifier`.

        Returns
        -------
        ECOCClassifier
            Unfitted.
        """
        from ecoc.classifier import ECOCClassifier

        options = {"coding": self.make_coding(protection), "decoding": self.decoding, **options}
        return ECOCClassifier(learner, **options)


def make_candidates(
    k: int, codings: Iterable[str], columns: Sequence[Length], decodings: Sequence[str], protects: bool = False
) -> list[Candidate]:
    """Make all combinations that differ.

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
    list of Candidate
        Each once.

    Examples
    --------
    >>> from ecoc.comparison import make_candidates
    >>> [candidate.columns for candidate in make_candidates(10, ["ecf"], ["auto", 0.5, 5], ["linear"])]
    ['auto', 5]
    """
    if k == 2:
        return [Candidate("ova", None, "auto")]
    found: dict[Candidate, None] = {}
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
                found[Candidate(coding, length, decoding)] = None
                if protects and coding == "ecf":
                    found[Candidate(coding, length, decoding, True)] = None
    return list(found)
