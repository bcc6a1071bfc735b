"""Machines that share a Gram matrix say what machines of their own would."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC, NuSVC

from ecoc import ECOCClassifier, OneVsAll
from ecoc.dichotomies import Options, Task, choose_training
from ecoc.dichotomies.kernel import KernelDichotomizers, KernelTraining
from ecoc.dichotomies.separate import SeparateTraining

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
    ids=str,
)
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_equals_separate_machines(data, estimator, n_jobs):
    X, y, new = data
    training = choose_training(estimator, Task(CODE, X, y), Options(n_jobs=n_jobs))
    assert isinstance(training, KernelTraining)
    models = training.fit()
    for j in range(3):
        alone = type(estimator)(**estimator.get_params()).fit(X, CODE[y, j])
        np.testing.assert_allclose(models.margins(new)[:, j], alone.decision_function(new), atol=1e-6)
        assert set(models.estimators[j].support_) == set(alone.support_)
        np.testing.assert_array_equal(models.estimators[j].predict(new), alone.predict(new))


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
    assert outputs[0, 0] == -1  # nothing but −1 was seen


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
    assert isinstance(training, SeparateTraining)


def test_says_so_when_it_does_not_fit(data, capsys):
    X, y, _ = data
    model = ECOCClassifier(SVC(), coding=OneVsAll(), probability=False, kernel_memory=10, verbose=2).fit(X, y)
    assert "kernel_memory" in capsys.readouterr().out
    assert isinstance(model._dichotomizers.estimators[0], SVC)


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
        used |= set(rows[machine.support_])
    assert model.n_support_ == len(used)


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
    np.testing.assert_array_equal(margins[:, 4], margins[:, 1])
