"""Check cost matrices, and choose the class with the least expected cost, or abstain."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecoc.utils.messages import nearest, some

Array = NDArray[np.float64]


def cost_matrix(costs: ArrayLike | Mapping[Any, float] | None, labels: Sequence[Any]) -> Array:
    """Return the cost of each true class (row) when each class (column) is predicted.

    `costs` is a mapping from pairs ``(true, predicted)`` to costs, with 1 for every error that it does not name; a
    DataFrame with true labels as its index and predicted labels as its columns; or a matrix in the order of `labels`.
    None: every error costs 1. Costs must be finite and not negative, and zero for correct predictions.
    """
    names = list(labels)
    k = len(names)
    if costs is None or isinstance(costs, Mapping):
        matrix = 1.0 - np.eye(k)
        for key, cost in (costs or {}).items():
            if not isinstance(key, tuple) or len(key) != 2:
                raise ValueError(f"a key of costs must be a pair (true label, predicted label); got {key!r}.")
            i, j = (_row_of(label, names) for label in key)
            if i == j and cost != 0:
                raise ValueError(f"costs has {cost!r} for {key!r}: a correct prediction costs nothing.")
            matrix[i, j] = _number(cost, key)
    elif hasattr(costs, "columns"):
        frame: Any = costs
        rows, columns = _order(frame.index, names, "index"), _order(frame.columns, names, "columns")
        matrix = _numbers(frame)[np.ix_(rows, columns)]
    else:
        matrix = _numbers(costs)
        if matrix.shape != (k, k):
            raise ValueError(
                f"costs must have shape {(k, k)}, one row for each true class and one column for each prediction; got "
                f"shape {matrix.shape}."
            )
    if not np.isfinite(matrix).all() or matrix.min() < 0:
        i, j = np.argwhere(~(np.isfinite(matrix) & (matrix >= 0)))[0]
        raise ValueError(f"costs must be finite and not negative; {names[i]!r} as {names[j]!r} costs {matrix[i, j]}.")
    if np.diag(matrix).any():
        i = int(np.flatnonzero(np.diag(matrix))[0])
        raise ValueError(f"costs must be zero on the diagonal: predicting {names[i]!r} correctly costs {matrix[i, i]}.")
    return matrix


def least_expected_cost(probabilities: Array, costs: Array, reject_cost: float | None = None) -> NDArray[np.intp]:
    """Return the class with the least expected cost for each sample; −1 where this cost exceeds `reject_cost`."""
    expected = probabilities @ costs
    chosen: NDArray[np.intp] = expected.argmin(axis=1)
    if reject_cost is not None:
        chosen = np.where(expected[np.arange(len(chosen)), chosen] > reject_cost, -1, chosen)
    return chosen


def _row_of(label: Any, names: list[Any]) -> int:
    if label in names:
        return names.index(label)
    close = nearest(label, names, n=3) or names
    raise ValueError(f"costs names {label!r}, which is not a class; the most similar classes are {some(close)}.")


def _order(given: Any, names: list[Any], what: str) -> list[int]:
    found = [_row_of(label, names) for label in given]
    if sorted(found) != list(range(len(names))):
        missing = [name for i, name in enumerate(names) if i not in found]
        raise ValueError(f"the {what} of costs must name every class once; it lacks {some(missing) or 'none'}.")
    return [found.index(i) for i in range(len(names))]


def _numbers(costs: Any) -> Array:
    try:
        return np.array(costs, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError("costs must be numbers: a matrix, a DataFrame, or a mapping from pairs of labels.") from None


def _number(cost: Any, key: Any) -> float:
    try:
        return float(cost)
    except (TypeError, ValueError):
        raise TypeError(f"the cost of {key!r} must be a number; got {cost!r}.") from None
