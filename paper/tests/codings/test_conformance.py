"""The codings keep what the library asks of codings of others, and have the names that the package promises."""

from warnings import catch_warnings, simplefilter

import numpy as np
import pytest

import ecoc_paper
from ecoc.codes.coding import get_coding
from ecoc.testing import check_coding
from ecoc_paper import CrammerSinger, HingeLossCode, MinimalSearch, SparseSimilarity

NAMES = {
    "hinge_loss_code": HingeLossCode,
    "sparse_similarity": SparseSimilarity,
    "crammer_singer": CrammerSinger,
    "minimal_search": MinimalSearch,
}
FAST = {"minimal_search": MinimalSearch(3)}


@pytest.mark.parametrize("name", NAMES)
def test_conformance(name):
    assert type(get_coding(name)) is NAMES[name] is getattr(ecoc_paper, NAMES[name].__name__)
    check_coding(FAST.get(name, name), (2, 3, 5, 10, 33))


@pytest.mark.parametrize("name", NAMES)
def test_valid_with_two_samples_of_each_class(name):
    for k in (3, 4, 6, 7, 9, 17):
        rng = np.random.default_rng(k)
        y = np.arange(2 * k) % k
        X = rng.normal(size=(k, 4))[y] + 0.2 * rng.normal(size=(2 * k, 4))
        with catch_warnings():
            simplefilter("ignore", UserWarning)
            book = get_coding(FAST.get(name, name)).build(k, X, y, random_state=0)
        assert book.n_classes == k
        assert book.min_distance >= 1
        assert not book.duplicate_columns()
