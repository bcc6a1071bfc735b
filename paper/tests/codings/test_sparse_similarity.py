import numpy as np
import pytest
from sklearn.datasets import load_digits

from ecoc_paper import SparseSimilarity
from ecoc_paper.codings.separation import are_separated


def test_columns_leave_classes_out():
    X, y = load_digits(return_X_y=True)
    for sparsity in (0.0, 0.2, 0.5):
        book = SparseSimilarity(n_columns=20, sparsity=sparsity).build(10, X, y, random_state=0)
        assert book.n_columns == 20
        assert np.mean(book.matrix == 0) <= sparsity + 0.1
        assert are_separated(book.matrix)
    assert np.mean(book.matrix == 0) > 0.2


def test_the_first_column_keeps_similar_classes_together():
    rng = np.random.default_rng(0)
    centres = np.repeat([[0.0, 0], [10, 0]], 4, axis=0) + rng.normal(size=(8, 2))
    y = np.repeat(np.arange(8), 10)
    X = centres[y] + 0.1 * rng.normal(size=(80, 2))
    book = SparseSimilarity(n_columns=8, sparsity=0.0, metric="euclidean").build(8, X, y, random_state=0)
    first = book.matrix[:, 0]
    assert abs(first[:4].sum()) == 4
    assert abs(first[4:].sum()) == 4
    assert first[0] == -first[4]


def test_a_stronger_correlation_makes_columns_less_alike():
    X, y = load_digits(return_X_y=True)

    def alike(correlation):
        code = (
            SparseSimilarity(n_columns=10, correlation=correlation).build(10, X, y, random_state=0).matrix.astype(float)
        )
        code /= np.linalg.norm(code, axis=0)
        return np.abs(np.triu(code.T @ code, 1)).sum()

    assert alike(2.0) < alike(0.1)


def test_parameters_are_checked():
    X, y = load_digits(return_X_y=True)
    with pytest.raises(ValueError, match="sparsity"):
        SparseSimilarity(sparsity=1.5).build(10, X, y)
