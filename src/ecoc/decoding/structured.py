"""Structured decoding: scores that follow from the code, corrected as far as the samples allow."""

from numbers import Real
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax

from ecoc.codes.codebook import CodeBook
from ecoc.decoding.base import Array, CrossFitted, Decoding
from ecoc.decoding.calibration import fit_temperature
from ecoc.decoding.correction import Correction
from ecoc.decoding.likelihood import log_losses
from ecoc.decoding.limits import LIMITS
from ecoc.decoding.structure import Structure
from ecoc.utils.folds import Folds
from ecoc.utils.scikit import Interval, StrOptions
from ecoc.utils.threads import one_blas_thread


class Structured(Decoding):
    """Scores that follow from the code, and a learned correction that is as strong as held-out samples allow.

    The code says what each column is about: it moves belief between the classes at +1 and the classes at −1, and says
    nothing about the classes at 0. Outputs are calibrated to log-odds z for it. With few samples that is all. With more
    samples, the scores get a correction that is linear in the outputs and in tanh(z/2), by multinomial logistic
    regression with a penalty on its coefficients. So the decoding lies between votes and a learned decoding. It is not
    linear in the outputs, which matters for linear models: linear scores of linear outputs are those of a linear model.

    Parameters
    ----------
    penalty : float, "auto" or None, default="auto"
        Penalty of the correction. The loss of each sample has weight one. ``"auto"`` takes 30, or the penalty with the
        smallest held-out log-loss if it is better by more than a standard error. None: no correction.

    Attributes
    ----------
    penalty_ : float or None
        The penalty that was used.
    structure_ : Structure
        Calibration of the columns and the scores that follow from the code.
    scale_ : ndarray of shape (n_columns,)
        Root mean square of each column's outputs.
    coef_ : ndarray of shape (n_classes, 2 · n_columns + 1), or None
        Coefficients of scaled outputs, of tanh(z/2), and intercepts.

    See Also
    --------
    ecoc.decoding.Discriminant : Learned scores that are linear in the outputs.
    ecoc.decoding.Probabilistic : Coupling of binary probabilities, without learning.
    ecoc.decoding.Hamming : Votes.

    Notes
    -----
    The correction is skipped if it would take longer than the binary classifiers: above 5·10⁹ samples × features ×
    features, where each column has two features.

    Examples
    --------
    Three columns see two classes each, and say nothing about the third:

    >>> import numpy as np
    >>> from ecoc.decoding import Structured
    >>> code = np.array([[1, 1, 0], [-1, 0, 1], [0, -1, -1]])
    >>> rng, y = np.random.default_rng(0), np.repeat([0, 1, 2], 20)
    >>> outputs = code[y] + rng.normal(scale=0.5, size=(60, 3))
    >>> decoding = Structured().fit(code, outputs, y)
    >>> decoding.probabilities([[1, 1, -2], [-0.8, 2, 1]]).argmax(axis=1)
    array([0, 1])
    """

    gives_probabilities = True
    keeps_correction = False
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "penalty": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"}), None]
    }

    def __init__(self, penalty: float | Literal["auto"] | None = "auto") -> None:
        self.penalty = penalty

    @property
    def fit_on(self) -> Literal["out_of_fold"]:
        """The outputs to learn from: out-of-fold outputs."""
        return "out_of_fold"

    def cross_fit(
        self, codebook: CodeBook, outputs: Array, y: NDArray[np.intp], weight: Array | None, folds: Folds
    ) -> CrossFitted:
        """Score held-out samples, and choose the penalty by them.

        Parameters
        ----------
        codebook : CodeBook
            The code.
        outputs : ndarray of shape (n_samples, n_columns)
            Outputs.
        y : ndarray of shape (n_samples,)
            Rows of the code book.
        weight : ndarray of shape (n_samples,) or None
            Weights of the samples.
        folds : list of pairs of rows
            Training and test rows.

        Returns
        -------
        CrossFitted
            The decoding with the chosen penalty, and the scores.
        """
        weight = np.ones(len(y)) if weight is None else weight
        with one_blas_thread():
            parts = [_Part.of(codebook, outputs, y, weight, *fold) for fold in folds]
            judges = parts if _work(outputs, codebook.n_classes) <= LIMITS.most_tried else parts[:1]
            seen = np.unique(np.concatenate([part.test for part in judges]))
            tried: list[_Trial] = []
            for penalty in (None, *self._penalties(outputs, codebook.n_classes)):
                scores = np.zeros((len(y), codebook.n_classes))
                for part in judges:
                    scores[part.test] = part.scores(penalty)
                tried.append(_Trial(penalty, scores, _losses(scores[seen], y[seen], weight[seen])))
                if penalty is not None and penalty < LIMITS.preferred_penalty and _is_rising(tried, weight[seen]):
                    break
            best = _choose(tried, weight[seen])
            for part in parts[len(judges) :]:
                best.scores[part.test] = part.scores(best.penalty)
        return CrossFitted(Structured(best.penalty), best.scores)

    def _penalties(self, outputs: Array, n_classes: int) -> tuple[float, ...]:
        """Return the penalties to try."""
        if self.penalty is None or _work(outputs, n_classes) > LIMITS.most_structured_work:
            return ()
        return LIMITS.penalties if self.penalty == "auto" else (float(self.penalty),)

    def _fit_outputs(self, outputs: Array, y: NDArray[np.intp], weight: Array) -> None:
        matrix = self.codebook_.matrix
        self.penalty_: float | None = self.penalty  # type: ignore[assignment]
        if self.penalty == "auto":
            folds = _own_folds(y)
            self.penalty_ = None  # if every class has one sample, nothing can be held out
            if len(folds) > 1:
                chosen: Any = self.cross_fit(self.codebook_, outputs, y, weight, folds).decoding
                self.penalty_ = chosen.penalty
        elif not self._penalties(outputs, len(matrix)):
            self.penalty_ = None
        self.structure_ = Structure.of(matrix, outputs, y, weight)
        self.scale_ = _scale(outputs, weight)
        self.coef_: Array | None = None
        if self.penalty_ is not None:
            stronger = [penalty for penalty in LIMITS.penalties if penalty > self.penalty_]
            with one_blas_thread():
                offset = self.structure_.scores(self.structure_.log_odds(outputs))
                correction = Correction(_features(outputs, self.structure_, self.scale_), offset, y, weight)
                self.coef_ = correction.follow([*stronger, self.penalty_])

    def _scores(self, outputs: Array) -> Array:
        scores = self.structure_.scores(self.structure_.log_odds(outputs))
        if self.coef_ is not None:
            scores += _features(outputs, self.structure_, self.scale_) @ self.coef_.T
        return np.asarray(log_softmax(scores, axis=1))


