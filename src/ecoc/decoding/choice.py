"""Get a decoding by its name, or choose one by the evidence, and calibrate it."""

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from ecoc.codes.codebook import CodeBook
from ecoc.decoding.calibration import Calibration, fit_calibration, fit_temperature, log_losses, mean_and_error
from ecoc.decoding.conformal import SetPredictor
from ecoc.decoding.discriminant import Discriminant
from ecoc.decoding.euclidean import AttenuatedEuclidean, Centroid, Euclidean
from ecoc.decoding.evidence import Array, Classes, Evidence, Rehearsal
from ecoc.decoding.interface import Decoding
from ecoc.decoding.loss import LOSSES, LossBased, LossWeighted
from ecoc.decoding.probabilistic import Probabilistic
from ecoc.decoding.signs import BetaDensity, Hamming, InverseHamming, Laplacian
from ecoc.decoding.structured import Structured
from ecoc.utils.folds import Folds, make_folds
from ecoc.utils.messages import unknown_name

LEARNED, SIMPLE, VOTES, STRUCTURED = "discriminant", "linear", "hamming", "structured"  # what "auto" chooses from

DECODINGS: Mapping[str, Callable[[], Decoding]] = MappingProxyType(
    {
        "hamming": Hamming,
        "inverse_hamming": InverseHamming,
        "euclidean": Euclidean,
        "attenuated_euclidean": AttenuatedEuclidean,
        "laplacian": Laplacian,
        "beta_density": BetaDensity,
        **{loss: partial(LossBased, loss) for loss in LOSSES},
        "loss_weighted": LossWeighted,
        "loss_weighted_linear": partial(LossWeighted, "linear"),
        "centroid": Centroid,
        "probabilistic": Probabilistic,
        "discriminant": Discriminant,
        "structured": Structured,
    }
)


def get_decoding(decoding: Any) -> Decoding:
    """Return a new, unfitted decoding, given its name or another decoding to clone.

    Parameters
    ----------
    decoding : str or Decoding
        A key of `DECODINGS`, or a decoding.

    Returns
    -------
    Decoding
        A new object, even if a decoding was given.

    Raises
    ------
    ValueError
        If no decoding has that name. The message lists the names and suggests the nearest.

    Examples
    --------
    >>> from ecoc.decoding import DECODINGS, get_decoding
    >>> get_decoding("loss_weighted_linear")
    LossWeighted(loss='linear')
    >>> sorted(DECODINGS)
    ['attenuated_euclidean', 'beta_density', 'centroid', 'discriminant', 'euclidean', 'exponential', 'hamming',
     'hinge', 'inverse_hamming', 'laplacian', 'linear', 'logistic', 'loss_weighted', 'loss_weighted_linear',
     'probabilistic', 'squared', 'structured']
    """
    if isinstance(decoding, str):
        if decoding not in DECODINGS:
            raise ValueError(unknown_name("decoding", decoding, DECODINGS))
        return DECODINGS[decoding]()
    if isinstance(decoding, Decoding):
        cloned: Decoding = clone(decoding)
        return cloned
    if isinstance(decoding, type) and issubclass(decoding, Decoding):
        raise TypeError(f"A decoding must be an object, not its class: write {decoding.__name__}().")
    raise TypeError(
        f"A decoding must be one of the names {', '.join(DECODINGS)}, or an object of a subclass of "
        f"ecoc.decoding.Decoding; got {decoding!r}."
    )


class Fitted(NamedTuple):
    """A fitted decoding with its calibration, its predictor of sets, and the trials that chose it."""

    decoding: Decoding
    calibration: Calibration
    sets: SetPredictor | None = None  # None where held-out scores would take trainings of their own
    trials: dict[str, list[Any]] | None = None
    rehearsal: Rehearsal | None = None


