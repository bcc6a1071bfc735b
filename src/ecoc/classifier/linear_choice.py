"""Choose classes by one matrix product where binary classifiers and decoding are both linear."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecoc.decoding import Decoding
from ecoc.decoding.interface import TIE
from ecoc.training.interfaces import Dichotomizers
from ecoc.utils.threads import matrix_product

Array = NDArray[np.float64]


class LinearChoice(NamedTuple):
    """Class scores that are linear in the features.

    Scores computed from outputs are rounded differently. Where rounding could change the choice, the class is left
    open.

    Attributes
    ----------
    weights : ndarray of shape (n_features, n_classes)
        Weight of each feature.
    intercepts : ndarray of shape (n_classes,)
        Scores of a sample whose features are 0.
    slope, offset : float
        No score of a sample x is larger than slope · ‖x‖ + offset.
    precision : float
        Difference of two scores, relative to the largest possible one, that rounding or a tie may explain.
    """

    weights: Array
    intercepts: Array
    slope: float
    offset: float
    precision: float

    @classmethod
    def of(cls, models: Dichotomizers, decoding: Decoding) -> "LinearChoice | None":
        """Join binary classifiers and a decoding; None if either is not linear, or two products are faster."""
        outputs = models.linear_form()
        scores = decoding.linear_form() if outputs is not None and decoding.needs == "margins" else None
        if outputs is None or scores is None:
            return None
        (weights, intercepts), (coef, constants) = outputs, scores
        (d, l), k = weights.shape, len(coef)
        if d * k > d * l + l * k:
            return None
        longest = float(np.linalg.norm(coef, axis=1).max())
        offset = float(np.linalg.norm(intercepts)) * longest + float(np.abs(constants).max()) + np.log(k)
        precision = 4 * (TIE + (d + l + 8) * np.finfo(np.float64).eps)
        fused = np.ascontiguousarray(matrix_product(weights, coef.T))
        return cls(fused, coef @ intercepts + constants, float(np.linalg.norm(weights)) * longest, offset, precision)

    def choose(self, X: Any) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return the class of each sample, and the samples for which several classes may have the highest score."""
        scores = matrix_product(X, self.weights)
        scores += self.intercepts
        size = self.slope * np.sqrt(np.einsum("ij,ij->i", X, X)) + self.offset
        may_win = scores >= (scores.max(axis=1) - self.precision * size)[:, None]
        if np.count_nonzero(may_win) == len(scores) and np.isfinite(size).all():
            return may_win.argmax(axis=1), np.arange(0)
        is_clear = (np.count_nonzero(may_win, axis=1) == 1) & np.isfinite(size)
        return may_win.argmax(axis=1), np.flatnonzero(~is_clear)
