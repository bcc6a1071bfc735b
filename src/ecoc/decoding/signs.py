"""Decodings of signs, which count agreements with a codeword: Hamming, inverse Hamming, Laplacian and β-density."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betaincinv

from ecoc.decoding.interface import Array, Decoding, sum_by_side
from ecoc.utils.codewords import Words, pack


class Hamming(Decoding):
    """Share of columns in which the signs agree with the codeword: 1 minus the normalised Hamming distance.

    Columns in which the codeword is 0 are not counted, neither as right nor as wrong. The share is that of the other
    columns, so codewords with many zeros have no advantage. With one-vs-one this is voting over all pairs.

    See Also
    --------
    ecoc.decoding.InverseHamming : Take the distances between codewords into account.
    ecoc.decoding.LossBased : Decode margins, which say more than signs.

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
        matrix = self.codebook_.matrix
        return np.ascontiguousarray(pack(matrix > 0).T) if matrix.all() else None

    def _scores(self, outputs: Array) -> Array:
        return _matches(self, outputs) / self.n_nonzero_


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
    ecoc.decoding.Hamming : Use the plain distances.

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
        return np.asarray((self.n_nonzero_ - _matches(self, outputs)) @ self.inverse_.T)


class Laplacian(Decoding):
    """Laplace's estimate of the rate at which signs agree with the codeword, (α + 1) / (α + β + 2).

    α is the number of columns that agree with the codeword, β the number of columns that do not. Zeros of the codeword
    count for neither. The more zeros a codeword has, the nearer its score is to ½.

    See Also
    --------
    ecoc.decoding.BetaDensity : A lower limit of the rate instead of its mean.

    References
    ----------
    S. Escalera, O. Pujol, P. Radeva: On the decoding process in ternary error-correcting output codes. IEEE
    Transactions on Pattern Analysis and Machine Intelligence 32, 2010.

    Examples
    --------
    >>> from ecoc.decoding import Laplacian
    >>> decoding = Laplacian().fit([[1, 1, 1, 1], [1, -1, 0, 0], [-1, 1, -1, -1]])
    >>> decoding.scores([[1, 1, 1, 1], [1, -1, 1, 1]]).round(3)
    array([[0.833, 0.5  , 0.333],
           [0.667, 0.75 , 0.167]])
    """

    needs = "signs"

    def _scores(self, outputs: Array) -> Array:
        return (_matches(self, outputs) + 1) / (self.n_nonzero_ + 2)


class BetaDensity(Decoding):
    """Lower limit of the rate at which signs agree with the codeword, from a Beta density over that rate.

    α is the number of columns that agree with the codeword, β the number of columns that do not. The density
    ψ(ν) ∝ ν^α (1 − ν)^β of the rate ν has its mode at α / (α + β). The score is the point below the mode for which a
    third of the density's mass lies between that point and the mode. A codeword with many zeros has a wide density
    and therefore a low score.

    Attributes
    ----------
    scores_ : ndarray of shape (n_lengths, max_nonzero + 1)
        The score for every number of agreements, with one row for each number of non-zero entries that occurs.
    length_index_ : ndarray of shape (n_classes,)
        The row of `scores_` for each class.

    See Also
    --------
    ecoc.decoding.Laplacian : The mean of the density.

    Notes
    -----
    If less than a third of the mass lies below the mode, the score is 0. This happens only to classes that agree in at
    most two columns, and not in short codes.

    References
    ----------
    S. Escalera, O. Pujol, P. Radeva: On the decoding process in ternary error-correcting output codes. IEEE
    Transactions on Pattern Analysis and Machine Intelligence 32, 2010.

    Examples
    --------
    >>> from ecoc.decoding import BetaDensity
    >>> decoding = BetaDensity().fit([[1, 1, 1, 1], [1, -1, 0, 0], [-1, 1, -1, -1]])
    >>> decoding.scores([[1, 1, 1, 1], [1, -1, 1, 1]]).round(3)
    array([[0.922, 0.259, 0.062],
           [0.578, 0.874, 0.   ]])
    """

    needs = "signs"

    def _fit(self) -> None:
        lengths, self.length_index_ = np.unique(self.n_nonzero_, return_inverse=True)
        alpha = np.arange(self.n_nonzero_.max() + 1)
        self.scores_ = np.zeros((len(lengths), len(alpha)))
        for row, n in zip(self.scores_, lengths):
            row[: n + 1] = _lower_end(alpha[: n + 1], n - alpha[: n + 1])

    def _scores(self, outputs: Array) -> Array:
        return np.asarray(self.scores_[self.length_index_, _matches(self, outputs).astype(np.intp)])


def _lower_end(alpha: NDArray[np.intp], beta: NDArray[np.intp]) -> Array:
    """Return the lower end of the interval below the mode of ν^α (1 − ν)^β that holds a third of its mass, or 0."""
    # Share of the density's mass between the score and the mode, as Escalera, Pujol and Radeva define it. It is not
    # tuned. With codes without zeros, half of it and 0.45 both gave the accuracy of Hamming decoding on all development
    # sets.
    mass = 1 / 3
    mode = alpha / (alpha + beta)
    below = betainc(alpha + 1, beta + 1, mode) - mass
    return np.asarray(betaincinv(alpha + 1, beta + 1, np.maximum(below, 0)))


def _matches(decoding: Decoding, signs: Array) -> Array:
    """Return, for all samples and classes, the number of columns in which the sign is that of the codeword."""
    return sum_by_side(signs > 0, signs < 0, decoding.codebook_.matrix)
