"""Groups of similar classes, and the classes within each group."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.datasets import make_blobs
from sklearn.svm import LinearSVC

from ecoc import ECOCClassifier, Grouped


@given(k=st.integers(4, 40), seed=st.integers(0, 99))
def test_groups_have_equal_sizes_and_their_own_columns(k, seed):
    X = np.random.default_rng(seed).normal(size=(2 * k, 3))
    y = np.arange(2 * k) % k
    coding = Grouped()
    code = coding.build(k, X, y, random_state=seed).matrix
    sizes = np.bincount(coding.groups_)
    assert np.ptp(sizes) <= 1
    assert sizes.min() >= 2
    for column in code.T:
        seen = np.unique(coding.groups_[column != 0])
        assert len(seen) == 1 or (column != 0).all()  # within a group, or about a whole group
    n_groups = len(sizes)
    assert code.shape[1] == (n_groups if n_groups > 2 else 1) + k - np.count_nonzero(sizes == 2)


def test_similar_classes_are_in_one_group():
    centres = np.repeat(10.0 * np.eye(4), 4, axis=0) + np.random.default_rng(0).normal(size=(16, 4))
    X, y = make_blobs(200, centers=centres, cluster_std=0.1, random_state=0)
    coding = Grouped()
    coding.build(16, X, y, random_state=0)
    assert (coding.groups_ == np.arange(16) // 4).all()


def test_sparse_data_give_the_groups_of_dense_data():
    rng = np.random.default_rng(0)
    X = rng.random((300, 40)) * (rng.random((300, 40)) < 0.2)
    y = np.arange(300) % 30
    codes = [Grouped().build(30, data, y, random_state=0).matrix for data in (X, csr_array(X))]
    assert (codes[0] == codes[1]).all()


def test_too_many_groups_are_an_error_that_names_the_most():
    with pytest.raises(ValueError, match="at most 3 groups"):
        Grouped(n_groups=4).build(7, np.eye(7), np.arange(7))


def test_hinge_decoding_of_groups_recognises_classes_of_sparse_data():
    X, y = make_blobs(600, centers=30, n_features=20, cluster_std=0.5, random_state=0)
    X = csr_array(X)
    model = ECOCClassifier(LinearSVC(), coding="grouped", decoding="hinge", random_state=0).fit(X, y)
    assert model.score(X, y) > 0.98


def test_sparse_texts_of_many_classes_get_groups_by_default():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(70), 6)
    words = rng.poisson(0.05, size=(420, 140)) + 2 * (np.arange(140) // 2 == y[:, None])
    model = ECOCClassifier(LinearSVC(), random_state=0).fit(csr_array(words.astype(float)), y)
    assert isinstance(model.coding_, Grouped)
    assert model.decoding_.get_params()["loss"] == "hinge"
    assert model.score(csr_array(words.astype(float)), y) > 0.95
    dense = ECOCClassifier(LinearSVC(), random_state=0).fit(words, y)
    assert not isinstance(dense.coding_, Grouped)
