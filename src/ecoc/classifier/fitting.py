"""Fit a classifier in four steps: plan, code, train, decide."""

import time
import warnings
from collections import Counter
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ecoc.classifier.decision import Decision
from ecoc.classifier.features import design_features
from ecoc.classifier.fitted import FittedModel
from ecoc.classifier.inputs import Samples, folds_are_ours, listed
from ecoc.classifier.least_cost import warn_of_lost_classes, warn_of_rejections
from ecoc.classifier.pair_protection import ProtectionReport, compare_choices, held_out_choices, keep_what_protects
from ecoc.codes.codebook import CodeBook
from ecoc.codes.coding import Coding, Context
from ecoc.decoding.calibration import mean_and_error
from ecoc.decoding.evidence import Evidence, Judging, Rehearsal
from ecoc.decoding.scaling import numbers_of
from ecoc.policy import Plan
from ecoc.training.binary import is_pairwise
from ecoc.training.cache import content_key, get_or_make
from ecoc.training.choosing import train
from ecoc.training.interfaces import Dichotomizers, Kind, Options, Task, Trained
from ecoc.utils.estimators import last_step
from ecoc.utils.folds import Folds, held_out_fold, make_folds

Array = NDArray[np.float64]
_TIED = 1e-9  # accuracies that differ by rounding


@dataclass(frozen=True)
class Settings:
    """Parameters of the classifier that a fit uses."""

    estimator: Any  # or a sequence of estimators, one for each column
    classes: NDArray[Any]
    cv: Any  # how to get held-out outputs, as the user gave it
    options: Options  # seeds and held-out outputs are added
    seeds: tuple[int, int]  # of the coding, and of columns and folds
    seeds_columns: bool  # whether estimators without a seed of their own get one
    calibrates: bool  # whether probabilities are wanted
    calibrates_now: bool  # and in `fit` already
    keeps_outputs: bool  # whether copies hold the outputs for training samples
    costs: Array | None  # of errors
    reject_cost: float | None


class Code(NamedTuple):
    """A fitted coding, its code book with class labels, and where its features came from."""

    coding: Coding
    book: CodeBook
    features: str


class Fit(NamedTuple):
    """Results of a fit: the plan as carried out, code, model, effect of protection, and codings tried."""

    plan: Plan
    code: Code
    model: FittedModel
    protection: ProtectionReport | None
    coding_trials: dict[str, list[Any]] | None = None


def fit_model(settings: Settings, plan: Plan, samples: Samples) -> Fit:
    """Carry out a plan; if it says so, also train the learner as it is, and keep the better of the two."""
    fit = compared(settings, plan, samples) if plan.compares_plain else carry_out(settings, plan, samples)
    decision, report = fit.model.decision, fit.protection
    if report is not None and not report.is_kept:
        warnings.warn(f"protect does not help here.\n{report}", UserWarning, stacklevel=4)
    if settings.costs is not None and decision.evidence is not None and decision.evidence.held_out is not None:
        probabilities = decision.held_out_probabilities(decision.evidence.held_out)
        warn_of_lost_classes(probabilities, settings.costs, settings.classes)
        if settings.reject_cost is not None:
            warn_of_rejections(probabilities, settings.costs, settings.reject_cost)
    return fit


def compared(settings: Settings, plan: Plan, samples: Samples) -> Fit:
    """Return the fit of the code or of the learner itself: the one that works, or predicts more held-out samples."""
    try:
        fit = carry_out(settings, plan, samples)
    except ValueError as error:  # such as outputs that are not numbers, of two classes far from all samples
        try:
            plain = carry_out(settings, plan.as_plain(), samples)
        except Exception:
            raise error from None
        return plain._replace(plan=plain.plan.because_of("coding", f"binary classifiers fail here: {error}"))
    try:
        plain = carry_out(settings, plan.as_plain(), samples)
    except Exception as error:  # of a learner for two classes that does not say so
        return fit._replace(
            plan=fit.plan.because_of("coding", f"by itself, the learner fails with several classes: {error}")
        )
    hits = [held_out_hits(each.model.decision) for each in (fit, plain)]
    accuracies, errors = zip(*(mean_and_error(*each) for each in hits))
    codings = [repr(each.code.coding) for each in (fit, plain)]
    trials = {"coding": codings, "accuracy": list(accuracies), "standard_error": list(errors)}
    chosen, other = (1, 0) if accuracies[1] > accuracies[0] + _TIED else (0, 1)
    why = f"it predicts {accuracies[chosen]:.1%} of held-out samples, {codings[other]} {accuracies[other]:.1%}"
    made = (fit, plain)[chosen]
    if fit.protection is not None and made is plain:
        made = protected_or_plain(fit, plain)
        if made.protection is not None and made.protection.is_kept:
            why = "it confuses the protected classes less often than the learner itself, at the same accuracy"
    return made._replace(plan=made.plan.because_of("coding", why), coding_trials=trials)


