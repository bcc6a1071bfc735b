"""One pass over sparse samples gives the models that LIBLINEAR gives one by one."""

import warnings

import numpy as np
import pytest
from scipy.sparse import csr_array, csr_matrix, random_array
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from ecoc import ECOCClassifier
from ecoc.training.choosing import choose_training
from ecoc.training.interfaces import Options, Task
from ecoc.training.separate import SeparateTraining
from ecoc.training.sparse import SparseLinearTraining

RNG = np.random.default_rng(0)
Y = np.repeat(np.arange(6), 15)
X = csr_array(random_array((90, 40), density=0.2, rng=RNG) + csr_array(np.eye(6, 40)[Y] * 0.5))
CODE = np.vstack([np.ones(12), -np.ones(12), RNG.choice([-1, 1], size=(4, 12))]).astype(np.int8)
TERNARY = RNG.choice([-1, 0, 1], size=(6, 12)).astype(np.int8)
EXACT = LinearSVC(C=2.0, tol=1e-7, max_iter=20_000, random_state=0)
WEIGHT = RNG.choice([0.0, 0.5, 2.0], size=90)


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["equal", "weighted"])
@pytest.mark.parametrize("code", [CODE, TERNARY], ids=["binary", "ternary"])
@pytest.mark.parametrize("parameters", [{}, {"fit_intercept": False}, {"intercept_scaling": 3.0}], ids=str)
def test_models_of_liblinear(code, weight, parameters):
    estimator = EXACT.__class__(**{**EXACT.get_params(), **parameters})
    task = Task(code, X, Y, weight)
    ours, theirs = (kind(estimator, task, Options()).fit() for kind in (SparseLinearTraining, SeparateTraining))
    np.testing.assert_allclose(ours.margins(X), theirs.margins(X), atol=1e-4)
    model = ours.estimators[0]
    np.testing.assert_allclose(model.decision_function(X) * ours.signs[0], ours.margins(X)[:, 0])
    np.testing.assert_array_equal(model.classes_, [0, 1])


class InSmallBlocks(SparseLinearTraining):
    block_columns = 5


def test_blocks_make_no_difference():
    task, options = Task(CODE, X, Y), Options()
    whole = SparseLinearTraining(EXACT, task, options).fit().margins(X)
    np.testing.assert_allclose(InSmallBlocks(EXACT, task, options).fit().margins(X), whole, atol=1e-5)


def test_a_column_whose_samples_are_all_on_one_side():
    task = Task(np.array([[1] * 8, [1] * 8, [-1] * 8]) * np.array([1, 1, 1, 1, 1, 1, 1, -1]), X[:20], Y[:20])
    assert (SparseLinearTraining(EXACT, task, Options()).fit().margins(X)[:, 0] == 1).all()


def test_no_convergence_warns():
    with pytest.warns(ConvergenceWarning, match="increase max_iter"):
        SparseLinearTraining(LinearSVC(max_iter=2), Task(CODE, X, Y), Options()).fit()


@pytest.mark.parametrize(
    "other", [LinearSVC(loss="hinge"), LinearSVC(penalty="l1"), LinearSVC(class_weight="balanced")], ids=str
)
def test_what_it_does_not_suit(other):
    assert type(choose_training(EXACT, Task(CODE, X, Y))) is SparseLinearTraining
    assert type(choose_training(other, Task(CODE, X, Y))) is SeparateTraining
    for task in (Task(CODE, X.toarray(), Y), Task(CODE[:, :5], X, Y)):
        assert type(choose_training(EXACT, task)) is not SparseLinearTraining


def test_in_a_classifier():
    wide = csr_matrix(np.hstack([X.toarray(), np.zeros((90, 3000))]).repeat(30, axis=0))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = ECOCClassifier(LinearSVC(), coding="dense", random_state=0).fit(wide, Y.repeat(30))
    assert model.score(wide, Y.repeat(30)) > 0.9
    assert isinstance(model.estimators_[0], LinearSVC)


def test_columns_within_groups_read_only_their_samples_and_features(tmp_path):
    """Two groups of three classes; the samples of each group have features of their own."""
    import ecoc
    from ecoc.training.sparse import _blocks

    code = np.zeros((6, 8), dtype=np.int8)
    code[:3, :4], code[3:, 4:] = -1, -1
    code[[0, 1, 2, 0, 3, 4, 5, 3], np.arange(8)] = 1
    code[1, 3] = code[4, 7] = 0
    blocks = _blocks(code.astype(float), np.full(6, 15), 64)
    assert sorted(np.concatenate(blocks).tolist()) == list(range(8))
    assert any(set(block.tolist()) == {0, 1, 2} for block in blocks)
    apart = csr_array(np.hstack([X.toarray() * (Y < 3)[:, None], X.toarray() * (Y > 2)[:, None]]))
    task = Task(code, apart, Y)
    ours, theirs = (kind(EXACT, task, Options()).fit() for kind in (SparseLinearTraining, SeparateTraining))
    np.testing.assert_allclose(ours.margins(apart), theirs.margins(apart), atol=1e-4)
    np.testing.assert_allclose(ours.margins(apart.toarray()), ours.margins(apart))
    np.testing.assert_allclose(ours.margins(apart.astype(np.float32)), ours.margins(apart), atol=1e-5)
    assert ours.estimators[0].coef_.nnz <= 40
    assert ours.first(5).margins(apart).shape == (90, 5)
    whole = np.hstack([code, [[1], [1], [1], [-1], [-1], [-1]]])
    model = ECOCClassifier(EXACT, coding=whole, decoding="hinge", random_state=0).fit(apart, Y)
    ecoc.save(model, tmp_path / "model.ecoc")
    assert (ecoc.load(tmp_path / "model.ecoc").predict(apart) == model.predict(apart)).all()
