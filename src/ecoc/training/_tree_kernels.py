"""Walk down the trees of all columns in one pass."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecoc.utils.jit import kernel

Singles = NDArray[np.float32]
Ints = NDArray[np.int32]

_ROWS = 256  # samples that pass a tree in turn; 8 to 64 take up to twice as long (1,260 trees, 1,600 samples)


@kernel
def add_leaves(
    X: Singles,
    nodes: Ints,
    thresholds: Singles,
    missing_left: NDArray[np.bool_],
    values: NDArray[np.float64],
    roots: Ints,
    column_of: Ints,
    has_nan: bool,
    out: NDArray[np.float64],
) -> None:
    """Add the value of the leaf that each sample reaches in each tree to the tree's column of `out`.

    A node is a row of `nodes`: its feature, its threshold, and the two nodes below it, which are itself for a leaf.
    `thresholds` are the same memory, read as numbers.
    """
    n = len(X)
    for start in range(0, n, _ROWS):
        end = min(start + _ROWS, n)
        for tree in range(len(roots)):
            root, column = np.int64(roots[tree]), column_of[tree]
            i = start
            while i + 4 <= end and not has_nan:  # four samples, so that the processor need not wait for each node
                a = b = c = d = root
                moves = True
                while moves:
                    last_a, last_b, last_c, last_d = a, b, c, d
                    for _ in range(2):
                        a = _below(X[i], nodes, thresholds, a)
                        b = _below(X[i + 1], nodes, thresholds, b)
                        c = _below(X[i + 2], nodes, thresholds, c)
                        d = _below(X[i + 3], nodes, thresholds, d)
                    moves = (a != last_a) | (b != last_b) | (c != last_c) | (d != last_d)
                out[i, column] += values[a]
                out[i + 1, column] += values[b]
                out[i + 2, column] += values[c]
                out[i + 3, column] += values[d]
                i += 4
            while i < end:
                node, last = root, np.int64(-1)
                while node != last:
                    last = node
                    if has_nan and np.isnan(X[i, nodes[node, 0]]):
                        node = np.int64(nodes[node, 2 if missing_left[node] else 3])
                    else:
                        node = _below(X[i], nodes, thresholds, node)
                out[i, column] += values[node]
                i += 1


@kernel
def _below(x: Singles, nodes: Ints, thresholds: Singles, node: Any) -> Any:
    """Return the next node of a sample, without a branch, which the processor would often guess wrong."""
    return np.int64(nodes[node, 3 - (x[nodes[node, 0]] <= thresholds[node, 1])])
