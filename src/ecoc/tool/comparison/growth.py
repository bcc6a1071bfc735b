"""Estimate the accuracy of the recommended candidate after a fit to all rows, and check whether others overtake it."""

import time
import warnings
from dataclasses import replace
from functools import partial
from math import inf, isclose
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ecoc.policy.trials import GROWTH, TUNING, GrowthRules
from ecoc.tool.comparison.candidates import BaselineCandidate, Candidate
from ecoc.tool.comparison.curves import Growth, Point, gain, seconds_at
from ecoc.tool.comparison.folds import Contender, Setting
from ecoc.tool.comparison.results import CandidateResult, Judge
from ecoc.tool.comparison.selection import standard_error
from ecoc.tool.comparison.tuning import tune
from ecoc.tool.comparison.verdict import Comparison
from ecoc.utils.interrupts import interruptible
from ecoc.utils.scikit import safe_indexing

_SLOW = ("kernel machine", "neighbours")  # kinds whose time grows faster than the rows


def sample_rows(y: NDArray[Any], most: int, seed: int, least: int = 2) -> NDArray[np.intp] | None:
    """Draw at most so many rows, stratified, with about two of each class at least; None if there are no more."""
    n = len(y)
    if n <= most:
        return None
    rng = np.random.default_rng(seed)
    drawn = []
    for label in np.unique(y):
        members = rng.permutation(np.flatnonzero(y == label))
        drawn.append(members[: max(least, round(len(members) * most / n))])
    return np.sort(np.concatenate(drawn))


def with_growth(
    comparison: Comparison, setting: Setting, table: tuple[Any, NDArray[Any], NDArray[np.intp]] | None, seconds: float
) -> Comparison:
    """Add learning curves to a comparison within a time; `table` is X, y and the rows that were cross-validated."""
    if comparison.recommended is comparison.floor:
        return comparison
    if table is None:
        return _halved(comparison, setting, max(seconds, 0.1 * comparison.seconds))
    X, y, sample = table
    curves = _Curves(comparison, setting, X, y, sample, seconds)
    growth = curves.run()
    return replace(
        comparison,
        growth=growth,
        notes=[*comparison.notes, *curves.notes],
        results=[curves.retuned.get(one.candidate, one) for one in comparison.results],
        contenders=comparison.contenders | curves.contenders,
    )


