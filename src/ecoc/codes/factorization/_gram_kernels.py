"""List the columns that a code with given inner products can have, by a depth-first search (compiled).

The code X has XXᵀ = G, where the rank of G is the number of columns, l. Then X has full column rank, and XᵀG⁺X is the
identity. So every column x has xᵀG⁺x = 1. With a Cholesky factor G = LLᵀ, this is the sum of z_i², where z solves
Lz = x row by row. A branch ends as soon as the sum exceeds 1 (Fincke and Pohst). A row of G that depends on earlier
rows has L_ii = 0, and leaves one sign at most.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecoc.utils.jit import kernel

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

TOLERANCE = 1e-6  # of sums and signs, which are computed with errors below 1e-9


class Signs(NamedTuple):
    """State of a search that can be stopped and resumed."""

    lower: Floats  # (k, k) the Cholesky factor; a zero on its diagonal is a row that depends on those above
    x: Floats  # (k,) signs so far; the first is +1, because the negative of a column is no other column
    z: Floats  # (k,) solution of L z = x so far
    total: Floats  # (k + 1,) [d]: sum of the first d squares of z
    tried: Ints  # (k,) signs tried in each row
    depth: Ints  # (1,) row whose sign is chosen next; −1 when the search is complete
    found: Floats  # (most, k) columns found
    n_found: Ints  # (1,)


@kernel
def advance(s: Signs, work: float) -> float:
    """Search on for about this much work; return the work done. The search ends if there is no room for a column."""
    k, done, d = s.x.shape[0], 0.0, s.depth[0]
    while d >= 0 and done < work:
        if d == k:
            if abs(s.total[k] - 1.0) < TOLERANCE:
                if s.n_found[0] == s.found.shape[0]:
                    d = -1
                    break
                for i in range(k):
                    s.found[s.n_found[0], i] = s.x[i]
                s.n_found[0] += 1
            d -= 1
            continue
        if s.tried[d] == (1 if d == 0 else 2):
            s.tried[d] = 0
            d -= 1
            continue
        s.x[d] = 1.0 if s.tried[d] == 0 else -1.0
        s.tried[d] += 1
        rest, row = s.x[d], s.lower[d]
        for j in range(d):
            rest -= row[j] * s.z[j]
        done += d + 4.0
        if row[d] == 0.0:
            if abs(rest) > TOLERANCE:
                continue
            s.z[d] = 0.0
        else:
            s.z[d] = rest / row[d]
        s.total[d + 1] = s.total[d] + s.z[d] * s.z[d]
        if s.total[d + 1] < 1.0 + TOLERANCE:
            d += 1
    s.depth[0] = d
    return done
