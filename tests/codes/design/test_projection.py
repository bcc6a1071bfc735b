import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from ecoc.codes.design import nearest_correlation
from ecoc.codes.design.projection import project


def symmetric(A):
    return (A + A.T) / 2


@st.composite
def designs(draw, largest=3.0):
    k = draw(st.integers(2, 8))
    return symmetric(draw(arrays(float, (k, k), elements=st.floats(-largest, largest, width=32))))


def random_design(k, seed=0, scale=1.0):
    return symmetric(np.random.default_rng(seed).uniform(-scale, scale, (k, k)))


def assert_correlation(X):
    assert (X == X.T).all()
    assert (np.diag(X) == 1).all()
    assert np.abs(X).max() <= 1
    assert np.linalg.eigvalsh(X)[0] >= -1e-12


@settings(deadline=None, max_examples=150)
@given(designs())
def test_the_result_is_a_correlation_matrix_of_the_rank_it_says(D):
    found = project(D)
    assert_correlation(found.matrix)
    assert found.converged
    eigenvalues = np.linalg.eigvalsh(found.matrix)[::-1]
    assert eigenvalues[found.rank - 1] > 1e-9
    assert (np.abs(eigenvalues[found.rank :]) < 1e-12).all()
    assert found.distance == pytest.approx(np.linalg.norm(found.matrix - D))


@settings(deadline=None, max_examples=150)
@given(designs())
def test_optimality_conditions(D):
    """X − D − Diag y = S with S positive semi-definite and SX = 0; so y is the diagonal of (X − D)X."""
    X = nearest_correlation(D)
    np.fill_diagonal(D, 1)
    S = X - D - np.diag(np.diag((X - D) @ X))
    assert np.linalg.eigvalsh(S)[0] > -1e-6
    np.testing.assert_allclose(S @ X, 0, atol=1e-6)


@settings(deadline=None, max_examples=50)
@given(designs())
def test_projecting_twice_changes_no_bit(D):
    X = nearest_correlation(D)
    again = project(X)
    assert again.n_iter == 0
    assert again.matrix.tobytes() == X.tobytes()
    assert again.matrix is not X


@pytest.mark.parametrize("k", [2, 3, 5, 8])
@pytest.mark.parametrize("scale", [1.0, 20.0])
def test_equals_a_semidefinite_programme(k, scale):
    clarabel = pytest.importorskip("clarabel")
    from scipy.sparse import csc_matrix, identity, vstack

    D = random_design(k, seed=k, scale=scale)
    columns, rows = np.tril_indices(k)  # clarabel stacks the upper triangle by columns, off-diagonals times √2
    weights = np.where(rows == columns, 1, np.sqrt(2))
    n = len(rows)
    on_diagonal = np.flatnonzero(rows == columns)
    picks = csc_matrix((np.ones(k), (np.arange(k), on_diagonal)), shape=(k, n))
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
    solution = clarabel.DefaultSolver(
        csc_matrix(identity(n)),
        -weights * D[rows, columns],
        csc_matrix(vstack([picks, -identity(n)])),
        np.concatenate([np.ones(k), np.zeros(n)]),
        [clarabel.ZeroConeT(k), clarabel.PSDTriangleConeT(k)],
        settings,
    ).solve()
    np.testing.assert_allclose(nearest_correlation(D)[rows, columns], solution.x / weights, atol=1e-5)


def test_equals_alternating_projections():
    """Higham's method. The projection onto unit diagonals is affine and needs no correction by Dykstra."""
    D = random_design(15, seed=3)
    Y, correction = D.copy(), 0
    for _ in range(3000):
        R = Y - correction
        w, V = np.linalg.eigh(R)
        X = (V * np.maximum(w, 0)) @ V.T
        correction = X - R
        Y = X.copy()
        np.fill_diagonal(Y, 1)
    np.testing.assert_allclose(nearest_correlation(D), Y, atol=1e-8)


@pytest.mark.parametrize("max_iter", [1, 2, 3])
def test_max_error_holds_even_if_the_solver_is_stopped(max_iter):
    D = random_design(30, seed=1, scale=2)
    exact = project(D)
    with pytest.warns(ConvergenceWarning, match="Increase max_iter"):
        early = project(D, max_iter=max_iter)
    assert not early.converged
    assert_correlation(early.matrix)
    error = np.linalg.norm(early.matrix - exact.matrix)
    assert 1e-6 < error <= early.max_error
    assert exact.max_error < 1e-8