def fit_decoding(
    wanted: Decoding | None,
    codebook: CodeBook,
    evidence: Evidence,
    *,
    calibrates: bool,
    seed: int | None = 0,
    rehearse: Callable[[], Rehearsal] | None = None,
) -> Fitted:
    """Fit a decoding and its calibration to evidence.

    If no decoding is `wanted`, the evidence chooses it. `calibrates` says whether to calibrate probabilities of a
    decoding that has only scores, `seed` is that of folds, if the evidence has none, and `rehearse` trains without some
    samples, by which decodings are then compared and calibrated.
    """
    if wanted is None and len(evidence.y) * codebook.n_classes > evidence.judging.most_compared:
        wanted = get_decoding(LEARNED)
    rehearsal, judge = None if rehearse is None else rehearse(), None
    if rehearsal is not None:
        judge = rehearsal.judged_by_every(evidence.judging.step(len(rehearsal.y), codebook.n_classes))
    choice = choose_decoding(codebook, evidence, seed, judge) if wanted is None else None
    unfitted = wanted if choice is None else choice.decoding
    decoding: Decoding = clone(unfitted).fit(codebook, evidence.outputs, evidence.y, evidence.weight)
    if choice is not None:
        return choice._replace(decoding=decoding, rehearsal=rehearsal)
    if judge is not None:
        return _rehearsed(decoding, codebook, judge).fitted(decoding)._replace(rehearsal=rehearsal)
    # Calibrating a decoding that learned from held-out outputs is free.
    if evidence.held_out is None or not (calibrates or decoding.fit_on == "out_of_fold"):
        return Fitted(decoding, Calibration())
    return calibrated(decoding, codebook, evidence)


def calibrated(decoding: Decoding, codebook: CodeBook, evidence: Evidence) -> Fitted:
    """Find the calibration of a fitted decoding, and its sets of classes, from held-out outputs."""
    n, k, judging = len(evidence.y), codebook.n_classes, evidence.judging
    assert evidence.held_out is not None
    if decoding.fit_on == "out_of_fold" and n * k <= judging.most_compared:
        trial = _cross_fitted(clone(decoding), codebook, evidence, _judging_folds(evidence))
    else:
        seen = np.arange(0, n, judging.step(n, k))
        trial = _Trial.of(decoding, decoding.scores(evidence.held_out[seen]), evidence, seen)
    if decoding.fit_on == "training":  # the decoding has seen these samples, and sets would promise too much
        return Fitted(decoding, trial.calibration())
    return trial.fitted(decoding)


def fit_sets(decoding: Decoding, codebook: CodeBook, evidence: Evidence, calibration: Calibration) -> SetPredictor:
    """Return a predictor of sets for a decoding that learns, by fitting it without each fold."""
    trial = _cross_fitted(clone(decoding), codebook, evidence, _judging_folds(evidence))
    return trial.sets(calibration)


def choose_decoding(
    codebook: CodeBook, evidence: Evidence, seed: int | None, rehearsal: Rehearsal | None = None
) -> Fitted:
    """Choose between decoding by codewords and two learned decodings, on samples that none of them learned from.

    Each decoding in turn replaces the choice so far if it is better by more than a standard error of the difference, in
    log-loss or in accuracy, and the other metric is not significantly worse. Accuracy tells more about outputs that are
    only signs, where codewords tie. A decoding that learns is considered only if it is clearly better than the
    frequencies of the classes: it learns from outputs of classifiers that have seen the samples it is compared by, and
    in pure noise it would seem to be better than it is. With very few samples, it always would. The chosen decoding is
    not yet fitted to all evidence.
    """
    simple, folds = simple_decoding(codebook.is_ternary), _judging_folds(evidence, seed)
    trials: dict[str, _Trial] = {}
    # A rehearsal has fewer samples to learn from. So what learns is preferred if it is about as good there.
    for name in (simple, LEARNED, STRUCTURED) if rehearsal is None else (LEARNED, simple, STRUCTURED):
        decoding = get_decoding(name)
        if rehearsal is None:
            trial = _cross_fitted(decoding, codebook, evidence, folds)
        else:
            trial = _rehearsed(decoding, codebook, rehearsal)
        if name == simple or trial.is_clear(evidence.judging.clearly):
            trials[name] = trial
    chosen, *others = trials.values()
    for trial in others:
        chosen = trial if trial.is_better_than(chosen) else chosen
    accuracies = [mean_and_error(trial.hits, trial.weight) for trial in trials.values()]
    found: dict[str, list[Any]] = {
        "decoding": list(trials),
        "log_loss": [mean_and_error(trial.losses, trial.weight)[0] for trial in trials.values()],
        "accuracy": [mean for mean, _ in accuracies],
        "standard_error": [error for _, error in accuracies],
    }
    return chosen.fitted(chosen.decoding)._replace(trials=found)