def _halved(comparison: Comparison, setting: Setting, seconds: float) -> Comparison:
    """Fit the recommended candidate to half of the training rows of each fold."""
    result, start = comparison.recommended, time.perf_counter()
    predicted, done, sizes = np.empty_like(setting.y), np.zeros(len(setting.y), dtype=bool), []
    for train, test in setting.folds[: result.n_folds]:
        half = sample_rows(setting.y[train], len(train) // 2, setting.seed, least=1)
        if half is None or time.perf_counter() - start > seconds:
            break
        predictions = _predictions(result, setting.X, setting.y, train[half], test)
        if predictions is None:
            break
        predicted[test], done[test] = predictions, True
        sizes.append((len(half), len(train)))
    if not sizes:
        note = "There was no time to measure how accuracy grows with the rows, so the estimate is for fewer rows."
        return replace(comparison, notes=[*comparison.notes, note])
    small, large = (round(float(np.mean(each))) for each in zip(*sizes))
    points = [
        Point(small, setting.judge.merits(predicted, done)),
        Point(large, setting.judge.merits(result.predicted, done)),
    ]
    return replace(comparison, growth=Growth({result.candidate: points}, result.candidate))


class _Curves:
    """Learning curves of the best candidates on a large table.

    After the second size, the better half is tuned again with its rows. From there on, the worse half stops after each
    size, and so do candidates whose fit to all rows would take too long.
    """

    def __init__(
        self,
        comparison: Comparison,
        setting: Setting,
        X: Any,
        y: NDArray[Any],
        sample: NDArray[np.intp],
        seconds: float,
        rules: GrowthRules = GROWTH,
    ) -> None:
        self.comparison, self.setting, self.X, self.y, self.rules = comparison, setting, X, y, rules
        self.judge = Judge(y, setting.costs)
        self.end = time.perf_counter() + seconds
        rng = np.random.default_rng(setting.seed)
        others = np.setdiff1d(np.arange(len(y)), sample)  # the race has not chosen by these
        order = np.concatenate([rng.permutation(others), rng.permutation(sample)])
        n_test = min(rules.most_test_rows, int(rules.test_share * len(y)))
        self.test, self.pool = order[:n_test], rng.permutation(order[n_test:])
        self.curves: dict[Candidate, list[Point]] = {}
        self.notes: list[str] = []
        self.retuned: dict[Candidate, CandidateResult] = {}
        self.contenders: dict[str, Contender] = {}  # whose learners were tuned again

    def run(self) -> Growth | None:
        """Fit the finalists to more and more rows as long as there is time."""
        alive = self._finalists()
        stopped: list[CandidateResult] = []
        sizes = self._sizes()
        for turn, size in enumerate(sizes):
            able = [one for one in alive if self._has_time(one, size)]
            if turn and not able and size // 2 >= self.rules.least_ratio * sizes[turn - 1]:
                size //= 2
                able = [one for one in alive if self._has_time(one, size)]
            if turn:
                able = self._affordable(able)
            if turn > 1:  # a candidate that there is no time for takes no other's place
                able = self._better_half(able)
            going_on = [one for one in able if self._fit(one, size)]
            stopped += [one for one in alive if one not in going_on and one.candidate in self.curves]
            alive = going_on
            if turn == 1 and self.setting.tune:
                alive = self._tuned_again(alive, size)
            if not going_on:
                break
        stopped += alive
        if not stopped:
            self.notes.append("There was no time to measure how accuracy grows with the rows.")
            return None
        chosen = self._chosen(stopped)
        self._note(chosen)
        return Growth(self.curves, chosen.candidate)

    def _finalists(self) -> list[CandidateResult]:
        """Return the candidates of the best learners and plain models, the recommended one's first.

        Each is the quickest of those that tie with the best of the same learner: time limits the rows that it is tried
        with.
        """
        known = self.comparison
        results = [one for one in known.results if one is not known.floor and not one.candidate.protected]
        results.sort(key=lambda one: -one.merit)  # also what the race dropped to save time
        families = {known.recommended.candidate.family: known.recommended}
        for one in results:
            families.setdefault(one.candidate.family, one)
        return [
            min(
                (best, *(one for one in results if self._ties(one, best))),
                key=lambda one: inf if one.fit_seconds is None else one.fit_seconds,
            )
            for best in list(families.values())[: self.rules.finalists]
        ]

    def _ties(self, one: CandidateResult, best: CandidateResult) -> bool:
        if one.candidate.family != best.candidate.family or best.candidate.protected:
            return False
        both = one.tested & best.tested
        lost = self.comparison.judge.merits(best.predicted, both) - self.comparison.judge.merits(one.predicted, both)
        return bool(lost.mean() <= standard_error(lost))

    def _better_half(self, some: list[CandidateResult]) -> list[CandidateResult]:
        return sorted(some, key=self._at_full_size, reverse=True)[: (len(some) + 1) // 2]

    def _tuned_again(self, alive: list[CandidateResult], size: int) -> list[CandidateResult]:
        """Tune the better half again with the rows of the last size; a new setting stays if it is better there."""
        half = self._better_half(alive)
        seconds = self.rules.tuning_share * max(self.end - time.perf_counter(), 0.0) / max(len(half), 1)
        return [self._with_better_setting(one, size, seconds) if one in half else one for one in alive]

    def _with_better_setting(self, one: CandidateResult, size: int, seconds: float) -> CandidateResult:
        setting, candidate, points = self.setting, one.candidate, self.curves[one.candidate]
        if points[-1].seconds > seconds:
            return one
        rows = np.sort(self.pool[:size])
        X, y = safe_indexing(self.X, rows), self.y[rows]
        if setting.preparation is not None:
            X = clone(setting.preparation).fit_transform(X, y)
        learner, make = setting.parts(candidate, X)
        # Held-out rows decide in the end, so that no value needs to be clearly better here.
        rules = replace(TUNING, fewest_rows=min(size, 2 * points[-2].rows), clearly=0.0)
        tuning = tune(learner, X, y, make, seed=setting.seed, seconds=seconds, start=one.tuned, rules=rules)
        tuned = tuning.numbers(X)
        if tuning.note or _alike(tuned, one.tuned):
            return one
        new = replace(one, make=partial(setting.estimator, candidate, {candidate.tuned_part: tuning}, X), tuned=tuned)
        del self.curves[candidate]
        if not all(self._has_time(new, point.rows) and self._fit(new, point.rows) for point in points):
            self.curves[candidate] = points
            return one
        if self._at_full_size(new) <= points[-1].merit + gain(points, len(self.y), self.judge.top)[0]:
            self.curves[candidate] = points
            return one
        self.retuned[candidate] = new
        if candidate.tuned_part in setting.contenders:
            contender = setting.contenders[candidate.tuned_part]
            self.contenders[candidate.tuned_part] = replace(contender, learner=tuning.apply(learner, X), tuned=tuned)
        return new

    def _sizes(self) -> list[int]:
        sizes = [min(len(self.comparison.folds[0][0]), len(self.pool))]
        while sizes[-1] * self.rules.factor * self.rules.least_ratio < len(self.pool):
            sizes.append(sizes[-1] * self.rules.factor)
        return sizes if sizes[-1] == len(self.pool) else [*sizes, len(self.pool)]

    def _has_time(self, one: CandidateResult, size: int) -> bool:
        left, points = self.end - time.perf_counter(), self.curves.get(one.candidate)
        return left > 0 if points is None else seconds_at(points, size, self._slowness(one)) < left

    def _slowness(self, one: CandidateResult) -> float:
        uses_learner = not isinstance(one.candidate, BaselineCandidate) or one.candidate.uses_learner
        slow = uses_learner and self.setting.contenders[one.candidate.learner].trials.learner.kind in _SLOW
        return self.rules.time_growth if slow else 1.2

    def _fit(self, one: CandidateResult, size: int) -> bool:
        """Add a point to a curve; tell whether the fit succeeded."""
        start = time.perf_counter()
        predictions = _predictions(one, self.X, self.y, np.sort(self.pool[:size]), self.test)
        if predictions is None:
            return False
        predicted = self.y.copy()
        predicted[self.test] = predictions
        point = Point(size, self.judge.merits(predicted, self.test), time.perf_counter() - start)
        self.curves.setdefault(one.candidate, []).append(point)
        return True

    def _at_full_size(self, one: CandidateResult) -> float:
        points = self.curves[one.candidate]
        return points[-1].merit + gain(points, len(self.y), self.judge.top)[0]

    def _chosen(self, stopped: list[CandidateResult]) -> CandidateResult:
        """Return the best candidate that can be fitted to all rows; the recommended one, if it ties with it."""
        affordable = self._affordable(stopped)
        best = max(affordable, key=self._at_full_size)
        first = self.comparison.recommended.candidate
        recommended = next((one for one in affordable if one.candidate == first), best)
        if recommended is not best:
            mine, theirs = (self.curves[one.candidate] for one in (recommended, best))
            if mine[-1].rows == theirs[-1].rows:
                lost = theirs[-1].merits - mine[-1].merits
                return recommended if lost.mean() <= standard_error(lost) else best
        return best

    def _affordable(self, some: list[CandidateResult]) -> list[CandidateResult]:
        """Return those whose fit to all rows does not take too long, or else the quickest."""
        able = [one for one in some if self._seconds(one) <= self.rules.longest_fit]
        return able or sorted(some, key=self._seconds)[:1]

    def _seconds(self, one: CandidateResult) -> float:
        """Return the seconds of a fit to all rows."""
        return seconds_at(self.curves[one.candidate], len(self.y), self._slowness(one))

    def _note(self, chosen: CandidateResult) -> None:
        """Describe what was checked at which size, and how long a fit to all rows takes."""
        recommended, points = self.comparison.recommended, self.curves[chosen.candidate]
        rivals = [one for one in self.curves if one != chosen.candidate]
        small, large = f"{points[0].rows:,} rows", f"{points[-1].rows:,} rows"
        if chosen.candidate != recommended.candidate:
            self.notes.append(
                f"{recommended.candidate.name} was ahead on {small}; {chosen.candidate.name} is on more, or its fit "
                "takes less time."
            )
        elif rivals and len(points) > 1:
            names = ", ".join(one.name for one in rivals)
            self.notes.append(f"The order was checked on {small} and on more, up to {large}, against {names}.")
        if chosen.candidate in self.retuned:
            setting = ", ".join(f"{name}={value}" for name, value in chosen.tuned.items()) or "its own setting"
            self.notes.append(f"{chosen.candidate.name} was tuned again with more rows, which chose {setting}.")
        self.notes.append(f"A fit to all {len(self.y):,} rows takes about {max(self._seconds(chosen), 1):,.0f} s.")


def _alike(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Tell whether two settings differ by no more than the variance of the rows that a scale is computed from."""
    return one.keys() == other.keys() and all(
        value == other[name] or (isinstance(value, float) and isclose(value, other[name], rel_tol=0.2))
        for name, value in one.items()
    )


def _predictions(
    result: CandidateResult, X: Any, y: NDArray[Any], train: NDArray[np.intp], test: NDArray[np.intp]
) -> NDArray[Any] | None:
    """Fit a candidate to some rows and return its predictions for others; None if it cannot be fitted."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        warnings.simplefilter("ignore", RuntimeWarning)
        try:
            with interruptible():
                model = clone(result.estimator).fit(safe_indexing(X, train), y[train])
                predicted: NDArray[Any] = model.predict(safe_indexing(X, test))
        except Exception:  # fewer rows may lack what the model needs
            return None
    return predicted
