"""Add classes to a fitted classifier from a few samples, without training; remove and rename classes; find novelty."""

from collections.abc import Mapping
from copy import copy
from dataclasses import replace
from numbers import Real
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from ecoc.classifier.decision import Decision
from ecoc.classifier.fitted import FittedModel
from ecoc.classifier.growth import Resumed, joined, resume
from ecoc.classifier.inputs import rows_of
from ecoc.classifier.least_cost import check_costs
from ecoc.classifier.novelty import NoveltyReport
from ecoc.classifier.stream import Stream
from ecoc.codes.codebook import CodeBook
from ecoc.codes.codebook.free import FEW_COLUMNS
from ecoc.decoding.calibration import Calibration
from ecoc.decoding.conformal import SetPredictor
from ecoc.decoding.costs import cost_matrix
from ecoc.decoding.extended import Additions, Extended, Priors
from ecoc.decoding.statistics import OutputStatistics
from ecoc.utils.interrupts import all_at_once
from ecoc.utils.labels import class_indices, known_indices

Array = NDArray[np.float64]


class ExtendedSets(SetPredictor):
    """Thresholds of prediction sets, whose promised coverage holds for the old classes only.

    A new class belongs to a set if its probability is at least one minus the confidence.
    """

    def __init__(self, sets: SetPredictor, decoding: Extended) -> None:
        self.sets, self.kept, self.order = sets, decoding.kept_, decoding.order_

    def thresholds(self, confidence: float, classes: Any = ()) -> Array:
        """Return the largest 1 − p that belongs to a set; infinity for new classes named in `by_class`."""
        is_old = self.order < len(self.kept)
        limits = np.full(len(self.order), confidence)
        asked = np.isin(np.arange(len(limits)), classes)
        limits[asked] = np.inf
        rows = self.kept[self.order[is_old]]
        limits[is_old] = self.sets.thresholds(confidence, rows[asked[is_old]])[rows]
        return limits


class ExtendedDecision(Decision):
    """Decision of a model with added classes, derived from its earlier decision."""

    base: Decision

    @classmethod
    def of(cls, base: Decision, decoding: Extended) -> "ExtendedDecision":
        """Return the decision of an extended decoding."""
        decision = cls(decoding, Calibration(), True, None, base.keeps_evidence, base.trials)
        decision.base = base
        return decision

    @property
    def extended(self) -> Extended:
        """The decoding."""
        assert isinstance(self.decoding, Extended)
        return self.decoding

    def statistics(self) -> OutputStatistics:
        """Return the statistics of the classes that the columns were trained on."""
        return self.extended.statistics_

    def set_predictor(self) -> "ExtendedSets":
        """Return the thresholds of the old classes, and those of the new ones."""
        return ExtendedSets(self.base.set_predictor(), self.extended)

    def set_probabilities(self, outputs: Array) -> Array:
        """Return the probabilities for prediction sets: for old classes, those from before classes were added."""
        decoding, found = self.extended, self.probabilities(outputs)
        is_old = decoding.order_ < decoding.n_old
        found[:, is_old] = decoding.base_probabilities(outputs)[:, decoding.order_[is_old]]
        return found


class ExtendedModel(FittedModel):
    """A fitted model with added, removed or renamed classes, and the model it was derived from."""

    base: FittedModel
    decision: ExtendedDecision

    def __init__(self, base: FittedModel, decoding: Extended) -> None:
        self.base, self.dichotomizers = base, base.dichotomizers
        self.decision = ExtendedDecision.of(base.decision, decoding)

    @property
    def codebook(self) -> CodeBook:  # type: ignore[override]
        """The code, with class labels; codewords of new classes are found when they are first needed."""
        return self.decision.extended.codebook_

    def outputs_to_decode(self, X: Any) -> Array:
        """Return outputs, followed by standardised features if the decoding takes them."""
        return self.decision.statistics().beside(super().outputs_to_decode(X), X)

    def of_longer(self, outputs: Array) -> Array:
        """Return what this model decodes of a longer code's outputs and features."""
        n_features = self.decision.statistics().n_features
        return np.hstack([super().of_longer(outputs), outputs[:, outputs.shape[1] - n_features :]])

    def first(self, n_columns: int) -> "ExtendedModel":
        """Return the model of the first columns."""
        base, old = self.base.first(n_columns), self.decision.extended
        statistics = statistics_of(base)
        additions = old.additions_.first(n_columns, statistics)
        return ExtendedModel(base, extended(base, statistics, additions, old.names_, old.kept_, old.priors_))


