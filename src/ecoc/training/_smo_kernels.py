"""Solve a support vector machine as LIBSVM does, on rows of a Gram matrix that all columns share.

Order of samples, ties, float32 kernel rows and shrinking are those of LIBSVM (Fan, Chen and Lin, 2005). So the solution
equals that of an SVC to the last bit. The state holds v = −y·gradient, which treats both classes alike.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecoc.utils.jit import kernel

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]
_TAU = 1e-12


class State(NamedTuple):
    """The variables of a problem; the active ones come first."""

    at: Rows  # the sample at each place
    row: Rows  # its row of the Gram matrix
    y: Floats
    bound: Floats
    alpha: Floats
    v: Floats  # −y·gradient, up to date for active variables
    settled: Floats  # the part of y·gradient that comes from alphas at their bounds
    up: NDArray[np.bool_]  # whether y·alpha may grow
    low: NDArray[np.bool_]  # whether y·alpha may shrink
    diagonal: Floats


@kernel
def solve(
    gram: Floats, rows: Rows, y: Floats, bound: Floats, tol: float, shrinking: bool, max_iter: int
) -> tuple[Floats, float, int]:
    """Return the dual variables of a C-SVM on some rows of a Gram matrix, its threshold, and the number of steps.

    `rows` are the samples, the side of y = 1 first; `bound` is each one's C. Steps are negative if `max_iter` ended it.
    """
    n = len(rows)
    diagonal = np.empty(n)
    for t in range(n):
        diagonal[t] = gram[rows[t], rows[t]]
    s = State(
        np.arange(n), rows.copy(), y.copy(), bound.copy(), np.zeros(n), y.copy(), np.zeros(n), y > 0, y < 0, diagonal
    )
    q_i, q_j = np.empty(n, np.float32), np.empty(n, np.float32)
    active, steps, wait = n, 0, min(n, 1000) + 1
    unshrunk = False
    while max_iter < 0 or steps < max_iter:
        wait -= 1
        if wait == 0:
            wait = min(n, 1000)
            if shrinking:
                most, least = _extremes(s, active)
                if not unshrunk and most - least <= tol * 10:
                    unshrunk = True
                    _restore(gram, s, active)
                    active = n
                active = _shrink(s, active, most, least)
        i, j = _pair(gram, s, q_i, active, tol)
        if j < 0:
            _restore(gram, s, active)
            active = n
            i, j = _pair(gram, s, q_i, active, tol)
            if j < 0:
                break
            wait = 1
        steps += 1
        _take(gram, s, j, q_j, active)
        old_i, old_j = s.alpha[i], s.alpha[j]
        _step(s, i, j, s.diagonal[i] + s.diagonal[j] - 2.0 * q_i[j])
        a, b = s.y[i] * (s.alpha[i] - old_i), s.y[j] * (s.alpha[j] - old_j)
        for t in range(active):
            s.v[t] -= q_i[t] * a + q_j[t] * b
        _note(gram, s, i, old_i)
        _note(gram, s, j, old_j)
    else:
        steps = -steps
        _restore(gram, s, active)
    alpha = np.empty(n)
    alpha[s.at] = s.alpha
    return alpha, _threshold(s), steps


@kernel
def _take(gram: Floats, s: State, i: int, q: Any, active: int) -> None:
    """Return kernel values of sample i with the active samples, in single precision."""
    values = gram[s.row[i]]
    for t in range(active):
        q[t] = values[s.row[t]]


@kernel
def _note(gram: Floats, s: State, t: int, old: float) -> None:
    """Update the state after alpha_t has changed."""
    was, now = old >= s.bound[t], s.alpha[t] >= s.bound[t]
    if was != now:
        change = s.y[t] * s.bound[t] if now else -s.y[t] * s.bound[t]
        values = gram[s.row[t]]
        for r in range(len(s.row)):
            s.settled[r] += change * np.float32(values[s.row[r]])
    s.up[t] = not now if s.y[t] > 0 else s.alpha[t] > 0
    s.low[t] = s.alpha[t] > 0 if s.y[t] > 0 else not now


@kernel
def _extremes(s: State, active: int) -> tuple[float, float]:
    most, least = -np.inf, np.inf
    for t in range(active):
        if s.up[t]:
            most = max(most, s.v[t])
        if s.low[t]:
            least = min(least, s.v[t])
    return most, least


@kernel
def _pair(gram: Floats, s: State, q_i: Any, active: int, tol: float) -> tuple[int, int]:
    """Return the sample with the largest violation, and its best partner; −1 if no violation exceeds `tol`."""
    most, least, i, j, best = -np.inf, np.inf, -1, -1, np.inf
    for t in range(active):
        if s.up[t] and s.v[t] >= most:
            most, i = s.v[t], t
    if i < 0:
        return i, j
    _take(gram, s, i, q_i, active)
    d = s.diagonal[i]
    for t in range(active):
        if s.low[t]:
            least = min(least, s.v[t])
            gap = most - s.v[t]
            if gap > 0:
                curve = d + s.diagonal[t] - 2.0 * q_i[t]
                gain = -(gap * gap) / (curve if curve > 0 else _TAU)
                if gain <= best:
                    best, j = gain, t
    return i, (j if most - least >= tol else -1)


@kernel
def _step(s: State, i: int, j: int, curve: float) -> None:
    """Move to the minimum along y_i·alpha_i + y_j·alpha_j = constant, within the bounds."""
    ai, aj, ci, cj = s.alpha[i], s.alpha[j], s.bound[i], s.bound[j]
    if curve <= 0:
        curve = _TAU
    if s.y[i] != s.y[j]:
        delta = (s.y[i] * s.v[i] + s.y[j] * s.v[j]) / curve
        difference = ai - aj
        ai += delta
        aj += delta
        if difference > 0:
            if aj < 0:
                ai, aj = difference, 0.0
        elif ai < 0:
            ai, aj = 0.0, -difference
        if difference > ci - cj:
            if ai > ci:
                ai, aj = ci, ci - difference
        elif aj > cj:
            ai, aj = cj + difference, cj
    else:
        delta = (s.y[j] * s.v[j] - s.y[i] * s.v[i]) / curve
        total = ai + aj
        ai -= delta
        aj += delta
        if total > ci:
            if ai > ci:
                ai, aj = ci, total - ci
        elif aj < 0:
            ai, aj = total, 0.0
        if total > cj:
            if aj > cj:
                ai, aj = total - cj, cj
        elif ai < 0:
            ai, aj = 0.0, total
    s.alpha[i], s.alpha[j] = ai, aj


@kernel
def _rests(s: State, t: int, most: float, least: float) -> bool:
    """Tell whether a variable at a bound will probably stay there."""
    if s.up[t] == s.low[t]:
        return False
    return bool(s.v[t] > most if s.low[t] else s.v[t] < least)


@kernel
def _shrink(s: State, active: int, most: float, least: float) -> int:
    """Move variables that will probably not change behind the active ones."""
    t = 0
    while t < active:
        if _rests(s, t, most, least):
            active -= 1
            while active > t:
                if not _rests(s, active, most, least):
                    _swap(s, t, active)
                    break
                active -= 1
        t += 1
    return active


@kernel
def _swap(s: State, i: int, j: int) -> None:
    s.at[i], s.at[j] = s.at[j], s.at[i]
    s.row[i], s.row[j] = s.row[j], s.row[i]
    s.y[i], s.y[j] = s.y[j], s.y[i]
    s.bound[i], s.bound[j] = s.bound[j], s.bound[i]
    s.alpha[i], s.alpha[j] = s.alpha[j], s.alpha[i]
    s.v[i], s.v[j] = s.v[j], s.v[i]
    s.settled[i], s.settled[j] = s.settled[j], s.settled[i]
    s.up[i], s.up[j] = s.up[j], s.up[i]
    s.low[i], s.low[j] = s.low[j], s.low[i]
    s.diagonal[i], s.diagonal[j] = s.diagonal[j], s.diagonal[i]


@kernel
def _restore(gram: Floats, s: State, active: int) -> None:
    """Update v of the variables that are not active."""
    n = len(s.row)
    if active == n:
        return
    free = 0
    for t in range(active):
        free += 0 < s.alpha[t] < s.bound[t]
    for r in range(active, n):
        s.v[r] = s.y[r] - s.settled[r]
    if free * n > 2 * active * (n - active):  # row by row or column by column, so that sums have LIBSVM's order
        for r in range(active, n):
            values = gram[s.row[r]]
            for t in range(active):
                if 0 < s.alpha[t] < s.bound[t]:
                    s.v[r] -= s.y[t] * s.alpha[t] * np.float32(values[s.row[t]])
    else:
        for t in range(active):
            if 0 < s.alpha[t] < s.bound[t]:
                values = gram[s.row[t]]
                for r in range(active, n):
                    s.v[r] -= s.y[t] * s.alpha[t] * np.float32(values[s.row[r]])


@kernel
def _threshold(s: State) -> float:
    """Return the mean of y·gradient over free variables; if there are none, the middle of the possible interval."""
    highest, lowest, total, free = np.inf, -np.inf, 0.0, 0
    for t in range(len(s.y)):
        if s.up[t] and s.low[t]:
            total -= s.v[t]
            free += 1
        elif s.up[t]:
            highest = min(highest, -s.v[t])
        else:
            lowest = max(lowest, -s.v[t])
    return total / free if free else (highest + lowest) / 2
