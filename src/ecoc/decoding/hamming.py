"""Hamming and inverse Hamming decoding: the codeword that differs from the signs in the fewest columns."""

import numpy as np

from ecoc.decoding.base import Array, Decoding, packed_signs, sum_by_side
from ecoc.utils.codewords import Words


class Hamming(Decoding):
    """Share of columns in which the signs agree with the codeword: 1 minus the normalised Hamming distance.

    Columns in which the codeword is 0 are not counted, neither as right nor as wrong. The share is that of the other
    columns, so codewords with many zeros have no advantage. With one-vs-one this is voting over all pairs.

    See Also
    --------
    ecoc.decoding.InverseHamming : Takes the distances between codewords into account.
    ecoc.decoding.LossBased : Decodes margins, which say more than signs.

    References
    ----------
    T. G. Dietterich, G. Bakiri: Solving multiclass learning problems via error-correcting output codes.
    Journal of Artificial Intelligence Research 2, 1995.

    Examples
    --------
    >>> from ecoc.decoding import Hamming
    >>> decoding = Hamming().fit([[1, 1, 1, 1], [1, -1, -1, 0], [-1, -1, 1, -1]])
    >>> decoding.scores([[1, -1, -1, 1], [1, 1, -1, 1]]).round(2)
    array([[0.5 , 1.  , 0.25],
           [0.75, 0.67, 0.  ]])
    """

    needs = "signs"

    def packed(self) -> Words | None:
        """Return packed codewords, unless there are zeros.

        Returns
        -------
        uint64 ndarray of shape (n_words, n_classes) or None
            64 columns in each word.
        """
        return packed_signs(self)

    def _scores(self, outputs: Array) -> Array:
        scores: Array = matches(self, outputs) / self.n_nonzero_
        return scores


class InverseHamming(Decoding):
    """Class weights that explain the Hamming distances of the signs to all codewords together.

    If q holds the distances from the signs to all codewords, and Δ the distances between codewords, the scores are
    w = Δ⁻¹q. Signs that are equal to codeword i have q = Δeᵢ, and therefore w = eᵢ.

    Attributes
    ----------
    inverse_ : ndarray of shape (n_classes, n_classes)
        Matrix that maps distances to scores.

    See Also
    --------
    ecoc.decoding.Hamming : The plain distances.

    Notes
    -----
    The definition above fails in two cases, which are treated as follows.

    - In a column that leaves class j out, the sign of a sample of class j can be either. A codeword that is not 0 in
      this column disagrees with half of these signs. So Δ holds expected distances.
    - With more than l + 1 classes, Δ is singular. The pseudo-inverse then gives Pw with P = Δ⁺Δ. The largest entry of
      Pw need not be that of the right class, even if all signs are right. After division by the square root of P's
      diagonal it is (by the Cauchy–Schwarz inequality). The division changes nothing if Δ is regular.

    If Δ is nearly singular (l ≈ k), wrong signs have a large effect. Unlike Hamming decoding, this decoding therefore
    does not guarantee to correct ⌊(min_distance − 1) / 2⌋ wrong signs.

    References
    ----------
    T. Windeatt, R. Ghaderi: Coding and decoding strategies for multi-class learning problems. Information
    Fusion 4, 2003.

    Examples
    --------
    >>> from ecoc.decoding import InverseHamming
    >>> decoding = InverseHamming().fit([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]])
    >>> decoding.scores([[-1, -1, -1]]).round(3)
    array([[-0.5,  0.5,  0.5,  0.5]])
    """

    needs = "signs"
    keeps_correction = False

    def _fit(self) -> None:
        # Singular values below this share of the largest are 0. Distances are multiples of ½, so others are far larger.
        singular = 1e-10
        x = self.codebook_.matrix.astype(np.float64)
        # A column in which codeword j is 0 adds 0 to the product x @ x.T, and therefore half an error to the distance.
        distances = (self.n_nonzero_[:, None] - x @ x.T) / 2
        inverse = np.linalg.pinv(distances, rcond=singular)
        projection = np.einsum("ij,ji->i", inverse, distances)
        self.inverse_ = inverse / np.sqrt(projection)[:, None]

    def _scores(self, outputs: Array) -> Array:
        scores: Array = (self.n_nonzero_ - matches(self, outputs)) @ self.inverse_.T
        return scores


def matches(decoding: Decoding, signs: Array) -> Array:
    """Return, for all samples and classes, the number of columns in which the sign is that of the codeword."""
    return sum_by_side(signs > 0, signs < 0, decoding.codebook_.matrix)
