"""Log-losses of scores and of outputs with their derivatives, for all samples in one pass over the memory."""

import numpy as np
from numpy.typing import NDArray

from ecoc.utils.jit import kernel

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

_LOG2_E = 1.4426950408889634
_LN2_HIGH, _LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10  # their sum is ln 2
_ROUND = 6755399441055744.0  # 1.5 · 2⁵²: a number that is added to it is rounded to an integer in its lowest bits
_LEAST = -700.0  # e^−700 is near the smallest normal number


@kernel
def exponential(x: float) -> float:
    """Return eˣ for x ≤ 0, exact to two units in the last place.

    x = i·ln 2 + r with |r| ≤ 0.35, and eʳ is its Taylor polynomial of degree 13. Unlike the library's function, a loop
    over it works on several numbers at once.
    """
    x = max(x, _LEAST)
    shifted = x * _LOG2_E + _ROUND
    i = shifted - _ROUND
    r = (x - i * _LN2_HIGH) - i * _LN2_LOW
    p = r / 6227020800.0 + 1 / 479001600.0
    p = (p * r + 1 / 39916800.0) * r + 1 / 3628800.0
    p = (p * r + 1 / 362880.0) * r + 1 / 40320.0
    p = (p * r + 1 / 5040.0) * r + 1 / 720.0
    p = (p * r + 1 / 120.0) * r + 1 / 24.0
    p = (p * r + 1 / 6.0) * r + 0.5
    p = (p * r + 1.0) * r + 1.0
    exponent = (np.float64(shifted).view(np.int64) + np.int64(1023)) << np.int64(52)
    power: float = np.int64(exponent).view(np.float64)
    return p * power


@kernel
def loss_and_slopes(scores: Floats, y: Ints, weight: Floats) -> float:
    """Return the weighted sum of log-losses; its derivatives by the scores take the place of the scores."""
    n, k = scores.shape
    total = 0.0
    for i in range(n):
        highest = scores[i].max()
        own = scores[i, y[i]] - highest
        for j in range(k):
            scores[i, j] = exponential(scores[i, j] - highest)
        share = scores[i].sum()
        total += weight[i] * (np.log(share) - own)
        factor = weight[i] / share
        for j in range(k):
            scores[i, j] *= factor
        scores[i, y[i]] -= weight[i]
    return total


@kernel
def loss_by_factor(scores: Floats, y: Ints, weight: Floats, factor: float) -> tuple[float, float, float]:
    """Return the weighted sum of log-losses of scores times a factor, with two derivatives by the factor."""
    n, k = scores.shape
    powers = np.empty(k)
    value = first = second = 0.0
    for i in range(n):
        highest = scores[i].max()
        for j in range(k):
            powers[j] = exponential(factor * (scores[i, j] - highest))
        share = mean = square = 0.0
        for j in range(k):
            below = scores[i, j] - highest
            share += powers[j]
            mean += powers[j] * below
            square += powers[j] * below * below
        mean, square = mean / share, square / share
        own = scores[i, y[i]] - highest
        value += weight[i] * (np.log(share) - factor * own)
        first += weight[i] * (mean - own)
        second += weight[i] * (square - mean * mean)
    return value, first, second


@kernel
def newton_of_columns(v: Floats, target: Floats, counts: Floats, slope: Floats, intercept: Floats) -> None:
    """Fit σ(slope · v + intercept) to the targets, each column on its own, by Newton's method from given numbers."""
    n_steps, converged = 25, 1e-4
    ridge = 1e-3  # on slope and intercept; keeps them finite for a column without errors
    n, n_columns = v.shape
    sums = np.empty((5, n_columns))
    for _ in range(n_steps):
        sums[:] = 0.0
        for i in range(n):
            for j in range(n_columns):
                z = slope[j] * v[i, j] + intercept[j]
                power = exponential(-abs(z))
                p = (1.0 if z > 0 else power) / (1.0 + power)
                residual = counts[i, j] * (p - target[i, j])
                curvature = counts[i, j] * max(p * (1.0 - p), 1e-6)
                sums[0, j] += residual * v[i, j]
                sums[1, j] += residual
                sums[2, j] += curvature * v[i, j] * v[i, j]
                sums[3, j] += curvature * v[i, j]
                sums[4, j] += curvature
        largest = 0.0
        for j in range(n_columns):
            by_slope, by_intercept = sums[0, j] + ridge * slope[j], sums[1, j] + ridge * intercept[j]
            a, b, c = sums[2, j] + ridge, sums[3, j], sums[4, j] + ridge
            determinant = a * c - b * b
            first = (c * by_slope - b * by_intercept) / determinant
            second = (a * by_intercept - b * by_slope) / determinant
            size = max(abs(first), abs(second))
            shorter = max(1.0, size)  # a full Newton step may overshoot where p is near 0 or 1
            slope[j] -= first / shorter
            intercept[j] -= second / shorter
            largest = max(largest, size / shorter)
        if largest < converged:
            break
