"""Loss-weighted decoding, in which reliable columns count more."""

from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ecoc.decoding.base import Array, Decoding, class_sums, sum_by_side
from ecoc.decoding.loss import LOSSES
from ecoc.utils.scikit import StrOptions


class LossWeighted(Decoding):
    """Loss of the margins with respect to the codeword, weighted by how often each binary classifier is right.

    Hᵢⱼ is the share of samples of class i for which binary classifier j gives the sign of xᵢⱼ, and 0 where xᵢⱼ is 0.
    M is H with rows divided by their sums. The score is −dᵢ, or −log dᵢ for the exponential loss, with
    dᵢ = Σⱼ Mᵢⱼ·L(xᵢⱼfⱼ).

    Parameters
    ----------
    loss : {"exponential", "linear", "hinge", "logistic", "squared"}, default="exponential"
        The loss L, see `LossBased`. The paper uses the first two.
    weights_from : {"training", "out_of_fold"}, default="training"
        The outputs that M is computed from. The paper uses those of the training samples. A binary classifier that
        fits all of them perfectly has the same weight for every class. Out-of-fold outputs say more, but take a
        cross-validation.

    Attributes
    ----------
    weights_ : ndarray of shape (n_classes, n_columns)
        M. A class without samples, or without a right output, has equal weights in the columns that do not leave it
        out.

    See Also
    --------
    ecoc.decoding.LossBased : Equal weights.
    ecoc.decoding.Discriminant : Learns more from the same outputs.

    References
    ----------
    S. Escalera, O. Pujol, P. Radeva: On the decoding process in ternary error-correcting output codes. IEEE
    Transactions on Pattern Analysis and Machine Intelligence 32, 2010.

    Examples
    --------
    The second binary classifier is wrong for half of the samples of class 0, so it has half the weight there:

    >>> from ecoc.decoding import LossWeighted
    >>> outputs, y = [[1, 1, 2], [1, -1, 1], [-1, 1, 1], [1, -2, -1]], [0, 0, 1, 2]
    >>> decoding = LossWeighted("linear").fit([[1, 1, 1], [-1, 1, 1], [1, -1, -1]], outputs, y)
    >>> decoding.weights_.round(2)
    array([[0.4 , 0.2 , 0.4 ],
           [0.33, 0.33, 0.33],
           [0.33, 0.33, 0.33]])
    >>> decoding.scores([[1, -2, 1]]).round(2)
    array([[ 0.4 , -0.67,  0.67]])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "loss": [StrOptions(set(LOSSES))],
        "weights_from": [StrOptions({"training", "out_of_fold"})],
    }

    def __init__(
        self, loss: str = "exponential", weights_from: Literal["training", "out_of_fold"] = "training"
    ) -> None:
        self.loss = loss
        self.weights_from = weights_from

    @property
    def fit_on(self) -> Literal["training", "out_of_fold"]:
        """The outputs to learn from: the parameter `weights_from`."""
        return self.weights_from

    def _fit_outputs(self, outputs: Array, y: NDArray[np.intp], weight: Array) -> None:
        x = self.codebook_.matrix
        right = class_sums(outputs * x[y] > 0, y, weight, len(x))
        # H would be these sums divided by the weight of the class. The divisor cancels when rows are normalised.
        right[~right.any(axis=1)] = 1
        right[x == 0] = 0
        self.weights_ = right / right.sum(axis=1, keepdims=True)

    def _scores(self, outputs: Array) -> Array:
        loss = LOSSES[self.loss]
        return loss.score(sum_by_side(*loss.sides(outputs), self.codebook_.matrix, self.weights_))
