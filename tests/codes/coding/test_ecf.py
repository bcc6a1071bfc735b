"""ECF: the design it factorizes, the length it chooses, and what an expert can ask of it."""

import numpy as np
import pandas as pd
import pytest

from ecoc.codes.codebook import CodeBook
from ecoc.codes.coding import ECF
from ecoc.codes.coding.coding import Context
from ecoc.codes.design import allocate, class_distances, code_length, nearest_correlation
from ecoc.codes.factorization import factorize
from ecoc.codes.factorization.factorize import factorize_problem
from ecoc.codes.factorization.paper import relax_problem
from ecoc.utils.exceptions import InfeasibleError

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
    with pytest.raises(ValueError, match="names 'cow', which is not a class"):
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
        ({"n_columns": "short"}, "'n_columns' parameter of ECF must be"),
        ({"method": "best"}, "'method' parameter of ECF must be"),
        ({"effort": 0}, "'effort' parameter of ECF must be"),
        ({"design": np.eye(3)}, r"design must have a row for each of 8 classes; got shape \(3, 3\)"),
        ({"design": 2 - np.eye(8)}, r"design must lie in \[-1, 1\].* is 2"),
        ({"wishes": {("ant", "cow"): "apart"}}, "wishes names 'cow', which is not a class"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        ECF(**parameters).build(K, X, Y)


def test_a_length_of_our_own_choice_is_chosen_again_if_there_is_no_code(monkeypatch):
    tried = []

    def reluctant(problem, **options):
        tried.append(int(problem.n_columns))
        if len(tried) < 3:
            raise InfeasibleError("none found", bound="search", nearest_length=problem.n_columns + 2)
        return factorize_problem(problem, **options)

    monkeypatch.setattr("ecoc.codes.coding.ecf.factorize_problem", reluctant)
    assert ECF("equidistant", effort=0.01).build(6, random_state=0).n_columns == tried[0] + 4
    assert tried == [6, 8, 10]


@pytest.mark.parametrize("allocation", ["easy", "hard", "balanced"])
def test_the_papers_method_starts_again_until_a_code_is_valid(allocation):
    """Its rounding gave two classes equal codewords in most runs of easy designs."""
    for seed in range(3):
        coding = ECF(allocation, method="paper")
        assert coding.build(K, X, Y, random_state=seed).min_distance >= 1
        assert coding.factorization_.method == "paper"


def test_codes_of_the_paper_can_fail_and_it_is_said(monkeypatch):
    def careless(problem, **options):
        result = relax_problem(problem, **options)
        first = np.arange(len(problem.design))[:, None] < 1
        object.__setattr__(result, "code", np.where(first, 1, -np.ones((1, problem.n_columns), np.int8)))
        return result

    monkeypatch.setattr("ecoc.codes.coding.ecf.relax_problem", careless)
    for n_columns in (8, None):
        with pytest.raises(InfeasibleError, match="No start of the paper's algorithm gave a valid code"):
            ECF(method="paper", n_columns=n_columns).build(K, X, Y, random_state=0)


def test_the_papers_method_is_passed_on():
    coding = ECF(method="paper", n_columns=12)
    coding.build(K, X, Y, random_state=0)
    assert coding.factorization_.method == "paper"


def rows_differ(code):
    return len(np.unique(code, axis=0)) == len(code)


def test_short_codes_are_fitted_to_the_data():
    coding = ECF(n_columns=4, effort=0.1)
    book = coding.build(K, X, Y, random_state=0)
    assert coding.is_refined_
    assert coding.allocation_ == "balanced"
    assert coding.trials_ is None
    assert rows_differ(book.matrix)
    assert book == ECF(n_columns=4, effort=0.1).build(K, X, Y, random_state=0)


@pytest.mark.parametrize(
    "coding",
    [
        ECF(n_columns=8),
        ECF("hard", n_columns=4),
        ECF("easy", n_columns=4),
        ECF(-0.5, n_columns=4),
        ECF(n_columns=4, refine=False),
        ECF(n_columns=4, wishes={("ant", "bee"): "apart"}),
        ECF(n_columns=4, design=np.eye(K)),
    ],
    ids=str,
)
def test_what_was_asked_for_is_not_touched(coding):
    coding.set_params(effort=0.1)
    book = coding.build(K, X, Y, random_state=0)
    assert not coding.is_refined_
    np.testing.assert_array_equal(book.matrix, coding.factorization_.codebook.matrix)


def test_refinement_keeps_distances():
    coding = ECF(n_columns=7, min_distance=3, refine=True, effort=0.1)
    assert coding.build(K, X, Y, random_state=0).min_distance >= 3
    assert coding.is_refined_


def test_refinement_needs_fewer_columns_than_classes():
    with pytest.raises(ValueError, match="cannot be refined: 7 columns keep all"):
        ECF(n_columns=8, refine=True).build(K, X, Y)


def test_first_columns_of_a_longer_code_are_a_shorter_one():
    long, short = (ECF(n_columns=m, effort=0.1).build(K, X, Y, random_state=0).matrix for m in (7, 5))
    np.testing.assert_array_equal(long[:, :5], short)


def test_auto_allocation_says_what_it_tried():
    coding = ECF("auto", n_columns=4, effort=0.1)
    book = coding.build(K, X, Y, random_state=0)
    table = pd.DataFrame(coding.trials_)
    assert table.columns.tolist() == ["allocation", "n_columns", "accuracy", "standard_error"]
    assert table.allocation.tolist() == [-1, -0.5, 0, 0.5, 1]
    assert coding.allocation_ in table.allocation.tolist()
    assert table.accuracy.max() - table.accuracy[table.allocation == coding.allocation_].item() < 0.05
    assert book == ECF("auto", n_columns=4, effort=0.1).build(K, X, Y, random_state=0)


def test_auto_allocation_leaves_balanced_only_for_something_better():
    from ecoc.codes.refinement.refiner import _best_or_preferred

    def hits(n):
        return np.arange(100) < n

    allocations = (-1.0, -0.5, 0.0)
    assert _best_or_preferred([hits(90), hits(90), hits(10)], allocations, -0.5) == 1
    assert _best_or_preferred([hits(50), hits(50), ~hits(49)], allocations, -0.5) == 1  # 51 others: by chance
    assert _best_or_preferred([hits(50), hits(50), hits(60)], allocations, -0.5) == 2
    assert _best_or_preferred([hits(50), hits(51)], (0.3, 0.4), -0.5) == 1


def test_auto_length_is_the_shortest_that_is_about_as_good():
    coding = ECF(n_columns="auto", effort=0.1)
    book = coding.build(K, X, Y, random_state=0)
    table = pd.DataFrame(coding.trials_)
    assert sorted(table.n_columns)[-4:] == [4, 5, 6, 7]
    best = table.loc[table.accuracy.idxmax()]
    assert book.n_columns == table.n_columns[table.accuracy >= best.accuracy - best.standard_error].min()
    assert rows_differ(book.matrix)


@pytest.mark.parametrize("coding", [ECF("hard", n_columns="auto"), ECF("auto", n_columns="auto"), ECF(0, "auto")])
def test_auto_length_of_any_design(coding):
    book = coding.set_params(effort=0.05).build(K, X, Y, random_state=0)
    assert rows_differ(book.matrix)
    assert book.n_columns < K


def test_no_more_than_max_columns():
    assert ECF(max_columns=5, effort=0.1).build(K, X, Y).n_columns == 5
    assert ECF(n_columns="auto", max_columns=4, effort=0.1).build(K, X, Y).n_columns <= 4
    assert ECF(max_columns=1, effort=0.1).build(K, X, Y).n_columns == 3  # fewer cannot tell the classes apart
    assert ECF(n_columns=6, max_columns=4, effort=0.1).build(K, X, Y).n_columns == 6  # a number is a demand


def test_the_paper_takes_no_effort():
    with pytest.raises(ValueError, match=r"method='paper' takes no effort; got effort=2.0"):
        ECF(method="paper", effort=2.0).build(K, X, Y)


def test_linear_estimators_have_a_linear_proxy(monkeypatch):
    from sklearn.linear_model import LogisticRegression
    from sklearn.svm import SVC

    from ecoc.codes import refinement
    from ecoc.codes.coding import Context

    seen = []
    original = refinement.refiner.proxy_outputs
    monkeypatch.setattr(
        refinement.refiner, "proxy_outputs", lambda *args, **options: seen.append(options) or original(*args, **options)
    )
    folds = [(np.arange(80), np.arange(80, 160)), (np.arange(80, 160), np.arange(80))]
    for estimator, linear in ((None, False), (SVC(), False), (LogisticRegression(), True)):
        ECF(n_columns=4, effort=0.01).build(K, X, Y, context=Context(0, linear, folds, estimator))
    assert [options["linear"] for options in seen] == [False, False, True]
    ECF(n_columns="auto", effort=0.01).build(K, X, Y, context=Context(0, False, folds))
    assert seen[-1]["folds"] is folds


def test_more_than_64_classes_are_refined():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(70), 3)
    X = rng.normal(size=(70, 4))[y] + 0.3 * rng.normal(size=(210, 4))
    coding = ECF(n_columns=20, effort=0.01)
    book = coding.build(70, X, y, random_state=0)
    assert coding.is_refined_
    assert rows_differ(book.matrix)
    again = ECF(n_columns=20, effort=0.01).build(70, X, y, random_state=0)
    np.testing.assert_array_equal(again.matrix, book.matrix)


@pytest.mark.parametrize(("most", "refined"), [(20, True), (19, False), (None, True)])
def test_codes_longer_than_the_context_allows_are_not_refined(most, refined):
    y = np.repeat(np.arange(70), 3)
    coding = ECF(n_columns=20, effort=0.01)
    X = np.random.default_rng(0).normal(size=(210, 4))
    coding.build(70, X, y, context=Context(random_state=0, most_refined=most))
    assert coding.is_refined_ == refined
