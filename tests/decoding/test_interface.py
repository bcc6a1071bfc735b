"""Names, checks of what is given, and the tie rule."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from ecoc import CodeBook, CodeBookError, OneVsOne
from ecoc.decoding import (
    DECODINGS,
    Decoding,
    Discriminant,
    Hamming,
    LossBased,
    LossWeighted,
    Probabilistic,
    decide,
    get_decoding,
)
from ecoc.decoding.interface import sum_by_side
from ecoc.decoding.limits import LIMITS

BOOK = [[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]
ONES = np.ones((2, 3))


@pytest.mark.parametrize("name", DECODINGS)
def test_names_make_new_objects(name):
    assert get_decoding(name) is not get_decoding(name)
    assert repr(get_decoding(name)) == repr(get_decoding(name))


def test_objects_are_cloned():
    given = LossBased("hinge").fit(BOOK)
    made = get_decoding(given)
    assert made.loss == "hinge"
    assert not hasattr(made, "codebook_")


def test_unknown_names_are_answered_with_the_list():
    with pytest.raises(ValueError, match=r"the names are hamming, .*structured\. Did you mean 'hamming'\?"):
        get_decoding("Haming")
    with pytest.raises(ValueError, match="Did you mean 'loss_weighted'"):
        get_decoding("loss-weighted")
    with pytest.raises(ValueError, match=r"structured\.$"):
        get_decoding("zzz")
    with pytest.raises(TypeError, match=r"write Hamming\(\)"):
        get_decoding(Hamming)
    with pytest.raises(TypeError, match=r"one of the names hamming.* got 3"):
        get_decoding(3)


@pytest.mark.parametrize(
    ("outputs", "error", "complaint"),
    [
        (np.ones((2, 4)), ValueError, r"must have shape \(n_samples, 3\), .* got \(2, 4\)\."),
        (np.ones(3), ValueError, r"got \(3,\); one sample is outputs.reshape\(1, -1\)"),
        (np.ones((2, 3, 1)), ValueError, r"got \(2, 3, 1\)"),
        ([[1, np.nan, 1]], ValueError, r"LossBased decodes margins, which are finite, but .*\[0, 1\] is nan"),
        ([[1, 1, -np.inf]], ValueError, r"outputs\[0, 2\] is -inf"),
        ([["a", "b", "c"]], TypeError, "must be real numbers"),
        ([[1j, 0, 0]], TypeError, "must be real numbers"),
    ],
)
def test_bad_outputs(outputs, error, complaint):
    with pytest.raises(error, match=complaint):
        LossBased().fit(BOOK).scores(outputs)


def test_outputs_of_another_kind():
    with pytest.raises(
        ValueError, match=r"Hamming decodes signs, which are -1 or \+1, .* is 0.5; np.where\(margins > 0"
    ):
        Hamming().fit(BOOK).scores([[1, -1, 0.5]])
    with pytest.raises(
        ValueError, match=r"Probabilistic decodes probabilities, which are in \[0, 1\], but .* is -0.5; .*expit"
    ):
        Probabilistic().fit(BOOK).scores([[0, 1, -0.5]])


def test_fit_checks_the_code_book():
    assert Hamming().fit(BOOK).codebook_ == CodeBook(BOOK)
    book = CodeBook(BOOK)
    assert Hamming().fit(book).codebook_ is book
    with pytest.raises(CodeBookError, match="equal codewords"):
        Hamming().fit([[1, -1], [1, -1], [-1, 1]])


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ((), r"LossWeighted learns from training outputs .* fit\(codebook, outputs, y\)"),
        ((ONES,), "learns from training outputs"),
        ((ONES, [0]), r"y must have shape \(2,\)"),
        ((ONES, [0, 4]), "integers from 0 to 3; got 0, 4, .* return_inverse"),
        ((ONES, [-1, 0]), "integers from 0 to 3"),
        ((ONES, ["a", "b"]), "integers from 0 to 3; got 'a', 'b'"),
        ((ONES, [0.0, 1.0]), "integers from 0 to 3"),
        ((ONES[:0], []), "at least one sample"),
        ((ONES, [0, 1], [1]), r"sample_weight must have shape \(2,\)"),
        ((ONES, [0, 1], [1, -1]), "not negative"),
        ((ONES, [0, 1], [0, 0]), "positive for at least one"),
        ((ONES, [0, 1], [1, np.nan]), "finite"),
        ((ONES[:, :2], [0, 1]), r"shape \(n_samples, 3\)"),
    ],
)
def test_bad_arguments_of_fit(arguments, complaint):
    with pytest.raises(ValueError, match=complaint):
        LossWeighted().fit(BOOK, *arguments)


@pytest.mark.parametrize(
    "decoding",
    [
        LossBased("cubic"),
        LossWeighted(weights_from="thin air"),
        LossWeighted("cubic"),
        Probabilistic(smoothing=-1),
        Probabilistic(max_iter=0),
        Probabilistic(tol="small"),
        Discriminant(priors="flat"),
    ],
)
def test_bad_parameters_are_named_at_fit(decoding):
    with pytest.raises(ValueError, match=f"parameter of {type(decoding).__name__} must be"):
        decoding.fit(BOOK, ONES, [0, 1])


def test_scores_before_fit():
    with pytest.raises(NotFittedError, match="Hamming instance is not fitted"):
        Hamming().scores(ONES)


def test_probabilities_only_where_they_are_given():
    assert hasattr(Probabilistic(), "probabilities")
    assert not hasattr(Hamming(), "probabilities")
    with pytest.raises(AttributeError) as raised:
        _ = Hamming().probabilities
    assert "gives scores but no probabilities; Probabilistic and Discriminant do" in str(raised.value.__cause__)


def test_learning_without_a_core_is_named():
    class Unwritten(Hamming):
        fit_on = "training"

    with pytest.raises(NotImplementedError, match="Unwritten declares fit_on but does not implement _fit_outputs"):
        Unwritten().fit(BOOK, ONES, [0, 1])


@pytest.mark.parametrize("name", DECODINGS)
def test_no_samples_have_no_scores(name):
    kind = get_decoding(name)
    assert kind.fit(BOOK, np.abs(BOOK), np.arange(4)).scores(np.empty((0, 3))).shape == (0, 4)


def test_outputs_and_y_are_ignored_where_not_needed():
    Hamming().fit(BOOK, "nothing", None)


def test_decide_takes_the_first_of_those_equal_up_to_rounding():
    third = 0.1 + 0.2  # 0.30000000000000004
    assert decide([[0.3, third], [third, 0.3], [0.3, 0.31]]).tolist() == [0, 0, 1]
    assert decide([[-1e-9, -1.1e-9], [1e-9, 1.1e-9]]).tolist() == [0, 1]  # small is not equal
    assert decide([[-np.inf, 1, 2], [-np.inf, 2, 1]]).tolist() == [2, 1]
    assert decide([[0, 0, 0]]).tolist() == [0]
    assert decide(np.empty((0, 3))).shape == (0,)


def test_ties_of_scores_are_exact_and_go_to_the_first():
    class Rounding(Decoding):
        def _scores(self, outputs):
            return np.array([[0.1 + 0.1 + 0.1, 0.3, 0.1 + 0.2, -0.3]])

    scores = Rounding().fit(BOOK).scores(np.ones((1, 3)))
    assert scores.argmax() == 0
    assert scores[0, 0] == scores[0, 1] == scores[0, 2]


@pytest.mark.parametrize("name", DECODINGS)
def test_ties_go_the_same_way_whatever_the_decoding(name):
    """Outputs that speak for classes 1, 2 and 3 alike: as far from each codeword, by symmetry."""
    decoding = get_decoding(name)
    outputs = {"probabilities": 0.1 * np.ones((1, 3))}.get(decoding.needs, -np.ones((1, 3)))
    seen = {"probabilities": (np.array(BOOK) + 1) / 2}.get(decoding.needs, np.array(BOOK))
    scores = decoding.fit(BOOK, np.tile(seen, (5, 1)), np.tile(np.arange(4), 5)).scores(outputs)
    assert scores.argmax(axis=1).tolist() == decide(scores).tolist() == [1]


def test_sums_by_side_of_a_code_with_few_entries_are_those_of_its_dense_form():
    matrix = OneVsOne().build(130).matrix
    assert matrix.size > LIMITS.large_code
    assert np.count_nonzero(matrix) < 0.1 * matrix.size
    plus, minus = np.random.default_rng(0).normal(size=(2, 7, matrix.shape[1]))
    expected = plus @ (matrix == 1).T + minus @ (matrix == -1).T
    np.testing.assert_allclose(sum_by_side(plus, minus, matrix), expected, atol=1e-12)
