"""Compute the outputs that a decision learns from, at once or when probabilities are asked for."""

from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone

from ecoc.classifier.code import listed
from ecoc.decoding.evidence import Evidence, Judging, Rehearsal
from ecoc.training import Options, Task, Trained, train
from ecoc.training.base import Kind
from ecoc.utils.folds import Folds, held_out_fold, make_folds

_REHEARSED = 3  # parts of the samples, one of which compares decodings


@dataclass(frozen=True)
class BinaryTraining:
    """Everything that the training of all binary classifiers depends on.

    Parameters
    ----------
    estimator : estimator, or sequence of estimators, one for each column
        The learner.
    task : Task
        The code and the samples.
    options : Options
        How to train.
    kind : {"signs", "margins", "probabilities"}
        Outputs that the decoding needs.
    seen : bool
        Whether the decoding learns from outputs of the trained classifiers themselves.
    cv : "auto", int or list of pairs of rows
        How to get held-out outputs.
    folds : list of pairs of rows, or None
        Folds that judge a decision: the user's own, or folds of whole groups. None: any sample may judge.
    random_state : int
        Seed of folds that are ours.
    judging : Judging
        How decodings are compared and calibrated.
    """

    estimator: Any
    task: Task
    options: Options
    kind: Kind
    seen: bool
    cv: Any
    folds: Folds | None
    random_state: int
    judging: Judging

    def run(self, *, held_out: bool) -> tuple[Trained, Evidence]:
        """Train, and return the classifiers and the outputs for training samples."""
        trained = train(
            self.estimator,
            self.task,
            self.options,
            self.kind,
            seen=self.seen,
            held_out=held_out,
            cv=self.cv,
            random_state=self.random_state,
        )
        seen, weight = trained.seen, self.task.sample_weight
        # A decision learns from samples with held-out outputs only, if these were computed.
        rows = slice(None) if trained.rows is None else trained.rows
        return trained, Evidence(
            trained.held_out if seen is None else seen[rows],
            trained.held_out,
            self.task.y[rows],
            None if weight is None else weight[rows],
            self.folds,
            self.judging,
        )

    def evidence(self) -> Evidence:
        """Return held-out outputs; the classifiers that are trained for them are not kept."""
        return self.run(held_out=True)[1]

    def put_off(self) -> "BinaryTraining":
        """Return the same training with copies of all that belongs to the user, who may change it before it runs."""
        copies = {id(each): clone(each) for each in listed(self.estimator)}  # columns may share an estimator
        estimators = [copies[id(each)] for each in listed(self.estimator)]
        one = estimators[0] if self.estimator is listed(self.estimator)[0] else estimators
        return replace(self, estimator=one, task=deepcopy(self.task))

    @property
    def ignores_groups(self) -> bool:
        """Whether held-out outputs ignore the groups that a decision is judged by.

        Classifiers that were trained without a group answer differently from the final ones, so a decoding learns more
        from classifiers that know all groups. SVC, LinearSVC and trees on vowels of new speakers, new traffic signs and
        new typefaces, discriminant decoding, 18 cells: 57.9 % on average, and 53.6 if held out by group.
        """
        return self.folds is not None and self.cv is not self.folds

    @property
    def can_rehearse(self) -> bool:
        """Whether held-out outputs can be computed without one of the user's folds: there must be two others."""
        return self.folds is None or self.ignores_groups or len(self.folds) > 2

    def by_folds(self) -> "BinaryTraining":
        """Return the same training with outputs held out by the folds that judge, if there are any."""
        return self if self.folds is None else replace(self, cv=self.folds)

    def rehearsal(self) -> Rehearsal:
        """Train without the samples of one fold, and return outputs for them, too."""
        y, weight = self.task.y, self.task.sample_weight
        folds = make_folds(_REHEARSED, y, self.random_state) if self.folds is None else self.folds
        fold = held_out_fold(folds, len(y))
        train, test = np.flatnonzero(fold != fold.max()), np.flatnonzero(fold == fold.max())
        others = np.unique(fold[train])
        own = [(np.flatnonzero(fold[train] != f), np.flatnonzero(fold[train] == f)) for f in others]
        part = replace(self, task=self.task.part(train), cv=own if self.cv is self.folds else self.cv, folds=None)
        trained, evidence = part.run(held_out=True)
        outputs = trained.models.outputs(self.task.part(test).X, self.kind)
        return Rehearsal(evidence, outputs, y[test], None if weight is None else weight[test])

    def first(self, n_columns: int) -> "BinaryTraining":
        """Return the training of the first columns."""
        estimator, seeds = self.estimator, self.options.seeds
        return replace(
            self,
            estimator=estimator[:n_columns] if isinstance(estimator, list | tuple) else estimator,
            task=replace(self.task, code=self.task.code[:, :n_columns]),
            options=self.options if seeds is None else replace(self.options, seeds=seeds[:n_columns]),
        )
