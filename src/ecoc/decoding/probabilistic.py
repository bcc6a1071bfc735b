"""Which class probabilities fit the probabilities of the dichotomies best? Generalised Bradley–Terry coupling."""

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from ecoc.decoding.base import Array, Decoding
from ecoc.utils.scikit import Interval

_CERTAIN = 1e-6  # a dichotomy is never surer than this, or one wrong certainty would rule a class out
_VANISHED = 1e-100  # class probabilities below it are as good as 0, and their logarithms finite
_LEFT = 0.3  # of a class at least after extrapolation, for one thrown out is slow to come back
_BLOCK_ENTRIES = 2**22  # entries of samples × columns held at once


class Probabilistic(Decoding):
    """Class probabilities p that agree best with the probabilities r of the +1 sides.

    A dichotomy between the classes I⁺ and I⁻ should give p(I⁺) / (p(I⁺) + p(I⁻)). Of all p, these have the
    smallest Kullback–Leibler divergence of that from r, summed over the columns. With one-vs-one it is the
    pairwise coupling of Hastie and Tibshirani. Scores are log p.

    Parameters
    ----------
    smoothing : float, default=0.01
        Adds −smoothing·Σ log pᵢ to the divergence. With few columns, or sure ones that contradict each
        other, the plain optimum has classes at 0, or there are many; 0 asks for it nevertheless.
    max_iter : int, default=100
        Number of cycles of three iterations at most.
    tol : float, default=1e-5
        A sample is done when no probability changes by more in an iteration.

    See Also
    --------
    ecoc.decoding.Discriminant : Probabilities from margins.

    Notes
    -----
    The iterations are those of Huang et al. for all classes at once, pᵢ ← pᵢAᵢ / Bᵢ with

    - Aᵢ = Σ rⱼ / p(I⁺ⱼ) over the columns with xᵢⱼ = +1, plus Σ (1 − rⱼ) / p(I⁻ⱼ) over those with xᵢⱼ = −1,
    - Bᵢ = Σ 1 / (p(I⁺ⱼ) + p(I⁻ⱼ)) over both,

    and all columns of equal weight. Bounding the logarithms in the divergence by tangents and Jensen's
    inequality shows that each lessens it; smoothing adds s to pᵢAᵢ and ks to Bᵢ. As they slow down near the
    optimum, two of them are extrapolated along their curve before the third (SQUAREM).

    It is the probabilities it gets right, so it does not promise to correct any ⌊(min_distance − 1) / 2⌋ errors.

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

    def __init__(self, smoothing: float = 0.01, max_iter: int = 100, tol: float = 1e-5) -> None:
        self.smoothing = smoothing
        self.max_iter = max_iter
        self.tol = tol

    def _scores(self, outputs: Array) -> Array:
        plus, minus = ((self.codebook_.matrix == side).astype(np.float64) for side in (1, -1))
        r = np.clip(outputs, _CERTAIN, 1 - _CERTAIN)
        scores = np.empty((len(r), len(plus)))
        step = max(1, _BLOCK_ENTRIES // max(plus.shape))
        for start in range(0, len(r), step):
            rows = slice(start, start + step)
            scores[rows] = np.log(self._couple(r[rows], plus, minus))
        return scores

    def _couple(self, r: Array, plus: Array, minus: Array) -> Array:
        p = np.full((len(r), len(plus)), 1 / len(plus))
        moving = np.arange(len(r))
        for _ in range(self.max_iter):
            rate = r[moving]
            start = p[moving]
            first = self._iterate(start, rate, plus, minus)
            second = self._iterate(first, rate, plus, minus)
            p[moving] = self._iterate(_extrapolated(start, first, second), rate, plus, minus)
            moving = moving[np.abs(second - first).max(axis=1) > self.tol]
            if not len(moving):
                break
        return p

    def _iterate(self, p: Array, r: Array, plus: Array, minus: Array) -> Array:
        on_plus, on_minus = p @ plus, p @ minus
        a = (r / on_plus) @ plus.T + ((1 - r) / on_minus) @ minus.T
        b = (1 / (on_plus + on_minus)) @ (plus + minus).T
        return _on_simplex((p * a + self.smoothing) / (b + len(plus) * self.smoothing))


def _extrapolated(start: Array, first: Array, second: Array) -> Array:
    """Where three iterates lead, at Varadhan and Roland's third step length."""
    step, bend = first - start, second - 2 * first + start
    length = np.linalg.norm(step, axis=1) / np.maximum(np.linalg.norm(bend, axis=1), _VANISHED)
    length = np.maximum(length, 1)[:, None]  # 1 leads to the second iterate itself
    return _on_simplex(np.maximum(start + 2 * length * step + length**2 * bend, _LEFT * second))


def _on_simplex(p: Array) -> Array:
    p = np.maximum(p, _VANISHED)
    p /= p.sum(axis=1, keepdims=True)
    return p