def protected_or_plain(fit: Fit, plain: Fit) -> Fit:
    """Return the learner's own fit, unless the code that protects classes confuses them less often."""
    without, protecting = plain.model.decision, fit.model.decision
    old, new = without.evidence, protecting.evidence
    if old is None or new is None:
        return plain
    # Some samples may be out of no bag of trees.
    _, first, second = np.intersect1d(old.known_rows, new.known_rows, return_indices=True)
    before, after = held_out_choices(without, old)[first], held_out_choices(protecting, new)[second]
    pairs: Any = fit.code.coding
    report = compare_choices(pairs.protected_, before, after, new.y[second], fit.code.book, fit.code.book.matrix)
    return (fit if report.is_kept else plain)._replace(protection=report)


def held_out_hits(decision: Decision) -> tuple[Array, Array]:
    """Tell which held-out samples are predicted by a decision that did not learn from them, and their weights."""
    evidence = decision.evidence
    assert evidence is not None
    hits = (held_out_choices(decision, evidence) == evidence.y).astype(np.float64)
    return hits, np.ones(len(hits)) if evidence.weight is None else evidence.weight


def carry_out(settings: Settings, plan: Plan, samples: Samples) -> Fit:
    """Carry out a plan: make the code, train its columns, and fit the decoding to their outputs."""
    begun = time.perf_counter()
    code = make_code(settings, plan, samples.design_X, samples.design_y, samples.design_folds)
    plan = plan.with_code(code.book.matrix[:, : getattr(code.coding, "n_unprotected_", None)])
    training, held_out = plan_training(settings, plan, code, samples)
    made = time.perf_counter()
    trained, evidence = training.run(held_out=held_out)
    ready = time.perf_counter()
    plan = replace(plan, training=trained.path)
    if trained.rows is not None:
        plan = plan.with_held_out(len(evidence.y))
        evidence = replace(evidence, judging=plan.judging, rows=trained.rows)
    model, protection = decide(settings, plan, code, training, trained, evidence)
    if settings.options.verbose:
        also = " with held-out outputs" * held_out
        print(
            f"[ECOCClassifier] code {made - begun:.1f} s, binary classifiers{also} {ready - made:.1f} s, decoding "
            f"{time.perf_counter() - ready:.1f} s",
            flush=True,
        )
    return Fit(plan, code, model, protection)


def make_code(settings: Settings, plan: Plan, X: Any, y: Any, folds: Folds | None = None) -> Code:
    """Make the code that a plan asks for.

    A code designed for the same samples is taken from the cache. Learners of one kind that differ only in parameters
    share it, unless the coding tries the learner itself.
    """
    coding, first, k = plan.coding, listed(settings.estimator)[0], len(settings.classes)
    context = Context(settings.seeds[0], plan.learner.is_linear, folds, last_step(first), plan.most_refined)

    def make(_: Any = None) -> list[Code]:
        if coding.needs_data:
            features, how = design_features(X, y, first)
            book = coding.build(k, features, y, context=context)
        else:
            how, book = "", coding.build(k, None, y, context=context)
        return [Code(coding, book.with_labels(settings.classes.tolist()), how)]

    cache = settings.options.cache
    if cache is None or not coding.needs_data:
        (code,) = make()
    else:
        known = context if coding.tries_estimator and context.is_linear else replace(context, estimator=None)
        key = content_key((coding, known, getattr(first, "steps", [])[:-1]))
        (code,) = get_or_make(cache.entries("design", X, y), [key], make)
    estimators, n_columns = settings.estimator, code.book.matrix.shape[1]
    if isinstance(estimators, Sequence) and len(estimators) != n_columns:
        raise ValueError(f"estimator lists {len(estimators)} estimators, but the code book has {n_columns} columns.")
    if settings.options.verbose and code.features:
        print(f"[ECOCClassifier] the code was designed with features of its own: {code.features}", flush=True)
    return code


