"""ECF: the design it factorizes, the length it chooses, and what an expert can ask of it."""

import numpy as np
import pandas as pd
import pytest

from ecoc.codebook import CodeBook
from ecoc.coding import ECF
from ecoc.design import allocate, class_distances, code_length, nearest_correlation
from ecoc.exceptions import CodeBookError, InfeasibleError
from ecoc.factorization import factorize

RNG = np.random.default_rng(0)
K = 8
NAMES = np.array(["ant", "bee", "cat", "dog", "eel", "fox", "gnu", "hen"])
INDEX = np.arange(160) % K
X = 3 * RNG.normal(size=(K, 5))[INDEX] + RNG.normal(size=(160, 5))
Y = NAMES[INDEX]


@pytest.mark.parametrize("allocation", ["balanced", "hard", "easy", 0.3])
def test_steps_are_those_of_the_functions(allocation):
    coding = ECF(allocation, effort=0.1)
    book = coding.build(K, X, Y, random_state=3)
    D = nearest_correlation(allocate(class_distances(X, Y), allocation))
    result = factorize(D, code_length(D), random_state=3, effort=0.1)
    np.testing.assert_array_equal(coding.distances_, class_distances(X, Y))
    np.testing.assert_array_equal(coding.design_, D)
    assert coding.factorization_.verify()
    assert book == CodeBook(result.code, NAMES)


@pytest.mark.parametrize(("n_columns", "expected"), [(5, 5), (0.5, 4), (0.01, 3), (2.0, 16)])
def test_lengths(n_columns, expected):
    assert ECF(n_columns=n_columns, effort=0.01).build(K, X, Y).n_columns == expected


def test_rank_is_raised_to_what_the_distance_needs():
    coding = ECF(min_distance=9, effort=0.01)
    book = coding.build(K, X, Y, random_state=0)
    assert book.min_distance >= 9
    assert book.n_columns >= code_length(coding.design_, 9) > code_length(coding.design_)


def test_share_is_raised_to_what_the_distance_needs():
    assert ECF(min_distance=3, n_columns=0.1, effort=0.01).build(K, X, Y, random_state=0).min_distance >= 3


def test_a_number_of_columns_is_a_demand():
    with pytest.raises(InfeasibleError, match="There is no code book of 8 codewords of length 4"):
        ECF(min_distance=3, n_columns=4).build(K, X, Y)


def test_distances_by_label():
    book = ECF(min_distance={("bee", "hen"): 4, "cat": 2}, effort=0.01).build(K, X, Y, random_state=0)
    assert book.distances()[1, 7] >= 4
    assert np.delete(book.distances()[2], 2).min() >= 2
    with pytest.raises(ValueError, match="names 'cow', which is no class"):
        ECF(min_distance={"cow": 2}).build(K, X, Y)


def test_wishes_by_label():
    near = ECF(wishes={("ant", "fox"): "alike"}, n_columns=8).build(K, X, Y, random_state=0)
    far = ECF(wishes={("ant", "fox"): "apart"}, n_columns=8).build(K, X, Y, random_state=0)
    assert near.distances()[0, 5] < far.distances()[0, 5]


def test_design_of_ones_own_needs_no_data():
    D = 0.5 * np.eye(5) + 0.5
    coding = ECF(design=D, n_columns=6, effort=0.01)
    assert not coding.needs_data
    assert coding.build(5, random_state=0).shape == (5, 6)
    assert coding.distances_ is None
    np.testing.assert_array_equal(coding.design_, D)


def test_design_is_projected_and_wishes_go_into_it():
    D = np.where(np.eye(4) == 1, 1.0, -1.0)
    coding = ECF(design=D, effort=0.01)
    coding.build(4, random_state=0)
    np.testing.assert_allclose(coding.design_, nearest_correlation(D))
    coding = ECF(design=np.eye(4), wishes={(0, 3): -0.5}, n_columns=4, effort=0.01)
    coding.build(4, random_state=0)
    assert coding.design_[0, 3] == -0.5


def test_labelled_design_is_put_in_the_order_of_the_classes():
    order = [3, 1, 7, 0, 2, 6, 5, 4]
    D = nearest_correlation(allocate(class_distances(X, Y)))
    frame = pd.DataFrame(D, NAMES, NAMES).iloc[order, order]
    coding = ECF(design=frame, effort=0.01)
    coding.build(K, X, Y, random_state=0)
    np.testing.assert_allclose(coding.design_, D)
    with pytest.raises(ValueError, match="design must name the classes of y; it lacks 'ant' and has 'auk' besides"):
        ECF(design=frame.rename(index={"ant": "auk"}, columns={"ant": "auk"})).build(K, X, Y)


def test_equidistant_needs_no_data():
    for coding in (ECF("equidistant", n_columns=8), ECF(0, n_columns=8), ECF(0.0, n_columns=8)):
        assert not coding.needs_data
        coding.build(8, random_state=0)
        np.testing.assert_array_equal(coding.design_, np.eye(8))
    assert ECF(0.1).needs_data


def test_callables():
    coding = ECF(lambda distances: np.exp(-distances), metric=lambda X, y: class_distances(X, y, "cosine"), effort=0.01)
    coding.build(K, X, Y, random_state=0)
    expected = nearest_correlation(np.exp(-class_distances(X, Y, "cosine")))
    np.testing.assert_allclose(coding.design_, expected, atol=1e-12)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"allocation": "harsh"}, "allocation must be 'hard', 'easy'"),
        ({"metric": "manhattan"}, "metric must be 'mahalanobis'"),
        ({"n_columns": "auto"}, "'n_columns' parameter of ECF must be"),
        ({"method": "best"}, "'method' parameter of ECF must be"),
        ({"effort": 0}, "'effort' parameter of ECF must be"),
        ({"design": np.eye(3)}, r"design must be of shape \(8, 8\), a row a class; got \(3, 3\)"),
        ({"design": 2 - np.eye(8)}, r"design must lie in \[-1, 1\].* is 2"),
        ({"wishes": {("ant", "cow"): "apart"}}, "wishes names 'cow', which is no class"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        ECF(**parameters).build(K, X, Y)


def test_a_length_of_our_own_choice_is_chosen_again_if_there_is_no_code(monkeypatch):
    tried = []

    def reluctant(D, n_columns, **options):
        tried.append(int(n_columns))
        if len(tried) < 3:
            raise InfeasibleError("none found", bound="search", nearest_length=n_columns + 2)
        return factorize(D, n_columns, **options)

    monkeypatch.setattr("ecoc.factorization.factorize", reluctant)
    assert ECF("equidistant", effort=0.01).build(6, random_state=0).n_columns == tried[0] + 4
    assert tried == [6, 8, 10]


def test_codes_of_the_paper_can_fail_and_it_is_said(monkeypatch):
    def careless(D, n_columns, **options):
        result = factorize(D, n_columns, **options)
        object.__setattr__(
            result, "code", np.where(np.arange(len(D))[:, None] < 1, 1, -np.ones((1, n_columns), np.int8))
        )
        return result

    monkeypatch.setattr("ecoc.factorization.factorize", careless)
    with pytest.raises(CodeBookError, match=r"equal codewords.*method='paper' can fail so; method='auto' does not"):
        ECF(method="paper").build(K, X, Y, random_state=0)


def test_the_papers_method_is_passed_on():
    coding = ECF(method="paper", n_columns=12)
    coding.build(K, X, Y, random_state=0)
    assert coding.factorization_.method == "paper"
