"""Which codeword differs from the signs in the fewest columns? Hamming and inverse Hamming decoding."""

import numpy as np

from ecoc.decoding.base import Array, Decoding, sum_by_side

_SINGULAR = 1e-10  # relative; distances are whole or half numbers, so a non-zero singular value is far above


class Hamming(Decoding):
    """Share of columns in which signs and codeword agree: 1 less the normalised Hamming distance.

    A column that leaves a class out is neither right nor wrong about it; the share is of the others, so that
    codewords with many zeros have no advantage. With one-vs-one this is voting over all pairs.

    See Also
    --------
    ecoc.decoding.InverseHamming : Takes into account how codewords overlap.
    ecoc.decoding.LossBased : Of margins, which say more than signs.

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

    def _scores(self, outputs: Array) -> Array:
        scores: Array = matches(self, outputs) / self.n_nonzero_
        return scores


class InverseHamming(Decoding):
    """Weights of the classes that explain all Hamming distances of an output at once.

    If q holds the distances of the signs to all codewords and Δ those between codewords, the scores are
    w = Δ⁻¹q: signs equal to codeword i have q = Δeᵢ and so w = eᵢ.

    Attributes
    ----------
    inverse_ : ndarray of shape (n_classes, n_classes)
        Maps distances to scores.

    See Also
    --------
    ecoc.decoding.Hamming : Plain distances.

    Notes
    -----
    Two things are mended. Where class j is left out its sign can be either, and a codeword that is not 0
    there will be wrong in half of the cases: Δ holds expected distances. And with more than l + 1 classes Δ
    is singular; the pseudo-inverse then gives Pw with P = Δ⁺Δ, whose largest entry need not be that of the
    class even if the signs are faultless. Dividing by the root of P's diagonal makes it so
    (Cauchy–Schwarz), and changes nothing where Δ is regular.

    It weighs the errors by how codewords lie, and a Δ that is nearly singular (l ≈ k) magnifies them: unlike
    Hamming decoding it does not promise to correct any ⌊(min_distance − 1) / 2⌋ errors.

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
        x = self.codebook_.matrix.astype(np.float64)
        # A column in which j is 0 adds nothing to the product, and so half an error to i: it is as likely as not.
        distances = (self.n_nonzero_[:, None] - x @ x.T) / 2
        inverse = np.linalg.pinv(distances, rcond=_SINGULAR)
        projection = np.einsum("ij,ji->i", inverse, distances)
        self.inverse_ = inverse / np.sqrt(projection)[:, None]

    def _scores(self, outputs: Array) -> Array:
        scores: Array = (self.n_nonzero_ - matches(self, outputs)) @ self.inverse_.T
        return scores


def matches(decoding: Decoding, signs: Array) -> Array:
    """Number of columns in which the sign is that of the codeword, for all samples and classes."""
    return sum_by_side(signs > 0, signs < 0, decoding.codebook_.matrix)
