"""A classifier that is cut to its first columns is one that was made of them."""

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestRegressor
from sklearn.exceptions import NotFittedError
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LogisticRegression, Ridge, SGDClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from ecoc import ECF, ECOCClassifier
from ecoc.classifier.decision import Decision

X, Y = load_digits(return_X_y=True)
X, Y = X[:500] / 16, Y[:500]
CODE = ECF(n_columns=8, effort=0.05).build(10, X, Y, random_state=0).matrix


@pytest.mark.parametrize(
    "estimator",
    [
        LogisticRegression(),
        DecisionTreeClassifier(),
        SVC(),
        SVC(kernel="linear"),
        Ridge(),
        Ridge(fit_intercept=False),
        KernelRidge(kernel="rbf"),
        RandomForestRegressor(5),
    ],
    ids=str,
)
@pytest.mark.parametrize("decoding", ["discriminant", "loss_weighted", "hamming"])
def test_equals_a_classifier_of_these_columns(estimator, decoding):
    options = {"decoding": decoding, "random_state": 0}
    long = ECOCClassifier(estimator, coding=CODE, **options).fit(X, Y)
    before = long.predict_proba(X)
    cut = long.truncate(5)
    assert cut.n_columns_ == 5
    assert len(cut.estimators_) == 5
    if not isinstance(estimator, RandomForestRegressor):  # all targets grow one forest
        short = ECOCClassifier(estimator, coding=CODE[:, :5], **options).fit(X, Y)
        np.testing.assert_allclose(cut.predict_proba(X), short.predict_proba(X), atol=1e-8)
        assert getattr(cut, "n_support_", None) == getattr(short, "n_support_", None)
    np.testing.assert_array_equal(long.predict_proba(X), before)
    np.testing.assert_allclose(cut.truncate(5).predict_proba(X), cut.predict_proba(X), atol=1e-12)


def test_which_lengths_are_possible():
    model = ECOCClassifier(Ridge(), coding=CODE).fit(X, Y)
    least = next(m for m in range(1, 9) if len(np.unique(CODE[:, :m], axis=0)) == 10)
    for n_columns in (least - 1, 9, 100):
        with pytest.raises(ValueError, match=f"of this code's 8 columns, the first {least} are needed"):
            model.truncate(n_columns)
    for n_columns in (0, -1, 2.5, "5", True):
        with pytest.raises(ValueError, match="n_columns must be a positive integer"):
            model.truncate(n_columns)
    with pytest.raises(NotFittedError):
        ECOCClassifier(Ridge()).truncate(3)
    with pytest.raises(ValueError, match="the first 9 are needed"):  # of one-vs-all only the last can go
        ECOCClassifier(Ridge(), coding="ova").fit(X, Y).truncate(5)
    assert ECOCClassifier(Ridge(), coding="ova").fit(X, Y).truncate(9).n_columns_ == 9


def test_of_many_samples_some_outputs_are_kept(monkeypatch):
    monkeypatch.setattr(Decision, "most_outputs", 1000)
    model = ECOCClassifier(Ridge(), coding=CODE).fit(X, Y)
    assert model.fitted_.decision.evidence.outputs.shape == (100, 8)
    assert model.truncate(6).score(X, Y) > 0.7


def test_a_stream_can_be_cut_too():
    model = ECOCClassifier(SGDClassifier(random_state=0), coding=CODE, random_state=0)
    model.partial_fit(X[:250], Y[:250], classes=np.arange(10)).partial_fit(X[250:], Y[250:])
    cut = model.truncate(6)
    assert cut.score(X, Y) > 0.5
    cut.partial_fit(X, Y)
    assert cut.n_columns_ == 6


def test_a_cut_classifier_is_saved(tmp_path):
    pytest.importorskip("skops")
    import ecoc

    model = ECOCClassifier(SVC(), coding=CODE, keep_outputs=True, random_state=0).fit(X, Y).truncate(5)
    ecoc.save(model, tmp_path / "cut.skops")
    np.testing.assert_array_equal(
        ecoc.load(tmp_path / "cut.skops").truncate(4).predict(X), model.truncate(4).predict(X)
    )


def test_samples_that_belong_together_are_held_out_together():
    from sklearn.model_selection import GroupKFold

    groups = np.arange(500) // 10
    pairs = list(GroupKFold(3).split(X, Y, groups))
    by_pairs = ECOCClassifier(LogisticRegression(), coding=CODE, cv=pairs, random_state=0).fit(X, Y)
    stratified = ECOCClassifier(LogisticRegression(), coding=CODE, random_state=0).fit(X, Y)
    assert np.abs(by_pairs.predict_proba(X) - stratified.predict_proba(X)).max() > 1e-3
    weight = np.ones(500)
    weight[::7] = 0
    kept = weight > 0
    place = np.cumsum(kept) - 1
    among = [tuple(place[rows][kept[rows]] for rows in pair) for pair in pairs]
    weighted = ECOCClassifier(LogisticRegression(), coding=CODE, cv=pairs, random_state=0)
    weighted.fit(X, Y, sample_weight=weight)
    left_out = ECOCClassifier(LogisticRegression(), coding=CODE, cv=among, random_state=0).fit(X[kept], Y[kept])
    np.testing.assert_allclose(weighted.predict_proba(X), left_out.predict_proba(X), atol=1e-6)
