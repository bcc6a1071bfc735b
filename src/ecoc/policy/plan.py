"""Plan a fit before anything is trained: coding, decoding, held-out outputs, and the reasons."""

from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ecoc.codes.coding import ECF, Coding, Plain, get_coding
from ecoc.codes.coding.protection import Protected
from ecoc.decoding import Decoding, get_decoding
from ecoc.decoding.evidence import NEUTRAL, Judging
from ecoc.policy.learner import Learner, Problem, describe
from ecoc.policy.rules import CODING, DECODING, JUDGING, PLAIN, REFINEMENT, REHEARSAL
from ecoc.policy.training import BINS, HELD_OUT, HELD_OUT_TOL
from ecoc.training.interfaces import CoarseBins, HeldOut, Kind


@dataclass(frozen=True)
class Plan:
    """Decisions of a fit, with their reasons.

    Attributes
    ----------
    learner : Learner
        The binary classifier, as the rules see it.
    coding : Coding
        Makes the code book.
    decoding : Decoding or None
        Turns outputs into class scores, unfitted. None: held-out samples choose it.
    held_out : HeldOut or None
        How held-out outputs are computed. None: by the user's own folds.
    rehearsed_parts : int or None
        Decodings are compared on one of so many parts of the samples, by classifiers that are trained without it.
        None: by folds of the held-out outputs.
    most_refined : int or None
        Number of columns up to which a code is fitted to the data. None: no limit.
    outputs : {"signs", "margins", "probabilities"}
        Outputs of the binary classifiers that the decoding needs.
    learns_from : {"training", "out_of_fold"} or None
        Outputs that the decoding learns from: those for samples that the classifiers have seen, or held-out ones.
    judging : Judging
        How decodings are compared and calibrated.
    training : str or None
        How the columns are trained, once that is known.
    compares_plain : bool
        Whether held-out samples choose between the code and the learner's own multi-class fit.
    bins : CoarseBins or None
        Bins to try with boosters, if their own number is left open.
    held_out_tol : float
        Least tolerance of classifiers that only give held-out outputs.
    reasons : dict of str to str
        A sentence for each decision.
    problem : Problem
        What the decisions were made from.

    Examples
    --------
    >>> from ecoc import ECOCClassifier
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> ECOCClassifier(DecisionTreeClassifier()).plan(*load_digits(return_X_y=True))
    Plan for DecisionTreeClassifier (tree), 10 classes, 1,797 samples
      coding: ECF(n_columns=2.0), because many columns correct the errors of single trees
      held-out outputs: mean of 3 folds, because the classifier is the mean of the trees of three folds, which is better
        than one tree of all samples
      decoding: the best of several, because held-out samples choose between codewords, discriminant and structured
        decoding
    """

    learner: Learner
    coding: Coding
    decoding: Decoding | None
    held_out: HeldOut | None
    rehearsed_parts: int | None
    most_refined: int | None
    reasons: dict[str, str] = field(repr=False)
    problem: Problem = field(repr=False)
    outputs: Kind = "margins"
    learns_from: Literal["training", "out_of_fold"] | None = "out_of_fold"
    judging: Judging = NEUTRAL
    training: str | None = None
    compares_plain: bool = False
    bins: CoarseBins | None = None
    held_out_tol: float = 0.0

    def with_code(self, code: NDArray[np.int8] | None) -> "Plan":
        """Return the plan once the code is known, which the decoding depends on.

        Parameters
        ----------
        code : int8 ndarray of shape (n_classes, n_columns), or None
            The code; None if it is not known yet.

        Returns
        -------
        Plan
            With the decoding for this code.
        """
        return self._decided(replace(self.problem, code=code))

    def with_held_out(self, n_held_out: int) -> "Plan":
        """Return the plan once the number of held-out samples is known, if these are a part of all samples.

        Parameters
        ----------
        n_held_out : int
            Number of samples.

        Returns
        -------
        Plan
            With the decoding for so many samples.
        """
        return self._decided(replace(self.problem, n_held_out=n_held_out))

    def as_plain(self) -> "Plan":
        """Return the plan for the learner's own multi-class fit.

        Returns
        -------
        Plan
            Before the code is known.
        """
        coding = Plain()
        return replace(self, coding=coding, problem=replace(self.problem, usual_decoding=coding.usual_decoding))

    def because_of(self, what: str, why: str) -> "Plan":
        """Return the plan with another reason for a decision.

        Parameters
        ----------
        what : {"coding", "decoding", "held-out outputs"}
            The decision.
        why : str
            The reason.

        Returns
        -------
        Plan
            As carried out: nothing is left to compare.
        """
        return replace(self, compares_plain=False, reasons={**self.reasons, what: why})

    def _decided(self, problem: Problem) -> "Plan":
        decoding, parts, reasons = self.decoding, self.rehearsed_parts, self.reasons
        judging, _ = JUDGING.decide(problem)
        if "decoding" in reasons:  # else the user chose it
            parts, _ = REHEARSAL.decide(problem)
            name, rule = DECODING.decide(problem)
            reasons = {**reasons, "decoding": rule.why}
            decoding = None if name is None else get_decoding(name)
        return replace(
            self,
            problem=problem,
            reasons=reasons,
            rehearsed_parts=parts,
            decoding=decoding,
            judging=judging,
            outputs="margins" if decoding is None else decoding.needs,
            learns_from="out_of_fold" if decoding is None else decoding.fit_on,
        )

    def __repr__(self) -> str:
        problem = self.problem
        head = f"Plan for {self.learner.name} ({self.learner.kind}), {problem.n_classes:,} classes, "
        rows = {
            "coding": repr(self.coding) + " or Plain(), whichever predicts more held-out samples" * self.compares_plain,
            **({} if self.training is None else {"training": self.training}),
            "held-out outputs": "by your own folds" if self.held_out is None else str(self.held_out),
            "decoding": "the best of several" if self.decoding is None else repr(self.decoding),
        }
        told = (
            f"  {what}: {value}" + (f", because {self.reasons[what]}" if what in self.reasons else "")
            for what, value in rows.items()
        )
        return "\n".join([f"{head}{problem.n_samples:,} samples", *told])


