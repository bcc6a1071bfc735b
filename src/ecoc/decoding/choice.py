"""Which decoding suits the evidence? Decodings compared on samples that they did not learn from, and calibrated."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax
from sklearn.base import clone

from ecoc.codes.codebook import CodeBook
from ecoc.decoding.base import Decoding
from ecoc.decoding.calibration import fit_temperature
from ecoc.decoding.conformal import SetPredictor
from ecoc.decoding.evidence import Array, Classes, Evidence, Rehearsal
from ecoc.decoding.likelihood import log_losses
from ecoc.decoding.registry import get_decoding
from ecoc.utils.folds import Folds, make_folds

# Samples below which five folds compare decodings, not three. On letter (1,000 samples, one-vs-one of logistic
# regressions), three folds estimate 72.7 % for the structured decoding, five 74.4 and ten 74.7; new samples have 77.6.
_FEW = 2000
LEARNED, SIMPLE, VOTES, STRUCTURED = "discriminant", "linear", "hamming", "structured"  # what "auto" chooses from
# Standard errors by which a learned decoding must be better than class frequencies. On noise, learned decodings seem to
# be better by one or two; real signal exceeds it by far.
_CLEAR = 3.0
_MOST_SCORES = 2**22  # scores that calibrate probabilities and compare decodings
_MOST_COMPARED = 2**27  # samples × classes beyond which decodings are not compared: their scores would take gigabytes


class Fitted(NamedTuple):
    """A fitted decoding; the temperature of its probabilities; sets of classes; what was compared, and by what."""

    decoding: Decoding
    temperature: float
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
    """Fit a decoding and its temperature to evidence.

    Parameters
    ----------
    wanted : Decoding or None
        The decoding, unfitted. None: choose it by the evidence.
    codebook : CodeBook
        The code.
    evidence : Evidence
        Outputs for training samples.
    calibrates : bool
        Whether probabilities are wanted of a decoding that has only scores.
    seed : int or None, default=0
        Seed of folds, if the evidence has none.
    rehearse : callable, default=None
        Trains without some samples, by which decodings are then compared and calibrated. None: by the evidence.

    Returns
    -------
    Fitted
        The fitted decoding.
    """
    if wanted is None and len(evidence.y) * codebook.n_classes > _MOST_COMPARED:
        wanted = get_decoding(LEARNED)
    rehearsal = None if rehearse is None else rehearse()
    if wanted is None:
        choice = choose_decoding(codebook, evidence, seed, rehearsal)
        fitted = choice.decoding.fit(codebook, evidence.outputs, evidence.y, evidence.weight)
        return choice._replace(decoding=fitted, rehearsal=rehearsal)
    decoding: Decoding = clone(wanted).fit(codebook, evidence.outputs, evidence.y, evidence.weight)
    if rehearsal is not None:
        judge = rehearsal.judged_by_every(1 + len(rehearsal.y) * codebook.n_classes // _MOST_SCORES)
        scores = _rehearsed(wanted, codebook, judge)
        temperature = fit_temperature(scores, judge.y, judge.weight)
        return Fitted(
            decoding, temperature, _set_predictor(scores, temperature, judge.y, judge.weight), rehearsal=rehearsal
        )
    # A decoding that learned from held-out outputs is still too sure of itself, and calibrating it is free.
    uncalibrated = decoding.fit_on == "out_of_fold" if decoding.gives_probabilities else calibrates
    if evidence.held_out is None or not uncalibrated:
        return Fitted(decoding, 1.0)
    return calibrated(decoding, codebook, evidence)


def calibrated(decoding: Decoding, codebook: CodeBook, evidence: Evidence) -> Fitted:
    """Find the temperature of a fitted decoding, and its sets of classes, from held-out outputs.

    Parameters
    ----------
    decoding : Decoding
        The decoding, fitted.
    codebook : CodeBook
        The code.
    evidence : Evidence
        With held-out outputs.

    Returns
    -------
    Fitted
        The same decoding with its temperature.
    """
    y, weight, held_out = evidence.y, evidence.weight, evidence.held_out
    assert held_out is not None
    if decoding.fit_on == "out_of_fold" and len(y) * codebook.n_classes <= _MOST_COMPARED:
        _, scores, seen = _cross_fitted(clone(decoding), codebook, evidence, _judging_folds(evidence, 0))
    else:
        seen = np.arange(0, len(y), 1 + len(y) * codebook.n_classes // _MOST_SCORES)
        scores = decoding.scores(held_out[seen])
    y, weight = y[seen], None if weight is None else weight[seen]
    temperature = fit_temperature(scores, y, weight)
    honest = decoding.fit_on != "training"
    return Fitted(decoding, temperature, _set_predictor(scores, temperature, y, weight) if honest else None)


def fit_sets(decoding: Decoding, codebook: CodeBook, evidence: Evidence, temperature: float) -> SetPredictor:
    """Return a predictor of sets for a decoding that learns, by fitting it without each fold.

    Parameters
    ----------
    decoding : Decoding
        The decoding.
    codebook : CodeBook
        The code.
    evidence : Evidence
        With held-out outputs.
    temperature : float
        Factor of the scores.

    Returns
    -------
    SetPredictor
        The predictor.
    """
    _, scores, seen = _cross_fitted(clone(decoding), codebook, evidence, _judging_folds(evidence, 0))
    weight = None if evidence.weight is None else evidence.weight[seen]
    return _set_predictor(scores, temperature, evidence.y[seen], weight)


def choose_decoding(
    codebook: CodeBook, evidence: Evidence, seed: int | None, rehearsal: Rehearsal | None = None
) -> Fitted:
    """Choose between decoding by codewords and two learned decodings, by samples that none of them learned from.

    Each decoding in turn replaces the choice so far if it is better by more than a standard error of the difference, in
    log-loss or in accuracy, and not worse by as much in the other. Accuracy tells more about outputs that are only
    signs, where codewords tie. A decoding that learns is considered only if it is clearly better than the frequencies
    of the classes: it learns from outputs of classifiers that have seen the samples it is compared by, and in pure
    noise it would seem to be better than it is by one or two standard errors. With very few samples, it always would.

    Parameters
    ----------
    codebook : CodeBook
        The code.
    evidence : Evidence
        Held-out outputs of the training samples.
    seed : int or None
        Seed of folds, if the evidence has none.
    rehearsal : Rehearsal, default=None
        Samples to compare the decodings by. None: those of the folds.

    Returns
    -------
    Fitted
        The chosen decoding, not yet fitted to all evidence.
    """
    judged = evidence if rehearsal is None else rehearsal
    y, weight = judged.y, np.ones(len(judged.y)) if judged.weight is None else judged.weight
    folds = _judging_folds(evidence, seed)
    simple = simple_decoding(codebook)
    # A rehearsal has fewer samples to learn from. So what learns is preferred if it is about as good there.
    names = (simple, LEARNED, STRUCTURED) if rehearsal is None else (LEARNED, simple, STRUCTURED)
    trials = []
    for name in names:
        decoding = get_decoding(name)
        if rehearsal is None:
            decoding, scores, seen = _cross_fitted(decoding, codebook, evidence, folds)
        else:
            seen = np.arange(0, len(y), 1 + len(y) * codebook.n_classes // _MOST_SCORES)
            scores = _rehearsed(decoding, codebook, rehearsal)[seen]
        trial = _Trial.of(name, decoding, scores, y[seen], weight[seen])
        if name == simple or trial.is_clear():
            trials.append(trial)
    chosen = trials[0]
    for trial in trials[1:]:
        chosen = trial if trial.is_better_than(chosen) else chosen
    found: dict[str, list[Any]] = {
        "decoding": [trial.name for trial in trials],
        "log_loss": [_mean_and_error(trial.losses, trial.weight)[0] for trial in trials],
        "accuracy": [_mean_and_error(trial.hits, trial.weight)[0] for trial in trials],
        "standard_error": [_mean_and_error(trial.hits, trial.weight)[1] for trial in trials],
    }
    sets = _set_predictor(chosen.scores, chosen.temperature, chosen.y, chosen.weight)
    return Fitted(chosen.decoding, chosen.temperature, sets, found)


class _Trial(NamedTuple):
    """A decoding, and its scores for samples that it did not learn from."""

    name: str
    decoding: Decoding
    scores: Array
    temperature: float
    losses: Array
    hits: Array
    y: Classes
    weight: Array

    @classmethod
    def of(cls, name: str, decoding: Decoding, scores: Array, y: Classes, weight: Array) -> "_Trial":
        temperature = fit_temperature(scores, y, weight)
        hits = (scores.argmax(axis=1) == y).astype(float)
        return cls(name, decoding, scores, temperature, log_losses(scores, y, temperature), hits, y, weight)

    def is_better_than(self, other: "_Trial") -> bool:
        """Tell whether it is better in log-loss or accuracy by a standard error, and not worse by one in the other."""
        gains = (other.losses - self.losses, self.hits - other.hits)
        signs = [_sign(*_mean_and_error(gain, self.weight)) for gain in gains]
        return max(signs) == 1 and min(signs) >= 0

    def is_clear(self) -> bool:
        """Tell whether it is better than the frequencies of the classes, by several standard errors."""
        share = np.bincount(self.y, self.weight, minlength=self.scores.shape[1]) / max(self.weight.sum(), 1e-300)
        gains = (-np.log(np.maximum(share[self.y], 1e-300)) - self.losses, self.hits - share.max())
        return any(mean > _CLEAR * error for mean, error in (_mean_and_error(gain, self.weight) for gain in gains))


def _judging_folds(evidence: Evidence, seed: int | None) -> Folds:
    """Return the folds that decodings are compared by: the user's own, or ours."""
    y = evidence.y
    return evidence.folds or make_folds(5 if len(y) < _FEW else 3, y, seed)


