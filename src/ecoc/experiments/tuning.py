"""Which C and γ does a binary classifier get? Those with the best accuracy on two inner folds."""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np
from numpy.typing import NDArray

from ecoc.dichotomies import Options, Task, TrainingCache
from ecoc.dichotomies.kernel import KernelTraining
from ecoc.experiments.fold import Array, Fold, Indices
from ecoc.experiments.protocol import Protocol
from ecoc.utils.columns import Code, column_keys, leading_signs

Pair = tuple[float, float]  # C and γ
Score = tuple[float, float]  # accuracy, and minus the mean hinge loss, which decides between equal accuracies
Answer = tuple[Score, bool]  # the score of a pair, and whether a larger C may change the model
Search = Generator[Pair, Answer, Pair]


def grid_search(Cs: Sequence[float], gammas: Sequence[float]) -> Search:
    """Ask for one pair after the other and return the best.

    The caller sends the score of each pair, and whether some multiplier is at its bound C. If none is, every larger C
    has the same solution.
    """
    best: tuple[Score, Pair] | None = None
    for gamma in gammas:
        for C in Cs:
            score, is_bounded = yield C, gamma
            if best is None or score > best[0]:
                best = score, (C, gamma)
            if not is_bounded:
                break
    assert best is not None
    return best[1]


def run_searches(
    searches: Sequence[Search], evaluate: Callable[[Pair, list[int]], list[tuple[Score, bool]]]
) -> list[Pair]:
    """Run searches side by side, so that those that ask for the same pair are evaluated in one call.

    ``evaluate(pair, places)`` gives the answer to each of the searches at these places.
    """
    found: dict[int, Pair] = {}
    asked = {place: next(search) for place, search in enumerate(searches)}
    while asked:
        pair = min(asked.values(), key=lambda pair: (pair[1], pair[0]))
        places = [place for place, wanted in asked.items() if wanted == pair]
        for place, answer in zip(places, evaluate(pair, places)):
            try:
                asked[place] = searches[place].send(answer)
            except StopIteration as end:
                del asked[place]
                found[place] = end.value
    return [found[place] for place in range(len(searches))]


@dataclass(frozen=True)
class Outputs:
    """Margins of one binary classifier, or of those of all columns side by side.

    Attributes
    ----------
    test, train, held_out : ndarray of shape (n_rows,) or (n_rows, n_columns)
        For the test rows, for the training rows, and for the training rows by models of the other inner fold.
    support : ndarray
        Training rows that are a support vector.
    """

    test: Array
    train: Array
    held_out: Array
    support: Indices


class Tuning:
    """The tuned binary classifiers of a fold. A column that two codes share, up to sign, is trained once."""

    def __init__(self, fold: Fold, protocol: Protocol) -> None:
        self.fold = fold
        self.protocol = protocol
        self._cache = TrainingCache(n_sets=3)  # the training rows, and the two halves of them
        self._columns: dict[bytes, Outputs] = {}

    def outputs(self, code: Code) -> Outputs:
        """Train what is not trained yet, and return the margins of all columns."""
        signs, keys = leading_signs(code), column_keys(code)
        new = [keys.index(key) for key in dict.fromkeys(keys) if key not in self._columns]
        if new:
            self._columns.update(zip([keys[j] for j in new], self._trained(code[:, new] * signs[new])))
        columns = [self._columns[key] for key in keys]
        test, train, held_out = (
            np.column_stack([getattr(column, name) for column in columns]) * signs.astype(np.float64)
            for name in ("test", "train", "held_out")
        )
        return Outputs(test, train, held_out, np.unique(np.concatenate([column.support for column in columns])))

    @cached_property
    def best_pair(self) -> Pair:
        """C and γ for a method with one pair for all its classifiers: the best of plain one-vs-one."""
        from sklearn.svm import SVC

        fold = self.fold
        best, found = -1.0, (self.protocol.Cs[0], self.protocol.gammas[0])
        for gamma in self.protocol.gammas:
            for C in self.protocol.Cs:
                right = 0
                for train, test in fold.halves:
                    with catch_warnings():
                        simplefilter("ignore")
                        model = SVC(C=C, gamma=gamma, max_iter=self.protocol.max_iter)
                        model.fit(fold.X[train], fold.y[train])
                    right += int((model.predict(fold.X[test]) == fold.y[test]).sum())
                if right > best:
                    best, found = right, (C, gamma)
        return found

    def _trained(self, code: Code) -> list[Outputs]:
        pairs = [self.best_pair] * code.shape[1]
        if self.protocol.search == "column":
            searches = [grid_search(self.protocol.Cs, self.protocol.gammas) for _ in range(code.shape[1])]
            pairs = run_searches(searches, lambda pair, places: self._scores(code[:, places], pair))
        found: dict[int, Outputs] = {}
        for pair in dict.fromkeys(pairs):
            places = [place for place, wanted in enumerate(pairs) if wanted == pair]
            held_out, _ = self._held_out(code[:, places], pair)
            models = self._training(code[:, places], pair).fit()
            test, train = models.margins(self.fold.X_test), models.margins(self.fold.X)
            for i, (place, support) in enumerate(zip(places, models.supports())):
                found[place] = Outputs(test[:, i], train[:, i], held_out[:, i], support)
        return [found[place] for place in range(code.shape[1])]

    def _scores(self, code: Code, pair: Pair) -> list[Answer]:
        """Accuracy of each column, as libsvm's own search has it; between equal ones, the hinge loss decides."""
        held_out, is_bounded = self._held_out(code, pair)
        answers = []
        for outputs, sides, bounded in zip(held_out.T, code[self.fold.y].T, is_bounded):
            margins = (outputs * sides)[sides != 0]
            score = float(np.mean(margins > 0)), -float(np.maximum(0, 1 - margins).mean())
            answers.append((score, bool(bounded)))
        return answers

    def _held_out(self, code: Code, pair: Pair) -> tuple[Array, NDArray[np.bool_]]:
        """Margins by models of the other half, and whether a column has a multiplier at its bound."""
        margins = np.empty((len(self.fold.y), code.shape[1]))
        is_bounded = np.zeros(code.shape[1], dtype=bool)
        for train, test in self.fold.halves:
            models = self._training(code, pair, train).fit()
            margins[test] = models.margins(self.fold.X[test])
            is_bounded |= (np.abs(models.coefficients) >= pair[0] * (1 - 1e-9)).any(axis=0)
        return margins, is_bounded

    def _training(self, code: Code, pair: Pair, rows: Any = None) -> KernelTraining:
        from sklearn.svm import SVC

        task = Task(code, self.fold.X, self.fold.y)
        machine = SVC(C=pair[0], gamma=pair[1], max_iter=self.protocol.max_iter)
        return KernelTraining(machine, task if rows is None else task.part(rows), Options(cache=self._cache))
