"""Structured decoding: scores from the code, with a learned correction as strong as the samples allow."""

from collections.abc import Callable
from numbers import Real
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecoc.codes.codebook import CodeBook
from ecoc.decoding.calibration import fit_temperature, log_losses, mean_and_error
from ecoc.decoding.correction import Correction
from ecoc.decoding.interface import Array, CrossFitted, Decoding, sum_by_side
from ecoc.decoding.likelihood import fit_columns
from ecoc.decoding.limits import LIMITS
from ecoc.utils.folds import Folds, Rows
from ecoc.utils.scikit import Interval, StrOptions
from ecoc.utils.threads import one_blas_thread


class Structure(NamedTuple):
    """Class scores from the code; held-out outputs calibrate its columns and fit two factors.

    Column j says with probability σ(z_j) that the sample is on its +1 side, where z is the calibrated output. Classes
    on the two sides get log σ(z) and log σ(−z). A class that the column leaves out gets the evidence expected under the
    current belief about the classes that the column sees: the column moves belief between these classes and leaves the
    others alone. Without zeros, this is naive Bayes. `belief` is the factor of the first scores, for which a left-out
    class counts as one half, and `temperature` that of the final ones.
    """

    matrix: NDArray[np.int8]
    slope: Array
    intercept: Array
    belief: float = 1.0
    temperature: float = 1.0

    @classmethod
    def of(cls, matrix: NDArray[np.int8], outputs: Array, y: NDArray[np.intp], weight: Array) -> "Structure":
        """Fit calibration and factors to held-out outputs."""
        structure = cls(matrix, *calibrate_columns(outputs, matrix[y], weight))
        if not matrix.all():
            first = structure._first_scores(*structure._log_sides(outputs))
            structure = structure._replace(belief=fit_temperature(first, y, weight))
        return structure._replace(temperature=fit_temperature(structure.scores(outputs), y, weight))

    def log_odds(self, outputs: Array) -> Array:
        """Return calibrated log-odds of the +1 sides."""
        return outputs * self.slope + self.intercept

    def scores(self, outputs: Array) -> Array:
        """Return logarithms of class probabilities, up to a constant for each sample."""
        no_belief, moderate = 1e-12, 1e4
        if self.matrix.all():  # log σ(z) − log σ(−z) = z, and what both sides lose is the same for all classes
            z = self.log_odds(outputs)
            if np.abs(z).max(initial=0.0) < moderate:
                return np.asarray(z @ (self.matrix.T * (self.temperature / 2)))
            return sum_by_side(np.minimum(z, 0.0), np.minimum(-z, 0.0), self.matrix) * self.temperature
        plus, minus = self._log_sides(outputs)
        belief = self._first_scores(plus, minus) * self.belief
        belief = np.exp(belief - belief.max(axis=1, keepdims=True))  # a third of the time of scipy.special.softmax
        belief /= belief.sum(axis=1, keepdims=True)
        on_plus, on_minus = (belief @ (self.matrix == side).astype(np.float64) for side in (1, -1))
        seen = on_plus + on_minus
        known = seen > no_belief
        expected = (on_plus * np.exp(plus) + on_minus * np.exp(minus)) / np.where(known, seen, 1.0)
        expected = np.log(np.maximum(np.where(known, expected, 0.5), 1e-300))
        return sum_by_side(plus - expected, minus - expected, self.matrix) * self.temperature

    def _first_scores(self, plus: Array, minus: Array) -> Array:
        """Return scores for which a column is as likely to say +1 as −1 about a class that it leaves out."""
        return np.asarray(sum_by_side(plus, minus, self.matrix) + np.log(2) * np.count_nonzero(self.matrix, axis=1))

    def _log_sides(self, outputs: Array) -> tuple[Array, Array]:
        """Return log σ(z) and log σ(−z)."""
        z = self.log_odds(outputs)
        plus = np.minimum(z, 0.0) - np.log1p(np.exp(-np.abs(z)))  # a tenth of the time of logaddexp
        return plus, plus - z


def calibrate_columns(outputs: Array, sides: NDArray[np.int8], weight: Array) -> tuple[Array, Array]:
    """Return slope and intercept for which σ(slope · output + intercept) is the probability of the +1 side.

    Logistic regression with the targets of J. Platt, "Probabilistic outputs for support vector machines", 1999, for all
    columns at once. `sides` is 0 for samples that a column does not see.
    """
    counts = weight[:, None] * (sides != 0)
    n = counts.sum(axis=0)
    scale = np.sqrt((counts * outputs**2).sum(axis=0) / np.maximum(n, 1e-300))
    scale = np.where(scale > 0, scale, 1.0)
    n_plus = (counts * (sides > 0)).sum(axis=0)
    target = np.where(sides > 0, (n_plus + 1) / (n_plus + 2), 1 / (n - n_plus + 2))
    slope, intercept = fit_columns(outputs / scale, target, counts)
    return slope / scale, intercept


