"""Do columns of numbers and text become features, whatever their order in a DataFrame?"""

import numpy as np
import pytest

from ecoc.tool.tables.preparation import make_preparation, named

X = np.array([[46.0, "long"], [60.0, "short"], [np.nan, "long"], [53.0, np.nan]], dtype=object)


def test_missing_cells_are_filled_and_text_is_encoded():
    features = make_preparation(np.array([False, True])).fit_transform(X)
    assert np.allclose(features[2:, 0], 0)  # the median is the mean here
    assert features[:, 1:].sum(axis=1).tolist() == [1, 1, 1, 1]
    assert np.array_equal(features[0, 1:], features[2, 1:])


def test_unknown_text_is_no_category():
    preparation = make_preparation(np.array([False, True])).fit(X)
    assert preparation.transform(np.array([[46.0, "curly"]], dtype=object))[0, 1:].tolist() == [0, 0, 0]


def test_many_categories_share_features():
    words = np.array([[f"word {i}"] for i in range(500)], dtype=object)
    assert make_preparation(np.array([True])).fit_transform(words).shape == (500, 100)


def test_named_columns_may_come_in_any_order():
    pandas = pytest.importorskip("pandas")
    preparation = named(make_preparation(np.array([False, True])).fit(X), ["size", "coat"])
    frame = pandas.DataFrame({"coat": ["short"], "size": [60.0]})
    assert np.array_equal(preparation.transform(frame), preparation.transform(X[1:2]))
