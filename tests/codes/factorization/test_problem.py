import numpy as np
import pandas as pd
import pytest

from ecoc.codes.design import code_length
from ecoc.codes.factorization.problem import make_problem

EYE = np.eye(3)


def test_target_cap_and_scale(correlation):
    D = correlation(5, 3)
    problem = make_problem(D, 7, 2)
    assert problem.n_classes == 5
    np.testing.assert_array_equal(problem.target, 7 * D)
    np.testing.assert_array_equal(problem.cap, np.full((5, 5), 3.0))
    assert problem.scale == pytest.approx(7 * np.sqrt((D**2).sum()))


def test_cap_is_twice_as_strict_as_the_papers():
    """At the cap, l − 2c, codewords are exactly c apart."""
    problem = make_problem(EYE, 3, [[0, 1, 2], [1, 0, 3], [2, 3, 0]])
    distance = (3 - problem.cap) / 2
    np.testing.assert_array_equal(distance, [[0, 1, 2], [1, 0, 3], [2, 3, 0]])


def test_objective_is_the_sum_of_squares(correlation, planted):
    D, X = correlation(12, 4), planted(12, 6)
    expected = sum((6 * D[i, j] - X[i] @ X[j]) ** 2 for i in range(12) for j in range(12))
    assert make_problem(D, 6, 1).objective(X.astype(np.int8)) == pytest.approx(expected)
    assert make_problem(X @ X.T / 6, 6, 1).objective(X) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("k", [2, 17, 50])
def test_a_factor_is_as_good_as_its_product(k, planted):
    F = np.random.default_rng(k).normal(size=(k, 5)) * np.geomspace(1e-3, 1e3, k)[:, None]
    unit = F / np.linalg.norm(F, axis=1, keepdims=True)
    D = unit @ unit.T
    np.fill_diagonal(D, 1)
    dense, factored = make_problem((D + D.T) / 2, 8, 1), make_problem(F, 8, 1, factor=True)
    assert (dense.factor, factored.design) == (None, None)
    assert factored.n_classes == k
    np.testing.assert_allclose(factored.target, dense.target, atol=1e-12)
    np.testing.assert_array_equal(np.diag(factored.target), 8)
    np.testing.assert_array_equal(factored.cap, dense.cap)
    assert factored.scale == pytest.approx(dense.scale)
    X = np.random.default_rng(0).choice([-1.0, 1.0], size=(k, 8))
    assert factored.objective(X) == pytest.approx(dense.objective(X))


def test_another_length_is_another_target(correlation):
    problem = make_problem(correlation(5, 3), 7, 2)
    other = problem.with_columns(9)
    assert (problem.n_columns, other.n_columns) == (7, 9)
    np.testing.assert_allclose(other.target, problem.target * 9 / 7)
    np.testing.assert_array_equal(other.cap, problem.cap + 2)


def test_shape_decides_what_is_a_factor_unless_told():
    rectangle = np.array([[1.0, 0], [0, 1], [1, 1]])
    assert make_problem(rectangle, 2, 1).factor is not None
    assert make_problem(EYE, 3, 1).factor is None
    assert make_problem(EYE, 3, 1, factor=True).design is None
    with pytest.raises(ValueError, match=r"D must be square.*got shape \(3, 2\)"):
        make_problem(rectangle, 2, 1, factor=False)


def test_rounding_is_mended_and_the_input_left_alone():
    D = np.array([[1 + 1e-9, 1 + 1e-8], [1 + 1e-8, 1 - 1e-9]])
    before = D.copy()
    problem = make_problem(D, 1, 1)
    np.testing.assert_array_equal(problem.target, np.ones((2, 2)))
    np.testing.assert_array_equal(D, before)


def test_length_is_chosen_where_none_is_given(correlation):
    D = correlation(9, 5)
    assert make_problem(D, None, 1).n_columns == code_length(D) == 5
    assert make_problem(D, None, 4).n_columns == code_length(D, 4) > 5
    F = np.random.default_rng(0).normal(size=(9, 4))
    assert make_problem(F, None, 1).n_columns == code_length(F) == 4


@pytest.mark.parametrize("n_columns", [0, -3, 2.5, 4.0, "four", True, np.float64(4)])
def test_bad_lengths(n_columns):
    with pytest.raises(ValueError, match="n_columns must be a positive integer or None"):
        make_problem(EYE, n_columns, 1)


