"""Select codes, and pairs of classes that deserve a column, by discriminants on the proxy's outputs."""

import warnings
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve
from scipy.special import softmax
from sklearn.covariance import ledoit_wolf, ledoit_wolf_shrinkage
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import KFold

from ecoc.codes.design.distances import class_means
from ecoc.codes.refinement.limits import LIMITS, Limits
from ecoc.codes.refinement.proxy import HeldOut
from ecoc.utils.folds import make_folds
from ecoc.utils.threads import one_blas_thread

Array = NDArray[np.float64]
Classes = NDArray[np.intp]


def held_out_hits(held_out: HeldOut, code: NDArray[np.int8], limits: Limits = LIMITS) -> NDArray[np.bool_]:
    """Tell whether a discriminant of the other folds' outputs under a code recognises each sample."""
    projected, y = held_out.under(code), held_out.y
    hits = np.zeros(len(y), dtype=bool)
    for train, test in _folds(held_out, KFold(5, shuffle=True, random_state=0).split(y)):
        recognised = _pooled_discriminant if len(code) > limits.many_classes else _discriminant
        with one_blas_thread():
            hits[test] = recognised(projected[train], y[train], projected[test]) == y[test]
    return hits


def _folds(held_out: HeldOut, usual: Iterable[tuple[Classes, Classes]]) -> list[tuple[Classes, Classes]]:
    """Return the folds of the outputs, or the usual ones, without those that train on one class only."""
    fold, y = held_out.fold, held_out.y
    if fold is not None:
        usual = [(np.flatnonzero(fold != f), np.flatnonzero(fold == f)) for f in np.unique(fold)]
    return [(train, test) for train, test in usual if len(np.unique(y[train])) > 1]


def _discriminant(outputs: Array, y: Classes, tested: Array) -> Classes:
    """Predict classes by linear discriminant analysis, with the mean of the shrunk covariances of all classes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # about classes with one sample
        model = LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto").fit(outputs, y)
    return np.asarray(model.predict(tested))


def _pooled_discriminant(outputs: Array, y: Classes, tested: Array) -> Classes:
    """Predict classes with one shrunk covariance for all of them, which takes less time for many classes."""
    labels, y, size = np.unique(y, return_inverse=True, return_counts=True)
    means = class_means(outputs, y)
    residuals = outputs - means[y]
    deviation = np.sqrt((residuals**2).sum(axis=0) / max(len(y) - len(labels), 1)) + 1e-9 * outputs.std() + 1e-300
    covariance = ledoit_wolf(residuals / deviation, assume_centered=True)[0]
    means, tested = means / deviation, tested / deviation
    coefficients = np.linalg.solve(covariance, means.T)
    scores = tested @ coefficients - (means.T * coefficients).sum(axis=0) / 2 + np.log(size)
    return np.asarray(labels[scores.argmax(axis=1)])


def shortest_of_the_best(hits: dict[int, NDArray[np.bool_]]) -> int:
    """Choose the smallest key whose accuracy is within one standard error of the best."""
    best = max(hits, key=lambda m: hits[m].mean())
    enough = hits[best].mean() - hits[best].std() / np.sqrt(len(hits[best]))
    return min(m for m in hits if hits[m].mean() >= enough)


Code = NDArray[np.int8]
Pair = tuple[int, int]


def confusion_probabilities(held_out: HeldOut) -> Array:
    """Sum the probabilities that a discriminant of held-out outputs gives to every class, for samples of each class."""
    k, y = held_out.n_classes, held_out.y
    outputs = held_out.under(np.eye(k))
    confused = np.zeros((k, k))
    with one_blas_thread():
        for train, test in _folds(held_out, make_folds(LIMITS.n_folds, y, 0)):
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
    """Return all pairs of classes, those first that would be confused most often."""
    confused = confusion_probabilities(held_out)
    first, second = np.triu_indices(len(confused), 1)
    order = np.argsort(-(confused + confused.T)[first, second], kind="stable")
    return list(zip(first[order].tolist(), second[order].tolist()))
