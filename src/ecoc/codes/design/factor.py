"""Design codes for thousands of classes by a factor F of the design FFᵀ, without a matrix of all pairs."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ecoc.codes.design.checks import Matrix
from ecoc.codes.design.distances import whitened_means
from ecoc.utils.threads import one_blas_thread


def class_directions(X: Any, y: ArrayLike) -> Matrix:
    """Compute the direction from the centre of all classes to each class, as a unit vector.

    The inner product of two directions is a cosine: 1 for classes on the same side of the centre, −1 for classes on
    opposite sides.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Training data.
    y : array-like of shape (n_samples,)
        Labels of at least two classes.

    Returns
    -------
    ndarray of shape (n_classes, n_dimensions)
        One row for each class, in the order of ``np.unique(y)``. The coordinates are whitened, so that Euclidean
        distances between class means are Mahalanobis distances.

    Examples
    --------
    Classes in the north, the east, the south and the west:

    >>> import numpy as np
    >>> from ecoc.codes.design import class_directions
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1, 2, 3], 500)
    >>> X = np.array([[0, 5], [5, 0], [0, -5], [-5, 0]])[y] + rng.normal(size=(2000, 2))
    >>> F = class_directions(X, y)
    >>> np.abs((F @ F.T)[0].round(1))
    array([1., 0., 1., 0.])
    >>> (F @ F.T)[0, 2].round(1)
    np.float64(-1.0)
    """
    index = np.unique(y, return_inverse=True)[1]
    with one_blas_thread():
        means = whitened_means(np.asarray(X, dtype=np.float64), index)
        means -= means.mean(axis=0)
    lengths = np.linalg.norm(means, axis=1, keepdims=True)
    means[:, 0] += lengths[:, 0] == 0  # a class at the centre has no direction: use the first axis
    return np.asarray(means / np.where(lengths > 0, lengths, 1))


def mixed_factor(directions: Matrix, share: float, n_free: int, rng: np.random.Generator) -> Matrix:
    """Make a factor F of a design FFᵀ whose off-diagonal entries are about `share` times the cosines of directions.

    Each row of F is a direction, scaled by √share, followed by a random vector of `n_free` dimensions. Two random
    vectors are nearly orthogonal, so they contribute almost nothing off the diagonal.

    Parameters
    ----------
    directions : ndarray of shape (n_classes, n_dimensions)
        Unit vectors, see :func:`ecoc.codes.design.class_directions`.
    share : float
        From 0, which makes all codewords equally far apart, to 1, which makes codewords as similar as the directions.
    n_free : int
        Number of random dimensions.
    rng : numpy Generator
        Source of the random vectors.

    Returns
    -------
    ndarray of shape (n_classes, n_dimensions + n_free)
        Rows of unit length.

    Examples
    --------
    >>> import numpy as np
    >>> from ecoc.codes.design import mixed_factor
    >>> F = mixed_factor(np.eye(3)[[0, 0, 1]], 0.5, 1000, np.random.default_rng(0))
    >>> np.abs(F @ F.T).round(1)
    array([[1. , 0.5, 0. ],
           [0.5, 1. , 0. ],
           [0. , 0. , 1. ]])
    """
    if share == 1:
        return directions
    free = rng.normal(size=(len(directions), n_free))
    free /= np.linalg.norm(free, axis=1, keepdims=True)
    return np.hstack([np.sqrt(share) * directions, np.sqrt(1 - share) * free])