def test_numpy_integers_are_lengths():
    assert make_problem(EYE, np.int16(3), 1).n_columns == 3


@pytest.mark.parametrize(
    ("D", "error", "message"),
    [
        ([[1, 0.5], [0.4, 1]], ValueError, r"symmetric; D\[0, 1\] = 0.5 and D\[1, 0\] = 0.4"),
        ([[1, np.nan], [np.nan, 1]], ValueError, r"D\[0, 1\] is nan"),
        ([[1, np.inf], [np.inf, 1]], ValueError, r"D\[0, 1\] is inf"),
        ([[1, 0], [0, 0.9]], ValueError, r"unit diagonal.*spans \[0.9, 1\].*nearest_correlation"),
        ([[1, 1.5], [1.5, 1]], ValueError, r"entries in \[-1, 1\].*largest entry is 1.5.*allocate"),
        ([[1, -2e300], [-2e300, 1]], ValueError, r"largest entry is 2e\+300"),
        ([[1e9, 1e8], [1e8, 1e9]], ValueError, r"diagonal spans \[1e\+09, 1e\+09\]"),
        ([[1]], ValueError, r"at least two classes; got shape \(1, 1\)"),
        ([1, 2], ValueError, "must be a matrix"),
        (5, ValueError, "must be a matrix"),
        ([["a", "b"], ["c", "d"]], TypeError, "real numbers"),
        ([[1, 1j], [-1j, 1]], TypeError, "real numbers"),
        ([[1, 0, 0]], ValueError, "a row for each of at least two classes"),
        ([[1, 0, 0], [0, 0, 0]], ValueError, "no zero row; row 1 is zero"),
        (np.empty((3, 0)), ValueError, r"factor of D must have a row.*got shape \(3, 0\)"),
    ],
)
def test_bad_designs(D, error, message):
    with pytest.raises(error, match=message):
        make_problem(D, 1, 1)


@pytest.mark.parametrize(
    ("labels", "got"),
    [("ab", "got 2 labels, 2 of them different"), (["a", "b", "a"], "got 3 labels, 2 of them different")],
)
def test_bad_labels(labels, got):
    with pytest.raises(ValueError, match=f"labels must be 3 different names, one for each class; {got}"):
        make_problem(EYE, 3, 1, labels)


def test_labels_come_from_the_caller_or_from_a_frame():
    names = ["cat", "cow", "dog"]
    frame = pd.DataFrame(EYE, index=names, columns=names)
    assert make_problem(EYE, 3, 1).labels is None
    assert make_problem(EYE, 3, 1, iter(names)).labels == tuple(names)
    assert make_problem(frame, 3, 1).labels == tuple(names)
    assert make_problem(frame, 3, 1, [5, 6, 7]).labels == (5, 6, 7)
    factor = pd.DataFrame(np.ones((3, 2)), index=names)
    assert make_problem(factor, 3, 1).labels == tuple(names)
    with pytest.raises(ValueError, match="same classes in its index and its columns"):
        make_problem(pd.DataFrame(EYE, index=names, columns=names[::-1]), 3, 1)


def test_everything_is_in_row_order_whatever_it_was(correlation):
    """Kernels are compiled once for each order in memory, which takes many seconds."""
    D = np.asfortranarray(correlation(5, 3))
    demands = np.asfortranarray([[0, 1, 2, 2, 2], [1, 0, 1, 1, 1], [2, 1, 0, 1, 1], [2, 1, 1, 0, 1], [2, 1, 1, 1, 0]])
    for problem in (
        make_problem(D, 5, demands),
        make_problem(pd.DataFrame(D), 5, demands),
        make_problem(D, 5, demands, factor=True),
    ):
        for matrix in (problem.target, problem.cap, problem.demands, problem.design, problem.factor):
            assert matrix is None or matrix.flags.c_contiguous


def test_demands_by_label():
    problem = make_problem(EYE, 3, {("dog", "cat"): 2}, ["cat", "cow", "dog"])
    np.testing.assert_array_equal(problem.demands, [[0, 1, 2], [1, 0, 1], [2, 1, 0]])
    assert make_problem(EYE, 3, {"default": 2}).demands == 2
    with pytest.raises(ValueError, match="'dgo', which is not a class; the closest are 'dog'"):
        make_problem(EYE, 3, {("dgo", "cat"): 2}, ["cat", "cow", "dog"])
    with pytest.raises(ValueError, match="at least 1"):
        make_problem(EYE, 3, 0)
