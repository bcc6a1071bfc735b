"""Sequential minimal optimisation with vector instructions, on a Gram matrix in single precision with unit diagonal.

The steps are LIBSVM's (Fan, Chen and Lin, 2005), without shrinking. A machine is β = y·α and a threshold. Kept up to
date is v = y − Kβ, which means the same on both sides: β_i may rise where v is large, and fall where v is small.

A compiler turns a loop into vector instructions if it works entry by entry, or looks for the largest integer. So
the place of a largest number is found in two steps: the numbers are written to a buffer, and the buffer is read as
integers, which are in the same order. The last bits of each integer are replaced by its place.
"""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecoc.utils.jit import kernel

Floats = NDArray[np.float64]

_OUT = 1e30  # offset of samples that must not be chosen
_TAU = 1e-12  # least curvature
_LAST_BITS = 1e-12  # a multiplier this near its bound, relative to C, is at its bound
_MAGNITUDE = np.int64(2**63 - 1)
_TWO = np.float32(2.0)
_FLAT = np.float32(2.00001)  # twice the diagonal and a little more, as equal samples have no curvature
_NONE = np.float32(0.0)

vectorised = partial(kernel, fastmath={"nnan", "nsz", "arcp", "contract", "reassoc"})


@kernel
def solve(gram: Any, start: int, y: Floats, C: float, tol: float, max_iter: int) -> tuple[Floats, float, int]:
    """Train a machine on the samples `start`, `start` + 1, … of a Gram matrix; return β, its threshold and the steps.

    `y` is +1, −1, or 0 for samples that are left out. Steps are negative if `max_iter` ended the training.
    """
    n = len(y)
    end = start + n
    places = 1  # the bits of a place
    while places < n:
        places *= 2
    places -= 1
    v, beta, low, high = y.copy(), np.zeros(n), np.minimum(0.0, C * y), np.maximum(0.0, C * y)
    rises, falls = np.where(y > 0, 0.0, _OUT), np.where(y < 0, 0.0, _OUT).astype(np.float32)
    upper, gaps, gains = np.empty(n), np.empty(n, np.float32), np.empty(n, np.float32)
    upper_bits, gap_bits, gain_bits = upper.view(np.int64), gaps.view(np.int32), gains.view(np.int32)
    row_i = gram[start, start:end]
    _move(v, rises, upper, row_i, row_i, 0.0)
    steps = 0
    while True:
        i = _place_of_largest(upper_bits, np.int64(places))
        row_i = gram[start + i, start:end]
        _compare(v, falls, row_i, v[i], gaps, gains)
        if gaps[_place_of_largest_positive(gap_bits, np.int32(places))] <= tol:
            break
        if steps == max_iter:
            steps = -steps
            break
        steps += 1
        j = _place_of_largest_positive(gain_bits, np.int32(places))
        change = (v[i] - v[j]) / max(2.0 - 2.0 * row_i[j], _TAU)
        change = min(change, high[i] - beta[i], beta[j] - low[j])
        beta[i] += change
        beta[j] -= change
        if high[i] - beta[i] <= _LAST_BITS * C:
            beta[i] = high[i]
        if beta[j] - low[j] <= _LAST_BITS * C:
            beta[j] = low[j]
        rises[i], falls[i] = (0.0 if beta[i] < high[i] else _OUT), 0.0
        rises[j], falls[j] = 0.0, (0.0 if beta[j] > low[j] else _OUT)
        _move(v, rises, upper, row_i, gram[start + j, start:end], change)
    return beta, _threshold(v, rises, falls), steps


@vectorised
def _move(v: Floats, rises: Floats, upper: Floats, row_i: Any, row_j: Any, change: float) -> None:
    """Bring v up to date; `upper` is v of the samples that may rise, and very low elsewhere."""
    for t in range(len(v)):
        v[t] -= change * (row_i[t] - row_j[t])
        upper[t] = v[t] - rises[t]


@vectorised
def _compare(v: Floats, falls: Any, row: Any, most: float, gaps: Any, gains: Any) -> None:
    """Find for each sample that may fall how far it is below `most`, and twice the gain of a step of both."""
    for t in range(len(v)):
        gap = np.float32(most - v[t]) - falls[t]
        gap = gap if gap > _NONE else _NONE
        gaps[t] = gap
        gains[t] = gap * gap / (_FLAT - _TWO * row[t])


@kernel
def _place_of_largest(bits: Any, places: np.int64) -> int:
    best = -_MAGNITUDE
    for t in range(len(bits)):
        number = bits[t]
        number ^= (number >> 63) & _MAGNITUDE  # the order of negative numbers is reversed
        best = max(best, (number & ~places) | t)
    return int(best & places)


@kernel
def _place_of_largest_positive(bits: Any, places: np.int32) -> int:
    best = np.int32(-1)
    for t in range(len(bits)):
        best = max(best, (bits[t] & ~places) | np.int32(t))
    return int(best & places)


@kernel
def _threshold(v: Floats, rises: Floats, falls: Any) -> float:
    """Return the mean v of the free samples; without any, the middle of what the others allow."""
    total, free, highest, lowest = 0.0, 0, -np.inf, np.inf
    for t in range(len(v)):
        if rises[t] == 0.0 and falls[t] == 0.0:
            total += v[t]
            free += 1
        elif rises[t] == 0.0:
            highest = max(highest, v[t])
        elif falls[t] == 0.0:
            lowest = min(lowest, v[t])
    return total / free if free else (highest + lowest) / 2
