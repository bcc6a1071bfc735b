"""Training and test rows of a fold, with features prepared on the training rows."""

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecoc.utils.folds import make_folds
from ecoc.utils.threads import one_blas_thread
from ecoc_paper.datasets import Data, canonical_order
from ecoc_paper.experiments.protocol import Protocol
from ecoc_paper.experiments.seeds import seed_of

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

_PCA_LENGTH = 10.0  # mean squared length of a sample after PCA: that of ten standardised features


class Fold:
    """The training and test rows of one fold.

    Parameters
    ----------
    data : Data
        The data set.
    fold : int
        Number of the fold.
    protocol : Protocol
        Number of folds, number of rows, and seed.
    extra : ndarray of shape (n_extra, n_features), default=None
        Further rows to predict. They are appended to the test rows and have the class −1.

    Attributes
    ----------
    X, y : ndarray
        Features and classes (0 to n_classes − 1) of the training rows.
    X_test, y_test : ndarray
        Features and classes of the test rows. A test row of a class without training rows has the class −1.
    n_test : int
        Number of test rows, without the extra rows.
    classes : ndarray
        The class of the data set behind each class number.
    halves : pair of slices
        The two inner folds on which C and γ are chosen: the first rows and the others.
    """

    def __init__(self, data: Data, fold: int, protocol: Protocol, extra: Array | None = None) -> None:
        name = data.card.name
        X, y = _sample(data, protocol)
        train, test = make_folds(protocol.n_splits, y, seed_of(protocol, name, "folds"))[fold]
        first, second = (half for _, half in make_folds(2, y[train], seed_of(protocol, name, fold, "halves")))
        train = np.concatenate([train[first], train[second]])
        self.halves = slice(0, len(first)), slice(len(first), len(train))
        rows = X[test] if extra is None else np.vstack([X[test], extra])
        self.X, self.X_test = _prepared(X[train], rows, data.card.pca, seed_of(protocol, name, fold))
        self.classes, self.y = np.unique(y[train], return_inverse=True)
        self.n_test = len(test)
        known = np.searchsorted(self.classes, y[test])
        known[known == len(self.classes)] = 0
        self.y_test = np.full(len(rows), -1)
        self.y_test[: self.n_test] = np.where(self.classes[known] == y[test], known, -1)

    @cached_property
    def distances(self) -> Array:
        """Mahalanobis distances between the classes of the training rows."""
        from ecoc import class_distances

        return class_distances(self.X, self.y)

    @property
    def n_classes(self) -> int:
        """Number of classes in the training rows."""
        return len(self.classes)


def _sample(data: Data, protocol: Protocol) -> tuple[NDArray[Any], Indices]:
    """Rows and class numbers in the canonical order, at most about `max_rows` of them.

    The canonical order makes results independent of the source of the data.
    """
    order, y = canonical_order(data.X, data.y)
    if protocol.max_rows is not None and len(y) > protocol.max_rows:
        rng = np.random.default_rng(seed_of(protocol, data.card.name, "rows"))
        kept = []
        for size, members in ((np.sum(y == i), np.flatnonzero(y == i)) for i in range(y.max() + 1)):
            wanted = max(round(size * protocol.max_rows / len(y)), protocol.n_splits)
            kept.append(rng.permutation(members)[:wanted])
        rows = np.sort(np.concatenate(kept))
        order, y = order[rows], y[rows]
    return data.X[order].astype(np.float64), y


def _prepared(train: Array, test: Array, n_components: int | None, seed: int) -> tuple[Array, Array]:
    """Standardise the features, or reduce them to principal components, as estimated on the training rows."""
    if n_components is None:
        from sklearn.preprocessing import StandardScaler

        scaler = StandardScaler().fit(train)
        return scaler.transform(train), scaler.transform(test)
    from sklearn.decomposition import PCA

    with one_blas_thread():
        pca = PCA(min(n_components, *train.shape), svd_solver="covariance_eigh", random_state=seed).fit(train)
        train, test = pca.transform(train), pca.transform(test)
    scale = np.sqrt(_PCA_LENGTH / (train**2).sum(axis=1).mean())
    return train * scale, test * scale
