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
_LANES = 64  # 5,000 variables: half of it takes 1.2 times as long, double 0.9 times; few variables need fewer
_BLOCK = 1024  # places that are searched again for the largest value; 10,600 variables: half and double take as long


class State(NamedTuple):
    """The variables of a problem; the active ones come first."""

    at: Rows  # the sample at each place
    row: Any  # its row of the Gram matrix, unsigned so that Numba does not look for negative ones
    y: Floats
    bound: Floats
    alpha: Floats
    v: Floats  # −y·gradient, up to date for active variables
    settled: Floats  # the part of y·gradient that comes from alphas at their bounds
    up: Any  # 0 if y·alpha may grow, else infinity; in single precision, because loops wait for memory
    low: Any  # 0 if y·alpha may shrink, else infinity
    diagonal: Floats
    tops: Floats  # the largest value of each block of places, of `_move` or `_gains`
    lanes: Floats  # room for largest values, see `_move`
    more_lanes: Floats


class Cache(NamedTuple):
    """Rows of the Gram matrix in single precision, in the order of the variables, so that loops run straight ahead."""

    values: Any  # a row for each slot, as long as there were active variables
    slot: Rows  # of each sample; −1 if there is none
    sample: Rows  # of each slot; −1 if it is empty
    next: Rows  # the slot to fill next, one number


