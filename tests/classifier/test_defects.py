"""What the fitted state, the folds and the choice of a decoding must keep; each of these once failed."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris, make_blobs
from sklearn.linear_model import RidgeClassifier, SGDClassifier
from sklearn.model_selection import GroupKFold, GroupShuffleSplit
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import ecoc
from ecoc import ECF, ECOCClassifier
from ecoc.codes.coding import Context
from ecoc.codes.refinement import selection
from ecoc.decoding.choice import choose_decoding
from ecoc.decoding.evidence import Evidence

DIGITS = tuple(part[:600] for part in load_digits(return_X_y=True))


@pytest.mark.parametrize("parameters", [{"n_columns": "auto"}, {"allocation": "auto", "n_columns": 5}], ids=str)
@pytest.mark.parametrize("cv", ["pairs", GroupShuffleSplit(3, random_state=0)], ids=["pairs", "splitter"])
def test_length_and_allocation_are_chosen_by_the_folds_that_the_user_gave(monkeypatch, parameters, cv):
    X, y = (part[:200] for part in DIGITS)
    groups = np.repeat(np.arange(50), 4)
    pairs = list(GroupKFold(4).split(X, y, groups)) if cv == "pairs" else None
    if pairs is None:
        cv.split = lambda X, y=None, groups=None: iter(GroupKFold(4).split(X, y, np.repeat(np.arange(50), 4)))
    seen = []
    fit = selection.LinearDiscriminantAnalysis.fit

    def watched(self, outputs, labels):
        seen.append(len(labels))
        return fit(self, outputs, labels)

    monkeypatch.setattr(selection.LinearDiscriminantAnalysis, "fit", watched)
    coding = ECF(effort=0.01, **parameters)
    ECOCClassifier(RidgeClassifier(), coding=coding, cv=pairs or cv, random_state=0).fit(X, y)
    sizes = {200 - len(test) for _, test in GroupKFold(4).split(X, y, groups)}
    assert seen
    assert set(seen) <= sizes  # five random folds of 40 would leave 160


def test_leaking_groups_do_not_pass_for_accuracy():
    """Ten copies of each sample and random labels: only folds that split the copies find something to learn."""
    rng = np.random.default_rng(0)
    X, y = np.repeat(rng.normal(size=(60, 5)), 10, axis=0), np.repeat(rng.integers(5, size=60), 10)
    X += 0.01 * rng.normal(size=X.shape)
    pairs = list(GroupKFold(5).split(X, y, np.repeat(np.arange(60), 10)))
    coding = ECF(n_columns="auto", effort=0.01)
    coding.build(5, X, y, context=Context(0, False, pairs, SVC()))
    assert max(coding.trials_["accuracy"]) < 0.5
    coding.build(5, X, y, 0)
    assert max(coding.trials_["accuracy"]) > 0.8


def test_a_design_by_confusion_has_the_folds_that_the_user_gave():
    X, y = DIGITS
    pairs = list(GroupKFold(3).split(X, y, np.arange(len(y)) // 10))
    coding = ECF(metric="confusion", n_columns=6, effort=0.01)
    coding.build(10, X, y, context=Context(0, True, pairs, RidgeClassifier()))
    np.testing.assert_array_equal(coding.distances_, ecoc.class_distances(X, y, "confusion", cv=pairs))


def test_folds_of_a_class_without_weight():
    X, y = DIGITS
    weight = (y != 3).astype(float)
    pairs = list(GroupKFold(3).split(X, y, np.arange(len(y)) // 10))
    model = ECOCClassifier(RidgeClassifier(), coding=ECF(n_columns=6, effort=0.01), cv=pairs, random_state=0)
    assert model.fit(X, y, sample_weight=weight).n_columns_ == 6


@pytest.mark.parametrize("pairs", [[([0, 1], [600])], [([0], [1], [2])], [([0.5], [1])], [([0], [-1])], []], ids=str)
def test_impossible_folds_are_named(pairs):
    with pytest.raises(ValueError, match=r"cv\[0\] must be a pair of arrays.*600 samples|cv has no folds"):
        ECOCClassifier(RidgeClassifier(), cv=pairs).fit(*DIGITS)


def _sizes(model, tmp_path):
    ecoc.save(model, tmp_path / "model.skops")
    return (
        (tmp_path / "model.skops").stat().st_size,
        len(pickle.dumps(model)),
        ecoc.utils.persistence.saving.saved_size(model),
    )


def test_files_hold_no_training_outputs_unless_asked_for(tmp_path):
    pytest.importorskip("skops")
    X, y = load_digits(return_X_y=True)
    plain, keeping = (
        ECOCClassifier(RidgeClassifier(), coding="ecf", keep_outputs=keep, random_state=0).fit(X, y)
        for keep in (False, True)
    )
    for small, large in zip(_sizes(plain, tmp_path), _sizes(keeping, tmp_path)):
        assert small < 100_000 < 150_000 < large
    assert plain.truncate(6).n_columns_ == 6  # the fitted object itself has them
    for copy in (pickle.loads(pickle.dumps(plain)), ecoc.load(tmp_path / "model.skops")):
        np.testing.assert_array_equal(copy.predict_proba(X), plain.predict_proba(X))
    restored = ecoc.load(tmp_path / "model.skops")  # the one that keeps
    np.testing.assert_array_equal(restored.truncate(6).predict(X), keeping.truncate(6).predict(X))
    with pytest.raises(ValueError, match=r"this copy of the classifier has none.*keep_outputs=True"):
        pickle.loads(pickle.dumps(plain)).truncate(6)
    codewords = ECOCClassifier(RidgeClassifier(), coding="ecf", decoding="hamming", random_state=0).fit(X, y)
    cut = pickle.loads(pickle.dumps(codewords)).truncate(7)  # nothing is learned, so nothing is missing
    np.testing.assert_array_equal(cut.predict(X), codewords.truncate(7).predict(X))


def test_a_copied_stream_goes_on_with_the_decision_it_has():
    X, y = load_iris(return_X_y=True)
    model = ECOCClassifier(SGDClassifier(random_state=0), coding="ova", random_state=0)
    model.partial_fit(X, y, classes=[0, 1, 2])
    copy = pickle.loads(pickle.dumps(model))
    assert copy.partial_fit(X, y).temperature_ == model.temperature_
    model.set_params(keep_outputs=True)
    kept = pickle.loads(pickle.dumps(model.fit(X, y)))
    assert kept.partial_fit(X, y).score(X, y) > 0.6


def test_the_first_columns_must_separate_and_not_only_differ():
    X, y = load_iris(return_X_y=True)
    model = ECOCClassifier(SVC(), coding="ovo", random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="of this code's 3 columns, the first 3 are needed"):
        model.truncate(2)
    assert model.truncate(3).n_columns_ == 3


def test_report_is_a_function():
    import ecoc.inspection.reporting

    assert ecoc.report is ecoc.inspection.reporting.report
    assert callable(ecoc.report)
    assert not hasattr(ecoc.report, "__path__")


def test_auto_decoding_chooses_the_better_one():
    """Codewords decide better where classes have few samples; a learned decoding where outputs belie the codewords."""
    X, y = make_blobs(300, 20, centers=50, cluster_std=6, random_state=0)
    few = ECOCClassifier(DecisionTreeClassifier(), coding=ECF(n_columns=0.5, effort=0.05), random_state=0).fit(X, y)
    assert few.decoding_trials_["decoding"] == ["linear", "discriminant", "structured"]
    assert type(few.decoding_).__name__ != "Discriminant"
    X, y = DIGITS
    many = ECOCClassifier(RidgeClassifier(), coding=ECF(n_columns=5, effort=0.05), random_state=0).fit(X, y)
    assert type(many.decoding_).__name__ == "Discriminant"


def test_the_simpler_decoding_has_the_benefit_of_the_doubt():
    rng = np.random.default_rng(0)
    codebook = ecoc.CodeBook([[1, -1, -1], [-1, 1, -1], [-1, -1, 1]])
    y = np.repeat([0, 1, 2], 40)
    outputs = codebook.matrix[y] + 0.8 * rng.normal(size=(120, 3))
    assert type(choose_decoding(codebook, Evidence(outputs, outputs, y), 0).decoding).__name__ == "LossBased"
    shifted = outputs @ np.array([[1, 0.9, 0], [0, 1, 0.9], [0, 0, 1]])  # outputs that belie the codewords
    choice = choose_decoding(codebook, Evidence(shifted, shifted, y), 0)
    assert type(choice.decoding).__name__ == "Discriminant"
    assert choice.trials["accuracy"][1] > choice.trials["accuracy"][0]
