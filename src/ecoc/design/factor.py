"""What design do very many classes have? A factor of one, from where they lie: no matrix of all pairs is needed."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ecoc.design.checks import Matrix
from ecoc.design.distances import whitened_means
from ecoc.utils.threads import one_blas_thread


def class_directions(X: Any, y: ArrayLike) -> Matrix:
    """Directions in which the classes lie from the centre of all, one a row, of unit length.

    Their inner products are cosines: 1 for classes that lie the same way, −1 for opposite ones.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Training data.
    y : array-like of shape (n_samples,)
        Labels; two classes at least.

    Returns
    -------
    ndarray of shape (n_classes, n_dimensions)
        Class means, less their mean, in coordinates in which Mahalanobis' distance is Euclid's; classes in the order of
        ``np.unique(y)``.

    Examples
    --------
    Classes in the north, the east, the south and the west:

    >>> import numpy as np
    >>> from ecoc.design import class_directions
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
    means[:, 0] += lengths[:, 0] == 0  # a class in the middle lies no way: any will do
    return np.asarray(means / np.where(lengths > 0, lengths, 1))


def mixed_factor(directions: Matrix, share: float, n_free: int, rng: np.random.Generator) -> Matrix:
    """Make a factor F of a design FFᵀ that is `share` times the cosines of the classes' directions, roughly.

    The rest of every row is drawn at random in `n_free` dimensions, where two rows are nearly orthogonal: like an
    identity matrix, which asks for nothing, but of small rank.

    Parameters
    ----------
    directions : ndarray of shape (n_classes, n_dimensions)
        As of :func:`ecoc.design.class_directions`.
    share : float
        From 0, codewords equally far apart, to 1, like classes alike.
    n_free : int
        Dimensions of what is drawn.
    rng : numpy Generator
        Draws it.

    Returns
    -------
    ndarray of shape (n_classes, n_dimensions + n_free)
        Rows of unit length.

    Examples
    --------
    >>> import numpy as np
    >>> from ecoc.design import mixed_factor
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
