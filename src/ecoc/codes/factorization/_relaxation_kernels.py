"""Update rows of the paper's relaxation: least squares in a box, as long as the caps on products hold (compiled).

A row is the minimum of ‖X'x − d‖² for −1 ≤ x ≤ 1 and X'x ≤ p. The caps p rarely bind near a solution, so a row is first
solved without them. Where its solution breaks a cap, the caller solves the row by a general method.
"""

import numpy as np
from numpy.typing import NDArray

from ecoc.utils.jit import kernel

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]


@kernel
def squared_error(x: Matrix, target: Matrix, diagonal: bool) -> float:
    """Return Σ_{i≠j} (target_ij − x_i·x_j)², or the sum over all i and j."""
    total, own = 0.0, 0.0
    for i in range(len(x)):
        for j in range(i + 1):
            error = target[i, j]
            for a in range(x.shape[1]):
                error -= x[i, a] * x[j, a]
            if i == j:
                own += error * error
            else:
                total += 2.0 * error * error
    return total + own if diagonal else total


@kernel
def nearest_threshold(
    x: Matrix, order: NDArray[np.intp], target: Matrix, diagonal: bool, goal: float, thresholds: Vector
) -> float:
    """Return the first of the rising thresholds at which rounding x gives the objective nearest to `goal`.

    `order` sorts the entries of x. Products of codewords follow the entries that a threshold turns to −1.
    """
    k, l = x.shape
    code, products = np.ones((k, l)), np.full((k, k), float(l))
    best, smallest, place, is_new = thresholds[0], np.inf, 0, True
    for threshold in thresholds:
        while place < k * l and not x[order[place] // l, order[place] % l] > threshold:
            i, a = order[place] // l, order[place] % l
            code[i, a] = -1.0
            for j in range(k):
                if j != i:
                    products[i, j] -= 2.0 * code[j, a]
                    products[j, i] = products[i, j]
            place, is_new = place + 1, True
        if is_new:
            total, own = 0.0, 0.0
            for i in range(k):
                for j in range(i):
                    error = target[i, j] - products[i, j]
                    total += 2.0 * error * error
                own += (target[i, i] - l) ** 2
            difference = abs((total + own if diagonal else total) - goal)
            if difference < smallest:
                best, smallest = threshold, difference
            is_new = False
    return float(best)


@kernel
def update_rows(
    x: Matrix,
    target: Matrix,
    cap: Matrix,
    rows: NDArray[np.intp],
    first: int,
    proximal: float,
    H: Matrix,
    goal: Vector,
    row: Vector,
) -> int:
    """Update rows[first], rows[first + 1], … of x in place; return the place of the first that needs another method.

    That is len(rows) if all were updated. `proximal` is the weight of ‖x − old x‖², which makes the solution unique.
    For the row that needs another method, ½xᵀHx − goalᵀx is what it minimises, and `row` its solution without caps.
    """
    k, l = x.shape
    H[:] = x.T @ x
    for place in range(first, len(rows)):
        i = rows[place]
        goal[:] = proximal * x[i]
        for j in range(k):
            if j != i:
                for a in range(l):
                    goal[a] += target[i, j] * x[j, a]
        for a in range(l):
            for b in range(l):
                H[a, b] -= x[i, a] * x[i, b]
            H[a, a] += proximal
        row[:] = x[i]
        solved = _least_squares_in_box(H, goal, row) and _keeps_caps(x, cap, i, row)
        if not solved:
            return place
        x[i] = row
        for a in range(l):
            for b in range(l):
                H[a, b] += x[i, a] * x[i, b]
            H[a, a] -= proximal
    return len(rows)


@kernel
def _keeps_caps(x: Matrix, cap: Matrix, i: int, row: Vector) -> bool:
    for j in range(len(x)):
        if j != i:
            product = 0.0
            for a in range(len(row)):
                product += x[j, a] * row[a]
            if product > cap[i, j] + 1e-9:
                return False
    return True


@kernel
def _least_squares_in_box(H: Matrix, goal: Vector, x: Vector) -> bool:
    """Minimise ½xᵀHx − goalᵀx over −1 ≤ x ≤ 1, from x on; tell whether the optimality conditions hold."""
    rounding = 1e-10  # error of an optimality condition that is taken for rounding
    n_sweeps = 40  # of coordinate descent, which finds the entries at ±1
    settled = 1e-7  # change of an entry below which coordinate descent ends
    l = len(x)
    gradient = H @ x - goal
    for _ in range(n_sweeps):
        largest = 0.0
        for a in range(l):
            new = min(1.0, max(-1.0, x[a] - gradient[a] / H[a, a]))
            change = new - x[a]
            if change != 0.0:
                x[a] = new
                for b in range(l):
                    gradient[b] += change * H[b, a]
                largest = max(largest, abs(change))
        if largest < settled:
            break
    scale = 1.0 + np.abs(goal).max()
    for _ in range(2 * l):  # solve for the entries between −1 and 1, and correct which these are
        if not _solve_free(H, goal, x):
            return False
        gradient = H @ x - goal
        wrong, worst = -1, rounding * scale
        for a in range(l):
            error = 0.0
            if x[a] >= 1.0:
                error = gradient[a]
            elif x[a] <= -1.0:
                error = -gradient[a]
            if error > worst:
                wrong, worst = a, error
        if wrong < 0:
            return True
        x[wrong] *= 0.999999  # it is free from now on
    return False


@kernel
def _solve_free(H: Matrix, goal: Vector, x: Vector) -> bool:
    """Solve for the entries of x between −1 and 1 with the others fixed; entries that leave the box are fixed there."""
    l = len(x)
    while True:
        free = np.flatnonzero(np.abs(x) < 1.0)
        m = len(free)
        if m == 0:
            return True
        L, b = np.empty((m, m)), np.empty(m)
        for s in range(m):
            b[s] = goal[free[s]]
            for a in range(l):
                if abs(x[a]) >= 1.0:
                    b[s] -= H[free[s], a] * x[a]
            for t in range(s + 1):
                total = H[free[s], free[t]]
                for u in range(t):
                    total -= L[s, u] * L[t, u]
                if s == t:
                    if total <= 0.0:
                        return False
                    L[s, s] = np.sqrt(total)
                else:
                    L[s, t] = total / L[t, t]
        for s in range(m):
            for u in range(s):
                b[s] -= L[s, u] * b[u]
            b[s] /= L[s, s]
        for s in range(m - 1, -1, -1):
            for u in range(s + 1, m):
                b[s] -= L[u, s] * b[u]
            b[s] /= L[s, s]
        inside = True
        for s in range(m):
            if abs(b[s]) >= 1.0:
                inside = False
            x[free[s]] = min(1.0, max(-1.0, b[s]))
        if inside:
            return True