def test_a_correlation_matrix_is_returned_as_it_is():
    D = np.corrcoef(np.random.default_rng(0).normal(size=(5, 20)))
    D = symmetric(D)
    np.fill_diagonal(D, 1)
    assert nearest_correlation(D).tobytes() == D.tobytes()


@pytest.mark.parametrize("scale", [1e-12, 1e-3, 1e2, 1e4, 1e8])
@pytest.mark.parametrize("k", [4, 30])
def test_entries_of_any_size(scale, k):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = project(random_design(k, seed=k, scale=scale))
    assert_correlation(found.matrix)
    assert found.max_error <= max(1e-8, 1e-9 * scale)


def test_one_huge_entry_is_met_and_the_others_follow():
    D = np.eye(3)
    D[0, 1] = D[1, 0] = 1e8
    D[0, 2] = D[2, 0] = 0.5
    # Classes 0 and 1 become equal, and their entries for the third class, 0.5 and 0, are averaged.
    np.testing.assert_allclose(nearest_correlation(D), [[1, 1, 0.25], [1, 1, 0.25], [0.25, 0.25, 1]], atol=1e-6)


def test_all_apart_is_a_simplex():
    k = 7
    found = project(-np.ones((k, k)))
    np.testing.assert_allclose(found.matrix, (k * np.eye(k) - 1) / (k - 1), atol=1e-9)
    assert found.rank == k - 1


@pytest.mark.parametrize("seed", range(5))
def test_rank_where_an_eigenvalue_is_just_zero(seed):
    """D = X − S projects to X. In directions that neither X nor S spans, only rounding decides the rank."""
    F = np.random.default_rng(seed).normal(size=(8, 3))
    F /= np.linalg.norm(F, axis=1, keepdims=True)
    neither = np.linalg.svd(F)[0][:, 3:]
    found = project(F @ F.T - neither[:, :2] @ neither[:, :2].T)
    np.testing.assert_allclose(found.matrix, F @ F.T, atol=1e-9)
    assert found.rank == 3


def test_the_diagonal_does_not_matter():
    D = random_design(6)
    other = D + np.diag([5, -3, 0, 1e3, 2, 1])
    assert nearest_correlation(D).tobytes() == nearest_correlation(other).tobytes()


def test_asymmetry_of_rounding_size_is_averaged():
    D = random_design(5)
    noisy = D.copy()
    noisy[0, 1] += 1e-12
    np.testing.assert_allclose(nearest_correlation(noisy), nearest_correlation(D), atol=1e-9)


def test_same_bits_whatever_the_number_of_blas_threads():
    D = random_design(150)
    results = set()
    for threads in (1, 2):
        with threadpool_limits(threads):
            results.add(nearest_correlation(D).tobytes())
    assert len(results) == 1


def test_large_matrices_take_few_steps():
    assert project(random_design(200)).n_iter < 12


def test_data_frames_and_lists_and_integers_do():
    pd = pytest.importorskip("pandas")
    D = [[1, -1, -1], [-1, 1, -1], [-1, -1, 1]]
    np.testing.assert_array_equal(nearest_correlation(pd.DataFrame(D)), nearest_correlation(D))


@pytest.mark.parametrize(
    ("D", "error", "message"),
    [
        ([[1, 2, 3], [2, 1, 0]], ValueError, r"square.*\(2, 3\)"),
        ([1, 2, 3], ValueError, "1 dimension"),
        ([[1.0]], ValueError, "at least two classes"),
        ([[1, np.nan], [np.nan, 1]], ValueError, r"finite; D\[0, 1\] is nan"),
        ([[1, 0], [0, np.inf]], ValueError, r"D\[1, 1\] is inf"),
        ([[1, 0.5], [0.25, 1]], ValueError, r"D\[0, 1\] = 0.5 and D\[1, 0\] = 0.25 differ by 0.25"),
        ([["a", "b"], ["b", "a"]], TypeError, "real numbers"),
        ([[1, 1j], [1j, 1]], TypeError, "complex"),
        ([[1, None], [{}, 1]], TypeError, "object"),
        ([[1, 1e12], [1e12, 1]], ValueError, "divide D by its largest"),
    ],
)
def test_errors(D, error, message):
    with pytest.raises(error, match=message):
        nearest_correlation(D)
