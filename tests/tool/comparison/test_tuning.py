"""Is the learner tuned on training samples alone, and alike for all?"""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import ecoc
from ecoc.policy.trials import TuningRules, parameters_to_try
from ecoc.tool.comparison import tuning
from ecoc.tool.comparison.tuning import NO_TIME, Tuning, most_frequent, tune


@pytest.fixture(scope="module")
def spirals():
    """Three arms of a spiral, which need a large C."""
    rng = np.random.default_rng(0)
    y = np.arange(240) % 3
    radius = rng.uniform(0.2, 1, size=240)
    angle = 5 * radius + 2 * np.pi * y / 3 + rng.normal(scale=0.15, size=240)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), y


def test_only_defaults_are_tuned():
    assert set(parameters_to_try(SVC())) == {"C", "gamma"}
    assert set(parameters_to_try(SVC(C=3))) == {"gamma"}
    assert set(parameters_to_try(SVC(kernel="linear"))) == {"C"}
    assert set(parameters_to_try(DecisionTreeClassifier())) == {"max_depth", "min_samples_leaf"}
    assert parameters_to_try(LogisticRegression(C=7)) == {}
    for learner in (SVC(), LogisticRegression(), RidgeClassifier(), DecisionTreeClassifier()):
        assert all(learner.get_params()[name] == values[0] for name, values in parameters_to_try(learner).items())


def test_a_better_value_is_found(spirals):
    X, y = spirals
    poor = SVC(gamma=1.0)
    found = tune(poor, X, y)
    assert found.setting["C"] > 1
    better, worse = (cross_val_predict(m, X, y, cv=StratifiedKFold(4)) == y for m in (found.apply(poor, X), poor))
    assert better.mean() > worse.mean()


def test_tuning_goes_on_from_a_start(spirals):
    """A wide kernel needs a large C, which is not found where C is chosen first with a narrow one."""
    X, y = spirals
    learner = SVC()
    start = {"gamma": 0.5}
    found = tune(learner, X, y, start=start)
    assert found.setting["C"] == 100
    kept = tune(learner, X, y, start=found.setting, rules=TuningRules(clearly=100.0))
    assert kept.setting == found.setting
    assert "C" not in tune(learner, X[:, :1] > 0, y, start={"C": 1.0}).setting  # its own value is no setting


def test_the_default_stays_if_others_are_no_better():
    y = np.arange(90) % 3
    X = np.random.default_rng(0).normal(size=(90, 2)) + 10 * y[:, None]
    assert tune(SVC(), X, y).setting == {}


def test_too_little_time(spirals, monkeypatch):
    X, y = spirals
    assert tune(SVC(), X, y, seconds=0.0) == Tuning({}, NO_TIME)
    rows, duration = [], {60: 1.0, 240: 8.0}
    hits = tuning._Trial._hits

    class Clock:
        now = 0.0

        def perf_counter(self):
            return self.now

    def counting(self, fold, setting):
        rows.append((fold, len(self.y)))
        Clock.now += duration[len(self.y)]
        return hits(self, fold, setting)

    monkeypatch.setattr(tuning._Trial, "_hits", counting)
    monkeypatch.setattr(tuning, "time", Clock())
    rules = TuningRules(fewest_rows=60)
    for seconds, folds, n in (
        (9 + 2 * 7 * 8, {0, 1, 2}, 240),
        (9 + 7 * 8, {0}, 240),
        (1 + 7, {0}, 60),
    ):  # seven settings
        rows.clear()
        tune(SVC(), X, y, seconds=seconds, rules=rules)
        assert {fold for fold, _ in rows} == folds
        assert {n for _, n in rows[1:]} == {n}
    assert tune(SVC(), X, y, seconds=7.0, rules=rules) == Tuning({}, NO_TIME)
    duration[240] = 2.0  # a fit to few rows does not tell how little all rows take
    rows.clear()
    tune(SVC(), X, y, seconds=3 + 2 * 7 * 2, rules=rules)
    assert {fold for fold, _ in rows} == {0, 1, 2}


def test_multiples_of_scale_are_what_scikit_learn_calls_scale(spirals):
    X, _ = spirals
    gamma = Tuning({"gamma": "scale*4"}).apply(SVC(), X).gamma
    assert gamma == pytest.approx(4 / (X.shape[1] * X.var()), rel=0.01)


def test_the_most_frequent_setting():
    a, b = Tuning({"C": 1.0}), Tuning({"C": 10.0})
    assert most_frequent([a, b, b]) == b
    assert most_frequent([a, b]) == a


def test_all_candidates_of_a_learner_are_tuned_alike(spirals):
    X, y = spirals
    options = {"codings": ["ova"], "decodings": ["linear"], "random_state": 0}
    found = ecoc.compare(X, y, SVC(gamma=1.0), **options)
    assert found.tuned == {"C": 100.0}
    tuned = {result.candidate.name: result for result in found.results}
    for name, parameter in (("SVC", "C"), ("one-vs-rest SVC", "estimator__C"), ("ova", "estimator__C")):
        assert tuned[name].estimator.get_params()[parameter] == 100.0
        assert tuned[name].tuned == {"C": 100.0}
    assert tuned["LDA"].tuned == {}
    assert not ecoc.compare(X, y, SVC(gamma=1.0), tune=False, **options).tuned


def test_test_samples_are_not_seen(spirals, monkeypatch):
    X, y = spirals
    seen = []
    original = tuning.tune

    def spying(learner, X, y, *args, **options):
        seen.append(X)
        return original(learner, X, y, *args, **options)

    monkeypatch.setattr("ecoc.tool.comparison.folds.tune", spying)
    found = ecoc.compare(X, y, "svc", codings=["ova"], decodings=["linear"], random_state=0)
    assert len(seen) == 9  # the learner, logistic regression and the linear SVC, in three folds
    for (train, _), given in zip(found.folds, seen[::3]):
        assert (given == X[train]).all()
