"""Does protection buy what it says, and nothing where nothing can be bought?"""

import warnings
from itertools import combinations

import numpy as np
import pytest
from sklearn.datasets import load_digits, make_blobs
from sklearn.ensemble import BaggingClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import ecoc
from ecoc import ECF, ECOCClassifier
from ecoc.codes.coding.protection import protected_pairs, with_pair_columns

X, Y = load_digits(return_X_y=True)


def confusions(model, a, b):
    predicted = model.predict(X[1::2])
    truth = Y[1::2]
    return int((((truth == a) & (predicted == b)) | ((truth == b) & (predicted == a))).sum())


def fitted(estimator, protect, **options):
    coding = ECF(n_columns=5, protect=protect, alphabet="binary")
    return ECOCClassifier(estimator, coding=coding, random_state=0, **options).fit(X[::2], Y[::2])


def test_a_column_of_its_own_protects_a_pair():
    tree = DecisionTreeClassifier(max_depth=12, random_state=0)
    plain = fitted(tree, None)
    assert plain.protection_ is None
    a, b = max(combinations(range(10), 2), key=lambda pair: confusions(plain, *pair))
    protected = fitted(tree, [(a, b)])
    assert protected.n_columns_ == plain.n_columns_ + 1
    assert np.flatnonzero(protected.code_book_.matrix[:, -1]).tolist() == [a, b]
    bought = protected.protection_
    assert bought.is_kept
    assert bought.pairs[0].after < bought.pairs[0].before
    assert confusions(protected, a, b) < confusions(plain, a, b)
    assert f"{a} and {b}: {bought.pairs[0].before} → {bought.pairs[0].after} confusions" in str(bought)


def test_nothing_is_sold_that_brings_nothing():
    with pytest.warns(UserWarning, match="protect does not help here") as told:
        model = fitted(SVC(C=10, gamma=0.001), [(0, 1)])
    assert model.n_columns_ == 5
    assert not model.protection_.is_kept
    message = str(told[0].message)
    assert "costs={(0, 1): 5, (1, 0): 5}" in message
    assert "reject_cost" in message


def test_a_pair_that_has_its_column_needs_no_other():
    coding = ECF(n_columns=3.0, protect=[(1, 8)], alphabet="ternary")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = ECOCClassifier(RidgeClassifier(), coding=coding, random_state=0).fit(X, Y)
    assert model.n_columns_ == 30
    assert model.protection_.is_kept
    assert "with a column of its own" in str(model.protection_)
    assert model.protection_.accuracy_before == model.protection_.accuracy_after


def test_any_decoding_can_be_protected():
    for decoding in ("hamming", "linear", "discriminant"):
        model = fitted(RidgeClassifier(), [(1, 8)], decoding=decoding, probability=False)
        assert model.protection_.pairs[0].pair == (1, 8)


def test_classes_and_pairs_by_label():
    labels = ["cat", "cow", "dog"]
    assert protected_pairs(["cat", ("dog", "cow")], labels) == [(0, 1), (0, 2), (1, 2)]
    assert protected_pairs({("dog", "cow"): None}, labels) == [(1, 2)]
    assert protected_pairs(None, labels) == []
    with pytest.raises(ValueError, match="'cta', which is no class; the most similar are 'cat'"):
        protected_pairs([("cta", "dog")], labels)
    with pytest.raises(ValueError, match="pairs of them"):
        protected_pairs([("cat", "cat")], labels)
    code = np.array([[1, 0], [-1, 1], [0, -1]], dtype=np.int8)
    assert with_pair_columns(code, [(0, 1), (0, 2)]).shape == (3, 3)


def test_a_code_without_data_is_protected_too():
    book = ECF("equidistant", n_columns=4, protect=[(0, 1)]).build(5, random_state=0)
    assert book.n_columns == 5
    assert book.matrix[:, -1].tolist() == [1, -1, 0, 0, 0]


def test_a_model_that_loses_a_protected_class_is_not_recommended():
    blobs, y = make_blobs(90, centers=3, random_state=0)
    names = np.array(["a", "b", "c"])[y]
    found = ecoc.compare(blobs, names, "ridge", protect=[("a", "b")], codings=["ecf"], columns=[3], random_state=0)
    assert found.lost_classes(found.recommended) == []
    protecting = found.with_protection
    lost = protecting.predicted.copy()
    lost[lost == "a"] = "c"
    object.__setattr__(protecting, "predicted", lost)
    assert found.lost_classes(protecting) == ["a"]


@pytest.mark.parametrize("estimator", [LogisticRegression(), SVC(), GaussianNB(), BaggingClassifier(random_state=0)])
def test_protection_is_added_to_the_default(estimator):
    """``ECF(protect=…)`` replaced the default coding, and cost logistic regression three points."""
    few, y = X[:500], Y[:500]
    usual = ECOCClassifier(estimator, random_state=0).fit(few, y)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model = ECOCClassifier(estimator, coding=ECF(protect=[(3, 8)]), random_state=0).fit(few, y)
    report = model.protection_
    told = [str(each.message) for each in told if "protect" in str(each.message)]
    assert told == ([] if report.is_kept else [f"protect does not help here.\n{report}"])
    assert "3 and 8: " in str(report)
    assert " → " in str(report).splitlines()[0]
    if report.is_kept:
        assert report.accuracy_after >= report.accuracy_before - report.accuracy_error
        assert report.pairs[0].after <= report.pairs[0].before
    else:
        assert np.mean(model.predict(X[500:]) == usual.predict(X[500:])) > 0.99  # outputs differ by tolerances
    assert model.n_columns_ - usual.n_columns_ == report.is_kept * report.pairs[0].n_columns