def plan_training(settings: Settings, plan: Plan, code: Code, samples: Samples) -> tuple["BinaryTraining", bool]:
    """Return the training of all columns, and whether held-out outputs are needed at once."""
    matrix, protects, seed = code.book.matrix, is_protected(code.coding), settings.seeds[1]
    held_out = (
        protects
        or plan.compares_plain
        or plan.learns_from == "out_of_fold"
        or (settings.calibrates_now and not calibrates_by_a_part(plan))
    )
    options = replace(
        settings.options,
        seeds=column_seeds(matrix, seed) if settings.seeds_columns else None,
        held_out=plan.held_out or settings.options.held_out,
        threads=plan.learner.offers.threads,
        plain=code.coding.trains_one_model,
        bins=plan.bins,
        held_out_tol=plan.held_out_tol,
    )
    cv = settings.cv if folds_are_ours(settings.cv) else samples.folds
    if samples.folds is not None and (protects or plan.learns_from != "out_of_fold"):
        cv = samples.folds
    task = replace(samples.task, code=matrix)
    training = BinaryTraining(
        settings.estimator,
        task,
        options,
        kind=plan.outputs,
        seen=plan.learns_from == "training",
        cv=cv,
        folds=samples.folds,
        random_state=seed,
        judging=plan.judging,
    )
    if options.verbose:
        also = ", and computing held-out outputs" * held_out
        print(
            f"[ECOCClassifier] {matrix.shape[0]} classes, {matrix.shape[1]} columns: training the binary "
            f"classifiers{also}",
            flush=True,
        )
    return training, held_out


def decide(
    settings: Settings, plan: Plan, code: Code, training: "BinaryTraining", trained: Trained, evidence: Evidence
) -> tuple[FittedModel, ProtectionReport | None]:
    """Fit the decoding to the outputs, and keep columns that protect pairs of classes if they help."""
    protects = is_protected(code.coding)
    learn = partial(
        Decision.learn,
        plan.decoding,
        calibrates=settings.calibrates,
        keeps_evidence=settings.keeps_outputs,
        seed=training.random_state,
    )
    rehearse = None
    if training.ignores_groups or (plan.decoding is None and plan.rehearsed_parts and training.can_rehearse):
        rehearse = partial(training.rehearsal, plan.rehearsed_parts, trained)
    uncalibrated = plan.decoding is not None and settings.calibrates
    later = training.put_off(trained) if uncalibrated and trained.held_out is None else None
    decision = learn(code.book, evidence, later=later, rehearse=rehearse)
    if settings.calibrates_now:
        decision.calibrate()
    model = FittedModel(code.book, trained.models, decision)
    return keep_what_protects(model, code.coding, evidence, learn) if protects else (model, None)


def calibrates_by_a_part(plan: Plan) -> bool:
    """Tell whether outputs for a part of the samples are only used to calibrate, and decodings learn from others."""
    return plan.held_out is not None and plan.held_out.way == "part"


def is_protected(coding: Coding) -> bool:
    """Tell whether a fitted coding protects pairs of classes."""
    return bool(getattr(coding, "protected_", []))


def column_seeds(code: NDArray[np.int8], seed: int) -> list[int]:
    """Return a seed for every column that depends on its entries, not its place; equal columns get different seeds."""
    seen: Counter[bytes] = Counter()
    seeds = []
    for column in (column.tobytes() for column in code.T):
        seeds.append((seed + crc32(column, seen[column])) % 2**31)
        seen[column] += 1
    return seeds


