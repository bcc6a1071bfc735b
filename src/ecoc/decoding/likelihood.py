"""Log-losses of scores and their derivatives."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def multinomial_loss(scores: Array, y: NDArray[np.intp], weight: Array) -> tuple[float, Array]:
    """Return the weighted sum of log-losses, and its derivatives by the scores.

    Parameters
    ----------
    scores : ndarray of shape (n_samples, n_classes)
        Logarithms of probabilities, up to a constant for each sample. The derivatives take their place in memory.
    y : ndarray of shape (n_samples,)
        Classes.
    weight : ndarray of shape (n_samples,)
        Weights of the samples.

    Returns
    -------
    tuple of float and ndarray of shape (n_samples, n_classes)
        The loss and its derivatives.

    Examples
    --------
    >>> import numpy as np
    >>> from ecoc.decoding.likelihood import multinomial_loss
    >>> loss, slope = multinomial_loss(np.zeros((1, 4)), np.array([0]), np.ones(1))
    >>> round(loss, 3), slope
    (1.386, array([[-0.75,  0.25,  0.25,  0.25]]))
    """
    from ecoc.decoding._likelihood_kernels import loss_and_slopes

    return loss_and_slopes(scores, y, weight), scores


def log_losses(scores: Array, y: NDArray[np.intp], factor: float = 1.0) -> Array:
    """Return the log-loss of each sample.

    Parameters
    ----------
    scores : ndarray of shape (n_samples, n_classes)
        Logarithms of probabilities, up to a factor, and up to a constant for each sample.
    y : ndarray of shape (n_samples,)
        Classes.
    factor : float, default=1.0
        Factor of the scores.

    Returns
    -------
    ndarray of shape (n_samples,)
        The losses.

    Examples
    --------
    >>> import numpy as np
    >>> from ecoc.decoding.likelihood import log_losses
    >>> log_losses(np.array([[0.0, 1.0], [0.0, 0.0]]), np.array([0, 0])).round(3)
    array([1.313, 0.693])
    """
    from ecoc.decoding._likelihood_kernels import losses_of

    losses = np.empty(len(y))
    losses_of(np.ascontiguousarray(scores, dtype=np.float64), y, factor, losses)
    return losses


def loss_by_factor(scores: Array, y: NDArray[np.intp], weight: Array, factor: float) -> tuple[float, float, float]:
    """Return the weighted sum of log-losses of scores times a factor, with two derivatives by the factor.

    Parameters
    ----------
    scores : ndarray of shape (n_samples, n_classes)
        Logarithms of probabilities, up to the factor, and up to a constant for each sample.
    y : ndarray of shape (n_samples,)
        Classes.
    weight : ndarray of shape (n_samples,)
        Weights of the samples.
    factor : float
        Factor of the scores.

    Returns
    -------
    tuple of three float
        The loss, and its first and second derivative.

    Examples
    --------
    >>> import numpy as np
    >>> from ecoc.decoding.likelihood import loss_by_factor
    >>> [round(value, 3) for value in loss_by_factor(np.array([[1.0, 0.0]]), np.array([0]), np.ones(1), 0.0)]
    [0.693, -0.5, 0.25]
    """
    from ecoc.decoding import _likelihood_kernels as kernels

    return kernels.loss_by_factor(scores, y, weight, factor)
