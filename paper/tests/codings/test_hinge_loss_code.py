import numpy as np
from sklearn.datasets import load_digits

from ecoc_paper import HingeLossCode
from ecoc_paper.codings.hinge_loss_code import _climb, _hinge, _slope


def digits(n=400):
    X, y = load_digits(return_X_y=True)
    return X[:n], y[:n]


def test_the_loss_falls_with_every_column():
    coding = HingeLossCode(n_columns=12)
    book = coding.build(10, *digits(), random_state=0)
    assert book.n_columns == 12
    assert len(coding.losses_) == 13
    assert coding.losses_[0] == 1  # all scores are 0
    assert (np.diff(coding.losses_) < 1e-9).all()
    assert coding.losses_[-1] < 0.3


def test_the_hinge_loss_is_that_of_the_nearest_rival():
    loss, rival = _hinge(np.array([[2.0, 0.5, -1.0], [0.0, 0.2, 3.0]]), np.array([0, 1]))
    assert loss.tolist() == [0, 1 + 3.0 - 0.2]
    assert rival.argmax(axis=1).tolist() == [1, 2]


def test_all_other_classes_are_rivals_alike_at_the_start():
    loss, rivals = _hinge(np.zeros((2, 3)), np.array([0, 2]))
    assert loss.tolist() == [1, 1]
    assert rivals.tolist() == [[0, 0.5, 0.5], [0.5, 0.5, 0]]


def test_a_column_that_helps_nobody_has_the_weight_0():
    """On noise, held-out outputs are worth nothing, and the loss rose with every column."""
    rng = np.random.default_rng(0)
    coding = HingeLossCode(n_columns=6)
    coding.build(6, rng.normal(size=(90, 3)), np.arange(90) % 6, random_state=0)
    assert (np.diff(coding.losses_) <= 0).all()


def test_the_slope_is_the_derivative_of_the_loss():
    rng = np.random.default_rng(0)
    outputs, y, scores = rng.normal(size=(50, 4)), rng.integers(4, size=50), rng.normal(size=(50, 4))
    loss, rival = _hinge(scores, y)
    slope = _slope(outputs, y, rival, loss > 0)
    for x in ([1, 1, -1, -1], [1, -1, -1, -1]):
        x = np.array(x, dtype=float)
        step = 1e-7
        moved, _ = _hinge(scores + step * np.outer(outputs @ x, x), y)
        assert np.isclose((loss.sum() - moved.sum()) / step, x @ slope @ x / 2, rtol=1e-4)


def test_climbing_ends_where_no_flip_helps():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(8, 8))
    A += A.T
    x = rng.choice([-1.0, 1.0], size=8)
    before = x @ A @ x
    _climb(A, x)
    value = x @ A @ x
    assert value >= before
    for i in range(8):
        other = x.copy()
        other[i] *= -1
        assert other @ A @ other <= value + 1e-9
