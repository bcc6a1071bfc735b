from contextlib import suppress

import numpy as np
import pytest
from sklearn.datasets import load_digits

from ecoc import CodeBookError, ECOCClassifier
from ecoc.testing import check_coding
from ecoc_paper import PaperECF

X, y = load_digits(return_X_y=True)


def test_conformance():
    check_coding(PaperECF(method="auto", effort=0.01), (2, 3, 5, 10, 33))


@pytest.mark.parametrize("reading", ["mended", "printed", "products"])
@pytest.mark.parametrize("how", [{}, {"projection": "printed", "rounding": "cycle", "diagonal": True}])
def test_every_reading_gives_a_valid_code(reading, how):
    coding = PaperECF("hard", 3, reading=reading, n_starts=50, **how)
    book = coding.build(10, X, y, random_state=0)
    assert book.min_distance >= 1
    assert coding.details_["valid"] == 1
    assert book.n_columns <= coding.details_["length"]
    if reading == "products":
        assert coding.details_["length"] == coding.details_["rank"]  # whatever c is


def test_each_pair_has_a_distance_of_its_own_in_every_reading():
    c = np.full((10, 10), 1)
    c[3, 8] = c[8, 3] = 5
    for reading in ("mended", "printed", "products"):
        book = PaperECF("equidistant", c, reading=reading, method="auto", effort=0.05).build(10, X, y, random_state=0)
        least = {"mended": 5, "printed": 3, "products": 1}[reading]
        assert book.distances()[3, 8] >= least


def test_all_starts_are_counted_and_repeated_columns_apart_from_invalid_codes():
    coding = PaperECF("easy", 3, n_starts=6, stop_at_valid=False)
    with suppress(CodeBookError):  # none of them
        coding.build(10, X, y, random_state=0)
    assert coding.details_["starts"] == 6
    assert 0 <= coding.details_["valid"] <= 6
    assert 0 <= coding.details_["repeated"] <= 6


def test_it_is_a_coding_by_name_and_longer_on_request():
    from sklearn.linear_model import RidgeClassifier

    model = ECOCClassifier(RidgeClassifier(), coding="paper_ecf", random_state=0).fit(X[:600], y[:600])
    assert model.score(X[600:], y[600:]) > 0.7
    usual, longer = (
        PaperECF("hard", 3, n_columns=n_columns, method="auto", effort=0.05).build(10, X, y, random_state=0).n_columns
        for n_columns in (None, 2.0)
    )
    assert longer == 2 * usual
    with pytest.raises(ValueError, match="reading"):
        PaperECF(reading="literal").build(10, X, y)
