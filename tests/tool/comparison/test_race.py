"""Does the budget hold? Who goes on, what is left out, steps and interruptions, with a clock that the tests turn."""

from itertools import pairwise

import numpy as np
import pytest

import ecoc
from ecoc.tool.comparison import race


class Clock:
    """Time that passes only when a model is fitted: so many seconds a fit."""

    def __init__(self, seconds):
        self.now, self.seconds = 0.0, seconds

    def perf_counter(self):
        return self.now


@pytest.fixture
def slow(monkeypatch):
    """Let each fit of a candidate take so many seconds."""

    def slow(seconds):
        clock = Clock(seconds)
        monkeypatch.setattr(race, "time", clock)
        test = race.Race._test

        def timed(self, candidate, fold, is_finalist):
            before = clock.now
            original = fold.make

            def make(*args, **options):
                clock.now = before + clock.seconds
                return original(*args, **options)

            fold.make = make
            try:
                test(self, candidate, fold, is_finalist)
            finally:
                fold.make = original

        monkeypatch.setattr(race.Race, "_test", timed)
        return clock

    return slow


def folds_of(comparison):
    return {result.candidate.name: result.n_folds for result in comparison.results}


def test_without_a_budget_all_is_tested(wine, quick, slow):
    slow(1000.0)
    found = ecoc.compare(*wine, "ridge", **quick)
    assert set(folds_of(found).values()) == {3}
    assert found.notes == []


def test_a_budget_that_suffices_changes_nothing(wine, quick, slow, comparison):
    slow(1.0)
    found = ecoc.compare(*wine, "ridge", budget=1000, **quick)
    assert found.table["accuracy"] == comparison.table["accuracy"]


def test_the_worse_ones_are_dropped(wine, quick, slow, comparison):
    clock = slow(1.0)
    found = ecoc.compare(*wine, "ridge", budget=24, **quick)  # twelve candidates, three folds
    assert clock.now <= 24
    assert set(found.table["folds"]) == {1, 3}
    going_on = {result.candidate for result in found.complete}
    assert len(going_on) == 5
    first = comparison.folds[0][1]
    accuracy = {r.candidate: np.mean(r.predicted[first] == comparison.y[first]) for r in comparison.results}
    assert min(accuracy[c] for c in going_on) >= max(accuracy[c] for c in accuracy.keys() - going_on)
    assert "only 5 of 12 candidates went on after 1 of 3 folds" in found.notes[0]
    assert found.recommended.n_folds == 3


def test_what_cannot_be_tried_is_told(wine, quick, slow):
    slow(1.0)
    found = ecoc.compare(*wine, "ridge", budget=8, **quick)
    assert len(found.results) + len(found.left_out) == 12
    assert set(found.left_out.values()) == {"the budget of 8 s left no time to try it"}


def test_a_round_without_time_for_the_best_is_not_run(wine, slow, monkeypatch):
    """A machine that gets busy: the majority class alone had time for the last fold, and was recommended."""
    clock = slow(1.0)
    test = race.Race._test

    def busy(self, candidate, fold, is_finalist):
        is_floor = candidate.name == "majority class"
        clock.seconds = 0.0 if is_floor else (1.0, 60.0, 60.0)[fold.number]
        test(self, candidate, fold, is_finalist)

    monkeypatch.setattr(race.Race, "_test", busy)
    found = ecoc.compare(*wine, "ridge", budget=100, baselines=["majority", "native"], codings=[], tune=False, cv=3)
    assert folds_of(found) == {"majority class": 2, "RidgeClassifier": 2}
    assert found.recommended.candidate.name == "RidgeClassifier"
    assert "used up after 2 of 3 folds" in found.notes[-1]


def test_at_least_one_result_comes_back(wine, quick, slow):
    slow(100.0)
    found = ecoc.compare(*wine, "ridge", budget=1, **quick)
    assert [result.candidate.name for result in found.results] == ["majority class", "LDA"]
    assert found.recommended.candidate.name == "LDA"
    assert "used up after 1 of 3 folds" in found.notes[-1]


