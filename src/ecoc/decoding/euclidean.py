"""Euclidean and attenuated Euclidean decoding: the codeword nearest to the margins."""

import numpy as np

from ecoc.decoding.base import Array, Decoding, sum_by_side


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

    def linear_form(self) -> tuple[Array, Array]:
        """Return weights and intercepts of the scores.

        Returns
        -------
        (ndarray of shape (n_classes, n_columns), ndarray of shape (n_classes,))
            ``outputs @ weights.T + intercepts`` has the order of the scores.
        """
        return self.codebook_.matrix.astype(np.float64), -self.n_nonzero_ / 2

    def _scores(self, outputs: Array) -> Array:
        scores: Array = sum_by_side(outputs, -outputs, self.codebook_.matrix) - self.n_nonzero_ / 2
        return scores


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
        scores: Array = -np.sqrt(total / self.n_nonzero_)
        return scores
