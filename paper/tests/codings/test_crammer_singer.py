import numpy as np
from sklearn.datasets import load_digits

from ecoc_paper import CrammerSinger
from ecoc_paper.codings.crammer_singer import _error


def test_the_best_code_is_kept():
    X, y = load_digits(return_X_y=True)
    coding = CrammerSinger(n_columns=7)
    book = coding.build(10, X[:400], y[:400], random_state=0)
    assert book.n_columns == 7
    assert min(coding.errors_) < coding.errors_[0]
    agree = np.mean(np.sign(coding.relaxed_) == book.matrix)
    assert agree > 0.7  # but for columns that were changed to separate all classes
    assert coding.relaxed_.shape == (10, 7)


def test_errors_are_counted_by_the_nearest_codeword():
    code = np.array([[1, 1], [1, -1], [-1, 1]], dtype=np.int8)
    outputs = np.eye(3)[[0, 1, 2, 2]]
    assert _error(outputs, np.array([0, 1, 2, 0]), code) == 0.25