class Structured(Decoding):
    """Scores that follow from the code, and a learned correction that is as strong as held-out samples allow.

    Each column moves belief between the classes at +1 and the classes at −1, and says nothing about the classes at 0.
    Its outputs are calibrated to log-odds z. With few samples, nothing is learned. With more samples, the scores get a
    correction that is linear in the outputs and in tanh(z/2), by multinomial logistic regression with a penalty on its
    coefficients. So the decoding lies between votes and a learned decoding. It is not linear in the outputs, which
    matters for linear models: linear scores of linear outputs are those of a linear model.

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
    ecoc.decoding.Discriminant : Learn scores that are linear in the outputs.
    ecoc.decoding.Probabilistic : Couple binary probabilities, without learning.
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
    normalizes = True
    keeps_correction = False
    fit_on = "out_of_fold"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "penalty": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"}), None]
    }

    def __init__(self, penalty: float | Literal["auto"] | None = "auto") -> None:
        self.penalty = penalty

    def _cross_fit(
        self, codebook: CodeBook, outputs: Array, y: NDArray[np.intp], weight: Array, folds: Folds
    ) -> CrossFitted:
        with one_blas_thread():
            parts = [
                (test, _held_out_scores(codebook.matrix, outputs, y, weight, train, test)) for train, test in folds
            ]
            judges = parts if _work(outputs, codebook.n_classes) <= self.limits.most_tried else parts[:1]
            seen = np.unique(np.concatenate([test for test, _ in judges]))
            tried: list[_Trial] = []
            for penalty in (None, *self._penalties(outputs, codebook.n_classes)):
                scores = np.zeros((len(y), codebook.n_classes))
                for test, scores_of in judges:
                    scores[test] = scores_of(penalty)
                temperature = fit_temperature(scores[seen], y[seen], weight[seen])
                tried.append(_Trial(penalty, scores, log_losses(scores[seen], y[seen], temperature)))
                if penalty is not None and penalty < LIMITS.preferred_penalty and _is_rising(tried, weight[seen]):
                    break
            best = _choose(tried, weight[seen])
            for test, scores_of in parts[len(judges) :]:
                best.scores[test] = scores_of(best.penalty)
        return CrossFitted(Structured(best.penalty), best.scores)

    def _penalties(self, outputs: Array, n_classes: int) -> tuple[float, ...]:
        """Return the penalties to try."""
        if self.penalty is None or _work(outputs, n_classes) > self.limits.most_structured_work:
            return ()
        return LIMITS.penalties if self.penalty == "auto" else (float(self.penalty),)

    def _fit_outputs(self, outputs: Array, y: NDArray[np.intp], weight: Array) -> None:
        matrix = self.codebook_.matrix
        penalties = self._penalties(outputs, len(matrix))
        self.penalty_ = penalties[0] if penalties else None
        if self.penalty == "auto" and penalties:
            folds = _own_folds(y)  # a single one if every class has one sample: nothing can be held out
            chosen: Any = self._cross_fit(self.codebook_, outputs, y, weight, folds).decoding if folds[1:] else None
            self.penalty_ = None if chosen is None else chosen.penalty
        self.structure_ = Structure.of(matrix, outputs, y, weight)
        self.scale_ = _scale(outputs, weight)
        self.coef_: Array | None = None
        if self.penalty_ is not None:
            stronger = [penalty for penalty in LIMITS.penalties if penalty > self.penalty_]
            with one_blas_thread():
                features = _features(outputs, self.structure_, self.scale_)
                correction = Correction(features, self.structure_.scores(outputs), y, weight)
                for penalty in (*stronger, self.penalty_):
                    self.coef_ = correction.fit(penalty)

    def _scores(self, outputs: Array) -> Array:
        scores = self.structure_.scores(outputs)
        if self.coef_ is not None:
            scores += _features(outputs, self.structure_, self.scale_) @ self.coef_.T
        return scores


def _work(outputs: Array, n_classes: int) -> float:
    n_features = 2.0 * outputs.shape[1] + 1
    return float(len(outputs) * n_features * max(n_features, n_classes))


def _features(outputs: Array, structure: Structure, scale: Array) -> Array:
    return np.hstack([outputs / scale, np.tanh(structure.log_odds(outputs) / 2), np.ones((len(outputs), 1))])


def _scale(outputs: Array, weight: Array) -> Array:
    scale = np.sqrt(weight @ outputs**2 / weight.sum())
    return np.where(scale > 0, scale, 1.0)


def _held_out_scores(
    matrix: NDArray[np.int8], outputs: Array, y: NDArray[np.intp], weight: Array, train: Rows, test: Rows
) -> Callable[[float | None], Array]:
    """Return a function that gives the scores of test samples for a penalty, learned from the training samples."""
    given, classes, weight = outputs[train], y[train], weight[train]
    structure, scale = Structure.of(matrix, given, classes, weight), _scale(given, weight)
    correction = Correction(_features(given, structure, scale), structure.scores(given), classes, weight)
    features, offset = _features(outputs[test], structure, scale), structure.scores(outputs[test])
    return lambda penalty: offset if penalty is None else features @ correction.fit(penalty).T + offset


class _Trial(NamedTuple):
    """A penalty, the held-out scores that it gives, and the log-loss of each sample."""

    penalty: float | None
    scores: Array
    losses: Array


def _is_rising(tried: list[_Trial], weight: Array) -> bool:
    """Tell whether the two weakest penalties have a larger log-loss than a stronger one."""
    means = [float(weight @ trial.losses) for trial in tried]
    return min(means[-2:]) > min(means)


def _choose(tried: list[_Trial], weight: Array) -> _Trial:
    """Return the trial of least log-loss, if it beats the preferred penalty by more than a standard error."""
    best = min(tried, key=lambda trial: float(weight @ trial.losses))
    usual = next((trial for trial in tried if trial.penalty == LIMITS.preferred_penalty), best)
    mean, error = mean_and_error(usual.losses - best.losses, weight)
    return best if mean > error else usual


def _own_folds(y: NDArray[np.intp]) -> Folds:
    """Return folds that take the samples of each class in turn, and do not depend on the order of the classes."""
    n_folds = 3
    order = np.argsort(y, kind="stable")
    counts = np.bincount(y)
    place = np.empty(len(y), dtype=np.intp)
    place[order] = np.arange(len(y)) - np.repeat(np.cumsum(counts) - counts, counts)
    fold = place % min(n_folds, max(2, counts.max()))
    return [(np.flatnonzero(fold != f), np.flatnonzero(fold == f)) for f in np.unique(fold)]
