"""Fit a code to data: lower the errors that a cheap proxy predicts, and keep the best code."""

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecoc.codes.refinement.bound import ErrorBound
from ecoc.codes.refinement.limits import LIMITS
from ecoc.codes.refinement.proxy import HeldOut, proxy_outputs
from ecoc.codes.refinement.selection import held_out_hits, most_confused_pairs, shortest_of_the_best
from ecoc.codes.refinement.starts import discriminant_code, spectral_code
from ecoc.utils.codewords import shortest_prefix
from ecoc.utils.folds import Folds

Code = NDArray[np.int8]
Hits = NDArray[np.bool_]


class Chosen(NamedTuple):
    """The place of the best code, its number of columns, and what was compared."""

    place: int
    n_columns: int
    trials: dict[str, list[Any]]


class Refiner:
    """Held-out outputs of a proxy, the bound on its errors, and what follows for codes."""

    def __init__(
        self,
        X: Any,
        y: NDArray[np.intp],
        rng: np.random.Generator,
        *,
        linear: bool = False,
        folds: Folds | None = None,
    ) -> None:
        # The user's folds compare codes. Codes are improved by leaving out single samples even so: on traffic signs
        # that come in tracks and on typefaces that are held out, this gives better codes (+0.5 points with k/2 and k/4
        # columns, +2 with k/10) than leaving out folds, which leaves fewer samples to train on.
        held_out = proxy_outputs(X, y, rng, linear=linear)
        self.bound = ErrorBound(held_out)
        self.rng = rng
        self._by_folds = partial(proxy_outputs, X, y, rng, linear=linear, folds=folds)
        self._judge = held_out if folds is None else None

    def refine(self, code: Code, n_columns: int, min_distance: NDArray[np.int64]) -> Code:
        """Change the columns of a code, put the best first, and add columns."""
        code = self.bound.improve(self._best_start(code, min_distance), min_distance, self.rng)
        return self.bound.extend(self.order(code), max(n_columns, code.shape[1]), self.rng)

    def confused_pairs(self) -> list[tuple[int, int]]:
        """Return all pairs of classes, those first that the proxy confuses most."""
        return most_confused_pairs(self._judging())

    def order(self, code: Code) -> Code:
        """Put the columns in an order in which each adds most to those before it."""
        return code[:, self.bound.order(code)]

    def choose(
        self, codes: Sequence[Code], allocations: Sequence[Any], early: int, *, preferred: Any, cut: bool
    ) -> Chosen:
        """Choose among codes of different allocations, by accuracy on held-out samples.

        The `preferred` allocation is chosen unless another is better by a standard error. With `cut`, codes are
        compared by their first `early` columns, where they differ most, and the best code is cut to the shortest length
        within one standard error of the most accurate length.
        """
        early = min(early, *(code.shape[1] for code in codes), len(codes[0]))
        tried = []
        for allocation, code in zip(allocations, codes):
            length = early if cut else code.shape[1]
            tried.append((allocation, length, self._hits(code[:, :length])))
        place = _best_or_preferred([hits for _, _, hits in tried], allocations, preferred)
        length = tried[place][1]
        if cut:
            code = codes[place]
            least = shortest_prefix(code) or code.shape[1]
            n_lengths = LIMITS.n_lengths if len(code) <= LIMITS.one_start else LIMITS.n_lengths_of_many
            lengths = np.unique(np.geomspace(least, code.shape[1], n_lengths).astype(int)).tolist()
            hits = {m: self._hits(code[:, :m]) for m in lengths}
            length = shortest_of_the_best(hits)
            tried += [(allocations[place], m, hits[m]) for m in lengths if m != tried[place][1]]
        trials: dict[str, list[Any]] = {
            "allocation": [allocation for allocation, _, _ in tried],
            "n_columns": [m for _, m, _ in tried],
            "accuracy": [float(hit.mean()) for _, _, hit in tried],
            "standard_error": [float(hit.std() / np.sqrt(len(hit))) for _, _, hit in tried],
        }
        return Chosen(place, length, trials)

    def _best_start(self, code: Code, min_distance: NDArray[np.int64]) -> Code:
        """Return the code whose bound is lowest after one sweep: the given code, or one of those that data suggest."""
        k, l = code.shape
        if k <= LIMITS.one_start or min_distance.max() > 1:
            return code
        starts = [code, *(make(self.bound.moments, l, self.rng) for make in (discriminant_code, spectral_code))]
        improved = [self.bound.improve(start, min_distance, self.rng, 1) for start in starts if start is not None]
        return min(improved, key=self.bound.value)

    def _hits(self, code: Code) -> Hits:
        return held_out_hits(self._judging(), code)

    def _judging(self) -> HeldOut:
        """Return the outputs by which codes are compared, of the user's own folds if there are any."""
        if self._judge is None:
            self._judge = self._by_folds()
        return self._judge


def _best_or_preferred(hits: list[Hits], allocations: Sequence[Any], preferred: Any) -> int:
    """Return the place of the most accurate allocation, if it beats the preferred one by more than a standard error."""
    best = int(np.argmax([hit.mean() for hit in hits]))
    if preferred not in allocations:
        return best
    usual = list(allocations).index(preferred)
    gain = hits[best].astype(float) - hits[usual]
    return best if gain.mean() > gain.std() / np.sqrt(len(gain)) else usual
