"""What `build` checks for every coding, how lengths are resolved, and which coding a name means."""

import subprocess
import sys

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone

from ecoc.codes.codebook import CodeBook
from ecoc.codes.coding import (
    CODINGS,
    ECF,
    DenseRandom,
    DiscriminantTree,
    Fixed,
    OneVsAll,
    SparseRandom,
    Spectral,
    get_coding,
)
from ecoc.codes.design.distances import class_distances, dense_features
from ecoc.codes.design.length import resolve_length
from ecoc.utils.exceptions import CodeBookError, InfeasibleError

X = np.array([[0.0, 0], [0, 1], [5, 0], [5, 1], [0, 7], [1, 7]])
Y = np.array(["cat", "cat", "dog", "dog", "cow", "cow"])


@pytest.mark.parametrize("name", CODINGS)
def test_two_classes_are_a_plain_binary_problem(name):
    book = get_coding(name).build(2, [[0.0], [1]], ["no", "yes"])
    assert book == CodeBook([[-1], [1]], ["no", "yes"])


@pytest.mark.parametrize(
    ("n_classes", "error"), [(1, ValueError), (0, ValueError), (2.0, TypeError), (True, TypeError)]
)
def test_n_classes_is_checked(n_classes, error):
    with pytest.raises(error, match="n_classes"):
        OneVsAll().build(n_classes)


@pytest.mark.parametrize("coding", [ECF(), Spectral(), DiscriminantTree()], ids=repr)
@pytest.mark.parametrize("data", [{}, {"X": X}, {"y": Y}])
def test_missing_data_is_refused(coding, data):
    with pytest.raises(ValueError, match=r"makes its code from data; call build\(n_classes, X, y\), or .* OneVsAll"):
        coding.build(3, **data)


def test_number_of_classes_must_be_that_of_y():
    with pytest.raises(ValueError, match="n_classes=4, but y has 3 classes: 'cat', 'cow', 'dog'; pass n_classes=3"):
        OneVsAll().build(4, y=Y)


def test_bad_data_is_refused():
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        Spectral().build(3, X[:-1], Y)
    with pytest.raises(ValueError, match="NaN"):
        Spectral().build(3, np.where(X == 7, np.nan, X), Y)
    with pytest.raises(ValueError, match="Unknown label type"):
        Spectral().build(3, X[:3], [0.1, 0.2, 0.3])


def test_parameters_are_checked_by_build():
    with pytest.raises(ValueError, match="'n_columns' parameter of DenseRandom must be"):
        DenseRandom(n_columns="many").build(3)
    with pytest.raises(ValueError, match="'n_draws' parameter of SparseRandom must be"):
        SparseRandom(n_draws=0).build(3)


def test_rows_are_labelled_if_there_are_labels():
    assert not OneVsAll().build(3).is_labelled
    assert OneVsAll().build(3, y=Y).labels.tolist() == ["cat", "cow", "dog"]


@pytest.mark.parametrize("random_state", [3, np.random.RandomState(3), np.random.default_rng(3), None])
def test_any_random_state_will_do(random_state):
    assert DenseRandom(n_draws=2).build(9, random_state=random_state).n_classes == 9


@pytest.mark.parametrize("coding", [ECF(effort=0.01), Spectral(), DiscriminantTree()], ids=repr)
def test_sparse_data_give_the_code_of_dense_ones(coding):
    assert coding.build(3, csr_array(X), Y, random_state=0) == coding.build(3, X, Y, random_state=0)


def test_large_sparse_data_are_reduced_first():
    reduced = dense_features(csr_array(X), most_entries=10)
    assert class_distances(reduced, Y).shape == (3, 3)
    np.testing.assert_allclose(reduced @ reduced.T, X @ X.T, atol=1e-8)  # all directions, of so few features


@pytest.mark.parametrize(
    ("n_columns", "k", "expected"),
    [(None, 10, 34), (6, 10, 6), (0.5, 10, 5), (0.01, 10, 4), (1.01, 10, 11), (99.0, 3, 3), (None, 3, 3), (4, 16, 4)],
)
def test_lengths(n_columns, k, expected):
    assert resolve_length(n_columns, k, default=34) == expected


@pytest.mark.parametrize(
    ("n_columns", "message", "nearest"),
    [(3, "cannot tell 10 classes apart; take 4 or more", 4), (512, "only 511", 511)],
)
def test_impossible_lengths_are_errors(n_columns, message, nearest):
    with pytest.raises(InfeasibleError, match=message) as caught:
        DenseRandom(n_columns).build(10)
    assert caught.value.nearest_length == nearest


def test_get_coding_by_name():
    for name, coding in CODINGS.items():
        assert type(get_coding(name)) is coding


def test_get_coding_gives_a_clone():
    given = DenseRandom(n_draws=7)
    found = get_coding(given)
    assert found is not given
    assert found.n_draws == 7


@pytest.mark.parametrize("matrix", [[[1], [-1]], np.array([[1], [-1]]), CodeBook([[1], [-1]]), csr_array([[1], [-1]])])
def test_get_coding_from_a_matrix(matrix):
    assert get_coding(matrix).build(2) == CodeBook([[1], [-1]])


def test_unknown_codings_are_answered_with_the_list():
    with pytest.raises(ValueError, match=r"Unknown coding 'Dens'; the names are ecf, ova, .*minimal.*mean 'dense'"):
        get_coding("Dens")
    with pytest.raises(TypeError, match=r"write OneVsAll\(\)"):
        get_coding(OneVsAll)
    with pytest.raises(TypeError, match="a CodeBook or a matrix; got 3"):
        get_coding(3)


def test_fixed_takes_rows_as_they_are_or_by_label():
    matrix = [[1, 1], [1, -1], [-1, 1]]
    assert Fixed(matrix).build(3, y=Y).matrix.tolist() == matrix
    named = CodeBook(matrix, labels=["dog", "cat", "cow"])
    assert Fixed(named).build(3, y=Y) == CodeBook([[1, -1], [-1, 1], [1, 1]], ["cat", "cow", "dog"])
    assert clone(Fixed(named)).build(3).matrix.tolist() == matrix


def test_fixed_refuses_another_number_of_classes():
    with pytest.raises(ValueError, match="has 2 rows, one for each class, but there are 3 classes; give it 3 rows"):
        Fixed([[1], [-1]]).build(3)
    with pytest.raises(ValueError, match="it lacks 'dog' and has 'dig' besides"):
        Fixed(CodeBook([[1, 1], [1, -1], [-1, 1]], labels=["cat", "cow", "dig"])).build(3, y=Y)
    with pytest.raises(CodeBookError, match="equal codewords"):
        Fixed([[1, -1], [1, -1], [-1, 1]]).build(3)


def test_importing_codings_loads_no_compiler():
    code = (
        "import sys, ecoc.codes.coding, ecoc.testing; sys.exit('numba' in sys.modules or 'matplotlib' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
