"""Where do random numbers come from? One generator from whatever scikit-learn or NumPy call a random state."""

from typing import Any

import numpy as np


def generator(random_state: Any) -> np.random.Generator:
    """A NumPy generator; a generator is taken as it is, a RandomState gives a seed, None means fresh entropy."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31))
    return np.random.default_rng(random_state)
