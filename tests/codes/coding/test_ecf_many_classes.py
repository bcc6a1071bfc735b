"""Codes for more classes than a matrix of all pairs is made for: the same promises, from a factor of the design."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.linear_model import Ridge

from ecoc import ECF as AnyECF
from ecoc import DenseRandom, ECOCClassifier
from ecoc.codes.coding.ecf import Limits
from ecoc.codes.design import class_directions, class_distances
from ecoc.codes.design.distances import mixed_factor
from ecoc.testing import check_coding


class ECF(AnyECF):
    """As if 20 classes were very many."""

    _limits = Limits(paired=20, most_paired=20, few=20)


class Paired(AnyECF):
    """As if 20 classes were many, but not too many for a matrix of their pairs."""

    _limits = Limits(paired=20)


def blobs(k, n=6, d=8, seed=0):
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(k, d))
    y = np.repeat(np.arange(k), n)
    return centres[y] + 0.2 * rng.normal(size=(n * k, d)), y


@pytest.mark.parametrize("allocation", ["balanced", "easy", "equidistant", -0.3])
def test_is_a_coding(allocation):
    check_coding(ECF(allocation, effort=0.05), ks=(19, 21, 30))


def test_classes_that_lie_the_same_way_have_like_codewords():
    X, y = blobs(60)
    cosines = class_directions(X, y) @ class_directions(X, y).T
    pairs = np.triu_indices(60, 1)
    agreement = {}
    codings = {"easy": ECF("easy", 24), "balanced": ECF(n_columns=24, refine=False), "random": DenseRandom(24)}
    for name, coding in codings.items():
        x = coding.build(60, X, y, random_state=0).matrix.astype(float)
        agreement[name] = np.corrcoef((x @ x.T)[pairs], cosines[pairs])[0, 1]
    assert agreement["easy"] > 0.9
    assert agreement["balanced"] > 0.6
    assert abs(agreement["random"]) < 0.2


def test_what_it_keeps_and_tells():
    X, y = blobs(60)
    coding = ECF(min_distance=3)
    book = coding.build(60, X, y, random_state=0)
    assert book.min_distance >= 3
    assert book.n_columns == 6 * 6  # more than the eight features
    assert coding.design_ is None
    assert coding.distances_ is None
    np.testing.assert_allclose(np.linalg.norm(coding.factor_, axis=1), 1)
    assert coding.factorization_.verify()
    assert ECF(max_columns=12).build(60, X, y, random_state=0).n_columns == 12
    assert ECF(n_columns=0.5).build(60, X, y, random_state=0).n_columns == 30


def test_codes_from_a_factor_are_refined():
    X, y = blobs(60)
    coding = ECF(n_columns=12)
    book = coding.build(60, X, y, random_state=0)
    assert coding.is_refined_
    assert coding.factor_ is not None
    assert book.min_distance >= 1
    assert not np.array_equal(book.matrix, coding.factorization_.code)


def test_auto_length_from_a_factor():
    X, y = blobs(30)
    coding = ECF(n_columns="auto")
    book = coding.build(30, X, y, random_state=0)
    assert max(coding.trials_["n_columns"]) == 29
    assert 5 <= book.n_columns < 25


def test_a_factor_does_unless_a_parameter_needs_all_pairs():
    X, y = blobs(30)
    for coding, is_paired in ((Paired(n_columns=10), False), (Paired("hard", n_columns=10), True)):
        coding.build(30, X, y, random_state=0)
        assert (coding.design_ is not None) == is_paired


def test_usual_length_beyond_64_classes():
    X, y = blobs(80)
    assert AnyECF(effort=0.01).build(80, X, y, random_state=0).n_columns == 42  # six for each of seven bits
    assert AnyECF(n_columns="rank", effort=0.01).build(80, X, y, random_state=0).n_columns > 42


def test_sparse_samples_give_the_code_of_dense_ones():
    X, y = blobs(30)
    dense, sparse = (ECF(n_columns=16).build(30, data, y, random_state=0) for data in (X, csr_array(X)))
    assert dense == sparse


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("allocation", "hard"),
        ("allocation", "auto"),
        ("design", np.eye(30)),
        ("wishes", {(0, 1): "apart"}),
        ("min_distance", {(0, 1): 3}),
        ("metric", "confusion"),
        ("method", "paper"),
    ],
)
def test_what_needs_a_matrix_of_all_pairs_is_refused(name, value):
    X, y = blobs(30)
    with pytest.raises(ValueError, match=rf"more than 20 classes has no matrix of all their pairs, which {name}="):
        ECF(**{name: value}).build(30, X, y)


def test_two_thousand_and_one_classes():
    X, y = blobs(2001, n=2, d=24)
    model = ECOCClassifier(Ridge(), coding=ECF(n_columns=20, effort=0.1), random_state=0).fit(X, y)
    assert model.code_book_.shape == (2001, 20)
    assert model.design_ is None
    assert model.score(X, y) > 0.95


def test_directions_are_those_of_mahalanobis_distances():
    """Classes at the corners of a regular simplex: all as far apart, and at the same angles."""
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(4), 2000)
    X = (6 * np.eye(4)[y] + rng.normal(size=(8000, 4))) @ rng.normal(size=(4, 4))
    distances = class_distances(X, y)[np.triu_indices(4, 1)]
    np.testing.assert_allclose(distances, distances.mean(), rtol=0.02)
    F = class_directions(X, y)
    np.testing.assert_allclose(F @ F.T, (4 * np.eye(4) - 1) / 3, atol=0.03)


def test_a_class_in_the_middle_has_a_direction_too():
    X, y = np.array([[-1.0, 0], [1, 0], [0, -1], [0, 1], [0, 0]]), np.arange(5)
    np.testing.assert_allclose(np.linalg.norm(class_directions(X, y), axis=1), 1)


def test_a_share_of_one_is_the_directions_alone():
    F = np.eye(3)
    np.testing.assert_array_equal(mixed_factor(F, 1.0, 5, np.random.default_rng(0)), F)
    mixed = mixed_factor(F, 0.0, 2000, np.random.default_rng(0))
    np.testing.assert_allclose(mixed @ mixed.T, np.eye(3), atol=0.1)
