"""Is the promised accuracy that of a fit to all rows, and is the order checked at two sizes?"""

import numpy as np
import pytest

import ecoc
from ecoc.tool.comparison import growth
from ecoc.tool.comparison.curves import Point, gain, seconds_at
from ecoc.tool.comparison.growth import sample_rows
from ecoc.utils.estimators import last_step

ONLY = {"codings": [], "tune": False, "random_state": 0}


def patches(n, seed, cells=8):
    """Two classes, left and right of the middle, but for a third of the fields of a board, where they change places."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, 2))
    i, j = (X * cells).astype(int).T
    changed = np.random.default_rng(0).random((cells, cells)) < 0.33
    return X, ((i >= cells // 2) ^ changed[i, j]).astype(int)


@pytest.fixture(scope="module")
def new():
    return patches(4000, 99)


def test_the_promise_is_that_of_all_rows(new):
    """Twelve tables of 240 rows: cross-validation is too low, the promise is not."""
    too_low, off = [], []
    for seed in range(12):
        X, y = patches(240, seed)
        found = ecoc.compare(X, y, "tree", baselines=["native"], **ONLY)
        true = float(np.mean(found.recommended.estimator.fit(X, y).predict(new[0]) == new[1]))
        too_low.append(found.recommended.accuracy - true)
        off.append(found.expected_accuracy - true)
        assert 0 < found.expected_error < 0.1
    assert np.mean(too_low) < -0.015
    assert abs(np.mean(off)) < 0.015


def test_pure_noise_is_not_promised_away():
    rng = np.random.default_rng(0)
    promised = []
    for _ in range(6):
        X, y = rng.normal(size=(150, 4)), rng.integers(0, 2, 150)
        promised.append(ecoc.compare(X, y, "tree", baselines=["native"], **ONLY).expected_accuracy)
    assert np.mean(promised) < 0.53


def test_a_model_that_overtakes_on_more_rows_is_recommended(new):
    X, y = patches(6000, 1)
    found = ecoc.compare(X, y, "tree", baselines=["lda", "native"], max_rows=60, **ONLY)
    assert len(found.y) == 60
    assert {len(train) + len(test) for train, test in found.folds} == {60}
    by_name = {result.candidate.name: result for result in found.results}
    assert by_name["LDA"].accuracy > by_name["DecisionTreeClassifier"].accuracy
    assert found.recommended is by_name["DecisionTreeClassifier"]
    assert any("LDA was ahead on 40 rows; DecisionTreeClassifier is on more" in note for note in found.notes)
    true = float(np.mean(found.recommended.estimator.fit(X, y).predict(new[0]) == new[1]))
    assert abs(found.expected_accuracy - true) < 0.02
    assert "after a fit to all 6,000 rows; it was" in str(found)


def test_a_model_without_time_takes_no_place_from_others(monkeypatch):
    """The best of three has no time for the third size, so the second best goes on."""

    def has_time(self, one, size):
        return one.candidate.name != "random forest" or size < 200

    monkeypatch.setattr(growth._Curves, "_has_time", has_time)
    found = ecoc.compare(*patches(6000, 1), "tree", baselines=["lda", "forest", "native"], max_rows=60, **ONLY)
    rows = {one.name: points[-1].rows for one, points in found.growth.curves.items()}
    assert rows["random forest"] == 160
    assert rows["DecisionTreeClassifier"] == 4800


def test_no_time_is_told():
    X, y = patches(600, 1)
    found = ecoc.compare(X, y, "tree", baselines=["native"], max_rows=60, budget=1e-9, **ONLY)
    assert found.growth is None
    assert "There was no time to measure how accuracy grows with the rows." in found.notes


def test_costs_grow_too():
    X, y = patches(240, 0)
    found = ecoc.compare(X, y, "tree", baselines=["native"], costs={(0, 1): 5.0}, **ONLY)
    assert 0 <= found.expected_cost <= found.recommended.mean_cost + 0.05


def test_gains_are_bounded():
    steep = [Point(100, np.repeat([0.0, 1.0], 50)), Point(200, np.ones(100))]
    assert gain(steep, 10**6, 1.0)[0] == 0.0  # nothing is left to gain
    falling = [Point(100, np.full(50, 0.9)), Point(200, np.full(50, 0.8))]
    assert gain(falling, 400, 1.0)[0] == 0.0
    assert gain(falling[:1], 400, 1.0) == (0.0, 0.0)
    near = [Point(100, np.full(50, 0.8)), Point(101, np.full(50, 0.81))]
    assert gain(near, 10**6, 1.0) == (0.0, 0.0)  # a hundred times a difference of chance
    rising = [Point(100, np.full(50, 0.1)), Point(200, np.full(50, 0.6))]
    assert gain(rising, 10**6, 1.0)[0] == pytest.approx(0.2)  # half of the errors that are left


@pytest.mark.parametrize("exponent", [0.1, 0.3, 0.5])
@pytest.mark.parametrize("top", [1.0, 0.0])
def test_errors_are_a_power_of_the_rows(exponent, top):
    *merits, full = top - 2.0 * np.array([500, 2000, 8000, 20_000]) ** -exponent
    points = [Point(rows, np.full(50, merit)) for rows, merit in zip((500, 2000, 8000), merits)]
    saved, error = gain(points, 20_000, top)
    assert saved == pytest.approx(full - merits[-1])
    assert 0 < error < saved


def test_the_leader_is_tuned_again_with_more_rows(new):
    """Fields of a board need a narrow kernel, which pays only with more rows than the race has."""
    X, y = patches(3000, 1)
    found = ecoc.compare(X, y, "svc", baselines=["lda", "native"], max_rows=90, codings=[], random_state=0)
    race = ecoc.compare(X[found.sample], y[found.sample], "svc", baselines=["native"], codings=[], random_state=0)
    chosen = found.recommended
    assert chosen.tuned != race.recommended.tuned
    assert found.tuned == chosen.tuned
    assert last_step(chosen.estimator).get_params().items() >= chosen.tuned.items()
    assert any(note.startswith("SVC was tuned again with more rows, which chose") for note in found.notes)
    better, usual = (
        float(np.mean(one.estimator.fit(X, y).predict(new[0]) == new[1])) for one in (chosen, race.recommended)
    )
    assert better > usual


def test_a_model_too_slow_for_all_rows_is_not_tried_with_more(monkeypatch):
    seconds = growth._Curves._seconds
    monkeypatch.setattr(
        growth._Curves, "_seconds", lambda self, one: 1e4 if one.candidate.name == "LDA" else seconds(self, one)
    )
    found = ecoc.compare(*patches(6000, 1), "tree", baselines=["lda", "native"], max_rows=60, **ONLY)
    rows = {one.name: [point.rows for point in points] for one, points in found.growth.curves.items()}
    assert rows["LDA"] == [40]
    assert found.recommended.candidate.name == "DecisionTreeClassifier"


def test_half_of_a_size_is_tried_if_there_is_no_time_for_all(monkeypatch):
    monkeypatch.setattr(growth._Curves, "_has_time", lambda self, one, size: size <= 400)
    found = ecoc.compare(*patches(6000, 1), "tree", baselines=["native"], max_rows=60, **ONLY)
    assert [point.rows for point in found.growth.curves[found.growth.chosen]] == [40, 160, 320]


def test_seconds_grow_as_they_did():
    points = [Point(100, np.ones(1), 1.0), Point(200, np.ones(1), 4.0)]
    assert seconds_at(points, 400, 1.0) == pytest.approx(16.0)
    assert seconds_at(points[:1], 400, 1.5) == pytest.approx(8.0)


def test_samples_hold_all_classes():
    y = np.array([0] * 96 + [1] * 4)
    rows = sample_rows(y, 20, 0)
    assert np.bincount(y[rows]).tolist() == [19, 2]
    assert sample_rows(y, 100, 0) is None
