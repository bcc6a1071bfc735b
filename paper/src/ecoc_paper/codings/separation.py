"""Make a designed code valid: different columns, and every pair of classes on opposite sides of one."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecoc.codes.coding import Minimal, distinct_columns
from ecoc.utils.codewords import column_keys

Code = NDArray[np.int8]


def usable_columns(code: Code) -> Code:
    """Return the columns that have both sides, each once up to sign."""
    code = code[:, (code == 1).any(axis=0) & (code == -1).any(axis=0)]
    keys = column_keys(code)
    return code[:, [keys.index(key) for key in dict.fromkeys(keys)]]


def are_separated(code: Code) -> bool:
    """Tell whether every two classes have a column in which one is +1 and the other −1."""
    plus, minus = (code == 1).astype(np.float32), (code == -1).astype(np.float32)
    apart = plus @ minus.T + minus @ plus.T
    return bool((apart + np.eye(len(code))).all())


def separated(code: Code, n_columns: int, order: NDArray[Any], rng: np.random.Generator) -> Code:
    """Return a valid code of `n_columns` columns that keeps as many of the given columns as possible.

    If the first columns do not separate all classes, the last ⌈log2 k⌉ of them are replaced by the numbers of the
    classes in binary, where neighbours in `order` differ least. Columns that are missing are drawn at random.
    """
    k, bits = len(code), (len(code) - 1).bit_length()
    code = usable_columns(code)[:, :n_columns]
    if not are_separated(code):
        numbers = np.empty(k, dtype=np.int64)
        numbers[np.argsort(order, kind="stable")] = np.arange(k)
        words = Minimal().build(2**bits).matrix[numbers]
        code = usable_columns(np.column_stack([words, code[:, : n_columns - bits]]))  # the words are kept in any case
        code = np.roll(code, -bits, axis=1)
    if code.shape[1] < n_columns:
        code = distinct_columns(k, n_columns, rng, start=code)
    return np.ascontiguousarray(code)
