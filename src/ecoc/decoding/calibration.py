"""Calibrate scores: find the factor and the doubt with the smallest log-loss."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from ecoc.decoding.evidence import Array
from ecoc.decoding.likelihood import loss_by_factor


class Calibration(NamedTuple):
    """Calibration of scores: their softmax, mixed with equal probabilities of all classes."""

    temperature: float = 1.0  # factor of the scores
    doubt: float = 0.0  # share of the probability that all classes share equally

    def probabilities(self, scores: Array) -> Array:
        """Return probabilities; their order is that of the scores."""
        return self._mixed(softmax(scores * self.temperature, axis=1), scores.shape[1])

    def losses(self, scores: Array, y: NDArray[np.intp]) -> Array:
        """Return the log-loss of each sample."""
        right = self._mixed(np.exp(-log_losses(scores, y, self.temperature)), scores.shape[1])
        return np.asarray(-np.log(np.maximum(right, 1e-300)))

    def _mixed(self, sure: Array, n_classes: int) -> Array:
        return np.asarray((1.0 - self.doubt) * sure + self.doubt / n_classes)


def log_losses(scores: Array, y: NDArray[np.intp], factor: float = 1.0) -> Array:
    """Return the log-loss of each sample for softmax(factor·scores)."""
    below = factor * (scores - scores.max(axis=1, keepdims=True))  # 0 at the highest, so that small losses are exact
    return np.asarray(np.log(np.exp(below).sum(axis=1)) - below[np.arange(len(y)), y])


def mean_and_error(values: Array, weight: Array) -> tuple[float, float]:
    """Return the weighted mean and its standard error."""
    share = weight / max(weight.sum(), 1e-300)
    mean = float(share @ values)
    return mean, float(np.sqrt(share**2 @ (values - mean) ** 2))


def fit_temperature(
    scores: Array, y: NDArray[np.intp], sample_weight: Array | None = None, least_errors: float = 0.0
) -> float:
    """Return the factor t for which softmax(t·scores) has the smallest log-loss on these samples.

    If all samples are right, `least_errors` of one sample are counted, in favour of the runner-up of each sample.

    The log-loss is convex in t, so its derivative has one zero at most. Newton's method finds it, and halves the
    interval on a logarithmic scale where a step would leave the interval. A positive factor does not change which class
    has the highest probability.
    """
    # The factor is searched between e^-8 / (largest range of a sample's scores) and e^8 / (median range). At the lower
    # end all probabilities are almost equal; at the upper end a class has probability 1 if it is ahead by 1 % of that
    # range.
    least_power, most_power = -8.0, 8.0
    nothing = 1e-9  # a smaller gain in log-loss is rounding
    precision = 1e-3  # of the factor, relative
    # Scores below 1e-10 are rounding, e.g. of a Gaussian kernel so narrow that all samples are far apart. Those of
    # a new sample may be 1e10 times as large as any of held-out samples, and say as little.
    most = 1e10
    scores = np.ascontiguousarray(scores, dtype=np.float64)
    ranges = np.ptp(scores, axis=1)
    score_range, widest = float(np.median(ranges)) or 1.0, float(ranges.max(initial=0.0)) or 1.0
    weight = np.ones(len(y)) if sample_weight is None else sample_weight
    weight = weight / max(weight.sum(), 1e-300)
    behind = scores.max(axis=1) - scores[np.arange(len(y)), y]
    if least_errors and not behind[weight > 0].any():
        second, first = np.partition(scores, -2, axis=1)[:, -2:].T
        ahead = np.minimum(first - second, np.median(first - second))  # a class may be hopelessly far behind
        behind = ahead * least_errors / (least_errors + 1.0 / max(weight @ weight, 1e-300))
    lowest = min(np.exp(least_power) / max(widest, score_range), most)
    highest = min(np.exp(most_power) / score_range, most)
    at_lowest, slope, _ = loss_by_factor(scores, behind, weight, lowest)
    if slope >= 0 or lowest == highest:  # no factor helps: the scores say nothing, nor should the probabilities
        return float(lowest)
    low, high = lowest, highest
    t = 1.0 if lowest < 1.0 < highest else min(1.0 / score_range, highest)  # 1 is right for logarithms of probabilities
    step = np.inf
    while abs(step) > precision * t and high - low > precision * low:
        loss, slope, curvature = loss_by_factor(scores, behind, weight, t)
        low, high = (t, high) if slope < 0 else (low, t)
        after = t - slope / curvature if curvature > 0 else np.inf
        if not low < after < high:
            after = np.sqrt(low * high)
        step, t = after - t, after
    return float(t if loss < at_lowest - nothing else lowest)


def fit_calibration(scores: Array, y: NDArray[np.intp], weight: Array, temperature: float) -> Calibration:
    """Return the calibration with the smallest log-loss on these samples, beginning with the best temperature alone.

    If the true class of a few samples has a hopeless score, e.g. no vote at all, a factor alone makes all probabilities
    less confident. The doubt covers these samples, so that the others stay confident. Expectation-maximization finds
    both: the probability that each sample is doubtful, and the best factor for the others. One-vs-one by votes,
    logistic regression and LinearSVC, six sets: expected calibration error 15.1 % with a factor alone, 5.6 % with
    doubt; log-loss 0.87 and 0.76. Loss-based decoding: 13.9 and 8.6 %, 0.76 and 0.67.

    If all samples are right, half an error is counted, because new samples may be wrong. Without it, all probabilities
    were 1 and 0, whatever a sample's scores.
    """
    # Mean log-loss of new samples, naive Bayes and SVC, 15 draws of five blobs with no error or hardly any: without it
    # 0.012, with half of it 0.004, with it 0.005, with double 0.008.
    half_an_error = 0.5
    # Half the rounds, or a doubt that is five times less precise, change mean log-losses by less than 0.001 (ten fits).
    most_rounds, precision = 20, 1e-3
    scores = np.ascontiguousarray(scores, dtype=np.float64)
    share = weight / max(weight.sum(), 1e-300)
    wrong = float(share @ (scores.argmax(axis=1) != y))
    if wrong == 0.0:
        return Calibration(fit_temperature(scores, y, weight, half_an_error))
    alone = mixed = Calibration(temperature)
    doubt = wrong / 2
    for _ in range(most_rounds):
        probability = np.exp(-Calibration(mixed.temperature, doubt).losses(scores, y))
        unsure = np.minimum(doubt / scores.shape[1] / probability, 1.0)  # above 1 by rounding alone
        mixed = Calibration(fit_temperature(scores, y, share * (1.0 - unsure)), float(share @ unsure))
        if abs(mixed.doubt - doubt) <= precision:
            break
        doubt = mixed.doubt
    return mixed if share @ mixed.losses(scores, y) < share @ alone.losses(scores, y) else alone
