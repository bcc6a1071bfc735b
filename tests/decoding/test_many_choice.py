"""Which decoding is chosen with many classes?"""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.model_selection import GroupKFold

from ecoc import CodeBook, DenseRandom, ECOCClassifier
from ecoc.decoding import Discriminant, LossBased, choice
from ecoc.decoding.choice import _rehearsed as rehearsed
from ecoc.decoding.evidence import Evidence, Judging, Rehearsal
from ecoc.policy import Rule, Rules


def test_with_very_many_scores_no_decodings_are_compared():
    rng = np.random.default_rng(0)
    code = CodeBook([[1, 1, 1], [-1, -1, 1], [1, -1, -1], [-1, 1, -1]])
    y = np.repeat(np.arange(4), 20)
    outputs = code.matrix[y] + rng.normal(size=(80, 3))
    evidence = Evidence(outputs, outputs, y)
    assert choice.fit_decoding(None, code, evidence, calibrates=True, seed=0).trials is not None
    large = replace(evidence, judging=Judging(most_compared=100))
    found = choice.fit_decoding(None, code, large, calibrates=True, seed=0)
    assert found.trials is None
    assert isinstance(found.decoding, Discriminant)
    assert found.calibration.temperature > 0


def test_a_learned_decoding_must_be_clearly_better_than_class_frequencies():
    rng = np.random.default_rng(0)
    code = CodeBook([[1, 1, 1], [-1, -1, 1], [1, -1, -1], [-1, 1, -1]])
    y = np.repeat(np.arange(4), 20)
    outputs = code.matrix[y] + 3 * rng.normal(size=(80, 3))
    for clearly, considered in ((0, ["linear", "discriminant", "structured"]), (100, ["linear"])):
        evidence = Evidence(outputs, outputs, y, judging=Judging(5, clearly))
        assert choice.choose_decoding(code, evidence, 0).trials["decoding"] == considered


def test_a_rehearsal_chooses_the_decoding_and_not_the_held_out_outputs():
    """Outputs lie apart from the codewords, which the rehearsal shows and the held-out outputs hide."""
    rng = np.random.default_rng(0)
    k = 80
    code = DenseRandom(n_columns=10).build(k, random_state=0)
    y = np.repeat(np.arange(k), 6)
    near = code.matrix[y] + 0.1 * rng.normal(size=(len(y), 10))
    centres = rng.normal(size=(k, 10))
    apart = centres[y] + 0.1 * rng.normal(size=(len(y), 10))
    evidence = Evidence(near, near, y)
    rehearsal = Rehearsal(Evidence(apart, apart, y), centres[y] + 0.1 * rng.normal(size=(len(y), 10)), y, None)
    assert not isinstance(choice.choose_decoding(code, evidence, 0).decoding, Discriminant)
    found = choice.choose_decoding(code, evidence, 0, rehearsal)
    assert isinstance(found.decoding, Discriminant)
    assert found.trials["decoding"] == ["discriminant", "linear", "structured"]
    assert found.trials["accuracy"][0] > 0.95


def test_a_decoding_by_codewords_is_chosen_if_the_rehearsal_shows_that_it_is_better():
    rng = np.random.default_rng(0)
    k = 80
    code = DenseRandom(n_columns=10).build(k, random_state=0)
    y = np.repeat(np.arange(k), 2)
    outputs, tested = (code.matrix[y] + 0.5 * rng.normal(size=(len(y), 10)) for _ in range(2))
    shifted = outputs + rng.normal(size=(k, 10))[y]  # what was learned from these does not hold for others
    rehearsal = Rehearsal(Evidence(shifted, shifted, y), tested, y, None)
    assert isinstance(choice.choose_decoding(code, Evidence(outputs, outputs, y), 0, rehearsal).decoding, LossBased)


