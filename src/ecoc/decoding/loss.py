"""Loss-based decodings, which choose the codeword with the smallest loss; reliable columns may count more."""

from collections.abc import Callable
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecoc.decoding.interface import Array, Decoding, class_sums, sum_by_side
from ecoc.utils.scikit import StrOptions


class Loss(NamedTuple):
    """A loss of the signed margin t = x·f, and the function that turns a mean loss into a score."""

    of: Callable[[Array], Array]
    score: Callable[[Array], Array] = np.negative
    limit: float = np.inf

    def sides(self, outputs: Array) -> tuple[Array, Array]:
        """Return the losses of all outputs for side +1, and those for side −1.

        If a margin of a sample is beyond ±limit, all margins of the sample are scaled so that the largest is at it.
        """
        outputs = outputs / np.maximum(1, np.abs(outputs).max(axis=1, keepdims=True) / self.limit)
        return self.of(outputs), self.of(-outputs)


LOSSES = {
    "linear": Loss(np.negative),
    # The score is −log of the mean loss, which has the scale of a margin. A mean of e^30 for one class would otherwise
    # make the tolerance of the tie rule too large for the others.
    "exponential": Loss(lambda t: np.exp(-t), lambda mean: -np.log(mean), limit=300),
    "hinge": Loss(lambda t: np.maximum(0, 1 - t)),
    "logistic": Loss(lambda t: np.logaddexp(0, -t)),
    "squared": Loss(lambda t: (1 - t) ** 2),
}


class LossBased(Decoding):
    """Mean loss of the margins with respect to the codeword, over the columns in which it is not 0.

    dᵢ = Σⱼ|xᵢⱼ|L(xᵢⱼfⱼ) / Σⱼ|xᵢⱼ|. Choose the loss that the binary classifiers were trained with. With one-vs-all,
    every one of these losses chooses the class with the largest margin.

    Parameters
    ----------
    loss : {"linear", "exponential", "hinge", "logistic", "squared"}, default="linear"
        L(t) = −t, e^−t, max(0, 1 − t), log(1 + e^−t) or (1 − t)².

    See Also
    --------
    ecoc.decoding.LossWeighted : Weight binary classifiers by how often they are right.

    Notes
    -----
    The score is −dᵢ, and −log dᵢ for the exponential loss, which is finite and has the scale of the margins. For the
    exponential loss, samples with a margin beyond ±300 are scaled down to ±300. The largest term of dᵢ decides there,
    and scaling does not change which one is the largest.

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

    def _linear_form(self) -> tuple[Array, Array] | None:
        if self.loss != "linear":
            return None
        return self.codebook_.matrix / self.n_nonzero_[:, None], np.zeros(self.codebook_.n_classes)

    def _scores(self, outputs: Array) -> Array:
        loss = LOSSES[self.loss]
        return loss.score(sum_by_side(*loss.sides(outputs), self.codebook_.matrix) / self.n_nonzero_)


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
    ecoc.decoding.LossBased : Use equal weights.
    ecoc.decoding.Discriminant : Learn more from the same outputs.

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
