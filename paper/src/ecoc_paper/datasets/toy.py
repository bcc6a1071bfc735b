"""The paper's Toy problem: 14 Gaussian classes in the plane, overlapping in groups."""

import numpy as np
from numpy.typing import NDArray

N_CLASSES, N_POINTS = 14, 100
_GROUPS = (((0.0, 0.0), 4), ((7.0, 1.0), 3), ((3.0, 6.5), 4), ((9.5, 7.5), 3))  # centre, classes around it
_RADIUS = 1.6  # of a group of means; the best possible accuracy is then 79 %, the paper's best is 77 %


def toy(seed: int = 0) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Draw the points: all classes have standard deviation 1, and those of a group overlap.

    The paper does not give the means and deviations. In its figure, as here, a class overlaps with its neighbours and
    is far from all other classes.

    Parameters
    ----------
    seed : int, default=0
        Seed of the points; the means are always the same.

    Returns
    -------
    X : ndarray of shape (1400, 2)
        Points, rounded to six decimals.
    y : ndarray of shape (1400,)
        Classes, 0 to 13.
    """
    means = []
    for turn, (centre, members) in enumerate(_GROUPS):
        angles = 2 * np.pi * np.arange(members) / members + turn
        means.append(np.array(centre) + _RADIUS * np.column_stack([np.cos(angles), np.sin(angles)]))
    y = np.repeat(np.arange(N_CLASSES), N_POINTS)
    X = np.concatenate(means)[y] + np.random.default_rng(seed).normal(size=(len(y), 2))
    return X.round(6), y  # rounded, as libraries differ in the last bits of a cosine
