import numpy as np
from sklearn.datasets import load_digits

from ecoc import Minimal
from ecoc_paper import MinimalSearch
from ecoc_paper.codings.minimal_search import _hits, _swapped


def test_the_search_never_gets_worse_and_beats_counting():
    X, y = load_digits(return_X_y=True)
    coding = MinimalSearch()
    book = coding.build(10, X[:600], y[:600], random_state=0)
    assert book.n_columns == 4
    assert (np.diff(coding.hits_) >= 0).all()
    assert coding.hits_[-1] > coding.hits_[0]
    assert book.matrix.tolist() != Minimal().build(10).matrix.tolist()


def test_hits_need_all_bits():
    outputs, y, code = np.eye(4), np.arange(4), Minimal().build(4).matrix
    assert _hits(outputs, y, code) > 1  # all bits of all samples
    assert _hits(np.roll(outputs, 1, axis=1), y, code) < 0.01


def test_children_are_assignments():
    rng = np.random.default_rng(0)
    numbers = rng.permutation(8)
    for _ in range(20):
        child = _swapped(numbers, 5, rng)
        assert sorted(child.tolist()) == list(range(8))
        assert np.count_nonzero(child != numbers) in (0, 2)
