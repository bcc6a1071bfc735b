"""Held-out outputs of a cheap ridge regression, which stands in for the binary classifiers of any code.

Least squares is linear in its targets. If O holds the held-out outputs of one-vs-all, then O·X holds those of any code
X. So one regression is enough to judge every code.

The regression has few features v: columns of a kernel matrix, or the given features. Its prediction for a sample is
v·B, where column c of B is the sum of v over the samples of class c, once v is scaled so that the regularised Gram
matrix is the identity. Without the sample itself, the prediction is (v·B − h·e_y) / (1 − h), where h = ‖v‖² is the
leverage of the sample and y its class. So O is a product of two thin matrices plus one number for each sample, and no
matrix of samples × classes is needed where there are many classes.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve, cholesky, solve_triangular
from scipy.sparse import csr_array, issparse
from sklearn.metrics.pairwise import euclidean_distances

from ecoc.codes.refinement.limits import LIMITS, Limits
from ecoc.utils.folds import Folds, held_out_fold
from ecoc.utils.threads import one_blas_thread

Array = NDArray[np.float64]
Classes = NDArray[np.intp]


@dataclass(frozen=True)
class HeldOut:
    """Outputs for samples that were held out, in a form that gives the outputs of any code.

    Parameters
    ----------
    features : ndarray of shape (n_samples, n_features)
        Features of the samples; one-vs-all outputs themselves if `weights` is None.
    weights : ndarray of shape (n_features, n_classes) or None
        Weights of one-vs-all. None stands for the identity.
    own : ndarray of shape (n_samples,)
        Number to add to the output of the sample's own class.
    y : ndarray of shape (n_samples,)
        Classes of the samples, 0 to n_classes − 1.
    fold : ndarray of shape (n_samples,) or None
        Number of the test fold of each sample. None if single samples were left out.
    n_classes : int
        Number of classes.
    """

    features: Array
    weights: Array | None
    own: Array
    y: Classes
    fold: Classes | None
    n_classes: int

    @classmethod
    def of_outputs(cls, outputs: Array, y: Classes, fold: Classes | None = None) -> "HeldOut":
        """Take one-vs-all outputs as they are.

        Parameters
        ----------
        outputs : ndarray of shape (n_samples, n_classes)
            One-vs-all outputs.
        y : ndarray of shape (n_samples,)
            Classes of the samples.
        fold : ndarray of shape (n_samples,), default=None
            Numbers of the test folds.

        Returns
        -------
        HeldOut
            With these outputs.
        """
        return cls(outputs, None, np.zeros(len(y)), y, fold, outputs.shape[1])

    def under(self, code: NDArray[Any]) -> Array:
        """Compute the outputs of the columns of a code.

        Parameters
        ----------
        code : ndarray of shape (n_classes, n_columns)
            The code; the identity gives one-vs-all outputs.

        Returns
        -------
        ndarray of shape (n_samples, n_columns)
            The outputs.
        """
        with one_blas_thread():
            targets = code if self.weights is None else self.weights @ code
            outputs: Array = self.features @ targets + self.own[:, None] * code[self.y]
        return outputs


def proxy_outputs(
    X: Any,
    y: Classes,
    rng: np.random.Generator,
    *,
    linear: bool = False,
    folds: Folds | None = None,
    limits: Limits = LIMITS,
) -> HeldOut:
    """Compute held-out outputs of ridge regression.

    The regression has a Gaussian kernel on landmarks, unless `linear`. Width and penalty are those of the best accuracy
    on a part that is held out for this purpose. If there are many samples, it uses some of each class.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Training data.
    y : ndarray of shape (n_samples,)
        Classes, 0 to n_classes − 1.
    rng : numpy.random.Generator
        Draws samples and landmarks.
    linear : bool, default=False
        Whether to do without a kernel.
    folds : list of pairs of rows, default=None
        Training and test rows. None: leave out one sample at a time.
    limits : Limits, default=LIMITS
        Numbers of samples and landmarks, widths and penalties.

    Returns
    -------
    HeldOut
        The outputs, the classes of their samples, and the test folds of their samples.

    Examples
    --------
    >>> import numpy as np
    >>> from ecoc.codes.refinement import proxy_outputs
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> held_out = proxy_outputs(X, y, np.random.default_rng(0))
    >>> outputs = held_out.under(np.eye(3))
    >>> outputs.shape, bool((outputs.argmax(axis=1) == held_out.y).mean() > 0.9)
    ((150, 3), True)
    """
    k = int(y.max()) + 1
    wanted = max(
        limits.fewest_per_class * k, min(max(limits.samples_per_class * k, limits.least_samples), limits.most_samples)
    )
    chosen, turn = _classes_in_turn(y, wanted, rng)
    fold = None if folds is None else held_out_fold(folds, len(y))[chosen]
    X, y = X[chosen], y[chosen]
    n_landmarks = min(limits.least_landmarks + limits.landmarks_per_class * k, limits.most_landmarks, len(y))
    trains = turn % 2 == 0 if fold is None else fold != fold.max()
    with one_blas_thread():
        regression = _tuned(_regressions(X, n_landmarks, linear, limits), y, trains, rng)
        return _held_out(regression.scaled_features(), y, k, fold, limits)


class _Regression(NamedTuple):
    """Ridge regression: features with a last column of ones, the form of the penalty, and its weight."""

    features: Array
    form: Array
    penalty: float

    def gram(self, rows: Any = slice(None)) -> Array:
        part = self.features[rows]
        gram: Array = part.T @ part
        return gram

    def regularised(self, gram: Array) -> Array:
        """Return the matrix of the normal equations. The last feature, the intercept, is not penalised."""
        matrix = gram.copy()
        matrix[:-1, :-1] += self.penalty * self.form
        matrix[np.diag_indices_from(matrix)] += LIMITS.rounding * np.trace(matrix) / len(matrix)
        return matrix

    def scaled_features(self) -> Array:
        """Return the features in coordinates in which the regularised Gram matrix is the identity."""
        root = cholesky(self.regularised(self.gram()), lower=True)
        return np.ascontiguousarray(solve_triangular(root, self.features.T, lower=True).T)


def _regressions(X: Any, n_landmarks: int, linear: bool, limits: Limits) -> Iterator[list[_Regression]]:
    """Yield regressions to choose from, the smoothest first; those of one list differ in the penalty only.

    The first rows are landmarks.
    """
    n, d = X.shape
    mean_square = float(X.multiply(X).mean() if issparse(X) else np.mean(X**2))
    if linear:
        energy = mean_square * n * d - n * float(np.sum(np.asarray(X.mean(axis=0)) ** 2))
        if d <= n_landmarks:
            features, form = X.toarray() if issparse(X) else X, np.eye(d)
        else:
            features = X @ X[:n_landmarks].T
            features = features.toarray() if issparse(features) else features
            form = features[:n_landmarks]
        penalties = np.array(limits.linear_penalties) * max(energy / min(n, d, n_landmarks), 1e-300)
        yield _with_penalties(features, form, penalties)
        return
    variance = mean_square - float(X.mean()) ** 2
    squares = euclidean_distances(X, X[:n_landmarks], squared=True)
    for width in limits.widths:
        gamma = width / (d * variance) if variance > 0 else 1.0
        kernel = np.exp(-gamma * squares)
        yield _with_penalties(kernel, kernel[:n_landmarks], np.array(limits.penalties))


def _with_penalties(features: Array, form: Array, penalties: Array) -> list[_Regression]:
    features = np.column_stack([features, np.ones(len(features))])
    return [_Regression(features, form, float(penalty)) for penalty in penalties]


def _tuned(
    candidates: Iterator[list[_Regression]], y: Classes, trains: NDArray[np.bool_], rng: np.random.Generator
) -> _Regression:
    """Choose the regression that is most accurate on the rows that do not train; stop when lists become worse."""
    k = int(y.max()) + 1
    if k > LIMITS.tuning_classes:
        among = np.isin(y, rng.permutation(k)[: LIMITS.tuning_classes])
    else:
        among = np.ones(len(y), dtype=bool)
    train, test = np.flatnonzero(trains & among), np.flatnonzero(~trains & among)
    labels, targets = np.unique(y[train], return_inverse=True)
    best, most = None, -1
    for regressions in candidates:
        before = most
        best = regressions[0] if best is None else best
        features = regressions[0].features
        gram, sums = regressions[0].gram(train), _class_sums(features[train], targets, len(labels)).T
        for regression in regressions:
            try:
                weights = cho_solve(cho_factor(regression.regularised(gram), lower=True), sums)
            except LinAlgError:
                continue
            hits = int(np.count_nonzero(labels[(features[test] @ weights).argmax(axis=1)] == y[test]))
            if hits > most:
                best, most = regression, hits
        if most == before:
            break
    assert best is not None
    return best


def _held_out(features: Array, y: Classes, k: int, fold: Classes | None, limits: Limits) -> HeldOut:
    """Return predictions without each sample, or without all samples of its fold."""
    weights = _class_sums(features, y, k).T
    n, r = features.shape
    if fold is None:
        factor = 1 / np.maximum(1 - np.einsum("ij,ij->i", features, features), 1e-10)
        held_out = HeldOut(factor[:, None] * features, weights, 1 - factor, y, None, k)
    else:
        parts = np.unique(fold)
        inside, without = np.zeros((n, r * len(parts))), []
        for f, part in enumerate(parts):
            rows = np.flatnonzero(fold == part)
            own = features[rows]
            left = np.eye(r) - own.T @ own + LIMITS.rounding * np.eye(r)
            without.append(cho_solve(cho_factor(left, lower=True), weights - _class_sums(own, y[rows], k).T))
            inside[rows, r * f : r * (f + 1)] = own
        held_out = HeldOut(inside, np.vstack(without), np.zeros(n), y, fold, k)
    # With few classes, outputs take less memory than the features, or not much.
    if k <= limits.stored_share * max(r, limits.most_landmarks):
        return HeldOut.of_outputs(held_out.under(np.eye(k)), y, fold)
    return held_out


def _class_sums(values: Array, y: Classes, k: int) -> Array:
    members = csr_array((np.ones(len(y)), (y, np.arange(len(y)))), shape=(k, len(y)))
    sums: Array = members @ values
    return sums


def _classes_in_turn(y: Classes, size: int, rng: np.random.Generator) -> tuple[Classes, Classes]:
    """Draw at most `size` samples in an order in which the classes take turns; return the turn of each, too."""
    order = rng.permutation(len(y))
    by_class = order[np.argsort(y[order], kind="stable")]
    counts = np.bincount(y)
    turn = np.arange(len(y)) - np.repeat(np.cumsum(counts) - counts, counts)  # within the class
    chosen = np.argsort(turn, kind="stable")[:size]
    return by_class[chosen], turn[chosen]
