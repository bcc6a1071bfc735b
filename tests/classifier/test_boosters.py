"""The default decoding of boosters: where a rule knows it, nothing is held out."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits, make_blobs
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from ecoc import ECF, ECOCClassifier, OneVsAll, TrainingCache
from ecoc.decoding import Centroid, LossBased

X, y = load_digits(return_X_y=True)
X, y = X[:600], y[:600]
BOOSTER = HistGradientBoostingClassifier(max_iter=3, early_stopping=False)
FITS = []


class Counted(HistGradientBoostingClassifier):
    """A booster that counts its trainings; the name is that of a booster."""

    def fit(self, *args, **kwargs):
        FITS.append(1)
        return super().fit(*args, **kwargs)


Counted.__name__ = "HistGradientBoostingClassifier"


def many(k=60, each=20):
    return make_blobs(k * each, 6, centers=k, cluster_std=1.0, random_state=0)


@pytest.mark.parametrize("wrap", [lambda model: model, lambda model: make_pipeline(StandardScaler(), model)])
def test_one_vs_all_is_decoded_by_codewords_and_holds_nothing_out(wrap):
    FITS.clear()
    model = ECOCClassifier(wrap(Counted(max_iter=3, early_stopping=False)), coding="ova", random_state=0).fit(X, y)
    assert isinstance(model.decoding_, LossBased)
    assert model.decoding_.loss == "linear"
    assert len(FITS) == 10
    np.testing.assert_allclose(model.predict_proba(X[:5]).sum(axis=1), 1)  # holds out now


def test_many_classes_are_decoded_by_class_means():
    X, y = many()
    model = ECOCClassifier(BOOSTER, coding=ECF(n_columns=12), random_state=0).fit(X, y)
    assert isinstance(model.decoding_, Centroid)
    outputs = model.outputs(X)
    means = np.array([outputs[y == c].mean(axis=0) for c in model.classes_])
    np.testing.assert_allclose(model.decoding_.means_, means, atol=1e-9)
    np.testing.assert_array_equal(model.predict(X), ((outputs[:, None] - means) ** 2).sum(axis=2).argmin(axis=1))
    by_codewords = clone(model).set_params(decoding="linear").fit(X, y)
    assert model.score(X, y) > by_codewords.score(X, y)
    assert model.predict_proba(X[:5]).argmax(axis=1).tolist() == model.predict(X[:5]).tolist()


@pytest.mark.parametrize("options", [{"cv": 3}, {"coding": ECF(n_columns=5)}, {"coding": "ovo"}])
def test_elsewhere_held_out_outputs_choose(options):
    model = ECOCClassifier(BOOSTER, random_state=0).set_params(**{"coding": OneVsAll(), **options}).fit(X, y)
    assert model.decoding_trials_ is not None


def test_a_design_for_other_learners_is_not_taken_from_the_cache():
    X, y = many(70, 4)
    cache, coding = TrainingCache(), ECF(n_columns=30)
    found = {}
    for name, learner in {"svc": SVC(), "tree": DecisionTreeClassifier(), "booster": BOOSTER}.items():
        model = ECOCClassifier(learner, coding=coding, decoding="linear", probability=False, random_state=0)
        found[name] = clone(model).set_params(warm_start=cache).fit(X, y).code_book_.matrix
        np.testing.assert_array_equal(found[name], model.fit(X, y).code_book_.matrix)
    assert np.any(found["svc"] != found["booster"])


class Watched(HistGradientBoostingClassifier):
    """A booster that notes the number of samples and bins of its trainings."""

    def fit(self, X, y, sample_weight=None, *, X_val=None, **others):
        FITS.append((len(X), self.max_bins))
        others = others if X_val is None else {"X_val": X_val, **others}
        return super().fit(X, y, sample_weight=sample_weight, **others)


Watched.__name__ = "HistGradientBoostingClassifier"
Watched.__module__ = HistGradientBoostingClassifier.__module__


@pytest.mark.parametrize("stops", [False, True])
def test_probabilities_train_no_column_again(stops):
    """A part of the samples with coarse bins calibrates; with early stopping, the part that stopped it."""
    X, y = many()
    booster = Watched(max_iter=3, early_stopping=stops)
    in_fit, later = (
        ECOCClassifier(booster, coding=ECF(n_columns=12), probability=when, random_state=0).fit(X, y)
        for when in (True, "auto")
    )
    FITS.clear()
    np.testing.assert_array_equal(in_fit.predict_proba(X), in_fit.predict_proba(X))
    assert not FITS
    np.testing.assert_array_equal(in_fit.predict_proba(X), later.predict_proba(X))
    assert [n for n, _ in FITS] == ([] if stops else [600] * 12)
    assert {bins for _, bins in FITS} <= {64}
    assert in_fit.temperature_ == later.temperature_
    assert later.truncate(10).predict_proba(X).shape == (len(X), 60)