def _cross_fitted(
    decoding: Decoding, codebook: CodeBook, evidence: Evidence, folds: Folds
) -> tuple[Decoding, Array, NDArray[np.intp]]:
    """Return scores for test samples by decodings that learned from the other folds, and the rows of these samples."""
    held_out = evidence.held_out
    assert held_out is not None
    decoding, scores = decoding.cross_fit(codebook, outputs_for(decoding, held_out), evidence.y, evidence.weight, folds)
    seen = np.unique(np.concatenate([test for _, test in folds]))
    seen = seen[:: 1 + len(seen) * codebook.n_classes // _MOST_SCORES]
    return decoding, scores[seen], seen


def _rehearsed(decoding: Decoding, codebook: CodeBook, rehearsal: Rehearsal) -> Array:
    """Return the scores of the samples that the binary classifiers of the rehearsal have not seen."""
    held_out, y, weight = rehearsal.evidence.held_out, rehearsal.evidence.y, rehearsal.evidence.weight
    assert held_out is not None
    learned = clone(decoding).fit(codebook, outputs_for(decoding, held_out), y, weight)
    scores: Array = learned.scores(outputs_for(decoding, rehearsal.outputs))
    return scores


def outputs_for(decoding: Decoding, outputs: Array) -> Array:
    """Return held-out outputs as a decoding takes them: their signs if it decodes signs."""
    return np.where(outputs > 0, 1.0, -1.0) if decoding.needs == "signs" else outputs


def simple_decoding(codebook: CodeBook) -> str:
    """Return the decoding that goes by codewords alone: votes for a code that leaves classes out.

    Margins of classifiers that never saw a class may be as large as those that did.
    """
    return VOTES if codebook.is_ternary else SIMPLE


def needs_held_out(decoding: Decoding, calibrates: bool) -> bool:
    """Tell whether a decoding, or the calibration of its scores, needs held-out outputs."""
    return decoding.fit_on == "out_of_fold" or (calibrates and not decoding.gives_probabilities)


def _set_predictor(scores: Array, temperature: float, y: Classes, weight: Array | None) -> SetPredictor:
    return SetPredictor(softmax(scores * temperature, axis=1), y, weight)


def _sign(mean: float, error: float) -> int:
    """Return 1 or −1 if a mean is more than its standard error above or below zero, else 0."""
    return int(mean > error) - int(mean < -error)


def _mean_and_error(values: Array, weight: Array) -> tuple[float, float]:
    """Return the weighted mean and its standard error."""
    share = weight / max(weight.sum(), 1e-300)
    mean = float(share @ values)
    return mean, float(np.sqrt(share**2 @ (values - mean) ** 2))