def _work(outputs: Array, n_classes: int) -> float:
    n_features = 2.0 * outputs.shape[1] + 1
    return float(len(outputs) * n_features * max(n_features, n_classes))


def _features(outputs: Array, structure: Structure, scale: Array) -> Array:
    return np.hstack([outputs / scale, np.tanh(structure.log_odds(outputs) / 2), np.ones((len(outputs), 1))])


def _scale(outputs: Array, weight: Array) -> Array:
    scale = np.sqrt(weight @ outputs**2 / weight.sum())
    return np.where(scale > 0, scale, 1.0)


class _Part(NamedTuple):
    """Held-out samples, and what the other samples teach about them."""

    test: NDArray[np.intp]
    features: Array
    offset: Array
    correction: Correction

    @classmethod
    def of(
        cls,
        codebook: CodeBook,
        outputs: Array,
        y: NDArray[np.intp],
        weight: Array,
        train: NDArray[np.intp],
        test: NDArray[np.intp],
    ) -> "_Part":
        structure = Structure.of(codebook.matrix, outputs[train], y[train], weight[train])
        scale = _scale(outputs[train], weight[train])
        offset = structure.scores(structure.log_odds(outputs[train]))
        correction = Correction(_features(outputs[train], structure, scale), offset, y[train], weight[train])
        own_offset = structure.scores(structure.log_odds(outputs[test]))
        return cls(test, _features(outputs[test], structure, scale), own_offset, correction)

    def scores(self, penalty: float | None) -> Array:
        return self.offset if penalty is None else self.features @ self.correction.fit(penalty).T + self.offset


class _Trial(NamedTuple):
    """A penalty, the held-out scores that it gives, and the log-loss of each sample."""

    penalty: float | None
    scores: Array
    losses: Array


def _losses(scores: Array, y: NDArray[np.intp], weight: Array) -> Array:
    """Return the log-loss of each sample after calibration of the scores by one factor."""
    return log_losses(scores, y, fit_temperature(scores, y, weight))


def _is_rising(tried: list[_Trial], weight: Array) -> bool:
    """Tell whether the two weakest penalties have a larger log-loss than a stronger one."""
    means = [float(weight @ trial.losses) for trial in tried]
    return min(means[-2:]) > min(means)


def _choose(tried: list[_Trial], weight: Array) -> _Trial:
    """Return the trial of least log-loss, if it beats the preferred penalty by more than a standard error."""
    share = weight / weight.sum()
    best = min(tried, key=lambda trial: float(share @ trial.losses))
    usual = next((trial for trial in tried if trial.penalty == LIMITS.preferred_penalty), best)
    gain = usual.losses - best.losses
    mean = float(share @ gain)
    return best if mean > np.sqrt(share**2 @ (gain - mean) ** 2) else usual


def _own_folds(y: NDArray[np.intp]) -> Folds:
    """Return folds that take the samples of each class in turn, and do not depend on the order of the classes."""
    order = np.argsort(y, kind="stable")
    counts = np.bincount(y)
    place = np.empty(len(y), dtype=np.intp)
    place[order] = np.arange(len(y)) - np.repeat(np.cumsum(counts) - counts, counts)
    fold = place % min(LIMITS.n_folds, max(2, counts.max()))
    return [(np.flatnonzero(fold != f), np.flatnonzero(fold == f)) for f in np.unique(fold)]