def extended(
    base: FittedModel,
    statistics: OutputStatistics,
    additions: Additions,
    names: NDArray[Any],
    kept: NDArray[np.intp],
    priors: Priors,
) -> Extended:
    """Return the decoding of the kept classes and new ones; `names` are the labels of both."""
    decision = base.decision
    return Extended.of(decision.decoding, decision.calibration, statistics, additions, names, kept, priors)


def statistics_of(model: FittedModel) -> OutputStatistics:
    """Return the statistics that new classes need; an error says how to get them."""
    statistics = model.decision.statistics()
    if statistics is None:
        raise ValueError(
            "adding classes needs held-out outputs of the training samples, and this model has none: fit it "
            "with decoding='auto' or probability=True."
        )
    return statistics


class ClassChanges:
    """Methods of :class:`ecoc.ECOCClassifier` that change the classes of a fitted model."""

    fitted_: FittedModel
    classes_: NDArray[Any]
    cost_matrix_: Array | None
    coding_: Any
    estimator: Any
    decoding: Any
    costs: Any
    _rejection: tuple[float | None, Any]
    _stream: Stream | None
    partial_fit: Any
    validate: Any

    @all_at_once
    def add_classes(
        self, X: Any, y: ArrayLike, *, priors: Priors = "equal", costs: Mapping[Any, float] | None = None
    ) -> Self:
        """Add classes from a few samples of each; nothing is trained.

        A new class is described by the outputs of the binary classifiers for its samples and, if X is a table of up to
        256 numbers a sample, by these. Only counts and sums are kept, so the order of calls does not matter.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features), or texts
            Samples of the new classes, one or more of each. Samples of known classes refine these classes.
        y : array-like of shape (n_samples,)
            Their labels.
        priors : {"equal", "training"}, default="equal"
            Whether a new class counts as much as an old one on average, or by its number of samples. The choice of the
            last call holds for all new classes.
        costs : mapping, default=None
            For a model with `costs`: the costs of pairs ``(true, predicted)`` with a new class. Other errors cost 1.

        Returns
        -------
        self
            The same classifier, changed; unchanged after an error.

        See Also
        --------
        with_classes : Leave this classifier as it is.
        novelty_report : How well old and new classes are told apart.
        novelty_score : Find samples of classes that nobody has named yet.

        Notes
        -----
        The first call may train: if calibration was put off, held-out outputs are computed now. To compute them
        earlier, call `predict_proba` once, save the model, or fit it with ``probability=True``.

        Examples
        --------
        >>> from ecoc import ECOCClassifier
        >>> from sklearn.datasets import load_digits
        >>> from sklearn.svm import SVC
        >>> X, y = load_digits(return_X_y=True)
        >>> known = y < 8
        >>> model = ECOCClassifier(SVC(), random_state=0).fit(X[:900][known[:900]], y[:900][known[:900]])
        >>> few = [*(y[:900] == 8).nonzero()[0][:5], *(y[:900] == 9).nonzero()[0][:5]]
        >>> model = model.add_classes(X[few], y[few])
        >>> model.classes_
        array([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
        >>> model.score(X[900:], y[900:]) > 0.85
        True
        """
        X, base, old = self.validate(X), *self._changed()
        if getattr(self.coding_, "trains_one_model", False):
            raise ValueError(
                "coding='plain' is the learner's own multi-class fit, whose scores say little about other classes. Fit "
                "with new_classes='add', or with a code such as coding='ecf', and add classes to that model."
            )
        labels = column_or_1d(y, warn=True)
        check_consistent_length(X, labels)
        check_classification_targets(np.repeat(labels, 2))  # single samples of classes look like a regression
        if priors not in ("equal", "training"):
            raise ValueError(f"priors must be 'equal' or 'training'; got {priors!r}.")
        names = joined(old.names_, np.setdiff1d(labels, old.names_))
        place = class_indices(labels, names)
        n_base, k = len(old.statistics_.sizes), old.n_old
        rows = np.where(place < k, old.kept_[np.minimum(place, k - 1)], n_base + place - k)
        outputs = old.statistics_.scaled(old.statistics_.beside(base.outputs(X, old.needs), X))
        additions = old.additions_.with_classes(n_base + len(names) - k).add(old.statistics_, outputs, rows)
        made = extended(base, old.statistics_, additions, names, old.kept_, priors)
        if made.base.codebook_.n_columns <= FEW_COLUMNS:
            made.codebook_  # noqa: B018  raises an error if no codeword is left
        return self._become(base, made, costs)

    def with_classes(
        self, X: Any, y: ArrayLike, *, priors: Priors = "equal", costs: Mapping[Any, float] | None = None
    ) -> Self:
        """Return a new classifier with added classes; this one stays as it is.

        Parameters
        ----------
        X, y, priors, costs : object
            As for `add_classes`.

        Returns
        -------
        ECOCClassifier
            A fitted classifier.
        """
        return copy(self).add_classes(X, y, priors=priors, costs=costs)

    @all_at_once
    def remove_classes(self, labels: ArrayLike) -> Self:
        """Remove classes, so that they are not predicted any more; nothing is trained.

        Parameters
        ----------
        labels : array-like of labels, or a label
            The classes. What the binary classifiers have learned from them stays.

        Returns
        -------
        self
            The same classifier, changed; unchanged after an error.

        Examples
        --------
        >>> from ecoc import ECOCClassifier
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.svm import SVC
        >>> X, y = load_iris(return_X_y=True)
        >>> ECOCClassifier(SVC(), random_state=0).fit(X, y).remove_classes([1]).predict(X[[0, 149]])
        array([0, 2])
        """
        check_is_fitted(self, "fitted_")
        gone = rows_of(np.atleast_1d(np.asarray(labels)), self.classes_, "labels")
        if len(self.classes_) - len(gone) < 2:
            raise ValueError(f"two classes must stay; {len(gone)} of {len(self.classes_)} were to be removed.")
        base, old = self._changed()
        places = old.order_[gone]
        first = places[places < old.n_old]
        if len(first) == old.n_old:
            raise ValueError("one of the classes that the model was trained on must stay; fit a new model.")
        last = len(old.statistics_.sizes) - old.n_old + places[places >= old.n_old]
        additions = old.additions_.without(old.statistics_, last)
        names, kept = np.delete(old.names_, places), np.delete(old.kept_, first)
        return self._become(base, extended(base, old.statistics_, additions, names, kept, old.priors_))

    @all_at_once
    def rename_classes(self, names: Mapping[Any, Any]) -> Self:
        """Give classes other labels.

        Parameters
        ----------
        names : mapping from labels to labels
            New labels of the classes to rename. Labels may be exchanged; two classes cannot become one.

        Returns
        -------
        self
            The same classifier, changed; unchanged after an error.

        Examples
        --------
        >>> from ecoc import ECOCClassifier
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.svm import SVC
        >>> X, y = load_iris(return_X_y=True)
        >>> ECOCClassifier(SVC(), random_state=0).fit(X, y).rename_classes({0: 7}).predict(X[[0, 60, 149]])
        array([7, 1, 2])
        """
        check_is_fitted(self, "fitted_")
        rows_of(list(names), self.classes_, "names")
        base, old = self._changed()
        renamed = np.array([names.get(label, label) for label in old.names_.tolist()])
        joined(old.names_, renamed)
        if len(set(renamed.tolist())) < len(renamed):
            raise ValueError("two classes would have the same label; remove one of them first.")
        made = extended(base, old.statistics_, old.additions_, renamed, old.kept_, old.priors_)
        before = {names.get(label, label): label for label in self.classes_.tolist()}
        return self._become(base, made, before=before)

    @property
    def added_classes_(self) -> dict[Any, int]:
        """Added classes, with their numbers of samples."""
        check_is_fitted(self, "fitted_")
        if not isinstance(self.fitted_, ExtendedModel):
            return {}
        decoding = self.fitted_.decision.extended
        new = decoding.sizes()[decoding.n_old :].astype(int).tolist()
        return dict(sorted(zip(decoding.names_[decoding.n_old :].tolist(), new)))

    def novelty_score(self, X: Any) -> Array:
        """Score how likely each sample belongs to a class that the model does not know.

        The score is a log-likelihood ratio of the outputs and features: a class about which nothing is known against
        the nearest known class.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Scores; high for samples that are far from every class.

        See Also
        --------
        is_novel : Decide, with a given rate of false alarms.
        """
        X = self.validate(X)
        decoding = self._changed()[1]
        return decoding.novelty(decoding.statistics_.beside(self.fitted_.outputs(X, decoding.needs), X))

    def is_novel(self, X: Any, false_alarms: float = 0.05) -> NDArray[np.bool_]:
        """Tell which samples seem to belong to a class that the model does not know.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.
        false_alarms : float, default=0.05
            Share of samples of known classes that may be flagged as novel, between 0 and 1. It holds for samples from
            the same source as the training samples: digits by other writers raise up to 1.8 times as many alarms.

        Returns
        -------
        bool ndarray of shape (n_samples,)
            Whether the score exceeds that of all but this share of held-out training samples. All False if the outputs
            do not tell the classes in training apart.

        Examples
        --------
        >>> from ecoc import ECOCClassifier
        >>> from sklearn.datasets import load_digits
        >>> from sklearn.svm import SVC
        >>> X, y = load_digits(return_X_y=True)
        >>> known = y[:900] != 0
        >>> model = ECOCClassifier(SVC(), random_state=0).fit(X[:900][known], y[:900][known])
        >>> novel = model.is_novel(X[900:])
        >>> bool(novel[y[900:] == 0].mean() > 0.5), bool(novel[y[900:] != 0].mean() < 0.15)
        (True, True)
        """
        if isinstance(false_alarms, bool) or not isinstance(false_alarms, Real) or not 0 < false_alarms < 1:
            raise ValueError(f"false_alarms must be a number between 0 and 1; got {false_alarms!r}.")
        scores = self.novelty_score(X)
        return np.asarray(scores > self._changed()[1].statistics_.novelty.at(1 - float(false_alarms)))

    def novelty_report(self) -> NoveltyReport:
        """Report how well old and new classes are told apart, and whether training again would pay.

        Returns
        -------
        NoveltyReport
            For each added class: its number of samples, the nearest class, and the distance to it.
        """
        check_is_fitted(self, "fitted_")
        return NoveltyReport.of(self._changed()[1])

    def _learns_extended(self, is_new: bool) -> bool:
        """Tell whether a batch goes to a model whose columns do not learn new classes."""
        has_state = self._stream is not None and self._stream.n_recent > 0
        return isinstance(self.fitted_, ExtendedModel) or (is_new and not has_state)

    def _resumed(self, X: Any, y: NDArray[Any]) -> Resumed:
        """Return the code, the models to train, and the state of the stream."""
        return resume(self.estimator, self.fitted_, self._stream, X, y, self.coding_)

    def _learn_extended(self, X: Any, y: NDArray[Any], weight: Any, fit_params: dict[str, Any]) -> None:
        """Train the columns with a batch's samples of the classes that they know, and add the others."""
        base, old = self._changed()
        known = known_indices(y, old.names_[: old.n_old])
        rows = np.flatnonzero(known >= 0)
        if len(rows):
            inner = copy(self)
            inner.fitted_, inner.classes_ = base, base.codebook.labels
            inner._stream = None if self._stream is None else replace(self._stream, rivals=None)
            part = None if weight is None else np.asarray(weight)[rows]
            inner.partial_fit(X[rows], inner.classes_[old.kept_[known[rows]]], sample_weight=part, **fit_params)
            statistics, additions, base = statistics_of(inner.fitted_), old.additions_, inner.fitted_
            if statistics is not old.statistics_:
                additions = additions.first(base.codebook.n_columns, statistics)
            decoding = extended(base, statistics, additions, old.names_, old.kept_, old.priors_)
            self._stream = inner._stream
            self.fitted_ = ExtendedModel(base, decoding)
        others = np.flatnonzero(known < 0)
        if len(others):
            self.add_classes(X[others], y[others], priors=old.priors_)

    def _changed(self) -> tuple[FittedModel, Extended]:
        """Return the model that was trained, and the decoding with all changes of its classes so far."""
        check_is_fitted(self, "fitted_")
        fitted = self.fitted_
        if isinstance(fitted, ExtendedModel):
            return fitted.base, fitted.decision.extended
        statistics = statistics_of(fitted)
        kept = np.arange(len(self.classes_))
        return fitted, extended(fitted, statistics, Additions.none(statistics), self.classes_, kept, "equal")

    def _become(
        self,
        base: FittedModel,
        decoding: Extended,
        costs: Mapping[Any, float] | None = None,
        before: Mapping[Any, Any] | None = None,
    ) -> Self:
        """Take over a decoding, with its classes; `before` maps labels to former ones."""
        former = [label if before is None else before[label] for label in decoding.labels.tolist()]
        old = known_indices(np.array(former, dtype=object), self.classes_)
        self.cost_matrix_ = self._costs_of(decoding.labels, old, costs)
        self.classes_ = decoding.labels
        self.fitted_ = ExtendedModel(base, decoding)
        return self

    def _costs_of(self, labels: NDArray[Any], old: NDArray[np.intp], costs: Any) -> Array | None:
        """Return the costs of classes; `old` are their former places, or −1."""
        if self.cost_matrix_ is None:
            if costs is not None:
                raise ValueError("the model has no costs; fit it with costs={} to set some for new classes.")
            return None
        check_costs(None, *self._rejection, labels)
        if costs is None and (old < 0).any() and not (self.costs is None or isinstance(self.costs, Mapping)):
            raise ValueError(
                "the costs of this model are a matrix, which says nothing about new classes; give add_classes "
                "costs={(true, predicted): cost}, or costs={} if all errors with new classes cost 1."
            )
        matrix = cost_matrix(costs or {}, labels.tolist())
        known = old >= 0
        matrix[np.ix_(known, known)] = self.cost_matrix_[np.ix_(old[known], old[known])]
        return matrix
