"""Find pairs of classes that every code confuses, each of which deserves a column of its own."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve
from scipy.special import softmax
from sklearn.covariance import ledoit_wolf_shrinkage

from ecoc.codes.refinement.proxy import HeldOut
from ecoc.codes.refinement.refinement_limits import LIMITS
from ecoc.utils.folds import make_folds
from ecoc.utils.threads import one_blas_thread

Array = NDArray[np.float64]
Code = NDArray[np.int8]
Pair = tuple[int, int]


def confusion_probabilities(held_out: HeldOut) -> Array:
    """Sum the probabilities that a discriminant of held-out outputs gives to every class, for samples of each class.

    Parameters
    ----------
    held_out : HeldOut
        Held-out one-vs-all outputs of a proxy, see `proxy_outputs`.

    Returns
    -------
    ndarray of shape (n_classes, n_classes)
        Sums of probabilities; true classes are rows.
    """
    k, y, fold = held_out.n_classes, held_out.y, held_out.fold
    outputs = held_out.under(np.eye(k))
    if fold is None:
        folds = make_folds(LIMITS.n_folds, y, 0)
    else:
        folds = [(np.flatnonzero(fold != f), np.flatnonzero(fold == f)) for f in np.unique(fold)]
    confused = np.zeros((k, k))
    with one_blas_thread():
        for train, test in folds:
            if len(np.unique(y[train])) > 1:
                np.add.at(confused, y[test], _discriminant_shares(outputs[train], y[train], outputs[test]))
    return confused


def _discriminant_shares(outputs: Array, y: NDArray[np.intp], others: Array) -> Array:
    """Return class probabilities of other samples by linear discriminant analysis with shrunk correlations."""
    k = outputs.shape[1]
    size = np.bincount(y, minlength=k)
    means = np.zeros((k, k))
    np.add.at(means, y, outputs)
    means /= np.maximum(size, 1)[:, None]
    residuals = outputs - means[y]
    deviation = residuals.std(axis=0) + 1e-12
    shrinkage = ledoit_wolf_shrinkage(residuals / deviation, assume_centered=True)
    covariance = (1 - shrinkage) * (residuals.T @ residuals) / max(len(y) - len(np.unique(y)), 1)
    covariance += (shrinkage + 1e-6) * np.diag(deviation**2)
    coef = solve(covariance, means.T, assume_a="pos").T
    scores = others @ coef.T - (coef * means).sum(axis=1) / 2 + np.log(np.maximum(size, 1e-9) / len(y))
    return np.asarray(softmax(scores, axis=1))


def most_confused_pairs(held_out: HeldOut) -> list[Pair]:
    """Return all pairs of classes, those first that would be confused most often.

    Parameters
    ----------
    held_out : HeldOut
        Held-out one-vs-all outputs of a proxy.

    Returns
    -------
    list of pairs of int
        Classes, the smaller number first.

    Examples
    --------
    >>> import numpy as np
    >>> from ecoc.codes.refinement import proxy_outputs
    >>> from ecoc.codes.refinement.ternary import most_confused_pairs
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> most_confused_pairs(proxy_outputs(X, y, np.random.default_rng(0), linear=True))[0]
    (1, 2)
    """
    confused = confusion_probabilities(held_out)
    first, second = np.triu_indices(len(confused), 1)
    order = np.argsort(-(confused + confused.T)[first, second], kind="stable")
    return list(zip(first[order].tolist(), second[order].tolist()))


def pair_columns(pairs: Sequence[Pair], n_classes: int) -> Code:
    """Return a column for each pair, with its first class at +1, its second at −1, and all others at 0.

    Parameters
    ----------
    pairs : sequence of pairs of int
        Classes.
    n_classes : int
        Number of classes.

    Returns
    -------
    int8 ndarray of shape (n_classes, n_pairs)
        The columns.

    Examples
    --------
    >>> from ecoc.codes.refinement.ternary import pair_columns
    >>> pair_columns([(0, 2), (1, 2)], 3).T
    array([[ 1,  0, -1],
           [ 0,  1, -1]], dtype=int8)
    """
    columns = np.zeros((n_classes, len(pairs)), dtype=np.int8)
    for j, (a, b) in enumerate(pairs):
        columns[a, j], columns[b, j] = 1, -1
    return columns
