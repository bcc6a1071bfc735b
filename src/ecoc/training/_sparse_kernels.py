"""Dual coordinate descent for linear support vector classifiers, many columns at once (Hsieh et al., 2008).

The samples are read once for all columns of a block. Each feature's weights for the block lie side by side in memory.
The inner loops have one-dimensional arrays and no branch, so they use vector instructions.
"""

import numpy as np
from numpy.typing import NDArray

from ecoc.utils.jit import kernel

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@kernel
def sweep(
    data: Floats,
    indices: Ints,
    start: Ints,
    order: Ints,
    sides: Floats,
    y: Ints,
    squares: Floats,
    ridge: Floats,
    scale: float,
    weights: Floats,
    alpha: Floats,
) -> float:
    """Improve the multipliers of all samples once, in a given order; return the largest violation of optimality.

    `sides` has a row for each class, `weights` one for each feature and a last one for the intercept, which has the
    constant feature `scale`. `ridge` is 1 / (2C) of each sample, `squares` its squared length.
    """
    n_columns = weights.shape[1]
    outputs, change = np.empty(n_columns), np.empty(n_columns)
    worst = 0.0
    for i in order:
        np.multiply(weights[-1], scale, outputs)
        for p in range(start[i], start[i + 1]):
            add_multiple(outputs, data[p], weights[indices[p]])
        violation = step(outputs, sides[y[i]], alpha[i], ridge[i], 1.0 / (squares[i] + ridge[i]), change)
        worst = max(worst, violation)
        if violation > 0.0:
            for p in range(start[i], start[i + 1]):
                add_multiple(weights[indices[p]], data[p], change)
            add_multiple(weights[-1], scale, change)
    return worst


@kernel
def add_multiple(total: Floats, factor: float, values: Floats) -> None:
    """Add a multiple of some numbers to others."""
    for t in range(len(total)):
        total[t] += factor * values[t]


@kernel
def step(outputs: Floats, sides: Floats, alpha: Floats, ridge: float, rate: float, change: Floats) -> float:
    """Set the multipliers of a sample to their best values, the others fixed; return the largest violation."""
    worst = 0.0
    for t in range(len(alpha)):
        used = abs(sides[t])  # 0 if the column leaves the class out
        slope = used * (sides[t] * outputs[t] - 1.0 + ridge * alpha[t])
        new = max(alpha[t] - rate * slope, 0.0)
        worst = max(worst, min(abs(slope), abs(new - alpha[t]) * 1e300))  # no violation where nothing changes
        change[t] = sides[t] * (new - alpha[t])
        alpha[t] = new
    return worst
