"""Which class do the outputs stand for? A decoding fitted to evidence, and the scale of its probabilities."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax, softmax
from sklearn.base import clone

from ecoc.calibration import fit_temperature
from ecoc.codebook import CodeBook
from ecoc.decoding import Decoding, get_decoding
from ecoc.utils.folds import Folds, make_folds

Array = NDArray[np.float64]
Classes = NDArray[np.intp]

LEARNED, SIMPLE = "discriminant", "linear"  # what "auto" chooses from
_FOLDS = 5  # of held-out outputs, for that choice
_MOST_OUTPUTS = 2**20  # numbers of evidence that a classifier keeps for `truncate`: 8 MB
_MOST_SCORES = 2**22  # scores that calibrate probabilities and compare decodings
_BLOCK_SCORES = 2**24  # scores of classes held at once when predicting: 128 MB


@dataclass(frozen=True)
class Evidence:
    """Outputs for training samples: those that the decoding learns from, and those of samples that were held out.

    Either is None if nothing needs it. `folds` are the folds of the held-out outputs, if they had any.
    """

    outputs: Array | None
    held_out: Array | None
    y: Classes
    weight: Array | None = None
    folds: Folds | None = None

    def first(self, n_columns: int) -> "Evidence":
        """Return the evidence for the first columns."""
        outputs, held_out = (None if part is None else part[:, :n_columns] for part in (self.outputs, self.held_out))
        return Evidence(outputs, held_out, self.y, self.weight, self.folds)

    def some(self, most: int) -> "Evidence":
        """Return the evidence of evenly spaced samples, at most about `most` outputs."""
        widest = max((part.shape[1] for part in (self.outputs, self.held_out) if part is not None), default=1)
        step = 1 + len(self.y) * widest // most

        def copied(part: Any) -> Any:
            return None if part is None else part[::step].copy()

        outputs = copied(self.outputs)
        held_out = outputs if self.held_out is self.outputs else copied(self.held_out)
        folds = None if step > 1 else self.folds
        return Evidence(outputs, held_out, self.y[::step].copy(), copied(self.weight), folds)


class Decision:
    """A fitted decoding with the temperature of its probabilities.

    Parameters
    ----------
    decoding : Decoding
        Fitted to the code book and the evidence.
    temperature : float
        Factor of the scores in the probabilities.
    calibrates : bool
        Whether probabilities are wanted of a decoding that has only scores.
    evidence : Evidence
        What it was fitted to, for `first`.
    keeps_evidence : bool
        Whether copies and files of the decision hold the evidence.
    trials : dict of lists, default=None
        What ``decoding="auto"`` compared.
    """

    def __init__(
        self,
        decoding: Decoding,
        temperature: float,
        calibrates: bool,
        evidence: Evidence | None,
        keeps_evidence: bool = False,
        trials: dict[str, list[Any]] | None = None,
    ) -> None:
        self.decoding = decoding
        self.temperature = temperature
        self.calibrates = calibrates
        self.evidence = evidence
        self.keeps_evidence = keeps_evidence
        self.trials = trials

    @classmethod
    def learn(
        cls,
        wanted: Decoding | None,
        codebook: CodeBook,
        evidence: Evidence,
        *,
        calibrates: bool,
        keeps_evidence: bool = False,
        seed: int | None = 0,
    ) -> "Decision":
        """Fit a decoding and its temperature to evidence; None: choose the decoding by the evidence, too."""
        trials, retained = None, evidence.some(_MOST_OUTPUTS)
        if wanted is None:
            choice = choose_decoding(codebook, evidence, seed)
            decoding = choice.decoding.fit(codebook, evidence.outputs, evidence.y, evidence.weight)
            temperature, trials = choice.temperature, choice.trials
        else:
            decoding, temperature = _fitted(wanted, codebook, evidence, calibrates)
        return cls(decoding, temperature, calibrates, retained, keeps_evidence, trials)

    def first(self, codebook: CodeBook) -> "Decision":
        """Return the decision for the first columns of the code, which `codebook` consists of."""
        if self.evidence is None:
            if self.decoding.fit_on is not None:
                raise ValueError(
                    f"{type(self.decoding).__name__} decoding learns from outputs of the training samples, and this "
                    "copy of the classifier holds none. Truncate the classifier before it is saved or copied, or fit "
                    "it with keep_outputs=True."
                )
            return Decision(clone(self.decoding).fit(codebook), self.temperature, self.calibrates, None)
        return Decision.learn(
            None if self.trials is not None else self.decoding,
            codebook,
            self.evidence.first(codebook.n_columns),
            calibrates=self.calibrates,
            keeps_evidence=self.keeps_evidence,
        )

    def scores(self, outputs: Array) -> Array:
        """Return the scores of all classes, for each row of outputs."""
        scores: Array = self.decoding.scores(outputs)
        return scores

    def probabilities(self, outputs: Array) -> Array:
        """Return the probabilities of all classes, for each row of outputs."""
        return np.asarray(softmax(self.scores(outputs) * self.temperature, axis=1))

    def choose(self, outputs: Array) -> Classes:
        """Return the best class of each row of outputs, some rows at a time."""
        rows = max(1, _BLOCK_SCORES // self.decoding.codebook_.n_classes)
        blocks = (outputs[start : start + rows] for start in range(0, max(len(outputs), 1), rows))
        return np.concatenate([self.scores(block).argmax(axis=1) for block in blocks])

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the evidence, which is about training samples, unless it was asked for."""
        return {**self.__dict__, "evidence": self.evidence if self.keeps_evidence else None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)