class _Trial(NamedTuple):
    """A decoding, and its losses on samples that it did not learn from."""

    decoding: Decoding
    scores: Array
    y: Classes
    weight: Array
    temperature: float
    losses: Array
    hits: Array

    @classmethod
    def of(cls, decoding: Decoding, scores: Array, truth: Evidence | Rehearsal, rows: Any = slice(None)) -> "_Trial":
        """Evaluate scores with the classes and weights of some rows."""
        y = truth.y[rows]
        weight = np.ones(len(y)) if truth.weight is None else truth.weight[rows]
        temperature = fit_temperature(scores, y, weight)
        hits = (scores.argmax(axis=1) == y).astype(float)
        return cls(decoding, scores, y, weight, temperature, log_losses(scores, y, temperature), hits)

    def calibration(self) -> Calibration:
        """Return the calibration of the scores."""
        return fit_calibration(self.scores, self.y, self.weight, self.temperature)

    def sets(self, calibration: Calibration) -> SetPredictor:
        """Return the predictor of sets of classes."""
        return SetPredictor(calibration.probabilities(self.scores), self.y, self.weight)

    def fitted(self, decoding: Decoding) -> Fitted:
        """Return a decoding with the calibration and the sets of this trial."""
        calibration = self.calibration()
        return Fitted(decoding, calibration, self.sets(calibration))

    def is_better_than(self, other: "_Trial") -> bool:
        """Tell whether it is better by a standard error in log-loss or accuracy, and not worse by one in the other."""
        gains = (other.losses - self.losses, self.hits - other.hits)
        means_and_errors = [mean_and_error(gain, self.weight) for gain in gains]
        return any(mean > error for mean, error in means_and_errors) and all(
            mean >= -error for mean, error in means_and_errors
        )

    def is_clear(self, clearly: float) -> bool:
        """Tell whether it beats the frequencies of the classes by several standard errors."""
        share = np.bincount(self.y, self.weight) / max(self.weight.sum(), 1e-300)
        gains = (-np.log(np.maximum(share[self.y], 1e-300)) - self.losses, self.hits - share.max())
        return any(mean > clearly * error for mean, error in (mean_and_error(gain, self.weight) for gain in gains))


def _judging_folds(evidence: Evidence, seed: int | None = 0) -> Folds:
    """Return the folds for comparing decodings: the user's own, or ours."""
    return evidence.folds or make_folds(evidence.judging.n_folds, evidence.y, seed)


def _cross_fitted(decoding: Decoding, codebook: CodeBook, evidence: Evidence, folds: Folds) -> _Trial:
    """Try decodings that learned from the other folds on the test samples of each fold."""
    assert evidence.held_out is not None
    outputs = outputs_for(decoding, evidence.held_out)
    decoding, scores = decoding.cross_fit(codebook, outputs, evidence.y, evidence.weight, folds)
    seen = np.unique(np.concatenate([test for _, test in folds]))
    seen = seen[:: evidence.judging.step(len(seen), codebook.n_classes)]
    return _Trial.of(decoding, scores[seen], evidence, seen)


def _rehearsed(decoding: Decoding, codebook: CodeBook, rehearsal: Rehearsal) -> _Trial:
    """Try a decoding on the samples that the binary classifiers of the rehearsal have not seen."""
    held_out, y, weight = rehearsal.evidence.held_out, rehearsal.evidence.y, rehearsal.evidence.weight
    assert held_out is not None
    learned = clone(decoding).fit(codebook, outputs_for(decoding, held_out), y, weight)
    return _Trial.of(decoding, learned.scores(outputs_for(decoding, rehearsal.outputs)), rehearsal)


def outputs_for(decoding: Decoding, outputs: Array) -> Array:
    """Return held-out outputs as a decoding takes them: their signs if it decodes signs."""
    return np.where(outputs > 0, 1.0, -1.0) if decoding.needs == "signs" else outputs


def simple_decoding(is_ternary: bool) -> str:
    """Return the decoding that uses only the codewords: votes if the code leaves classes out.

    Margins of classifiers that never saw a class may be as large as those that did.
    """
    return VOTES if is_ternary else SIMPLE