@pytest.mark.parametrize("groups", [None, np.arange(480) % 4])
def test_no_classifier_of_a_rehearsal_has_seen_the_samples_that_compare_decodings(groups, monkeypatch):
    found = []
    monkeypatch.setattr(
        choice,
        "_rehearsed",
        lambda decoding, book, rehearsal: found.append(rehearsal) or rehearsed(decoding, book, rehearsal),
    )
    rng = np.random.default_rng(0)
    y = np.arange(480) // 6
    X = rng.normal(size=(80, 12))[y] + 0.3 * rng.normal(size=(480, 12))
    splitter = 3 if groups is None else GroupKFold(4)
    model = ECOCClassifier(Ridge(), coding=DenseRandom(n_columns=12), cv=splitter, random_state=0)
    model.fit(X, y, **({} if groups is None else {"groups": groups}))
    assert model.decoding_trials_["decoding"][0] == "discriminant"
    n_tested = 160 if groups is None else 120
    assert len(found[0].y) == n_tested
    assert len(found[0].evidence.y) == 480 - n_tested
    assert np.bincount(found[0].y, minlength=80).max() <= 3
    again = ECOCClassifier(Ridge(), coding=DenseRandom(n_columns=12), cv=splitter, n_jobs=2, random_state=0)
    again.fit(X, y, **({} if groups is None else {"groups": groups}))
    assert again.decoding_trials_ == model.decoding_trials_


def test_a_rehearsal_does_not_train_again_what_gave_held_out_outputs(monkeypatch):
    found, fits, fit = [], [], Ridge.fit
    monkeypatch.setattr(choice, "_rehearsed", lambda *parts: found.append(parts[-1]) or rehearsed(*parts))
    monkeypatch.setattr(Ridge, "fit", lambda self, X, y, **more: fits.append((X, y)) or fit(self, X, y, **more))
    rng = np.random.default_rng(0)
    y = np.arange(560) // 8
    X = rng.normal(size=(70, 12))[y] + 0.3 * rng.normal(size=(560, 12))
    ECOCClassifier(Ridge(), coding=DenseRandom(n_columns=12), random_state=0).fit(X, y)
    sizes = [len(part) for part, _ in fits]
    assert len(sizes) == 1 + 3 + 3  # all samples, three folds, and folds among two of these
    outputs, classes = found[0].outputs, found[0].y
    for part, sides in fits:  # one of the folds knew nothing of the samples that compare decodings
        new = ~(X[:, None, 0] == part[None, :, 0]).any(axis=1)
        if np.array_equal(y[new], classes):
            again = fit(Ridge(), part, sides).predict(X[new])
            if np.allclose(again, outputs, atol=1e-9):
                break
    else:
        raise AssertionError("no fold gave these outputs")


def test_two_folds_of_the_user_are_too_few_for_a_rehearsal():
    y = np.tile(np.arange(70), 4)
    X = np.random.default_rng(0).normal(size=(70, 8))[y] + 0.1 * np.random.default_rng(1).normal(size=(280, 8))
    halves = [(np.arange(140), np.arange(140, 280)), (np.arange(140, 280), np.arange(140))]
    model = ECOCClassifier(Ridge(), coding=DenseRandom(n_columns=14), cv=halves, random_state=0).fit(X, y)
    assert model.decoding_trials_ is not None
    assert model.score(X, y) > 0.9


def test_few_scores_of_a_rehearsal_are_held_at_once(monkeypatch):
    rng = np.random.default_rng(0)
    y, groups = np.arange(480) // 6, np.arange(480) % 5
    X = rng.normal(size=(80, 12))[y] + 0.3 * rng.normal(size=(480, 12))
    found = []
    few = Rule(lambda p: True, "always", Judging(3, 3.0, most_scores=800), "")
    monkeypatch.setattr("ecoc.policy.plan.JUDGING", Rules([few]))
    monkeypatch.setattr(choice, "_rehearsed", lambda *parts: found.append(parts[-1]) or rehearsed(*parts))
    model = ECOCClassifier(Ridge(), coding=DenseRandom(n_columns=12), decoding="discriminant", random_state=0)
    model.fit(X, y, groups=groups)
    assert len(found[0].y) * 80 <= 800
    assert model.predict_proba(X).shape == (480, 80)
