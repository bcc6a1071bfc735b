"""Descent over the signs of one column: flip a class while that lowers the bound."""

import numpy as np
from numpy.typing import NDArray

from ecoc.utils.jit import kernel

Floats = NDArray[np.float64]


@kernel
def descend(confused: Floats, means: Floats, covariance: Floats, equal: Floats, x: Floats, least: float) -> float:
    """Flip entries of x in turn until none lowers the cost; returns the cost, infinite if x cannot be a column.

    The cost of a pair is confused·exp(−(u_i − u_j)²/8q), and `equal` if both are on one side. A column whose variance q
    is not above `least` says nothing new.
    """
    k = len(x)
    u, s = means @ x, covariance @ x
    q, total = np.sum(x * s), x.sum()
    v = np.empty(k)
    best = _cost(confused, equal, u, q, x, -1) if q > least else np.inf
    unchanged, c = 0, 0
    while unchanged < k:
        c = c + 1 if c + 1 < k else 0
        unchanged += 1
        after = q - 4.0 * x[c] * s[c] + 4.0 * covariance[c, c]
        if after <= least or abs(total - 2.0 * x[c]) == k:
            continue
        for i in range(k):
            v[i] = u[i] - 2.0 * x[c] * means[i, c]
        cost = _cost(confused, equal, v, after, x, c)
        if cost < best - 1e-9 * abs(best) or best == np.inf:
            for i in range(k):
                u[i] = v[i]
                s[i] -= 2.0 * x[c] * covariance[i, c]
            total -= 2.0 * x[c]
            x[c] = -x[c]
            best, q, unchanged = cost, after, 0
    return best


@kernel
def _cost(confused: Floats, equal: Floats, u: Floats, q: float, x: Floats, flipped: int) -> float:
    cost = 0.0
    for i in range(len(x)):
        for j in range(i):
            apart = u[i] - u[j]
            cost += confused[i, j] * np.exp(-apart * apart / (8.0 * q))
            same = x[i] == x[j]
            if i == flipped or j == flipped:
                same = not same
            if same:
                cost += equal[i, j]
    return cost
