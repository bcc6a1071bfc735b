import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ecoc.codes.design import CodeLength, allocate, class_distances, code_length, nearest_correlation, violated_bound
from ecoc.codes.design.projection import project
from ecoc.utils.exceptions import InfeasibleError


def random_code(k, length, seed=0):
    return np.random.default_rng(seed).choice([-1.0, 1.0], (k, length))


def test_rank_decides():
    code = random_code(40, 9)
    length = code_length(code @ code.T / 9)
    assert length == length.rank == 9
    assert length.decided_by == "rank"
    assert repr(length) == "9 columns: the rank of the design matrix (rank 9, log2 6, bound 6)"


@pytest.mark.parametrize(("k", "log2"), [(3, 2), (8, 3), (9, 4), (16, 4), (17, 5)])
def test_log2_decides(k, log2):
    length = code_length(np.ones((k, k)))
    assert (length, length.rank, length.log2, length.decided_by) == (log2, 1, log2, "log2")
    assert "tells the classes apart" in repr(length)


def test_a_bound_decides():
    length = code_length(np.ones((8, 8)), min_distance=3)
    assert (length, length.bound, length.decided_by) == (6, 6, "Plotkin")
    assert "by the Plotkin bound" in repr(length)


def test_the_number_of_different_columns_decides():
    length = code_length(np.eye(2))
    assert (length, length.rank, length.decided_by) == (1, 2, "columns")
    assert "no more different columns" in repr(length)


@settings(deadline=None, max_examples=60)
@given(st.integers(2, 9), st.integers(1, 3), st.integers(0, 1000))
def test_never_too_short_nor_too_long(k, distance, seed):
    A = np.random.default_rng(seed).uniform(-1, 1, (k, k))
    if distance > 2 ** (k - 2):
        with pytest.raises(InfeasibleError):
            code_length(A + A.T, distance)
        return
    length = code_length(A + A.T, distance)
    assert length == min(max(length.rank, length.log2, length.bound), 2 ** (k - 1) - 1)
    assert violated_bound(k, length, distance) is None


def test_min_distance_may_be_a_matrix_or_a_mapping():
    pd = pytest.importorskip("pandas")
    names = list("abcde")
    D = pd.DataFrame(np.ones((5, 5)), index=names, columns=names)
    assert code_length(D, {("a", "e"): 7}) == 7
    demands = np.ones((5, 5))
    demands[0, 4] = demands[4, 0] = 7
    assert code_length(D, demands) == 7
    assert code_length(np.ones((5, 5)), {(0, 4): 7}) == 7


def test_a_design_is_projected_first():
    D = -np.ones((6, 6))  # rank 1, but the nearest correlation matrix is the simplex, of rank 5
    assert code_length(D).rank == project(D).rank == 5
    assert code_length(nearest_correlation(D)).rank == 5


def test_factor_gives_the_same_as_the_matrix():
    F = np.random.default_rng(0).normal(size=(30, 12)) @ np.diag([1.0] * 7 + [0.0] * 5)
    rows = F / np.linalg.norm(F, axis=1, keepdims=True)
    assert code_length(F) == code_length(rows @ rows.T) == 7


def test_a_square_factor_must_be_announced():
    F = np.random.default_rng(0).normal(size=(4, 4))[:, :1] * np.ones((1, 4))
    assert code_length(F, factor=True).rank == 1
    with pytest.raises(ValueError, match="symmetric"):
        code_length(F)


def test_a_factor_of_many_classes_is_never_squared():
    F = random_code(100_000, 24)  # the square would take 80 GB
    length = code_length(F, min_distance=3)
    assert (length, length.log2) == (24, 17)


def test_tolerance():
    D = np.diag([1.0] * 4) + 0.999 * (np.ones((4, 4)) - np.eye(4))  # eigenvalues 3.997 and 0.001, thrice
    rows = np.linalg.cholesky(D)
    assert code_length(D).rank == code_length(rows, factor=True).rank == 4
    assert code_length(D, tol=1e-2).rank == code_length(rows, tol=1e-2, factor=True).rank == 1


def test_it_is_an_integer_and_prints_as_one():
    length = code_length(np.eye(5))
    assert isinstance(length, int)
    assert np.zeros((2, length)).shape == (2, 5)
    assert f"{length} {length:03d} {length!s} {length + 1}" == "5 005 5 6"


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda n: pickle.loads(pickle.dumps(n))])
def test_copies_keep_the_reasons(copied):
    length = code_length(np.ones((8, 8)), min_distance=3)
    twin = copied(length)
    assert isinstance(twin, CodeLength)
    assert (twin, vars(twin), repr(twin)) == (length, vars(length), repr(length))


@pytest.mark.parametrize(
    ("D", "options", "error", "message"),
    [
        (np.eye(3), {"min_distance": 3}, InfeasibleError, "No code book of 3 classes has min_distance=3"),
        (np.eye(3), {"min_distance": 0}, ValueError, "at least 1"),
        ([[1.0, 2.0]], {}, ValueError, "at least two classes"),
        ([[1.0, 2.0], [0.0, 0.0], [1.0, 1.0]], {}, ValueError, "row 1 is zero"),
        ([[1.0, np.nan], [0.0, 0.0], [1.0, 1.0]], {}, ValueError, r"D\[0, 1\] is nan"),
    ],
)
def test_errors(D, options, error, message):
    with pytest.raises(error, match=message):
        code_length(D, **options)


@pytest.mark.parametrize(
    ("name", "hard", "easy"),
    [("glass", 5, 4), ("ecoli", 7, 6), ("yeast", 9, 8), ("segment", 5, 5), ("vowel", 8, 5)],
)
def test_length_of_real_designs_does_not_hang_on_the_tolerance(data_dir, load_dataset, name, hard, easy):
    if data_dir is None:
        pytest.skip("the development sets are not at hand")
    distances = class_distances(*load_dataset(name))
    for allocation, rank in [("hard", hard), ("easy", easy)]:
        D = allocate(distances, allocation)
        assert {code_length(D, tol=tol).rank for tol in (1e-6, 1e-4, 1e-2)} == {rank}