def test_a_majority_class_for_want_of_time_is_told(wine, quick, slow):
    slow(1.0)
    X = np.random.default_rng(0).normal(size=(len(wine[1]), 2))  # says nothing about the classes
    found = ecoc.compare(X, wine[1], "ridge", budget=1, **quick)
    assert found.recommended is found.floor
    assert "There was no time for 10 other candidates; give a larger budget." in str(found)


def test_compiling_takes_nothing_of_the_budget(wine, quick, slow, monkeypatch):
    """On a new computer, compiling used up the budget, and the majority class was recommended untried."""
    clock = slow(0.1)
    monkeypatch.setattr(race.Race, "_compile", lambda self: setattr(clock, "now", clock.now + 1000))
    found = ecoc.compare(*wine, "ridge", budget=20, **quick)
    assert set(folds_of(found).values()) == {3}
    assert found.notes == []


def test_steps_tell_how_far_it_is(wine, quick, slow):
    slow(1.0)
    steps, known = [], []

    def callback(step):
        steps.append(step)
        known.append(step.comparison())

    found = ecoc.compare(*wine, "ridge", budget=1000, callback=callback, **quick)
    assert steps[0].done == 0
    assert known[0] is None
    assert known[-1].recommended.n_folds in (2, 3)
    assert {step.total for step in steps} == {36}
    finish = [step.seconds + step.seconds_left for step in steps if step.seconds_left is not None]
    assert all(later <= earlier + 1e-9 for earlier, later in pairwise(finish))
    assert all(step.seconds_left is None for step in steps[:12])
    assert len(found.results) == 12


def test_what_is_known_survives_an_interruption(wine, quick):
    latest = []

    def callback(step):
        latest.append(step)
        if step.done == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ecoc.compare(*wine, "ridge", callback=callback, **quick)
    known = latest[-1].comparison()
    assert len(known.results) == 5
    assert known.recommended in known.results
    assert 0 < known.expected_accuracy <= 1


def test_a_booster_that_is_too_slow_is_not_begun(wine, slow, monkeypatch):
    slow(1.0)
    monkeypatch.setattr(race.Race, "_expected_seconds", lambda self, candidate, fold: 99.0 * bool(candidate.learner))
    options = {"baselines": ["lda", "native"], "codings": ["ova"], "tune": False}
    found = ecoc.compare(*wine, ["boosting:max_iter=3", "ridge"], budget=60, **options)
    assert [result.candidate.name for result in found.results] == ["LDA"]
    assert set(found.left_out.values()) == {"a fold of it would take about 99 s of the 60 s"}


def test_only_boosters_are_timed_ahead(wine):
    """A binary model of few rows says how long a booster takes; other learners are simply tried."""
    options = {"baselines": ["native"], "codings": [], "tune": False, "budget": 1000}
    seconds = {}
    original = race.Race._expected_seconds

    def spy(self, candidate, fold):
        seconds[candidate.name] = original(self, candidate, fold)
        return seconds[candidate.name]

    race.Race._expected_seconds = spy
    try:
        ecoc.compare(*wine, ["boosting:max_iter=3", "ridge"], **options)
    finally:
        race.Race._expected_seconds = original
    assert seconds["RidgeClassifier"] == 0
    assert seconds["HistGradientBoostingClassifier (boosting:max_iter=3)"] > 0


def test_finalists_are_timed_alone(wine, quick, monkeypatch):
    monkeypatch.setattr(race.Race, "quick_seconds", -1.0)
    found = ecoc.compare(*wine, "ridge", **quick)
    timed = {result.candidate for result in found.results if result.fit_seconds is not None}
    assert found.recommended.candidate in timed
    assert {result.candidate for result in found.results if result.candidate.cells["coding"] is None} <= timed
    assert all(result.model_bytes for result in (found.recommended, found.best))