@dataclass(frozen=True)
class BinaryTraining:
    """Everything that the training of all binary classifiers depends on."""

    estimator: Any  # or a sequence of estimators, one for each column
    task: Task
    options: Options
    kind: Kind  # outputs that the decoding needs
    seen: bool  # whether the decoding learns from outputs of the trained classifiers themselves
    cv: Any  # how to get held-out outputs
    folds: Folds | None  # the user's, or of whole groups, to judge a decision. None: any sample may judge
    random_state: int  # of folds that are ours
    judging: Judging  # how decodings are compared and calibrated
    models: Dichotomizers | None = None  # trained before: held-out outputs only calibrate them

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
            models=self.models,
        )
        seen, weight = trained.seen, self.task.sample_weight
        # A decision learns from samples with held-out outputs only, if these were computed.
        rows = slice(None) if trained.rows is None else trained.rows
        features = None if any(map(is_pairwise, listed(self.estimator))) else numbers_of(self.task.X)
        return trained, Evidence(
            trained.held_out if seen is None else seen[rows],
            trained.held_out,
            self.task.y[rows],
            None if weight is None else weight[rows],
            self.folds,
            self.judging,
            features=None if features is None or trained.held_out is None else features[rows],
        )

    def evidence(self) -> Evidence:
        """Return held-out outputs; the classifiers that are trained for them are not kept."""
        return self.run(held_out=True)[1]

    def put_off(self, trained: Trained) -> "BinaryTraining":
        """Return the training that calibrates trained models later.

        It copies everything that belongs to the user, who may change it before the training runs.
        """
        copies = {id(each): clone(each) for each in listed(self.estimator)}  # columns may share an estimator
        estimators = [copies[id(each)] for each in listed(self.estimator)]
        one = estimators[0] if self.estimator is listed(self.estimator)[0] else estimators
        one = one if trained.estimator is None else trained.estimator
        return replace(self, estimator=one, task=deepcopy(self.task), models=trained.models)

    @property
    def ignores_groups(self) -> bool:
        """Tell whether held-out outputs ignore the groups that evaluate a decision.

        Classifiers that were trained without a group answer differently from the final ones, so a decoding learns more
        from classifiers that know all groups. SVC, LinearSVC and trees on vowels of new speakers, new traffic signs and
        new typefaces, discriminant decoding, 18 cells: 57.9 % on average, and 53.6 if held out by group.
        """
        return self.folds is not None and self.cv is not self.folds

    @property
    def can_rehearse(self) -> bool:
        """Whether held-out outputs can be computed without one of the user's folds: there must be two others."""
        return self.folds is None or self.ignores_groups or len(self.folds) > 2

    def rehearsal(self, n_parts: int | None, trained: Trained) -> Rehearsal:
        """Train without one of the user's folds, or one part, and return outputs for its samples, too.

        If a part is a fold of the held-out outputs, `trained` has these already.
        """
        y, weight = self.task.y, self.task.sample_weight
        folds = make_folds(n_parts, y, self.random_state) if self.folds is None else self.folds
        fold = held_out_fold(folds, len(y))
        train, test = np.flatnonzero(fold != fold.max()), np.flatnonzero(fold == fold.max())
        others = np.unique(fold[train])
        own = [(np.flatnonzero(fold[train] != f), np.flatnonzero(fold[train] == f)) for f in others]
        in_folds = isinstance(self.cv, str) and self.options.held_out == ("folds", n_parts) and trained.rows is None
        known = trained.held_out if in_folds and self.folds is None else None
        part = replace(
            self,
            task=self.task.part(train),
            cv=own if self.cv is self.folds else self.cv,
            folds=None,
            models=None if known is None else trained.models,
        )
        of_part, evidence = part.run(held_out=True)
        outputs = of_part.models.outputs(self.task.part(test).X, self.kind) if known is None else known[test]
        return Rehearsal(replace(evidence, features=None), outputs, y[test], None if weight is None else weight[test])

    def first(self, n_columns: int) -> "BinaryTraining":
        """Return the training of the first columns."""
        estimator, seeds = self.estimator, self.options.seeds
        return replace(
            self,
            estimator=estimator[:n_columns] if isinstance(estimator, list | tuple) else estimator,
            task=replace(self.task, code=self.task.code[:, :n_columns]),
            options=self.options if seeds is None else replace(self.options, seeds=seeds[:n_columns]),
            models=None if self.models is None else self.models.first(n_columns),
        )
