"""Cross-validate candidates within a time budget, one fold per round, and drop the weaker ones when time runs short."""

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.multiclass import OneVsRestClassifier

from ecoc.codes.coding import ECF
from ecoc.policy.trials import RACE
from ecoc.tool.comparison.candidates import BaselineCandidate, Candidate, CodeCandidate, is_floor
from ecoc.tool.comparison.folds import Contender, Fold, Setting
from ecoc.tool.comparison.results import Record
from ecoc.tool.comparison.selection import standard_error
from ecoc.tool.comparison.tuning import NO_TIME, Tuning, most_frequent
from ecoc.tool.comparison.verdict import Comparison
from ecoc.utils.interrupts import interruptible
from ecoc.utils.persistence.saving import saved_size
from ecoc.utils.scikit import safe_indexing

_SAFETY = 0.9  # share of the time left that is planned with, because fits take longer at times


@dataclass(frozen=True)
class Step:
    """Progress of a comparison, for a callback."""

    done: int  # fits
    total: int
    seconds: float  # since the start
    seconds_left: float | None  # an estimate that never rises; None in the first fold
    budget: float  # seconds; infinite if there is no limit
    note: str  # what is running, and what comes next
    comparison: Callable[[], Comparison | None]  # as far as it is known; None before the first result


class Race:
    """The cross-validation of all candidates.

    Every round is a fold. If time does not suffice for all, as many of the most accurate candidates as there is time
    for go on to the next round. A round without time for the most accurate one is not run, because only candidates of
    the same rounds are compared. Without a budget all candidates are tested in all folds. With several learners, each
    is tried by itself and with one code; other codes are only tried with the best learners.
    """

    quick_seconds = 4.0  # if all rounds before took no more, every candidate is a finalist

    def __init__(
        self,
        setting: Setting,
        candidates: list[Candidate],
        left_out: dict[Candidate, str],
        budget: float | None = None,
        callback: Callable[[Step], None] | None = None,
    ) -> None:
        self.setting = setting
        self.openers = self._openers(candidates)
        self.candidates = sorted(candidates, key=lambda one: (one not in self.openers, self._is_booster(one)))
        self.left_out = left_out
        self.budget = inf if budget is None else float(budget)
        self.callback = callback
        self.records = {candidate: Record.of(candidate, setting.y) for candidate in candidates}
        self.tunings: list[dict[str, Tuning]] = []
        self.preparing: list[float] = []  # seconds, mostly of tuning, in each fold
        self.notes: list[str] = []
        self.start = time.perf_counter()
        self.finish: float | None = None  # estimated, in seconds after the start
        self.last_samples: Any = None
        self.paces: dict[str, float] = {}  # seconds of a booster's binary model, by the name of the learner

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return time.perf_counter() - self.start

    def run(self) -> Comparison:
        """Test all candidates and summarise the results."""
        n_folds = len(self.setting.folds)
        entrants = list(self.candidates)
        self._compile()
        self.start = time.perf_counter()  # the budget is for candidates
        for number in range(n_folds):
            leader = entrants[:1]  # in later rounds, the most accurate one
            if number and (self.elapsed > _SAFETY * self.budget or not self._have_time(number, leader)):
                self._note_end(number)
                break
            if self.setting.tune:
                self._tell(number, entrants, f"fold {number + 1}: tuning")
            opened = self.elapsed
            fold = self.setting.open(number, 0.1 * self.budget)  # a tenth for tuning
            self.preparing.append(self.elapsed - opened)
            self.tunings.append(fold.tunings)
            self.last_samples = fold.X_train
            if number and not self._have_time(number, leader):
                self._note_end(number)
                break
            finalists = self._finalists(number)
            for place, candidate in enumerate(entrants):
                self._tell(number, entrants[place:], f"fold {number + 1}: {_queue(entrants[place:])}")
                if self._has_time(number, candidate) and (number > 0 or self._is_promising(candidate, fold)):
                    self._test(candidate, fold, candidate in finalists)
            entrants = [candidate for candidate in entrants if len(self.records[candidate].counts) == number + 1]
            if number < n_folds - 1:
                entrants = sorted(self._going_on(entrants, n_folds - number - 1), key=self._rank)
        comparison = self.comparison()
        if comparison is None:
            raise ValueError(f"No candidate could be fitted: {next(iter(self.left_out.values()))}")
        return comparison

    def comparison(self) -> Comparison | None:
        """Summarise the results so far; None if there are none."""
        known = [record for record in self.records.values() if record.counts]
        if not known:
            return None
        setting = self.setting
        protected = {frozenset(pair) for pair in setting.protection.pairs(np.unique(setting.y).tolist())}
        names = self.tunings[-1] if self.tunings else {}
        tunings = {name: most_frequent([each[name] for each in self.tunings if name in each]) for name in names}
        X = self.last_samples
        contenders = {
            name: Contender(tuning.apply(one.learner, X), one.trials, tuning.numbers(X))
            for name, one in setting.contenders.items()
            for tuning in (tunings.get(name, Tuning({})),)
        }
        results = []
        for record in known:
            make = partial(setting.estimator, record.candidate, tunings, X)
            tuned = setting.tuning_of(record.candidate, tunings).numbers(X)
            results.append(record.result(setting.judge, protected, make, tuned))
        results.sort(key=lambda result: (result.classifiers, -result.merit))
        return Comparison(
            results,
            dict(self.left_out),
            setting.judge,
            setting.folds,
            protected,
            contenders,
            notes=[*self.notes, *_tuning_notes({name: tunings[name] for name in contenders if name in tunings})],
            seconds=self.elapsed,
            seed=setting.seed,
            n_rows=len(setting.y),
        )

    def _note_end(self, number: int) -> None:
        self.notes.append(
            f"The budget of {self.budget:.0f} s was used up after {number} of {len(self.setting.folds)} folds."
        )

    def _compile(self) -> None:
        """Design a small code, so that the first compilation does not count as the time of a candidate."""
        if any(candidate.cells["coding"] == "ecf" for candidate in self.candidates):
            self._tell(0, self.candidates, "compiling; this takes time only once")
            y = np.arange(40) % 5
            X = np.random.default_rng(0).normal(size=(len(y), 2)) + y[:, None]
            ECF(n_columns="auto", effort=0.01).build(5, X, y, 0)

    def _have_time(self, number: int, candidates: list[Candidate]) -> bool:
        return all(self._has_time(number, candidate) for candidate in candidates)

    def _has_time(self, number: int, candidate: Candidate) -> bool:
        """Tell whether a candidate may begin; in the first round, half of the budget must be left for the others."""
        if candidate in self.left_out:
            return False
        if number == 0:
            # In the second half of the budget, no candidate begins its first fold.
            if self.elapsed <= self.budget / 2 or not self._knows_a_rival:
                return True
            self.left_out[candidate] = f"the budget of {self.budget:.0f} s left no time to try it"
            return False
        # Fits take longer at times, so half of the usual duration is added.
        return self.elapsed + 1.5 * float(np.mean(self.records[candidate].seconds)) <= self.budget

    @property
    def _knows_a_rival(self) -> bool:
        """Whether a candidate that looks at the samples was tried; the majority class alone recommends nothing."""
        return any(record.counts and not is_floor(one) for one, record in self.records.items())

    def _openers(self, candidates: list[Candidate]) -> set[Candidate]:
        """Return the candidates always tried: all of a single learner; of several, plain models and one code each."""
        codes = [one for one in candidates if isinstance(one, CodeCandidate)]
        if len(self.setting.contenders) == 1:
            return set(candidates)
        wanted = RACE.probe * len(np.unique(self.setting.y))
        first = {
            name: min(
                (one for one in codes if one.learner == name),
                key=lambda one: abs(one.columns - wanted) if isinstance(one.columns, int) else inf,
                default=None,
            )
            for name in self.setting.contenders
        }
        return {one for one in candidates if one not in codes or one is first[one.learner]}

    def _is_promising(self, candidate: Candidate, fold: Fold) -> bool:
        """Tell whether to try a candidate: its booster is fast enough, its learner is not far behind the best."""
        seconds = self._expected_seconds(candidate, fold)
        if self.elapsed + seconds > self.budget / 2 and self._knows_a_rival:
            self.left_out[candidate] = f"a fold of it would take about {seconds:.0f} s of the {self.budget:.0f} s"
            return False
        if candidate in self.openers:
            return True
        best: dict[str, NDArray[np.float64]] = {}  # merits of each learner's best candidate so far
        for one, record in self.records.items():
            if record.counts and one.learner:
                merits = self.setting.judge.merits(record.predicted, fold.test)
                if one.learner not in best or merits.mean() > best[one.learner].mean():
                    best[one.learner] = merits
        leader = max(best.values(), key=lambda merits: float(merits.mean()), default=None)
        lost = None if leader is None or candidate.learner not in best else leader - best[candidate.learner]
        if lost is None or lost.mean() > RACE.behind * standard_error(lost):
            self.left_out[candidate] = "other learners were clearly better in the first fold"
            return False
        return True

    def _is_booster(self, candidate: Candidate) -> bool:
        one = self.setting.contenders.get(candidate.learner)
        uses_learner = isinstance(candidate, CodeCandidate) or candidate.uses_learner
        return uses_learner and one is not None and one.trials.learner.kind == "booster"

    def _expected_seconds(self, candidate: Candidate, fold: Fold) -> float:
        """Estimate the seconds of a booster's fit from a binary model of few rows; 0 for other learners."""
        if self.budget == inf or not self._is_booster(candidate):
            return 0.0
        n, labels = len(fold.y_train), np.unique(fold.y_train)
        if candidate.learner not in self.paces:
            rows = np.random.default_rng(self.setting.seed).permutation(n)[: RACE.pace_rows]
            start = self.elapsed
            try:
                target = (np.searchsorted(labels, fold.y_train[rows]) % 2).astype(int)
                clone(fold.learners[candidate.learner]).fit(safe_indexing(fold.X_train, rows), target)
            except Exception:  # the candidate itself will tell
                return 0.0
            self.paces[candidate.learner] = (self.elapsed - start) * (n / len(rows)) ** RACE.pace_growth
        return self.paces[candidate.learner] * candidate.expected_work(len(labels))

    def _going_on(self, entrants: list[Candidate], n_folds: int) -> list[Candidate]:
        """Return the candidates for the next round: all, or as many of the most accurate as there is time for."""
        left = _SAFETY * (self.budget - self.elapsed) - n_folds * float(np.mean(self.preparing))
        if n_folds * self._cost(entrants) <= left:
            return entrants
        best, *others = sorted(entrants, key=self._rank)
        going_on, left = {best}, left - n_folds * self._cost([best])
        for candidate in others:
            cost = n_folds * self._cost([candidate])
            if cost <= left:
                going_on.add(candidate)
                left -= cost
        n_all = len(self.setting.folds)
        if len(going_on) < len(entrants):
            self.notes.append(
                f"To keep to {self.budget:.0f} s, only {len(going_on)} of {len(entrants)} candidates went on after "
                f"{n_all - n_folds} of {n_all} folds: the most accurate that there was time for."
            )
        return [candidate for candidate in entrants if candidate in going_on]

    def _rank(self, candidate: Candidate) -> tuple[float, int]:
        record = self.records[candidate]
        return -record.merit(self.setting.judge), record.counts[-1]

    def _cost(self, candidates: list[Candidate]) -> float:
        """Return the seconds that a fold takes."""
        known = [self.records[candidate].seconds for candidate in candidates]
        return sum(float(np.mean(seconds)) for seconds in known if seconds)

    def _finalists(self, number: int) -> set[Candidate]:
        """Return the candidates whose time to fit and size on disk are measured, in the last fold.

        To measure a code's time, it is fitted without what others have trained. If all is quick, it is done for all;
        otherwise for the recommended and the best ones, and for those on the front.
        """
        if number < len(self.setting.folds) - 1:
            return set()
        known = self.comparison()
        if self.elapsed <= self.quick_seconds or known is None:
            return set(self.candidates)
        wanted = (*known.front(), known.recommended, known.best, known.best_code)
        return {result.candidate for result in wanted if result is not None}

    def _test(self, candidate: Candidate, fold: Fold, is_finalist: bool) -> None:
        """Fit a candidate to the training samples of a fold, and predict the others."""
        record = self.records[candidate]
        start = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # about convergence, collinear columns and the like
            warnings.simplefilter("ignore", RuntimeWarning)
            try:
                with interruptible():
                    model = fold.make(candidate, shared=not is_finalist).fit(fold.X_train, fold.y_train)
                    fitted = time.perf_counter()
                    predicted = model.predict(fold.X_test)
            except Exception as error:  # one candidate that fails must not end the comparison
                self.left_out[candidate] = " ".join(str(error).split()) or type(error).__name__
                record.counts.clear()
                return
        ended = time.perf_counter()
        if self.setting.log_loss:
            _add_losses(record, model, fold)
        record.predicted[fold.test] = predicted
        record.tested[fold.test] = True
        record.seconds.append(ended - start)
        record.predict_seconds.append((ended - fitted) * 1000 / len(fold.test))
        if is_finalist or isinstance(candidate, BaselineCandidate):
            record.alone_seconds.append(fitted - start)
        if (support := _support_vectors(model)) is not None:
            record.supports.append(support)
        is_last = fold.number == len(self.setting.folds) - 1
        if is_finalist or (is_last and candidate.is_small):
            record.model_bytes = self._size(model)
        fold.keep_code(candidate, model)
        record.counts.append(candidate.count(model))

    def _size(self, model: Any) -> int | None:
        """Return the bytes of the file that the model would be saved to, if skops is installed and there is time."""
        if self.elapsed > _SAFETY * self.budget:
            return None
        try:
            return saved_size(model)
        except ImportError:
            return None

    def _tell(self, number: int, remaining: list[Candidate], note: str) -> None:
        if self.callback is None:
            return
        folds = len(self.setting.folds)
        done = sum(len(record.counts) for record in self.records.values())
        total = done + len(remaining) + (folds - number - 1) * len(self.candidates)
        left = self._seconds_left(number, remaining)
        self.callback(Step(done, total, self.elapsed, left, self.budget, note, self.comparison))

    def _seconds_left(self, number: int, remaining: list[Candidate]) -> float | None:
        """Return an estimate that never rises; None in the first fold."""
        last = len(self.setting.folds) - 1
        if number > 0:
            entrants = [candidate for candidate in self.candidates if len(self.records[candidate].seconds) >= number]
            # Fitting finalists alone makes the last fold about twice as long.
            later = (last - number + 1) * self._cost(entrants) if number < last else 0.0
            projected = self.elapsed + (1 + (number == last)) * self._cost(remaining) + later
            self.finish = projected if self.finish is None else min(self.finish, projected)
        return None if self.finish is None else max(min(self.finish, self.budget) - self.elapsed, 0.0)


