"""Tabu search over single flips, with tables of the effect of every flip (compiled).

A pair of codewords with inner product g costs φ(g) = w·(t − g)² + λ·max(0, g − cap)². The first term is the distance to
the target t = l·d. The second is a penalty if the codewords are closer than min_distance allows, g > cap = l − 2c.
Flipping x_ij changes every g_ir by ∓2. With U = φ(g−2) − φ(g), V = φ(g+2) − φ(g), P = U + V and Q = U − V,

    change of the objective by flipping x_ij  =  Σ_r P_ir + x_ij·(Q X)_ij        (each pair is counted twice).

The tables are S = Q X and p = P 1. One flip updates them in O(k·l), and they then give the effects of all k·l flips.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecoc.utils.jit import kernel

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Words = NDArray[np.uint64]


class Tables(NamedTuple):
    """A code and the tables that are updated with it."""

    x: Floats  # (k, l) the code
    target: Floats  # (k, k) l·D
    cap: Floats  # (k, k) largest inner product allowed
    g: Floats  # (k, k) X Xᵀ
    q: Floats  # (k, k) Q
    p: Floats  # (k,) P 1
    s: Floats  # (k, l) Q X
    overlap: Floats  # (l, l + 1) XᵀX, and the column sums, i.e. the overlap with a constant column
    blocked: Ints  # (k, l) step until which a flip is tabu; negative if it would make a column invalid
    random: Words  # (1,) state of the random number generator


class Log(NamedTuple):
    """The state of a search, in arrays of one number each, so that the search can be stopped and resumed."""

    step: Ints
    round: Ints
    improved: Ints  # last step that lowered the merit
    objective: Floats  # of the current code
    violation: Floats  # of the current code
    merit: Floats  # smallest objective plus penalty in this round
    local: Floats  # smallest objective of a valid code in this round
    best: Floats  # smallest objective of a valid code in all rounds


@kernel
def next_random(state: Words) -> np.uint64:
    """Draw 64 random bits (xorshift*) and update the state."""
    x = state[0]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    state[0] = x
    return np.uint64(x * np.uint64(2685821657736338717))


@kernel
def random_below(state: Words, n: int) -> int:
    """Draw an integer in [0, n)."""
    return int((next_random(state) >> np.uint64(33)) % np.uint64(n))


@kernel
def flip_effects(error: float, slack: float, weight: float, penalty: float) -> tuple[float, float]:
    """Return P and Q of one pair, from error = t − g and slack = cap − g."""
    over, down, up = max(0.0, -slack), max(0.0, -2.0 - slack), max(0.0, 2.0 - slack)
    down, up = down * down - over * over, up * up - over * over
    return 8.0 * weight + penalty * (down + up), 8.0 * weight * error + penalty * (down - up)


@kernel
def assign(target: Floats, source: Floats) -> None:
    """Copy a matrix. A loop compiles many times faster than an array assignment."""
    for i in range(target.shape[0]):
        for j in range(target.shape[1]):
            target[i, j] = source[i, j]


@kernel
def build(t: Tables, weight: float, penalty: float) -> tuple[float, float]:
    """Fill the tables for the code in them; return its objective and its violation Σ max(0, g − cap)²."""
    k, l = t.x.shape
    objective = 0.0
    violation = 0.0
    for a in range(l):
        for b in range(l + 1):
            t.overlap[a, b] = 0.0
    for i in range(k):
        row, s_row = t.x[i], t.s[i]
        for a in range(l):
            s_row[a] = 0.0
            overlap = t.overlap[a]
            for b in range(l):
                overlap[b] += row[a] * row[b]
            overlap[l] += row[a]
        t.p[i] = 0.0
        for r in range(k):
            other = t.x[r]
            product = 0.0
            for c in range(l):
                product += row[c] * other[c]
            t.g[i, r] = product
            if r == i:
                t.q[i, r] = 0.0
                continue
            error, slack = t.target[i, r] - product, t.cap[i, r] - product
            both, q = flip_effects(error, slack, weight, penalty)
            t.p[i] += both
            t.q[i, r] = q
            for c in range(l):
                s_row[c] += q * other[c]
            objective += error * error
            violation += max(0.0, -slack) ** 2
    return objective, violation


@kernel
def flip(t: Tables, weight: float, penalty: float, i: int, j: int) -> tuple[float, float]:
    """Flip x_ij, update the tables, and return the changes of the objective and of the violation."""
    k, l = t.x.shape
    old = t.x[i, j]
    t.x[i, j] = -old
    for c in range(l):
        if c != j:
            t.overlap[j, c] -= 2.0 * old * t.x[i, c]
            t.overlap[c, j] = t.overlap[j, c]
    t.overlap[j, l] -= 2.0 * old
    row, s_row = t.x[i], t.s[i]
    objective = 0.0
    violation = 0.0
    for r in range(k):
        if r == i:
            continue
        step = 2.0 * old * t.x[r, j]
        error, slack = t.target[i, r] - t.g[i, r], t.cap[i, r] - t.g[i, r]
        before, q_before = 8.0 * weight, t.q[i, r]
        if slack - 2.0 < 2.0:  # P changes only for pairs that are close to their cap
            before = flip_effects(error, slack, weight, penalty)[0]
        after, q_after = flip_effects(error + step, slack + step, weight, penalty)
        t.p[i] += after - before
        t.p[r] += after - before
        objective += step * (2.0 * error + step)
        violation += max(0.0, -slack - step) ** 2 - max(0.0, -slack) ** 2
        t.g[i, r] -= step
        t.g[r, i] = t.g[i, r]
        t.q[i, r] = q_after
        t.q[r, i] = q_after
        t.s[r, j] -= 2.0 * old * q_before
        change = q_after - q_before
        other, s_other = t.x[r], t.s[r]
        for c in range(l):
            s_other[c] += change * row[c]
            s_row[c] += change * other[c]
    return 2.0 * objective, 2.0 * violation


@kernel
def column_stays_valid(t: Tables, i: int, j: int) -> bool:
    """Tell whether column j, with x_ij flipped, would not be constant, equal or complementary to another column."""
    k, l = t.x.shape
    for c in range(l):
        if c != j and abs(t.overlap[j, c] - 2.0 * t.x[i, j] * t.x[i, c]) == k:
            return False
    return bool(abs(t.overlap[j, l] - 2.0 * t.x[i, j]) != k)


@kernel
def replace_columns(t: Tables, n: int) -> None:
    """Replace n columns by random ones, to leave a local minimum; skip a draw that would make a column invalid."""
    k, l = t.x.shape
    for _ in range(n):
        j = random_below(t.random, l)
        column = np.empty(k)
        total = 0.0
        for i in range(k):
            column[i] = 1.0 - 2.0 * random_below(t.random, 2)
            total += column[i]
        valid = abs(total) != k
        for c in range(l):
            total = 0.0
            for i in range(k):
                total += column[i] * t.x[i, c]
            valid = valid and (c == j or abs(total) != k)
        if valid:
            for i in range(k):
                t.x[i, j] = column[i]


@kernel
def tabu(
    t: Tables, weight: float, penalties: Floats, n_steps: int, patience: int, log: Log, local: Floats, best: Floats
) -> None:
    """Run n_steps more steps.

    A round ends `patience` steps after its last improvement. The next round starts from the best code, or half of the
    time from the best code of this round, with some columns replaced. It uses the next of the penalties in turn.
    Early rounds are short, and those without a penalty replace nearly all columns, so that the search compares many
    starts before it works on the best one. A round without a penalty may visit invalid codes. Only valid codes are
    stored in `local` and `best`.

    Numbers below give the effect of half and double, on the 20 designs of benchmarks/reference.py at effort 0.1, 5
    seeds each. The measure is the objective relative to the reference: 0.970 on average and 1.04 at most. A flip is
    tabu for 4 to 11 steps.
    """
    early_rounds = 16  # 8: 0.970, at most 1.11; 32: 0.971, at most 1.04
    tenure, tenure_range = 4, 8  # 2 to 5 steps: 0.978, at most 1.10; 8 to 23: 0.979, at most 1.11
    replaced_part = 4  # a late round replaces up to l/4 columns. l/8: 0.966, at most 1.04; l/2: 0.970, at most 1.08
    k, l = t.x.shape
    penalty = penalties[log.round[0] % penalties.shape[0]]
    for step in range(log.step[0], log.step[0] + n_steps):
        early = log.round[0] < early_rounds
        if step - log.improved[0] > (patience // 4 if early else patience):
            log.round[0] += 1
            penalty = penalties[log.round[0] % penalties.shape[0]]
            assign(t.x, best if random_below(t.random, 2) else local)
            fresh = penalty == 0.0 and (early or random_below(t.random, 3) == 0)
            replace_columns(t, 2 * l if fresh else 1 + random_below(t.random, max(1, l // replaced_part)))
            log.objective[0], log.violation[0] = build(t, weight, penalty)
            for i in range(k):
                for j in range(l):
                    t.blocked[i, j] = 0
            log.local[0] = log.merit[0] = np.inf
            log.improved[0] = step
        else:
            smallest = np.inf
            row, column = -1, -1
            # A flip is allowed in spite of the tabu if it leads to the best code of the round.
            aspiration = log.local[0] - log.objective[0] - 1e-9 if log.violation[0] < 0.5 else -np.inf
            for i in range(k):
                both, x_row, s_row = t.p[i], t.x[i], t.s[i]
                for j in range(l):
                    effect = both + x_row[j] * s_row[j]
                    if effect < smallest:
                        until = t.blocked[i, j]
                        if abs(until) <= step or (until > 0 and effect < aspiration):
                            smallest, row, column = effect, i, j
            if row < 0:
                log.improved[0] = step - patience - 1  # every flip is tabu: end the round
                continue
            if not column_stays_valid(t, row, column):
                t.blocked[row, column] = -(step + 1 + l)
                continue
            change, change_violation = flip(t, weight, penalty, row, column)
            log.objective[0] += change
            log.violation[0] += change_violation
            t.blocked[row, column] = step + tenure + random_below(t.random, tenure_range)
        merit = weight * log.objective[0] + penalty * log.violation[0]
        if merit < log.merit[0] - 1e-9:
            log.merit[0] = merit
            log.improved[0] = step
        if log.violation[0] < 0.5 and log.objective[0] < log.local[0] - 1e-9:
            log.local[0] = log.objective[0]
            assign(local, t.x)
            if log.objective[0] < log.best[0] - 1e-9:
                log.best[0] = log.objective[0]
                assign(best, t.x)
    log.step[0] += n_steps
