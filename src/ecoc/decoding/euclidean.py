"""Euclidean decodings: the codeword, or the mean of training outputs, that is nearest to the margins."""

from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ecoc.decoding.interface import Array, Decoding, class_sums, sum_by_side
from ecoc.utils.scikit import StrOptions


class Euclidean(Decoding):
    """Euclidean distance of the margins f to the codeword xᵢ, in which a 0 is a number like any other.

    The score is (‖f‖² − ‖f − xᵢ‖²) / 2 = f·xᵢ − ‖xᵢ‖²/2. It orders the classes as the negative distance does, and small
    differences are not lost beside a large ‖f‖². Margins should be near ±1, and near 0 for classes that a column
    leaves out.

    See Also
    --------
    ecoc.decoding.AttenuatedEuclidean : Ignores the zeros of a codeword.

    References
    ----------
    O. Pujol, P. Radeva, J. Vitrià: Discriminant ECOC. IEEE Transactions on Pattern Analysis and Machine
    Intelligence 28, 2006.

    Examples
    --------
    >>> from ecoc.decoding import Euclidean
    >>> decoding = Euclidean().fit([[1, 1, 0], [-1, 1, 1], [1, -1, -1]])
    >>> decoding.scores([[0.5, 1, -0.5]])
    array([[ 0.5, -1.5, -1.5]])
    """

    def _linear_form(self) -> tuple[Array, Array]:
        return self.codebook_.matrix.astype(np.float64), -self.n_nonzero_ / 2

    def _scores(self, outputs: Array) -> Array:
        return sum_by_side(outputs, -outputs, self.codebook_.matrix) - self.n_nonzero_ / 2


class AttenuatedEuclidean(Decoding):
    """Root mean square distance of the margins to the codeword, over the columns in which it is not 0.

    The score is the negative square root of Σⱼ|xᵢⱼ|(fⱼ − xᵢⱼ)² / Σⱼ|xᵢⱼ|. The classical definition has no denominator
    and therefore favours codewords with many zeros. If all codewords have equally many zeros, both definitions give
    the same order of the classes.

    See Also
    --------
    ecoc.decoding.Euclidean : Zeros of a codeword count.

    References
    ----------
    S. Escalera, O. Pujol, P. Radeva: On the decoding process in ternary error-correcting output codes. IEEE
    Transactions on Pattern Analysis and Machine Intelligence 32, 2010.

    Examples
    --------
    >>> from ecoc.decoding import AttenuatedEuclidean
    >>> decoding = AttenuatedEuclidean().fit([[1, 1, 0], [-1, 1, 1], [1, -1, -1]])
    >>> decoding.scores([[2, 1, -8]]).round(2)
    array([[-0.71, -5.48, -4.24]])
    """

    def _scores(self, outputs: Array) -> Array:
        total = sum_by_side((outputs - 1) ** 2, (outputs + 1) ** 2, self.codebook_.matrix)
        return -np.sqrt(total / self.n_nonzero_)


class Centroid(Decoding):
    """Euclidean distance of the margins f to the mean margins mᵢ of the training samples of class i.

    The score is (‖f‖² − ‖f − mᵢ‖²) / 2 = f·mᵢ − ‖mᵢ‖²/2. A codeword says on which side of each column its class is. A
    mean also says how far from the border, and classes of one side differ in that. Training outputs suffice: the binary
    classifiers overfit all classes alike, and a mean adds no overfitting of its own.

    This suits boosted trees, whose margins are log-odds and do not saturate. The means of classifiers that reproduce
    every training label exactly, such as fully grown trees, are the codewords.

    Parameters
    ----------
    means_from : {"training", "out_of_fold"}, default="training"
        The outputs that the means are computed from. Out-of-fold outputs take a cross-validation.

    Attributes
    ----------
    means_ : ndarray of shape (n_classes, n_columns)
        Mean margins of the classes. For a class without samples, its codeword times the mean of xᵢⱼfⱼ over all samples
        and all columns that do not leave them out.

    See Also
    --------
    ecoc.decoding.Euclidean : Distance to the codeword.
    ecoc.decoding.Discriminant : Learns the covariance of the outputs, too, from held-out outputs.

    Examples
    --------
    All classes are on the right sides, and class 0 is nearer to the border in the second column:

    >>> from ecoc.decoding import Centroid
    >>> outputs, y = [[2, 1, 2], [2, 1, 2], [-2, 4, 2], [2, -2, -2]], [0, 0, 1, 2]
    >>> decoding = Centroid().fit([[1, 1, 1], [-1, 1, 1], [1, -1, -1]], outputs, y)
    >>> decoding.means_
    array([[ 2.,  1.,  2.],
           [-2.,  4.,  2.],
           [ 2., -2., -2.]])
    >>> decoding.scores([[0.5, 1, 2]])
    array([[ 1.5, -5. , -11. ]])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"means_from": [StrOptions({"training", "out_of_fold"})]}

    def __init__(self, means_from: Literal["training", "out_of_fold"] = "training") -> None:
        self.means_from = means_from

    @property
    def fit_on(self) -> Literal["training", "out_of_fold"]:
        """The outputs to learn from: the parameter `means_from`."""
        return self.means_from

    def _linear_form(self) -> tuple[Array, Array]:
        return self.means_, -np.sum(self.means_**2, axis=1) / 2

    def _fit_outputs(self, outputs: Array, y: NDArray[np.intp], weight: Array) -> None:
        x = self.codebook_.matrix
        sums = class_sums(outputs, y, weight, len(x))
        total = np.bincount(y, weights=weight, minlength=len(x))[:, None]
        agreement = float((sums * x).sum() / max((total * np.abs(x)).sum(), 1e-300))
        self.means_ = np.where(
            total > 0, sums / np.where(total > 0, total, 1), x * (agreement if agreement > 0 else 1.0)
        )

    def _scores(self, outputs: Array) -> Array:
        weights, intercepts = self._linear_form()
        return outputs @ weights.T + intercepts