def make_plan(
    estimator: Any,
    coding: Any,
    decoding: Any,
    y: NDArray[np.intp],
    n_classes: int,
    *,
    sparse: bool,
    cv: Any,
    streams: bool = False,
    grows: bool = False,
) -> Plan:
    """Plan a fit.

    Parameters
    ----------
    estimator : estimator, or sequence of estimators, one for each column
        The binary classifier.
    coding, decoding : str or object
        As the user gave them; ``"auto"`` is decided by the rules.
    y : ndarray of shape (n_samples,)
        Classes, 0 to n_classes − 1.
    n_classes : int
        Number of classes.
    sparse : bool
        Whether the samples are a sparse matrix.
    cv : object
        As the user gave it; ``"auto"`` is decided by the rules.
    streams : bool, default=False
        Whether the samples come in batches.
    grows : bool, default=False
        Whether classes are to be added later.

    Returns
    -------
    Plan
        The plan, before the code is known; :meth:`Plan.with_code` adds the decoding.
    """
    learner = describe(estimator)
    auto_cv = isinstance(cv, str)
    problem = Problem(learner, np.bincount(y, minlength=n_classes), sparse, streams, not auto_cv, grows=grows)
    reasons: dict[str, str] = {}
    compares = False
    protects = not streams and _only_protects(coding)
    if protects or (isinstance(coding, str) and coding == "auto"):
        protect: Any = coding.protect if protects else ()
        coding, rule = CODING.decide(problem)
        reasons["coding"] = rule.why
        if protects:
            ours = isinstance(coding, ECF)  # the object is the rule's own, which must not change
            coding = clone(coding).set_params(protect=protect) if ours else Protected(coding, protect)
        compares = (
            isinstance(decoding, str)
            and decoding == "auto"
            and not isinstance(coding, Plain)
            and PLAIN.decide(problem)[0]
        )
    coding = clone(coding) if isinstance(coding, Coding) else get_coding(coding)
    held_out = None
    if auto_cv:
        held_out, rule = HELD_OUT.decide(problem)
        reasons["held-out outputs"] = rule.why
        if held_out.way == "part":
            problem = replace(problem, n_held_out=problem.n_samples // 2)
    most_refined, _ = REFINEMENT.decide(problem)
    held_out_tol, _ = HELD_OUT_TOL.decide(problem)
    bins, _ = BINS.decide(problem)
    problem = replace(problem, usual_decoding=coding.usual_decoding)
    if isinstance(decoding, str) and decoding == "auto":
        decoding, reasons["decoding"] = None, "it depends on the code"
    else:
        decoding = get_decoding(decoding)
    return Plan(
        learner,
        coding,
        decoding,
        held_out,
        None,
        most_refined,
        reasons,
        problem,
        compares_plain=compares,
        bins=bins,
        held_out_tol=held_out_tol,
    )


def _only_protects(coding: Any) -> bool:
    """Tell whether a coding is ECF with nothing but protected pairs, which are added to what the defaults choose."""
    return type(coding) is ECF and bool(coding.protect) and repr(clone(coding).set_params(protect=None)) == repr(ECF())
