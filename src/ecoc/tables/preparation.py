"""How do numbers and text become features? Filled in, scaled, one-hot encoded, inside the model that is saved."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

_MOST_CATEGORIES = 100  # of one column; rarer ones share a feature, so that free text does not fill the memory


def make_preparation(is_text: NDArray[np.bool_]) -> Any:
    """Make a transformer of tables.

    Parameters
    ----------
    is_text : ndarray of shape (n_features,)
        Which columns are text; the others are numbers.

    Returns
    -------
    ColumnTransformer
    """
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    numbers = make_pipeline(SimpleImputer(strategy="median", keep_empty_features=True), StandardScaler())
    text = make_pipeline(
        SimpleImputer(strategy="constant", fill_value="missing"),
        OneHotEncoder(handle_unknown="ignore", max_categories=_MOST_CATEGORIES, sparse_output=False),
    )
    parts = (("numbers", numbers, ~is_text), ("text", text, is_text))
    return ColumnTransformer(
        [(name, part, np.flatnonzero(columns).tolist()) for name, part, columns in parts if columns.any()]
    )


def named(preparation: Any, names: Sequence[str]) -> Any:
    """Tell a fitted transformer the names of its columns, so that it takes a DataFrame with these in any order."""
    preparation.feature_names_in_ = np.array(names, dtype=object)
    return preparation
