"""What would binary classifiers say? Held-out one-vs-all outputs of a cheap ridge regression, with or without kernel.

Least squares is linear in its targets: if O has the leave-one-out outputs of one-vs-all, then O·X has those of any code
X. So one regression tells about all codes.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh, solve
from scipy.sparse import issparse
from sklearn.metrics.pairwise import linear_kernel, rbf_kernel

from ecoc.utils.folds import Folds, held_out_fold
from ecoc.utils.threads import one_blas_thread

Array = NDArray[np.float64]

_LANDMARKS = 500  # Nyström basis; measured as in bound.py: half 86.6, double 86.3, as it is 86.4
_SAMPLES = 8000
_WIDTHS = (0.25, 1.0, 4.0)  # gamma, times 1 / (d · variance)
_PENALTIES = (0.01, 0.1, 0.3, 1.0, 3.0)
_LINEAR_PENALTIES = (1e-4, 1e-3, 1e-2, 0.1, 1.0)  # times the mean energy of a direction


class HeldOut(NamedTuple):
    """Outputs of samples that were held out; times a code, they are the outputs of the code's columns.

    Parameters
    ----------
    outputs : ndarray of shape (n_samples, n_classes)
        One-vs-all outputs.
    y : ndarray of shape (n_samples,)
        Classes of the samples.
    fold : ndarray of shape (n_samples,) or None
        The test fold of each sample; None if the folds are ours to choose.
    """

    outputs: Array
    y: NDArray[np.intp]
    fold: NDArray[np.intp] | None


def proxy_outputs(
    X: Any, y: NDArray[np.intp], rng: np.random.Generator, *, linear: bool = False, folds: Folds | None = None
) -> HeldOut:
    """Compute held-out outputs of one-vs-all ridge regression.

    Unless `linear`, the regression has a Gaussian kernel on a Nyström basis. Width and penalty are those of the best
    held-out accuracy. With more than 8,000 samples, a part of each class is used.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Training data.
    y : ndarray of shape (n_samples,)
        Classes, 0 to n_classes − 1.
    rng : numpy.random.Generator
        Draws samples where there are too many.
    linear : bool, default=False
        Whether to do without a kernel.
    folds : list of pairs of rows, default=None
        Training and test rows. None: leave out one sample at a time.

    Returns
    -------
    HeldOut
        The outputs, the classes of their samples, and the test folds of their samples.

    Examples
    --------
    >>> import numpy as np
    >>> from ecoc.refinement import proxy_outputs
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> held_out = proxy_outputs(X, y, np.random.default_rng(0))
    >>> held_out.outputs.shape, bool((held_out.outputs.argmax(axis=1) == held_out.y).mean() > 0.9)
    ((150, 3), True)
    """
    fold = None if folds is None else held_out_fold(folds, len(y))
    if len(y) > _SAMPLES:
        part = np.sort(_some_of_each(y, _SAMPLES, rng))
        X, y, fold = X[part], y[part], None if fold is None else fold[part]
    n, k = len(y), int(y.max()) + 1
    landmarks = np.arange(n) if n <= _LANDMARKS else np.sort(_some_of_each(y, _LANDMARKS, rng))
    targets = np.eye(k)[y]
    best: tuple[float, Array] | None = None
    with one_blas_thread():
        for kernel, penalties in _kernels(X, landmarks, linear):
            directions, energies = _basis(kernel, landmarks)
            directions = np.column_stack([np.full(n, n**-0.5), directions])  # the first is the intercept, not penalised
            energies = np.append(np.inf, energies)
            for penalty in penalties * energies[1:].mean() if linear else penalties:
                outputs = targets - _held_out_residuals(directions, 1.0 / (1.0 + penalty / energies), targets, fold)
                accuracy = float(np.mean(outputs.argmax(axis=1) == y))
                if best is None or accuracy > best[0]:
                    best = accuracy, outputs
    assert best is not None
    return HeldOut(best[1], y, fold)


def _kernels(X: Any, landmarks: NDArray[np.intp], linear: bool) -> Iterator[tuple[Array, Array]]:
    """Kernel values between all samples and the landmarks, and penalties to try."""
    if linear:
        yield linear_kernel(X, X[landmarks], dense_output=True), np.array(_LINEAR_PENALTIES)
        return
    variance = (X.multiply(X).mean() - X.mean() ** 2) if issparse(X) else X.var()
    for width in _WIDTHS:
        gamma = width / (X.shape[1] * variance) if variance > 0 else 1.0
        yield rbf_kernel(X, X[landmarks], gamma=gamma), np.array(_PENALTIES)


def _basis(kernel: Array, landmarks: NDArray[np.intp]) -> tuple[Array, Array]:
    """Orthonormal directions over the samples, centred, and their energies: the Nyström features' principal axes."""
    values, vectors = eigh(kernel[landmarks])
    sound = values > 1e-10 * max(values[-1], 1e-300)
    features = kernel @ (vectors[:, sound] / np.sqrt(values[sound]))
    features -= features.mean(axis=0)
    energies, axes = eigh(features.T @ features)
    sound = energies > 1e-10 * max(energies[-1], 1e-300)
    return features @ (axes[:, sound] / np.sqrt(energies[sound])), energies[sound]


def _held_out_residuals(directions: Array, shrinkage: Array, targets: Array, fold: NDArray[np.intp] | None) -> Array:
    """Residuals of the targets without each sample, or without all samples of its fold: (I − H_ff)⁻¹ r_f."""
    residuals = targets - (directions * shrinkage) @ (directions.T @ targets)
    if fold is None:
        return np.asarray(residuals / np.maximum(1.0 - directions**2 @ shrinkage, 1e-10)[:, None])
    for f in np.unique(fold):  # by Woodbury's identity, in as many dimensions as there are directions
        rows = np.flatnonzero(fold == f)
        part = directions[rows]
        inner = np.diag(1.0 / shrinkage) - part.T @ part + 1e-10 * np.eye(len(shrinkage))
        residuals[rows] += part @ solve(inner, part.T @ residuals[rows], assume_a="sym")
    return residuals


def _some_of_each(y: NDArray[np.intp], size: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """About `size` samples, drawn from every class alike as far as it has them."""
    order = rng.permutation(len(y))
    by_class = order[np.argsort(y[order], kind="stable")]
    counts = np.bincount(y)
    place = np.arange(len(y)) - np.repeat(np.cumsum(counts) - counts, counts)  # within its class
    chosen: NDArray[np.intp] = by_class[np.argsort(place, kind="stable")[:size]]
    return chosen
