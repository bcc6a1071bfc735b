"""Machines that share a Gram matrix say what machines of their own would."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC, LinearSVC, NuSVC

from ecoc import ECOCClassifier, OneVsAll
from ecoc.training.choosing import choose_training
from ecoc.training.interfaces import Options, Task
from ecoc.training.kernel import Gram, KernelDichotomizers, KernelTraining, solve_by_sklearn, solve_compiled
from ecoc.training.separate import SeparateTraining
from ecoc.utils.folds import make_folds

CODE = np.array([[1, 1, -1], [1, -1, 1], [-1, 1, 1], [-1, -1, -1]], dtype=np.int8)


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(4), 40)
    return rng.normal(size=(4, 6))[y] * 1.2 + rng.normal(size=(160, 6)), y, rng.normal(size=(50, 6))


def scaled_rbf(A, B):
    return rbf_kernel(A, B, gamma=0.3)


@pytest.mark.parametrize(
    "estimator",
    [
        SVC(),
        SVC(gamma="auto", C=5),
        SVC(gamma=0.2, class_weight="balanced"),
        SVC(kernel="poly", degree=2, coef0=1.0),
        SVC(kernel="sigmoid", gamma=0.01),
        SVC(kernel="linear"),
        SVC(kernel=scaled_rbf),
        NuSVC(nu=0.3),
    ],
    ids=lambda estimator: str(estimator).partition(" at 0x")[0],
)
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_equals_separate_machines(data, estimator, n_jobs):
    X, y, new = data
    training = choose_training(estimator, Task(CODE, X, y), Options(n_jobs=n_jobs))
    assert isinstance(training, KernelTraining)
    models = training.fit()
    for j in range(3):
        alone = type(estimator)(**estimator.get_params()).fit(X, CODE[y, j] > 0)
        np.testing.assert_allclose(models.margins(new)[:, j], alone.decision_function(new), atol=1e-6)
        assert set(models.estimators[j].support_) == set(alone.support_)
        np.testing.assert_array_equal(models.estimators[j].predict(new), alone.predict(new))


@pytest.mark.parametrize("kernel", ["rbf", "poly", "sigmoid", "linear"])
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array, sparse.csc_array], ids=lambda make: make.__name__)
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int16", "float16", "float32"])
def test_narrow_numbers(data, kernel, make, dtype):
    if make is not np.asarray and dtype == "float16":
        pytest.skip("scipy has no sparse half precision")
    X, y, new = (np.round(6 * np.abs(part)) if part.ndim == 2 else part for part in data)
    estimator = SVC(kernel=kernel, coef0=0.5, C=0.1, tol=1e-8)
    training = choose_training(estimator, Task(CODE, make(X.astype(dtype)), y), Options())
    assert isinstance(training, KernelTraining)
    margins = training.fit().margins(make(new.astype(dtype)))
    for j in range(3):
        alone = clone(estimator).fit(make(X.astype(dtype)), CODE[y, j] > 0).decision_function(make(new.astype(dtype)))
        np.testing.assert_allclose(margins[:, j], alone, rtol=1e-6, atol=1e-6)


def with_duplicates(X):
    """Return a sparse matrix that holds every element in two parts, in no order."""
    split = sparse.coo_array(X)
    order = np.random.default_rng(0).permutation(np.repeat(np.arange(split.nnz), 2))
    order = order[np.argsort(split.row[order], kind="stable")].astype(np.int32)
    starts = np.append(0, np.cumsum(2 * np.bincount(split.row, minlength=len(X)))).astype(np.int32)
    return sparse.csr_array((split.data[order] / 2, split.col[order].astype(np.int32), starts), shape=X.shape)


@pytest.mark.parametrize("make", [SVC, LinearSVC, LogisticRegression, KNeighborsClassifier])
def test_duplicate_entries_are_summed(data, make):
    X, y, new = data
    twice, new_twice = with_duplicates(X), with_duplicates(new)
    before = twice.data.copy(), twice.indices.copy()
    model = ECOCClassifier(make(), coding="ova", random_state=0)
    expected = clone(model).fit(sparse.csr_array(X), y)
    found = model.fit(twice, y)
    np.testing.assert_array_equal(found.predict(new_twice), expected.predict(new))
    np.testing.assert_allclose(found.decision_function(new_twice), expected.decision_function(new), atol=1e-9)
    np.testing.assert_array_equal(twice.data, before[0])
    np.testing.assert_array_equal(twice.indices, before[1])
    if make is SVC:  # a task that comes without the checks of a classifier
        models = choose_training(SVC(), Task(CODE, twice, y), Options()).fit()
        alone = SVC().fit(X, CODE[y, 0] > 0).decision_function(new)
        np.testing.assert_allclose(models.margins(new_twice)[:, 0], alone, atol=1e-6)


def test_sparse_input(data):
    X, y, new = data
    X = np.where(np.abs(X) < 0.5, 0, X)
    dense = choose_training(SVC(), Task(CODE, X, y)).fit().margins(new)
    thin = choose_training(SVC(), Task(CODE, sparse.csr_matrix(X), y)).fit()
    assert isinstance(thin, KernelDichotomizers)
    np.testing.assert_allclose(thin.margins(sparse.csr_matrix(new)), dense, atol=1e-9)


def test_weights(data):
    X, y, new = data
    weight = np.random.default_rng(1).uniform(0.1, 3, len(y))
    shared = choose_training(SVC(), Task(CODE, X, y, weight)).fit()
    alone = SVC().fit(X, CODE[y, 1], sample_weight=weight)
    np.testing.assert_allclose(shared.margins(new)[:, 1], alone.decision_function(new), atol=1e-6)


def test_folds_are_blocks_of_the_gram_matrix(data):
    X, y, _ = data
    folds = list(StratifiedKFold(3).split(X, y))
    shared = choose_training(SVC(gamma=0.2), Task(CODE, X, y)).out_of_fold(folds, "margins")
    each = SeparateTraining(SVC(gamma=0.2), Task(CODE, X, y), Options()).out_of_fold(folds, "margins")
    np.testing.assert_allclose(shared, each, atol=1e-6)


def test_a_fold_without_a_side(data):
    X, y, _ = data
    code = np.array([[1, 1], [-1, 1], [-1, -1], [-1, -1]], dtype=np.int8)  # class 0 alone on its side
    y = np.where(y == 0, 1, y)
    y[0] = 0
    folds = [(np.arange(1, 160), np.array([0])), (np.arange(0, 1).repeat(1), np.arange(1, 160))]
    outputs = choose_training(SVC(), Task(code, X, y)).out_of_fold(folds[:1], "margins")
    assert outputs[0, 0] == min(-1, -abs(outputs[0, 1]))  # nothing but −1 was seen


@pytest.mark.parametrize(
    ("estimator", "code", "memory"),
    [
        (SVC(), CODE, 1000.0),  # does not fit
        (SVC(), np.array([[1, 0], [-1, 1], [0, -1], [1, 1]], dtype=np.int8), None),  # leaves classes out
        (SVC(), CODE[:, :1], None),  # nothing to share
        (SVC(kernel="precomputed"), CODE, None),
    ],
)
def test_else_each_has_its_own(data, estimator, code, memory):
    X, y, _ = data
    training = choose_training(estimator, Task(code, X, y), Options(kernel_memory=memory))
    assert not isinstance(training, KernelTraining)


def test_says_so_when_it_does_not_fit(data, capsys):
    X, y, _ = data
    model = ECOCClassifier(
        SVC(), coding=OneVsAll(), decoding="linear", probability=False, kernel_memory=10, verbose=2
    ).fit(X, y)
    assert "kernel_memory" in capsys.readouterr().out
    shared = ECOCClassifier(SVC(), coding=OneVsAll(), decoding="linear", probability=False).fit(X, y)
    np.testing.assert_allclose(model.decision_function(X), shared.decision_function(X), atol=1e-6)


def test_support_vectors_are_counted_once(data):
    X, y, _ = data
    shared = ECOCClassifier(SVC(gamma=0.2), coding="ova", probability=False).fit(X, y)
    each = ECOCClassifier(SVC(gamma=0.2), coding="ova", probability=False, kernel_memory=0).fit(X, y)
    np.testing.assert_array_equal(shared.n_support_per_column_, each.n_support_per_column_)
    assert shared.n_support_ == each.n_support_ < shared.n_support_per_column_.sum()


def test_one_vs_one_counts_rows_of_the_whole_training_set(data):
    X, y, _ = data
    model = ECOCClassifier(SVC(gamma=0.2), coding="ovo", probability=False).fit(X, y)
    used = set()
    for column, machine in zip(model.code_book_.matrix.T, model.estimators_):
        rows = np.flatnonzero(column[y])
        alone = SVC(gamma=0.2).fit(X[rows], column[y[rows]])
        assert set(machine.support_) == set(rows[alone.support_])
        used |= set(rows[alone.support_])
    assert model.n_support_ == len(used)


TERNARY = np.array([[1, 0, 1], [-1, 1, 0], [0, -1, 1], [1, 1, -1]], dtype=np.int8)


@pytest.mark.parametrize(
    "estimator", [SVC(gamma=0.2), SVC(gamma="auto", C=10), SVC(kernel="linear"), NuSVC(nu=0.3, gamma=1)]
)
def test_columns_that_leave_classes_out_share_a_kernel_of_fixed_gamma(data, estimator):
    X, y, new = data
    training = choose_training(estimator, Task(TERNARY, X, y))
    assert isinstance(training, KernelTraining)
    folds = list(StratifiedKFold(3).split(X, y))
    separate = SeparateTraining(estimator, Task(TERNARY, X, y), Options())
    np.testing.assert_allclose(training.fit().margins(new), separate.fit().margins(new), atol=1e-9)
    np.testing.assert_allclose(
        training.out_of_fold(folds, "margins"), separate.out_of_fold(folds, "margins"), atol=1e-9
    )


def test_small_parts_of_the_samples_are_not_worth_all_kernel_values(data):
    X, y, _ = data
    pair = np.array([[1, 1], [-1, -1], [0, 0], [0, 0]], dtype=np.int8)
    assert not isinstance(choose_training(SVC(gamma=0.2), Task(pair, X, y)), KernelTraining)


@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("estimator", [SVC(), SVC(kernel="poly"), SVC(kernel="linear"), NuSVC(nu=0.3)], ids=str)
def test_machines_of_their_own_predict_in_one_pass(data, estimator, convert):
    X, y, new = data
    code = np.column_stack([CODE, -CODE[:, 0]])
    models = choose_training(estimator, Task(code, convert(X), y), Options(kernel_memory=0)).fit()
    assert isinstance(models, KernelDichotomizers)
    np.testing.assert_array_equal(models.margins(convert(new))[:, 3], -models.margins(convert(new))[:, 0])
    for j, column in enumerate(CODE.T):
        alone = clone(estimator).fit(convert(X), column[y])
        np.testing.assert_allclose(models.margins(convert(new))[:, j], alone.decision_function(convert(new)), atol=1e-9)


def test_machines_with_kernels_of_different_width_predict_each_on_its_own(data):
    X, y, new = data
    models = choose_training(SVC(), Task(TERNARY, X, y)).fit()  # gamma is scaled to the samples of each
    assert isinstance(models.estimators[0], SVC)
    rows = np.flatnonzero(TERNARY[y, 1])
    alone = SVC().fit(X[rows], TERNARY[y[rows], 1])
    np.testing.assert_array_equal(models.margins(new)[:, 1], alone.decision_function(new))


def test_a_linear_kernel_is_kept_as_weights(data):
    X, y, _ = data
    models = choose_training(SVC(kernel="linear"), Task(CODE, X, y)).fit()
    assert models.vectors.shape == (6, 3)
    assert models.supports()[0].max() < len(y)


@pytest.mark.parametrize("seed", range(30))
def test_compiled_solver_takes_the_steps_of_libsvm(seed):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(20, 700)), int(rng.integers(2, 10))
    X = rng.normal(size=(n, d)).round(int(rng.integers(0, 4)))  # rounded to whole numbers, there are ties
    sides = np.where(X[:, 0] + rng.normal(size=n) * rng.choice([0.1, 1, 3]) > 0, 1, -1).astype(np.int8)
    sides[rng.random(n) < rng.choice([0, 0.4])] = 0
    gram = X @ X.T if seed % 3 == 0 else rbf_kernel(X, gamma=rng.choice([0.01, 0.3, 3]))
    gram = np.triu(gram) + np.triu(gram, 1).T
    weight = None if seed % 2 else rng.choice([0, 0.5, 1, 2.0], size=n)
    rows = np.sort(rng.permutation(n)[: int(n * rng.choice([0.6, 1]))])
    estimator = SVC(
        C=rng.choice([0.01, 1, 100, 1e4]),
        shrinking=seed % 5 > 0,
        tol=rng.choice([1e-1, 1e-3, 1e-4]),
        max_iter=int(rng.choice([37, 1500, 100_000])),
        cache_size=rng.choice([1e-3, 0.1, 200]),  # two rows, some, or all
        class_weight=[None, "balanced", {0: 2, 1: 0.5}][seed % 3],
    )
    dense = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        diagonal = gram.diagonal()
        ways = [(solve_by_sklearn, np.float64), (solve_compiled, np.float64), (solve_compiled, np.float32)]
        for solve, precision in ways:
            support, dual, intercept = solve(
                estimator, Gram(gram.astype(precision), diagonal), rows, sides[rows], weight
            )
            dense.append(np.append(np.zeros(n), intercept))
            dense[-1][support] = dual
    np.testing.assert_array_equal(dense[1:], dense[:1] * 2)


def test_large_problems_are_solved_compiled(data, monkeypatch):
    X, y, new = data
    small = choose_training(SVC(), Task(CODE, X, y)).fit().margins(new)
    monkeypatch.setattr(KernelTraining, "worth_compiling", 0)
    monkeypatch.setattr("ecoc.training.kernel.solve_by_sklearn", None)
    training = choose_training(SVC(), Task(CODE, X, y))
    assert training.gram.values.dtype == np.float32
    np.testing.assert_array_equal(training.fit().margins(new), small)


def test_single_precision_hardly_changes_held_out_outputs(data, monkeypatch):
    X, y, _ = data
    folds = make_folds(3, y, 0)
    double = choose_training(SVC(), Task(CODE, X, y)).out_of_fold(folds, "margins")
    monkeypatch.setattr(KernelTraining, "worth_compiling", 0)
    single = choose_training(SVC(), Task(CODE, X, y)).out_of_fold(folds, "margins")
    np.testing.assert_allclose(single, double, atol=1e-6)


@pytest.mark.parametrize("solve", [solve_by_sklearn, solve_compiled])
def test_solvers_say_when_they_stopped_early(data, solve):
    X, y, _ = data
    with pytest.warns(ConvergenceWarning, match="max_iter=3"):
        solve(SVC(max_iter=3), Gram(rbf_kernel(X), np.ones(len(X))), np.arange(len(y)), CODE[y, 0], None)


def test_bad_parameters_are_refused_as_by_the_estimator(data):
    X, y, _ = data
    with pytest.raises(ValueError, match="'C' parameter of SVC"):
        choose_training(SVC(C=-1), Task(CODE, X, y))


def test_no_support_vectors_no_count(data):
    from sklearn.linear_model import LogisticRegression

    X, y, _ = data
    model = ECOCClassifier(LogisticRegression(), probability=False).fit(X, y)
    assert not hasattr(model, "n_support_")
    assert not hasattr(model, "n_support_per_column_")


def test_equal_and_complementary_columns_are_solved_once(data, monkeypatch):
    X, y, new = data
    solved = []
    fit = SVC.fit
    monkeypatch.setattr(SVC, "fit", lambda self, *args, **kwargs: solved.append(1) or fit(self, *args, **kwargs))
    code = np.column_stack([CODE, -CODE[:, 0], CODE[:, 1]])
    margins = choose_training(SVC(gamma=0.2), Task(code, X, y)).fit().margins(new)
    assert len(solved) == 3
    np.testing.assert_array_equal(margins[:, 3], -margins[:, 0])
    np.testing.assert_allclose(margins[:, 4], margins[:, 1], rtol=1e-12)  # one model, another column of a product
