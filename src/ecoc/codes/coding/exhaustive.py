"""Exhaustive codes: every dichotomy, or a random sample of them."""

from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from ecoc.codes.coding.base import Code, Coding
from ecoc.codes.coding.minimal import binary_words
from ecoc.codes.coding.random import distinct_columns, random_codewords
from ecoc.codes.design.length import resolve_length
from ecoc.utils.random import generator
from ecoc.utils.scikit import Interval


class Exhaustive(Coding):
    """All dichotomies of the classes, each once.

    Length: 2^(k−1) − 1 columns, all distances 2^(k−2); or `max_columns`, drawn at random from them, as Dietterich
    and Bakiri advise for more than 11 classes.

    Parameters
    ----------
    max_columns : int, default=1023
        Most columns: by default those of 11 classes.

    See Also
    --------
    ecoc.Hadamard : Large distances with few columns.
    ecoc.Minimal : The opposite.

    References
    ----------
    T. Dietterich and G. Bakiri, "Solving multiclass learning problems via error-correcting output codes",
    JAIR 2, 1995.

    Examples
    --------
    >>> from ecoc.codes.coding import Exhaustive
    >>> Exhaustive().build(4)
    CodeBook 4 × 7 (classes × columns), min distance 4, correction 1
      0  +++++++
      1  +++----
      2  +--++--
      3  -+-+-+-
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "max_columns": [Interval(Integral, 1, None, closed="left")]
    }

    def __init__(self, max_columns: int = 1023) -> None:
        self.max_columns = max_columns

    def _build(self, n_classes: int, X: Any, y: Any, random_state: Any) -> Code:
        n_dichotomies = 2 ** (n_classes - 1) - 1
        if n_dichotomies <= self.max_columns:
            code: Code = -binary_words(np.arange(1, n_dichotomies + 1), n_classes).T
            return code
        length = resolve_length(self.max_columns, n_classes, n_dichotomies)
        rng = generator(random_state)
        return distinct_columns(n_classes, length, rng, start=random_codewords(n_classes, rng))
