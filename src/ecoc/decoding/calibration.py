"""How confident should a score make us? One factor for all scores, which leaves the highest score the highest."""

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax

Array = NDArray[np.float64]

# The factor is searched between e^-5 and e^8 times 1 / (median range of a sample's scores). At the lower end all
# probabilities are almost equal; at the upper end a class has probability 1 if it is ahead by 1 % of that range.
_LOWEST, _HIGHEST = -5.0, 8.0
_NOTHING = 1e-9  # a smaller gain in log-loss is rounding


def fit_temperature(scores: Array, y: NDArray[np.intp], sample_weight: Array | None = None) -> float:
    """Return the factor t for which softmax(t·scores) has the smallest log-loss on these samples.

    The log-loss is convex in t. A positive factor does not change which class has the highest probability.
    """
    score_range = float(np.median(np.ptp(scores, axis=1))) or 1.0
    weight = (
        np.full(len(y), 1.0 / len(y)) if sample_weight is None else sample_weight / max(sample_weight.sum(), 1e-300)
    )

    def log_loss(log_t: float) -> float:
        log_p = log_softmax(np.exp(log_t) * scores, axis=1)[np.arange(len(y)), y]
        return -float(weight @ log_p)

    bounds = (_LOWEST - np.log(score_range), _HIGHEST - np.log(score_range))
    best = minimize_scalar(log_loss, bounds=bounds, method="bounded", options={"xatol": 1e-3})
    # If no factor helps, the scores say nothing, and the probabilities should not, either.
    helps = best.fun < log_loss(bounds[0]) - _NOTHING
    return float(np.exp(best.x if helps else bounds[0]))
