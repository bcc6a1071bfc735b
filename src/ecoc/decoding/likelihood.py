"""How well do scores explain the classes? The log-loss of all samples, and its gradient."""

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
    own_class = np.arange(len(y)), y
    scores -= scores.max(axis=1, keepdims=True)
    own = scores[own_class]
    np.exp(scores, out=scores)
    total = scores.sum(axis=1)
    loss = float(weight @ (np.log(total) - own))
    scores *= (weight / total)[:, None]
    scores[own_class] -= weight
    return loss, scores
