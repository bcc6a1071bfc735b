"""Make a NumPy generator from any random state of scikit-learn or NumPy."""

from typing import Any

import numpy as np


def generator(random_state: Any) -> np.random.Generator:
    """Return a NumPy generator: a generator itself, or one that is seeded by a RandomState, an integer or None."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31))
    return np.random.default_rng(random_state)