@kernel
def solve(
    gram: Any, own: Floats, rows: Rows, y: Floats, bound: Floats, tol: float, shrinking: bool, max_iter: int, room: Any
) -> tuple[Floats, float, int]:
    """Return the dual variables of a C-SVM on some rows of a Gram matrix, its threshold, and the number of steps.

    `gram` may be in single precision, `own` is its diagonal in double precision. `rows` are the samples, the side
    of y = 1 first; `bound` is each one's C. Steps are negative if `max_iter` ended it.
    `room` has at least two rows of n numbers in single precision, for copies of rows of the matrix.
    """
    n = len(rows)
    s = State(
        np.arange(n),
        rows.astype(np.uint32),
        y.copy(),
        bound.copy(),
        np.zeros(n),
        y.copy(),
        np.zeros(n),
        np.where(y > 0, 0, np.inf).astype(np.float32),
        np.where(y < 0, 0, np.inf).astype(np.float32),
        own[rows],
        np.empty(-(-n // _BLOCK)),
        np.empty(_LANES),
        np.empty(_LANES),
    )
    cache = Cache(room, np.full(n, -1), np.full(len(room), -1), np.zeros(1, rows.dtype))
    active, steps, wait = n, 0, min(n, 1000) + 1
    unshrunk = False
    most, _ = _extremes(s, active)
    while max_iter < 0 or steps < max_iter:
        wait -= 1
        if wait == 0:
            wait = min(n, 1000)
            if shrinking:
                most, least = _extremes(s, active)
                if not unshrunk and most - least <= tol * 10:
                    unshrunk = True
                    active = _restore(gram, s, cache, active)
                active = _shrink(s, cache, active, most, least)
                most, _ = _extremes(s, active)
        i, j = _pair(gram, s, cache, active, most, tol)
        if j < 0:
            active = _restore(gram, s, cache, active)
            most, _ = _extremes(s, active)
            i, j = _pair(gram, s, cache, active, most, tol)
            if j < 0:
                break
            wait = 1
        steps += 1
        q_i, q_j = _row(gram, s, cache, i, active, j), _row(gram, s, cache, j, active, i)
        old_i, old_j = s.alpha[i], s.alpha[j]
        _step(s, i, j, s.diagonal[i] + s.diagonal[j] - 2.0 * q_i[j])
        a, b = s.y[i] * (s.alpha[i] - old_i), s.y[j] * (s.alpha[j] - old_j)
        _note(gram, s, q_i, active, i, old_i)
        _note(gram, s, q_j, active, j, old_j)
        most = _move(s, q_i[:active], q_j[:active], a, b)
    else:
        steps = -steps
        _restore(gram, s, cache, active)
    alpha = np.empty(n)
    alpha[s.at] = s.alpha
    return alpha, _threshold(s), steps


@kernel
def _row(gram: Any, s: State, cache: Cache, t: int, active: int, other: int) -> Any:
    """Return kernel values of variable t with the active ones; the row of another one stays in the cache."""
    sample = s.at[t]
    slot = cache.slot[sample]
    if slot < 0:
        slot = cache.next[0]
        if other >= 0 and slot == cache.slot[s.at[other]]:
            slot = (slot + 1) % len(cache.sample)
        cache.next[0] = (slot + 1) % len(cache.sample)
        if cache.sample[slot] >= 0:
            cache.slot[cache.sample[slot]] = -1
        cache.sample[slot], cache.slot[sample] = sample, slot
        values, row = gram[s.row[t]], cache.values[slot]
        for r in range(active):
            row[r] = values[s.row[r]]
    return cache.values[slot]


@kernel
def _extremes(s: State, active: int) -> tuple[float, float]:
    """Return the largest v of variables that may grow, and the least of those that may shrink."""
    least = np.inf
    for block in range(-(-active // _BLOCK)):
        most = -np.inf
        for t in range(block * _BLOCK, min((block + 1) * _BLOCK, active)):
            most, least = max(most, s.v[t] - s.up[t]), min(least, s.v[t] + s.low[t])
        s.tops[block] = most
    return _largest(s.tops[: -(-active // _BLOCK)]), least


@kernel
def _largest(values: Floats) -> float:
    most = -np.inf
    for k in range(len(values)):
        most = values[k] if values[k] > most else most
    return most


@kernel
def _move(s: State, q_i: Any, q_j: Any, a: float, b: float) -> float:
    """Change v by a step, and return its largest value among variables that may grow.

    In each block, lane k has the largest value of places k, k + 64, …: without a branch or a common maximum, the loop
    runs on several numbers at once.
    """
    n, top = len(q_i), s.lanes
    for block in range(-(-n // _BLOCK)):
        top[:] = -np.inf
        for first in range(block * _BLOCK, min((block + 1) * _BLOCK, n), _LANES):
            part = slice(first, min(first + _LANES, n))
            x, z, v, up = q_i[part], q_j[part], s.v[part], s.up[part]
            for k in range(len(x)):
                v[k] -= x[k] * a + z[k] * b
                value = v[k] - up[k]
                top[k] = value if value > top[k] else top[k]
        s.tops[block] = _largest(top)
    return _largest(s.tops[: -(-n // _BLOCK)])


@kernel
def _gains(s: State, q: Any, d: float, most: float) -> tuple[float, float]:
    """Return the largest gain of a variable as a partner; also the largest violation."""
    n, best, widest = len(q), s.lanes, s.more_lanes
    widest[:] = -np.inf
    for block in range(-(-n // _BLOCK)):
        best[:] = -np.inf
        for first in range(block * _BLOCK, min((block + 1) * _BLOCK, n), _LANES):
            part = slice(first, min(first + _LANES, n))
            x, v, low, diagonal = q[part], s.v[part], s.low[part], s.diagonal[part]
            for k in range(len(x)):
                gap = most - v[k] - low[k]
                widest[k] = gap if gap > widest[k] else widest[k]
                value = _gain(gap, d + diagonal[k] - 2.0 * x[k])
                best[k] = value if value > best[k] else best[k]
        s.tops[block] = _largest(best)
    return _largest(s.tops[: -(-n // _BLOCK)]), _largest(widest)


@kernel
def _gain(gap: float, curve: float) -> float:
    gap = gap if gap > 0 else 0.0
    return gap * gap / (curve if curve > 0 else _TAU)


@kernel
def _note(gram: Any, s: State, q: Any, active: int, t: int, old: float) -> None:
    """Update the state after alpha_t has changed; `q` are kernel values with the active variables."""
    was, now = old >= s.bound[t], s.alpha[t] >= s.bound[t]
    if was != now:
        change = s.y[t] * s.bound[t] if now else -s.y[t] * s.bound[t]
        values = gram[s.row[t]]
        for r in range(active):
            s.settled[r] += change * q[r]
        for r in range(active, len(s.row)):
            s.settled[r] += change * np.float32(values[s.row[r]])
    grows, shrinks = not now, s.alpha[t] > 0
    if s.y[t] < 0:
        grows, shrinks = shrinks, grows
    s.up[t], s.low[t] = 0.0 if grows else np.inf, 0.0 if shrinks else np.inf


@kernel
def _pair(gram: Any, s: State, cache: Cache, active: int, most: float, tol: float) -> tuple[int, int]:
    """Return the sample with the largest violation, and its best partner; −1 if no violation exceeds `tol`.

    The last of equal ones is taken. Both are sought in the last block whose largest value is the largest of all.
    """
    first, last = _places(s, active, most)
    i = last
    while i >= first and s.v[i] - s.up[i] != most:
        i -= 1
    if i < first:
        return -1, -1
    q, d = _row(gram, s, cache, i, active, -1)[:active], s.diagonal[i]
    best, widest = _gains(s, q, d, most)
    if widest < tol or best <= 0:
        return i, -1
    first, j = _places(s, active, best)
    while j >= first and _gain(most - s.v[j] - s.low[j], d + s.diagonal[j] - 2.0 * q[j]) != best:
        j -= 1
    return i, (j if j >= first else -1)


@kernel
def _places(s: State, active: int, wanted: float) -> tuple[int, int]:
    """Return the first and the last place of the last block whose largest value is the wanted one."""
    block = -(-active // _BLOCK) - 1
    while block > 0 and s.tops[block] != wanted:
        block -= 1
    return block * _BLOCK, min((block + 1) * _BLOCK, active) - 1


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
    return bool(s.v[t] > most if s.up[t] > 0 else s.v[t] < least)


@kernel
def _shrink(s: State, cache: Cache, active: int, most: float, least: float) -> int:
    """Move variables that will probably not change behind the active ones."""
    n_swaps, t = 0, 0
    while t < active:
        if _rests(s, t, most, least):
            active -= 1
            while active > t:
                if not _rests(s, active, most, least):
                    _swap(s, t, active)
                    n_swaps += 1
                    break
                active -= 1
        t += 1
    if n_swaps:  # few rows are used again; to copy these takes less time than to swap places in all
        _forget(cache)
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
def _restore(gram: Any, s: State, cache: Cache, active: int) -> int:
    """Update v of the variables that are not active, and return how many are active now: all."""
    n = len(s.row)
    if active == n:
        return n
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
    _forget(cache)  # its rows are too short now
    return n


@kernel
def _forget(cache: Cache) -> None:
    """Empty the cache."""
    for slot in range(len(cache.sample)):
        if cache.sample[slot] >= 0:
            cache.slot[cache.sample[slot]], cache.sample[slot] = -1, -1


@kernel
def _threshold(s: State) -> float:
    """Return the mean of y·gradient over free variables; if there are none, the middle of the possible interval."""
    highest, lowest, total, free = np.inf, -np.inf, 0.0, 0
    for t in range(len(s.y)):
        if s.up[t] == s.low[t]:
            total -= s.v[t]
            free += 1
        elif s.up[t] == 0:
            highest = min(highest, -s.v[t])
        else:
            lowest = max(lowest, -s.v[t])
    return total / free if free else (highest + lowest) / 2
