import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris
from sklearn.svm import SVC

from ecoc_paper.gaussian import fit_machines, gaussian_gram


def digits(n=300):
    X, y = load_digits(return_X_y=True)
    return X[:n] / 16, y[:n]


CODE = np.array(
    [
        [1, 1, 0],
        [-1, 1, 0],
        [1, -1, 1],
        [-1, -1, 0],
        [1, 1, -1],
        [-1, 1, 0],
        [1, 1, 0],
        [-1, -1, 0],
        [1, 1, 0],
        [-1, 1, 0],
    ]
)


@pytest.mark.parametrize("C", [0.5, 1.0, 100.0, 1e4])
@pytest.mark.parametrize("gamma", [0.05, 0.5])
def test_machines_are_those_of_libsvm(C, gamma):
    X, y = digits()
    sides = CODE[y]
    machines = fit_machines(gaussian_gram(X, gamma), sides, C)
    kernel = gaussian_gram(X[:50] + 0.01, gamma, X)
    for j in range(3):
        used = sides[:, j] != 0
        model = SVC(C=C, gamma=gamma).fit(X[used], sides[used, j])
        assert np.allclose(machines.margins(kernel)[:, j], model.decision_function(X[:50] + 0.01), atol=5e-3)
        bounded = (np.abs(model.dual_coef_) >= C).any()
        assert machines.is_bounded[j] == bounded
    assert not machines.coefficients[sides[:, 2] == 0, 2].any()


def test_a_part_of_the_matrix_is_a_problem_of_its_own():
    X, y = digits()
    gram, sides = gaussian_gram(X, 0.1), CODE[y]
    part = fit_machines(gram, sides[100:220], 10.0, start=100)
    alone = fit_machines(gaussian_gram(X[100:220], 0.1), sides[100:220], 10.0)
    assert np.allclose(part.coefficients, alone.coefficients, atol=1e-3)
    assert np.allclose(part.intercepts, alone.intercepts, atol=1e-3)


def test_multipliers_keep_their_bounds_and_balance():
    X, y = load_iris(return_X_y=True)
    sides = np.where(y == 1, 1, -1)[:, None]
    machines = fit_machines(gaussian_gram(X, 1.0), sides, 0.7)
    alpha = machines.coefficients[:, 0] * sides[:, 0]
    assert alpha.min() >= 0
    assert alpha.max() <= 0.7 * (1 + 1e-6)
    assert machines.coefficients.sum() == pytest.approx(0, abs=1e-4)


def test_one_side_alone_says_so():
    X, _ = load_iris(return_X_y=True)
    sides = np.zeros((150, 3), dtype=int)
    sides[:20, 0], sides[:20, 1] = 1, -1
    machines = fit_machines(gaussian_gram(X, 1.0), sides, 1.0)
    assert machines.margins(gaussian_gram(X[:2], 1.0, X)).tolist() == [[1, -1, 0]] * 2


def test_steps_are_limited():
    X, y = digits()
    gram, sides = gaussian_gram(X, 0.01), CODE[y][:, :1]
    few = fit_machines(gram, sides, 1e6, max_iter=3)
    assert np.count_nonzero(few.coefficients) <= 6


def test_equal_samples_on_both_sides_end():
    X = np.zeros((40, 2))
    machines = fit_machines(gaussian_gram(X, 1.0), np.where(np.arange(40) % 2, 1, -1)[:, None], 1.0)
    assert np.isfinite(machines.margins(gaussian_gram(X, 1.0))).all()


def test_gram_matrices_are_symmetric_with_ones():
    X, _ = digits(70)
    gram = gaussian_gram(X, 0.3)
    assert gram.dtype == np.float32
    assert np.array_equal(gram, gram.T)
    assert (np.diag(gram) == 1).all()
    assert np.allclose(gram, np.exp(-0.3 * ((X[:, None] - X) ** 2).sum(axis=2)), atol=1e-6)


def test_margins_do_not_depend_on_the_columns_beside():
    X, y = digits()
    rng = np.random.default_rng(0)
    sides = np.where(rng.random((10, 21)) < 0.5, 1, -1)[y]
    gram, kernel = gaussian_gram(X, 0.1), gaussian_gram(X[:83] + 0.1, 0.1, X)
    whole = fit_machines(gram, sides, 10.0).margins(kernel)
    for columns in ([3], [20, 3, 7], list(range(20, -1, -1))):
        assert np.array_equal(fit_machines(gram, sides[:, columns], 10.0).margins(kernel), whole[:, columns])
