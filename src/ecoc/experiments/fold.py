"""One training fold of a data set: what all methods share there is computed once.

The features are prepared, the Gram matrix of every γ is kept, and so is every trained column: methods that have a
dichotomy in common, up to sign, have its dichotomizer in common. Each dichotomizer has a C and γ of its own, found by
2-fold search, unless the protocol has one pair for all; the outputs of that search are the held-out ones a decoding
may learn from.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np
from numpy.typing import NDArray

from ecoc.datasets import Data, canonical_order
from ecoc.experiments.protocol import Protocol
from ecoc.experiments.seeds import seed_of
from ecoc.utils.threads import one_blas_thread

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

_PCA_LENGTH = 10.0  # mean squared length of a sample after PCA: that of ten standardised features


@dataclass(frozen=True)
class Dichotomizer:
    """A trained column: its outputs, and the rows of the training fold that are its support vectors."""

    test: Array
    train: Array
    held_out: Array
    support: Indices


@dataclass(frozen=True)
class Machine:
    """A solved support vector machine; `dual` belongs to the rows `support`. Without any, a constant."""

    support: Indices
    dual: Array
    intercept: float
    bounded: bool = False  # whether a larger C would change it

    def outputs(self, kernel: Array) -> Array:
        """Outputs from kernel values between samples and all rows of the training fold."""
        return np.asarray(kernel[:, self.support] @ self.dual + self.intercept)


class Fold:
    """The training and test rows of one fold, with what has been computed on them."""

    def __init__(self, data: Data, fold: int, protocol: Protocol, extra: Array | None = None) -> None:
        self.protocol = protocol
        X, y = _sample(data, protocol)
        train, test = split(y, data, fold, protocol)
        self.n_test = len(test)
        rows = X[test] if extra is None else np.vstack([X[test], extra])  # extra rows are predicted, not counted
        self.X, self.X_test = _prepared(X[train], rows, data.card.pca, seed_of(protocol, data.card.name, fold))
        self.classes, self.y = np.unique(y[train], return_inverse=True)
        known = np.searchsorted(self.classes, y[test])
        known[known == len(self.classes)] = 0
        self.y_test = np.full(len(rows), -1)  # which no prediction is, as for a class never seen
        self.y_test[: self.n_test] = np.where(self.classes[known] == y[test], known, -1)
        self.half = _halves(self.y, seed_of(protocol, data.card.name, fold, "halves"))
        self._grams: dict[float, Array] = {}
        self._columns: dict[bytes, Dichotomizer] = {}
        self._lock = Lock()

    @property
    def n_classes(self) -> int:
        """Number of classes in the training rows."""
        return len(self.classes)

    def gram(self, gamma: float) -> Array:
        """Kernel values between all rows, training rows first, and the training rows."""
        from sklearn.metrics.pairwise import rbf_kernel

        with self._lock:
            if gamma not in self._grams:
                train = rbf_kernel(self.X, gamma=gamma)
                train = (train + train.T) / 2
                self._grams[gamma] = np.vstack([train, rbf_kernel(self.X_test, self.X, gamma=gamma)])
            return self._grams[gamma]

    def columns(self, code: NDArray[np.int8]) -> Iterator[tuple[Dichotomizer, int]]:
        """For each column of a code, its dichotomizer and the sign with which that counts."""
        for column in np.ascontiguousarray(code.T):
            sign = int(column[np.flatnonzero(column)[0]])
            key = (column * sign).tobytes()
            if key not in self._columns:
                self._columns[key] = self._trained(column * sign)
            yield self._columns[key], sign

    @cached_property
    def best_pair(self) -> tuple[float, float]:
        """C and γ for a method with one pair for all its machines: the best of plain one-vs-one."""
        from sklearn.svm import SVC

        best, found = -1.0, (self.protocol.Cs[0], self.protocol.gammas[0])
        for gamma in self.protocol.gammas:
            for C in self.protocol.Cs:
                right = 0
                for held in (0, 1):
                    rows, others = np.flatnonzero(self.half != held), np.flatnonzero(self.half == held)
                    with catch_warnings():
                        simplefilter("ignore")
                        model = SVC(C=C, kernel="precomputed", max_iter=self.protocol.max_iter)
                        model.fit(self.gram(gamma)[np.ix_(rows, rows)], self.y[rows])
                    right += int((model.predict(self.gram(gamma)[np.ix_(others, rows)]) == self.y[others]).sum())
                if right > best:
                    best, found = right, (C, gamma)
        return found

    def _trained(self, column: NDArray[np.int8]) -> Dichotomizer:
        sides = column[self.y]
        best: tuple[tuple[float, float], float, float, Array] | None = None
        Cs, gammas = self.protocol.Cs, self.protocol.gammas
        if self.protocol.search == "fold":
            Cs, gammas = ((value,) for value in self.best_pair)
        for gamma in gammas:
            gram = self.gram(gamma)[: len(self.y)]
            for C in Cs:
                machines = [self._machine(gram, sides * (self.half != held), C) for held in (0, 1)]
                outputs = np.where(self.half == 0, machines[0].outputs(gram), machines[1].outputs(gram))
                margins = (outputs * sides)[sides != 0]
                # Accuracy as libsvm's own search has it; of equal ones the smaller hinge loss, then the smaller C.
                score = (float(np.mean(margins > 0)), -float(np.maximum(0, 1 - margins).mean()))
                if best is None or score > best[0]:
                    best = score, C, gamma, outputs
                if not any(machine.bounded for machine in machines):
                    break  # no multiplier is at its bound: every larger C has the same solution
        assert best is not None
        _, C, gamma, held_out = best
        machine = self._machine(self.gram(gamma)[: len(self.y)], sides, C)
        outputs = machine.outputs(self.gram(gamma))
        return Dichotomizer(outputs[len(self.y) :], outputs[: len(self.y)], held_out, machine.support)

    def _machine(self, gram: Array, sides: NDArray[Any], C: float) -> Machine:
        from sklearn.svm import SVC

        from ecoc.dichotomies.kernel import solve_compiled

        machine = SVC(C=C, max_iter=self.protocol.max_iter)
        with catch_warnings():
            simplefilter("ignore")  # a machine that max_iter stopped is one candidate of the grid
            support, dual, intercept = solve_compiled(machine, gram, np.arange(len(sides)), sides, None)
        return Machine(support, dual, intercept, bool(len(dual) and np.abs(dual).max() >= C * (1 - 1e-9)))


def split(y: Indices, data: Data, fold: int, protocol: Protocol) -> tuple[Indices, Indices]:
    """Training and test rows of a stratified fold."""
    from sklearn.model_selection import StratifiedKFold

    folds = StratifiedKFold(protocol.n_splits, shuffle=True, random_state=seed_of(protocol, data.card.name, "folds"))
    with catch_warnings():
        simplefilter("ignore", UserWarning)  # classes with fewer samples than folds
        train, test = list(folds.split(y, y))[fold]
    return train, test


def _sample(data: Data, protocol: Protocol) -> tuple[NDArray[Any], Indices]:
    """Rows and class numbers in the canonical order, so that all sources give the same numbers; not too many rows."""
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
    """Features standardised, or reduced to principal components, by what the training rows say."""
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


def _halves(y: Indices, seed: int) -> Indices:
    """0 or 1 for each row, half of every class each."""
    half = np.empty(len(y), dtype=np.intp)
    rng = np.random.default_rng(seed)
    start = 0
    for i in range(y.max() + 1):
        members = rng.permutation(np.flatnonzero(y == i))
        half[members] = (np.arange(len(members)) + start) % 2
        start += len(members)  # odd classes take turns in which half has one more
    return half