class Choice(NamedTuple):
    """The decoding that "auto" chose, unfitted; its temperature; and what was compared."""

    decoding: Decoding
    temperature: float
    trials: dict[str, list[Any]]


def choose_decoding(codebook: CodeBook, evidence: Evidence, seed: int | None) -> Choice:
    """Choose between decoding by codewords and a learned decoding, by samples that neither learned from.

    The learned decoding must be better by more than a standard error of the difference, in log-loss or in accuracy, and
    must not be worse by as much in the other. Accuracy tells more about outputs that are only signs, where codewords
    tie.

    Parameters
    ----------
    codebook : CodeBook
        The code.
    evidence : Evidence
        Held-out outputs of the training samples.
    seed : int or None
        Seed of folds, if the evidence has none.

    Returns
    -------
    Choice
        The chosen decoding.
    """
    y = evidence.y
    weight = np.ones(len(y)) if evidence.weight is None else evidence.weight
    folds = evidence.folds or make_folds(_FOLDS, y, seed)
    seen = np.unique(np.concatenate([test for _, test in folds]))
    seen = seen[:: 1 + len(seen) * codebook.n_classes // _MOST_SCORES]
    names, temperatures, losses, hits = (SIMPLE, LEARNED), [], [], []
    for name in names:
        scores = _held_out_scores(get_decoding(name), codebook, evidence, folds)[seen]
        temperatures.append(fit_temperature(scores, y[seen], weight[seen]))
        losses.append(-log_softmax(scores * temperatures[-1], axis=1)[np.arange(len(seen)), y[seen]])
        hits.append((scores.argmax(axis=1) == y[seen]).astype(float))
    signs = [_sign(*_mean_and_error(gain, weight[seen])) for gain in (losses[0] - losses[1], hits[1] - hits[0])]
    chosen = int(max(signs) == 1 and min(signs) >= 0)
    trials: dict[str, list[Any]] = {
        "decoding": list(names),
        "log_loss": [_mean_and_error(loss, weight[seen])[0] for loss in losses],
        "accuracy": [_mean_and_error(hit, weight[seen])[0] for hit in hits],
        "standard_error": [_mean_and_error(hit, weight[seen])[1] for hit in hits],
    }
    return Choice(get_decoding(names[chosen]), temperatures[chosen], trials)


def _held_out_scores(decoding: Decoding, codebook: CodeBook, evidence: Evidence, folds: Folds) -> Array:
    """Return the scores of each test fold's samples by a decoding that learned from the other folds."""
    held_out, weight = evidence.held_out, evidence.weight
    assert held_out is not None
    if decoding.fit_on is None:
        return decoding.fit(codebook).scores(held_out)
    scores = np.empty((len(held_out), codebook.n_classes))
    for train, test in folds:
        decoding.fit(codebook, held_out[train], evidence.y[train], None if weight is None else weight[train])
        scores[test] = decoding.scores(held_out[test])
    return scores


def nothing_to_learn(y: Classes, n_classes: int) -> bool:
    """Tell whether "auto" has no choice: two classes, or more than half of the classes have a single sample."""
    return n_classes == 2 or bool(2 * np.count_nonzero(np.bincount(y, minlength=n_classes) == 1) > n_classes)


def _fitted(wanted: Decoding, codebook: CodeBook, evidence: Evidence, calibrates: bool) -> tuple[Decoding, float]:
    """Return the decoding fitted to evidence, and the temperature of its probabilities."""
    decoding: Decoding = clone(wanted).fit(codebook, evidence.outputs, evidence.y, evidence.weight)
    # A decoding that learned from held-out outputs is still too sure of itself, and calibrating it is free.
    uncalibrated = decoding.fit_on == "out_of_fold" if decoding.gives_probabilities else calibrates
    if evidence.held_out is None or not uncalibrated:
        return decoding, 1.0
    y, weight = evidence.y, evidence.weight
    some = slice(None, None, 1 + len(y) * codebook.n_classes // _MOST_SCORES)
    scores = decoding.scores(evidence.held_out[some])
    return decoding, fit_temperature(scores, y[some], None if weight is None else weight[some])


def _sign(mean: float, error: float) -> int:
    """Return 1 or −1 if a mean is more than its standard error above or below zero, else 0."""
    return int(mean > error) - int(mean < -error)


def _mean_and_error(values: Array, weight: Array) -> tuple[float, float]:
    """Return the weighted mean and its standard error."""
    share = weight / max(weight.sum(), 1e-300)
    mean = float(share @ values)
    return mean, float(np.sqrt(share**2 @ (values - mean) ** 2))
