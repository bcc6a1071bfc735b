"""Class probabilities from binary probabilities by generalised Bradley–Terry coupling."""

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from ecoc.decoding.interface import Array, Decoding
from ecoc.utils.scikit import Interval

_LEAST_CLASS_PROBABILITY = 1e-100  # keeps logarithms finite


class Probabilistic(Decoding):
    """Class probabilities p that agree best with the probabilities r of the +1 sides.

    A binary classifier that separates the classes I⁺ from the classes I⁻ should output p(I⁺) / (p(I⁺) + p(I⁻)). This
    decoding finds the p for which the Kullback–Leibler divergence between r and these values, summed over the columns,
    is smallest. With one-vs-one it is the pairwise coupling of Hastie and Tibshirani. Scores are log p.

    Parameters
    ----------
    smoothing : float, default=0.01
        Weight of the term −Σ log pᵢ that is added to the divergence. Without it, the optimum may have probabilities of
        0 or may not be unique: with few columns, or if confident binary classifiers contradict each other.
    max_iter : int, default=100
        Maximum number of cycles. A cycle has three iterations.
    tol : float, default=1e-5
        A sample is finished when an iteration changes none of its probabilities by more than this.

    See Also
    --------
    ecoc.decoding.Discriminant : Probabilities from margins.

    Notes
    -----
    The iterations are those of Huang et al. for all classes at once, pᵢ ← pᵢAᵢ / Bᵢ with

    - Aᵢ = Σ rⱼ / p(I⁺ⱼ) over the columns with xᵢⱼ = +1, plus Σ (1 − rⱼ) / p(I⁻ⱼ) over those with xᵢⱼ = −1,
    - Bᵢ = Σ 1 / (p(I⁺ⱼ) + p(I⁻ⱼ)) over both,

    with equal weights of all columns. Smoothing with s adds s to pᵢAᵢ and ks to Bᵢ. No iteration increases the
    divergence, which follows from bounds of its logarithms by tangents and by Jensen's inequality. Iterations become
    slow near the optimum. A cycle therefore extrapolates two iterations along their curve before the third (SQUAREM).

    The decoding does not guarantee to correct ⌊(min_distance − 1) / 2⌋ wrong signs.

    References
    ----------
    T.-K. Huang, R. C. Weng, C.-J. Lin: Generalized Bradley–Terry models and multi-class probability estimates.
    Journal of Machine Learning Research 7, 2006.

    R. Varadhan, C. Roland: Simple and globally convergent methods for accelerating the convergence of any EM
    algorithm. Scandinavian Journal of Statistics 35, 2008.

    T. Hastie, R. Tibshirani: Classification by pairwise coupling. Annals of Statistics 26, 1998.

    Examples
    --------
    >>> from ecoc.decoding import Probabilistic
    >>> one_vs_all = [[1, -1, -1], [-1, 1, -1], [-1, -1, 1]]
    >>> Probabilistic().fit(one_vs_all).probabilities([[0.6, 0.3, 0.1], [0.9, 0.9, 0.1]]).round(2)
    array([[0.6 , 0.3 , 0.11],
           [0.48, 0.48, 0.04]])
    """

    needs = "probabilities"
    gives_probabilities = True
    keeps_correction = False
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "smoothing": [Interval(Real, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
    }

    # The effects below were measured with logistic regression on the ten development sets (at most 1,600 samples of
    # each, 3 folds), with ECF codes of k/2 columns and with one-vs-all. With the defaults the mean accuracy is 75.95 %
    # and the mean log-loss, before calibration, 0.889.
    #
    # Weight of the smoothing. Half of it: +0.05 points of accuracy, log-loss 0.860. Double: no change, log-loss 0.947.
    # None at all: +0.1 points, log-loss 0.943.
    def __init__(self, smoothing: float = 0.01, max_iter: int = 100, tol: float = 1e-5) -> None:
        self.smoothing = smoothing
        self.max_iter = max_iter
        self.tol = tol

    def _scores(self, outputs: Array) -> Array:
        # Binary probabilities are clipped to [this, 1 − this], since a probability of 0 that is wrong would exclude a
        # class. A hundredth or a hundred times of it: the log-loss changes by 0.0001.
        least = 1e-6
        plus, minus = ((self.codebook_.matrix == side).astype(np.float64) for side in (1, -1))
        r = np.clip(outputs, least, 1 - least)
        scores = np.empty((len(r), len(plus)))
        step = max(1, self.limits.block_entries // max(plus.shape))
        for rows in (slice(start, start + step) for start in range(0, len(r), step)):
            scores[rows] = np.log(self._couple(r[rows], plus, minus))
        return scores

    def _couple(self, r: Array, plus: Array, minus: Array) -> Array:
        p = np.full((len(r), len(plus)), 1 / len(plus))
        unfinished = np.arange(len(r))
        for _ in range(self.max_iter):
            rate = r[unfinished]
            start = p[unfinished]
            first = self._iterate(start, rate, plus, minus)
            second = self._iterate(first, rate, plus, minus)
            p[unfinished] = self._iterate(_extrapolated(start, first, second), rate, plus, minus)
            unfinished = unfinished[np.abs(second - first).max(axis=1) > self.tol]
            if not len(unfinished):
                break
        return p

    def _iterate(self, p: Array, r: Array, plus: Array, minus: Array) -> Array:
        on_plus, on_minus = p @ plus, p @ minus
        a = (r / on_plus) @ plus.T + ((1 - r) / on_minus) @ minus.T
        b = (1 / (on_plus + on_minus)) @ (plus + minus).T
        return _on_simplex((p * a + self.smoothing) / (b + len(plus) * self.smoothing))


def _extrapolated(start: Array, first: Array, second: Array) -> Array:
    """Extrapolate three iterates, with the third step length of Varadhan and Roland."""
    # Extrapolation may reduce a class probability to this share at most, since one near 0 grows slowly again. Half or
    # double of it changes the mean accuracy by at most 0.01 points, and the number of iterations a little.
    least_share = 0.3
    step, bend = first - start, second - 2 * first + start
    length = np.linalg.norm(step, axis=1) / np.maximum(np.linalg.norm(bend, axis=1), _LEAST_CLASS_PROBABILITY)
    length = np.maximum(length, 1)[:, None]  # a length of 1 gives the second iterate itself
    return _on_simplex(np.maximum(start + 2 * length * step + length**2 * bend, least_share * second))


def _on_simplex(p: Array) -> Array:
    """Return positive probabilities that sum to 1."""
    p = np.maximum(p, _LEAST_CLASS_PROBABILITY)
    p /= p.sum(axis=1, keepdims=True)
    return p
