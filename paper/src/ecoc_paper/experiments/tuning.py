"""Tune the binary classifiers of a code in one of three ways, and train each once.

A pair of C and γ is chosen on two inner folds: for each column by its own accuracy, for each code by the accuracy of
the decoded classes, or for each fold by the accuracy of one-vs-one. Codes share what they have in common: a Gram matrix
for each γ, and every column that was trained before, up to sign.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecoc.codes.coding import get_coding
from ecoc.utils.codewords import column_keys, leading_signs
from ecoc.utils.threads import one_blas_thread
from ecoc_paper.experiments.fold import Array, Fold, Indices
from ecoc_paper.experiments.protocol import Protocol, Tuning
from ecoc_paper.experiments.search import Answer, Pair, Score, pruned_search, run_searches
from ecoc_paper.gaussian import Single, fit_machines, gaussian_gram

Code = NDArray[np.int8]
Decide = Callable[[Array], Indices]  # from margins to classes

_MOST_BYTES = 2**28  # margins that are kept for other codes; beyond, all are forgotten and computed again if needed


@dataclass(frozen=True)
class Outputs:
    """Margins of the binary classifiers of a code, a column each.

    Attributes
    ----------
    test, train, held_out : ndarray of shape (n_rows, n_columns)
        For the test rows, for the training rows, and for the training rows by models of the other inner fold.
    support : ndarray
        Training rows that are a support vector of some column.
    pairs : list of (float, float)
        C and γ of each column.
    n_stopped : int
        Number of columns whose machine was stopped before it converged.
    """

    test: Array
    train: Array
    held_out: Array
    support: Indices
    pairs: list[Pair]
    n_stopped: int


class _HeldOut(NamedTuple):
    margins: Single
    is_bounded: bool


class _Trained(NamedTuple):
    margins: Single  # of the training rows, then of the test rows
    is_support: NDArray[np.uint8]  # a bit for each training row
    is_stopped: bool


class Tuner:
    """The binary classifiers of a fold, for any code and any way of tuning."""

    def __init__(self, fold: Fold, protocol: Protocol) -> None:
        self.fold = fold
        self.protocol = protocol
        self._grams: dict[float, tuple[Single, Single]] = {}
        self._held_out: dict[tuple[bytes, Pair], _HeldOut] = {}
        self._trained: dict[tuple[bytes, Pair], _Trained] = {}
        self._best: dict[bytes, Pair] = {}

    def outputs(self, code: Code, tuning: Tuning, decide: Decide) -> Outputs:
        """Tune and train all columns of a code. `decide` turns margins into classes, for the tuning of a whole code."""
        with one_blas_thread():
            columns, signs = _oriented(code)
            pairs = self._pairs(columns, signs, tuning, decide)
            trained = self._all_trained(columns, pairs)
            held_out = [self._held_out[key, pair].margins for key, pair in zip(columns.keys, pairs)]
        n = len(self.fold.y)
        margins = np.column_stack([each.margins for each in trained]).astype(np.float64) * signs
        used = np.bitwise_or.reduce([each.is_support for each in trained])
        support = np.flatnonzero(np.unpackbits(used, count=n))
        held = np.column_stack(held_out).astype(np.float64) * signs
        self._forget_if_too_much()
        return Outputs(margins[n:], margins[:n], held, support, pairs, sum(each.is_stopped for each in trained))

    @cached_property
    def fold_pair(self) -> Pair:
        """C and γ for all methods of the fold: those with which the votes of one-vs-one are most accurate."""
        code = get_coding("ovo").build(self.fold.n_classes).matrix
        pairs_on, in_favour = np.abs(code).sum(axis=1), code.T.astype(np.float64)

        def vote(margins: Array) -> Indices:
            return np.asarray((np.sign(margins) @ in_favour / pairs_on).argmax(axis=1))

        with one_blas_thread():
            return self._pair_of_code(*_oriented(code), vote)

    def gram(self, gamma: float) -> tuple[Single, Single]:
        """Kernel values of the training rows with each other, and of the test rows with the training rows."""
        if gamma not in self._grams:
            self._grams[gamma] = gaussian_gram(self.fold.X, gamma), gaussian_gram(self.fold.X_test, gamma, self.fold.X)
        return self._grams[gamma]

    def column_answers(self, code: Code, pair: Pair) -> list[Answer]:
        """Score each column, its first entry +1, at a pair by the accuracy of its held-out margins."""
        columns = _Columns(code, column_keys(code))
        sides = code[self.fold.y]
        return [
            (_score(each.margins * side, side != 0), each.is_bounded)
            for each, side in zip(self._all_held_out(columns, pair), sides.T)
        ]

    def _pairs(self, columns: "_Columns", signs: Code, tuning: Tuning, decide: Decide) -> list[Pair]:
        if tuning == "fold":
            pairs = [self.fold_pair] * len(columns.keys)
            self._all_held_out(columns, self.fold_pair)
        elif tuning == "code":
            pairs = [self._pair_of_code(columns, signs, decide)] * len(columns.keys)
        else:
            self._tune_columns(columns.without(self._best))
            pairs = [self._best[key] for key in columns.keys]
            for pair in dict.fromkeys(pairs):  # all are there unless they were forgotten
                self._all_held_out(columns.at([i for i, each in enumerate(pairs) if each == pair]), pair)
        return pairs

    def _tune_columns(self, columns: "_Columns") -> None:
        n_used = np.count_nonzero(columns.code[self.fold.y], axis=0)
        searches = [pruned_search(self.protocol.Cs, self.protocol.gammas, int(n)) for n in n_used]
        found = run_searches(searches, lambda pair, places: self.column_answers(columns.code[:, places], pair))
        self._best.update(zip(columns.keys, found))

    def _pair_of_code(self, columns: "_Columns", signs: Code, decide: Decide) -> Pair:
        y, sides = self.fold.y, columns.code[self.fold.y]

        def evaluate(pair: Pair, _: Sequence[int]) -> list[Answer]:
            held_out = self._all_held_out(columns, pair)
            margins = np.column_stack([each.margins for each in held_out]).astype(np.float64)
            hinge = np.maximum(0, 1 - margins * sides)[sides != 0].mean()
            score = float(np.mean(decide(margins * signs) == y)), -float(hinge)
            return [(score, any(each.is_bounded for each in held_out))]

        search = pruned_search(self.protocol.Cs, self.protocol.gammas, len(y))
        return run_searches([search], evaluate)[0]

    def _all_held_out(self, columns: "_Columns", pair: Pair) -> list[_HeldOut]:
        """Return held-out margins of all columns at a pair; those not known yet are computed in one product."""
        new = columns.without({key for key in columns.keys if (key, pair) in self._held_out})
        if new.keys:
            C, gamma = pair
            gram, _ = self.gram(gamma)
            sides = new.code[self.fold.y]
            margins = np.empty(sides.shape, dtype=np.float32)
            is_bounded = np.zeros(len(new.keys), dtype=bool)
            for train, test in (self.fold.halves, self.fold.halves[::-1]):
                machines = fit_machines(gram, sides[train], C, start=train.start, max_iter=self.protocol.max_iter)
                margins[test] = machines.margins(gram[test, train])
                is_bounded |= machines.is_bounded
            for key, own, bounded in zip(new.keys, np.ascontiguousarray(margins.T), is_bounded):
                self._held_out[key, pair] = _HeldOut(own, bool(bounded))
        return [self._held_out[key, pair] for key in columns.keys]

    def _all_trained(self, columns: "_Columns", pairs: Sequence[Pair]) -> list[_Trained]:
        for pair in dict.fromkeys(pairs):
            there = columns.at([i for i, each in enumerate(pairs) if each == pair])
            new = there.without({key for key in there.keys if (key, pair) in self._trained})
            if not new.keys:
                continue
            C, gamma = pair
            gram, cross = self.gram(gamma)
            machines = fit_machines(gram, new.code[self.fold.y], C, max_iter=self.protocol.max_iter)
            margins = np.vstack([machines.margins(gram), machines.margins(cross)]).astype(np.float32)
            bits = np.packbits(machines.coefficients != 0, axis=0)
            for key, own, *more in zip(new.keys, np.ascontiguousarray(margins.T), bits.T, machines.is_stopped.tolist()):
                self._trained[key, pair] = _Trained(own, *more)
        return [self._trained[key, pair] for key, pair in zip(columns.keys, pairs)]

    def _forget_if_too_much(self) -> None:
        size = len(self._held_out) * len(self.fold.y) + len(self._trained) * (len(self.fold.y) + len(self.fold.y_test))
        if 4 * size > _MOST_BYTES:
            self._held_out.clear()
            self._trained.clear()


class _Columns(NamedTuple):
    """Columns of a code, each oriented so that its first entry is +1, and their keys."""

    code: Code
    keys: list[bytes]

    def at(self, places: Sequence[int]) -> "_Columns":
        return _Columns(self.code[:, places], [self.keys[place] for place in places])

    def without(self, known: "set[bytes] | dict[bytes, Pair]") -> "_Columns":
        """Return the columns that are not known, each once."""
        return self.at([self.keys.index(key) for key in dict.fromkeys(self.keys) if key not in known])


def _oriented(code: Code) -> tuple[_Columns, Code]:
    """Return the columns, and the sign that gives each its own orientation back."""
    signs = leading_signs(code)
    return _Columns(code * signs, column_keys(code)), signs


def _score(margins: Array, is_used: NDArray[np.bool_]) -> Score:
    """Accuracy, as libsvm's own search has it; between equal accuracies the smaller hinge loss is better."""
    used = margins[is_used]
    return float(np.mean(used > 0)), -float(np.maximum(0, 1 - used).mean())
