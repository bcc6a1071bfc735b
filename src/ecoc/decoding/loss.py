"""Which codeword would have cost the dichotomizers least? Loss-based decoding."""

from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ecoc.decoding.base import Array, Decoding, sum_by_side
from ecoc.utils.scikit import StrOptions


class Loss(NamedTuple):
    """A loss of the signed margin t = x·f, and how to make a score of a mean of losses."""

    of: Callable[[Array], Array]
    score: Callable[[Array], Array] = np.negative
    limit: float = np.inf

    def sides(self, outputs: Array) -> tuple[Array, Array]:
        """Losses of all outputs if the side was +1, and if it was −1.

        A sample with a margin beyond ±limit is scaled to it as a whole.
        """
        outputs = outputs / np.maximum(1, np.abs(outputs).max(axis=1, keepdims=True) / self.limit)
        return self.of(outputs), self.of(-outputs)


LOSSES = {
    "linear": Loss(np.negative),
    # Minus the logarithm is a margin again; without it a far class, e^30, would drown the tie rule's tolerance.
    "exponential": Loss(lambda t: np.exp(-t), lambda mean: -np.log(mean), limit=300),
    "hinge": Loss(lambda t: np.maximum(0, 1 - t)),
    "logistic": Loss(lambda t: np.logaddexp(0, -t)),
    "squared": Loss(lambda t: (1 - t) ** 2),
}


class LossBased(Decoding):
    """Mean loss of the margins against the codeword, over the columns that are not 0.

    dᵢ = Σⱼ|xᵢⱼ|L(xᵢⱼfⱼ) / Σⱼ|xᵢⱼ|. Take the loss that the dichotomizers were trained with. With one-vs-all
    each of these decides for the largest margin.

    Parameters
    ----------
    loss : {"linear", "exponential", "hinge", "logistic", "squared"}, default="linear"
        L(t) = −t, e^−t, max(0, 1 − t), log(1 + e^−t) or (1 − t)².

    See Also
    --------
    ecoc.decoding.LossWeighted : Each dichotomizer trusted as it deserves.

    Notes
    -----
    The score is −dᵢ, and for the exponential loss −log dᵢ, which is finite and of the margins' scale. A
    sample with a margin beyond ±300 is scaled down to that: there the largest term of dᵢ is all that counts,
    and scaling keeps its order.

    References
    ----------
    E. L. Allwein, R. E. Schapire, Y. Singer: Reducing multiclass to binary: a unifying approach for margin
    classifiers. Journal of Machine Learning Research 1, 2000.

    Examples
    --------
    >>> from ecoc.decoding import LossBased
    >>> codebook = [[1, 1, 0], [-1, 1, 1], [1, -1, -1]]
    >>> LossBased("linear").fit(codebook).scores([[2.5, 1, -0.5]]).round(2)
    array([[ 1.75, -0.67,  0.67]])
    >>> LossBased("exponential").fit(codebook).scores([[2.5, 1, -0.5]]).round(2)
    array([[ 1.49, -1.55, -0.13]])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"loss": [StrOptions(set(LOSSES))]}

    def __init__(self, loss: str = "linear") -> None:
        self.loss = loss

    def _scores(self, outputs: Array) -> Array:
        loss = LOSSES[self.loss]
        return loss.score(sum_by_side(*loss.sides(outputs), self.codebook_.matrix) / self.n_nonzero_)
