"""How sure should a score make us? One scale for all scores, so that the highest stays the highest."""

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax

Array = NDArray[np.float64]


def fit_temperature(scores: Array, y: NDArray[np.intp], sample_weight: Array | None = None) -> float:
    """The factor t for which softmax(t·scores) has the smallest log-loss on these samples.

    The log-loss is convex in t, and its only parameter cannot change which class is first.
    """
    spread = float(np.median(np.ptp(scores, axis=1))) or 1.0
    weight = (
        np.full(len(y), 1.0 / len(y)) if sample_weight is None else sample_weight / max(sample_weight.sum(), 1e-300)
    )

    def log_loss(log_t: float) -> float:
        log_p = log_softmax(np.exp(log_t) * scores, axis=1)[np.arange(len(y)), y]
        return -float(weight @ log_p)

    middle = -np.log(spread)
    best = minimize_scalar(log_loss, bounds=(middle - 5.0, middle + 8.0), method="bounded", options={"xatol": 1e-3})
    return float(np.exp(best.x))
