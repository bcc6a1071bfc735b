"""Plan a fit before anything is trained: coding, decoding, held-out outputs, and the reasons."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecoc.codes.codebook import CodeBook
from ecoc.codes.coding import Coding, Context, OneVsAll, OneVsOne, get_coding
from ecoc.decoding import Decoding, get_decoding
from ecoc.policy.learner import Learner, describe
from ecoc.policy.rules import CODING, DECODING, HELD_OUT, REFINEMENT, REHEARSAL, Problem
from ecoc.training.base import HeldOut
from ecoc.utils.estimators import last_step
from ecoc.utils.folds import Folds


@dataclass(frozen=True)
class Plan:
    """What a fit will do, and why.

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
    rehearses : bool
        Whether decodings are compared by classifiers that are trained without some samples.
    most_refined : int or None
        Number of columns up to which a code is fitted to the data. None: no limit.
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
      decoding: chosen, because held-out samples choose between codewords, discriminant and structured decoding
    """

    learner: Learner
    coding: Coding
    decoding: Decoding | None
    held_out: HeldOut | None
    rehearses: bool
    most_refined: int | None
    reasons: dict[str, str] = field(repr=False)
    problem: Problem = field(repr=False)

    def with_code(self, codebook: CodeBook) -> "Plan":
        """Return the plan once the code is known, which the decoding depends on.

        Parameters
        ----------
        codebook : CodeBook
            The code.

        Returns
        -------
        Plan
            With the decoding for this code.
        """
        return self._decided(replace(self.problem, code=codebook))

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

    def context(self, estimator: Any, random_state: Any = None, folds: Folds | None = None) -> Context:
        """Return what a coding may know besides the data.

        Parameters
        ----------
        estimator : estimator
            The binary classifier, for a coding that tries it.
        random_state : int, RandomState, Generator or None, default=None
            Seed of the coding.
        folds : list of pairs of rows, default=None
            The user's own folds.

        Returns
        -------
        Context
            The context.
        """
        return Context(random_state, self.learner.is_linear, folds, last_step(estimator), self.most_refined)

    def _decided(self, problem: Problem) -> "Plan":
        if "decoding" not in self.reasons:  # the user chose it
            return replace(self, problem=problem)
        name, rule = DECODING.decide(problem)
        rehearses, _ = REHEARSAL.decide(problem)
        return replace(
            self,
            decoding=None if name is None else get_decoding(name),
            rehearses=rehearses,
            reasons={**self.reasons, "decoding": rule.why},
            problem=problem,
        )

    def __repr__(self) -> str:
        problem = self.problem
        head = f"Plan for {self.learner.name} ({self.learner.kind}), {problem.n_classes:,} classes, "
        rows = {
            "coding": repr(self.coding),
            "held-out outputs": "by your own folds" if self.held_out is None else str(self.held_out),
            "decoding": "chosen" if self.decoding is None else repr(self.decoding),
        }
        told = (
            f"  {what}: {value}" + (f", because {self.reasons[what]}" if what in self.reasons else "")
            for what, value in rows.items()
        )
        return "\n".join([f"{head}{problem.n_samples:,} samples", *told])


def make_plan(
    estimator: Any, coding: Any, decoding: Any, y: NDArray[np.intp], n_classes: int, *, sparse: bool, cv: Any
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

    Returns
    -------
    Plan
        The plan, before the code is known.
    """
    learner = describe(estimator)
    auto_cv = isinstance(cv, str)
    problem = Problem(learner, np.bincount(y, minlength=n_classes), sparse, own_folds=not auto_cv)
    reasons: dict[str, str] = {}
    if isinstance(coding, str) and coding == "auto":
        coding, rule = CODING.decide(problem)
        reasons["coding"] = rule.why
    coding = get_coding(coding)
    held_out = None
    if auto_cv:
        held_out, rule = HELD_OUT.decide(problem)
        reasons["held-out outputs"] = rule.why
        if held_out.way == "part":
            problem = replace(problem, n_held_out=problem.n_samples // 2)
    most_refined, _ = REFINEMENT.decide(problem)
    known = coding.build(n_classes) if isinstance(coding, OneVsAll | OneVsOne) and n_classes <= 100 else None
    problem = replace(problem, usual_decoding=coding.usual_decoding)
    plan = Plan(learner, coding, None, held_out, False, most_refined, reasons, problem)
    if isinstance(decoding, str) and decoding == "auto":
        return replace(plan, reasons={**reasons, "decoding": ""})._decided(replace(problem, code=known))
    return replace(plan, decoding=get_decoding(decoding))
