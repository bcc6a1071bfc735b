"""Select codes, and pairs of classes that deserve a column, by discriminants on the proxy's outputs."""

import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve
from scipy.sparse import csr_array
from scipy.special import softmax
from sklearn.covariance import ledoit_wolf, ledoit_wolf_shrinkage
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import KFold

from ecoc.codes.refinement.limits import LIMITS
from ecoc.codes.refinement.proxy import HeldOut
from ecoc.utils.folds import make_folds
from ecoc.utils.threads import one_blas_thread

Array = NDArray[np.float64]
Classes = NDArray[np.intp]


def held_out_hits(held_out: HeldOut, code: NDArray[np.int8]) -> NDArray[np.bool_]:
    """Tell whether a discriminant of the other folds' outputs under a code recognises each sample.

    Parameters
    ----------
    held_out : HeldOut
        Held-out outputs, see `proxy_outputs`. If they have no folds, five random folds are made.
    code : int8 ndarray of shape (n_classes, n_columns)
        Entries ±1.

    Returns
    -------
    bool ndarray of shape (n_samples,)
        Whether each sample is recognised.

    Examples
    --------
    >>> import numpy as np
    >>> from ecoc.codes.refinement import held_out_hits, proxy_outputs
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> held_out = proxy_outputs(X, y, np.random.default_rng(0))
    >>> hits = held_out_hits(held_out, np.array([[1, -1], [-1, 1], [-1, -1]]))
    >>> hits.shape, bool(hits.mean() > 0.9)
    ((150,), True)
    """
    projected, y, fold = held_out.under(code), held_out.y, held_out.fold
    hits = np.zeros(len(y), dtype=bool)
    if fold is None:
        folds = list(KFold(5, shuffle=True, random_state=0).split(projected))
    else:
        folds = [(np.flatnonzero(fold != f), np.flatnonzero(fold == f)) for f in np.unique(fold)]
    for train, test in folds:
        if len(np.unique(y[train])) < 2:
            continue
        recognised = _pooled_discriminant if len(code) > LIMITS.many_classes else _discriminant
        with one_blas_thread():
            hits[test] = recognised(projected[train], y[train], projected[test]) == y[test]
    return hits


def _discriminant(outputs: Array, y: Classes, tested: Array) -> Classes:
    """Predict classes by linear discriminant analysis, with the mean of the shrunk covariances of all classes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # about classes with one sample
        model = LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto").fit(outputs, y)
    return np.asarray(model.predict(tested))


def _pooled_discriminant(outputs: Array, y: Classes, tested: Array) -> Classes:
    """Predict classes with one shrunk covariance for all of them, which takes less time for many classes."""
    labels, y, size = np.unique(y, return_inverse=True, return_counts=True)
    means = csr_array((1 / size[y], (y, np.arange(len(y)))), shape=(len(labels), len(y))) @ outputs
    residuals = outputs - means[y]
    deviation = np.sqrt((residuals**2).sum(axis=0) / max(len(y) - len(labels), 1)) + 1e-9 * outputs.std() + 1e-300
    covariance = ledoit_wolf(residuals / deviation, assume_centered=True)[0]
    means, tested = means / deviation, tested / deviation
    coefficients = np.linalg.solve(covariance, means.T)
    scores = tested @ coefficients - (means.T * coefficients).sum(axis=0) / 2 + np.log(size)
    return np.asarray(labels[scores.argmax(axis=1)])


def shortest_of_the_best(hits: dict[int, NDArray[np.bool_]]) -> int:
    """Choose the smallest key whose accuracy is within one standard error of the best.

    Parameters
    ----------
    hits : dict of int to bool ndarray
        For each number of columns, whether each sample is recognised.

    Returns
    -------
    int
        A key of `hits`.

    Examples
    --------
    >>> import numpy as np
    >>> from ecoc.codes.refinement import shortest_of_the_best
    >>> right = {3: 60, 5: 89, 9: 90}  # of 100 samples
    >>> shortest_of_the_best({m: np.arange(100) < n for m, n in right.items()})
    5
    """
    best = max(hits, key=lambda m: hits[m].mean())
    enough = hits[best].mean() - hits[best].std() / np.sqrt(len(hits[best]))
    return min(m for m in hits if hits[m].mean() >= enough)


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
    >>> from ecoc.codes.refinement.selection import most_confused_pairs
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
    >>> from ecoc.codes.refinement.selection import pair_columns
    >>> pair_columns([(0, 2), (1, 2)], 3).T
    array([[ 1,  0, -1],
           [ 0,  1, -1]], dtype=int8)
    """
    columns = np.zeros((n_classes, len(pairs)), dtype=np.int8)
    for j, (a, b) in enumerate(pairs):
        columns[a, j], columns[b, j] = 1, -1
    return columns