def _support_vectors(model: Any) -> int | None:
    """Return the number of different support vectors, if the model has any."""
    count = getattr(model, "n_support_", None)
    if count is not None:
        return int(np.sum(count))
    parts = getattr(model, "estimators_", ())
    if not isinstance(model, OneVsRestClassifier) or not all(hasattr(part, "support_") for part in parts):
        return None
    return len(np.unique(np.concatenate([part.support_ for part in parts])))


def _add_losses(record: Record, model: Any, fold: Fold) -> None:
    """Keep the negative logarithm of the probability that each true class gets, if the model has probabilities."""
    if not hasattr(model, "predict_proba"):
        return
    probabilities: NDArray[np.float64] = model.predict_proba(fold.X_test)
    places = {label: place for place, label in enumerate(model.classes_.tolist())}
    columns = [places.get(label) for label in fold.y_test.tolist()]
    true = [0.0 if column is None else row[column] for row, column in zip(probabilities, columns)]
    if record.losses is None:
        record.losses = np.full(len(record.tested), np.nan)
    record.losses[fold.test] = -np.log(np.maximum(true, 1e-15))  # a model may hold the true class to be impossible


def _queue(candidates: list[Candidate]) -> str:
    """Say which candidate is running, which is next, and how many follow in this fold."""
    running, *others = [one.name for one in candidates]
    more = f" and {len(others) - 1} more" if len(others) > 1 else ""
    return running + (f", then {others[0]}{more}" if others else "")


def _tuning_notes(tunings: dict[str, Tuning]) -> list[str]:
    untuned = [name for name, tuning in tunings.items() if tuning.note == NO_TIME]
    return [f"There was no time to tune {', '.join(untuned) or 'the learner'}."] if untuned else []
