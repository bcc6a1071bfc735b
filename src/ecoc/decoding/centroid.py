"""Centroid decoding: the class with the nearest mean of training outputs."""

from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ecoc.decoding.base import Array, Decoding, class_sums
from ecoc.utils.scikit import StrOptions


class Centroid(Decoding):
    """Euclidean distance of the margins f to the mean margins mᵢ of the training samples of class i.

    The score is (‖f‖² − ‖f − mᵢ‖²) / 2 = f·mᵢ − ‖mᵢ‖²/2. Codewords say on which side of a column a class is. Means also
    say how far from the border, which differs between the classes of one side. No held-out outputs are needed, because
    a mean has nothing to overfit but how far the binary classifiers overfit all classes alike.

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

    def linear_form(self) -> tuple[Array, Array]:
        """Return weights and intercepts of the scores.

        Returns
        -------
        (ndarray of shape (n_classes, n_columns), ndarray of shape (n_classes,))
            ``outputs @ weights.T + intercepts`` has the order of the scores.
        """
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
        weights, intercepts = self.linear_form()
        scores: Array = outputs @ weights.T + intercepts
        return scores
