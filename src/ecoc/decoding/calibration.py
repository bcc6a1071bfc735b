"""How confident should a score make us? One factor for all scores, which leaves the highest score the highest."""

import numpy as np
from numpy.typing import NDArray

from ecoc.decoding.likelihood import loss_by_factor

Array = NDArray[np.float64]

# The factor is searched between e^-8 / (largest range of a sample's scores) and e^8 / (median range). At the lower end
# all probabilities are almost equal; at the upper end a class has probability 1 if it is ahead by 1 % of that range.
_LOWEST, _HIGHEST = -8.0, 8.0
# The factor is at most 1 / 1e-10: smaller scores are rounding, e.g. of a Gaussian kernel that is so narrow that all
# samples are far apart. Those of a new sample may be 1e10 times as large as any of held-out samples, and say as little.
_ROUNDING = 1e-10
_NOTHING = 1e-9  # a smaller gain in log-loss is rounding
_PRECISION = 1e-3  # of the factor, relative


def fit_temperature(scores: Array, y: NDArray[np.intp], sample_weight: Array | None = None) -> float:
    """Return the factor t for which softmax(t·scores) has the smallest log-loss on these samples.

    The log-loss is convex in t, so its derivative has one zero at most. Newton's method finds it, and halves the
    interval on a logarithmic scale where a step would leave the interval. A positive factor does not change which class
    has the highest probability.
    """
    scores = np.ascontiguousarray(scores, dtype=np.float64)
    ranges = np.ptp(scores, axis=1)
    score_range, widest = float(np.median(ranges)) or 1.0, float(ranges.max(initial=0.0)) or 1.0
    weight = (
        np.full(len(y), 1.0 / len(y)) if sample_weight is None else sample_weight / max(sample_weight.sum(), 1e-300)
    )
    lowest, highest = np.minimum(
        [np.exp(_LOWEST) / max(widest, score_range), np.exp(_HIGHEST) / score_range], 1 / _ROUNDING
    )
    at_lowest, slope, _ = loss_by_factor(scores, y, weight, lowest)
    if (
        slope >= 0 or lowest == highest
    ):  # no factor helps: the scores say nothing, and the probabilities should not, either
        return float(lowest)
    low, high = lowest, highest
    t = 1.0 if lowest < 1.0 < highest else min(1.0 / score_range, highest)  # 1 is right for logarithms of probabilities
    step = np.inf
    while abs(step) > _PRECISION * t and high - low > _PRECISION * low:
        loss, slope, curvature = loss_by_factor(scores, y, weight, t)
        low, high = (t, high) if slope < 0 else (low, t)
        after = t - slope / curvature if curvature > 0 else np.inf
        if not low < after < high:
            after = np.sqrt(low * high)
        step, t = after - t, after
    return float(t if loss < at_lowest - _NOTHING else lowest)
