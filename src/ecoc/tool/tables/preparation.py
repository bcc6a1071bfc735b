"""Impute, scale and one-hot encode columns of numbers and text, inside the model."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def make_preparation(is_text: NDArray[np.bool_]) -> Any:
    """Make the transformer from a table's columns to features.

    Parameters
    ----------
    is_text : ndarray of shape (n_features,)
        Which columns are text; the others are numbers.

    Returns
    -------
    ColumnTransformer
        Not fitted. It imputes missing cells, scales numbers, and encodes text one-hot.

    Examples
    --------
    >>> import numpy as np
    >>> from ecoc.tool.tables import make_preparation
    >>> X = np.array([[46, "long"], [60, "short"], [np.nan, "long"]], dtype=object)
    >>> make_preparation(np.array([False, True])).fit_transform(X)
    array([[-1.22474487,  1.        ,  0.        ],
           [ 1.22474487,  0.        ,  1.        ],
           [ 0.        ,  1.        ,  0.        ]])
    """
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    numbers = make_pipeline(SimpleImputer(strategy="median", keep_empty_features=True), StandardScaler())
    text = make_pipeline(  # rare words share a feature, so that free text does not fill the memory
        SimpleImputer(strategy="constant", fill_value="missing"),
        OneHotEncoder(handle_unknown="ignore", max_categories=100, sparse_output=False),
    )
    parts = (("numbers", numbers, ~is_text), ("text", text, is_text))
    return ColumnTransformer(
        [(name, part, np.flatnonzero(columns).tolist()) for name, part, columns in parts if columns.any()]
    )


def named(preparation: Any, names: Sequence[str]) -> Any:
    """Give a fitted transformer the names of its columns.

    It then accepts a DataFrame with these columns in any order.

    Parameters
    ----------
    preparation : ColumnTransformer
        A fitted transformer.
    names : sequence of str
        Names of its columns.

    Returns
    -------
    ColumnTransformer
        The same object.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from ecoc.tool.tables import make_preparation, named
    >>> preparation = make_preparation(np.array([False, False])).fit([[0, 10], [2, 30]])
    >>> named(preparation, ["a", "b"]).transform(pd.DataFrame({"b": [30], "a": [0]}))
    array([[-1.,  1.]])
    """
    preparation.feature_names_in_ = np.array(names, dtype=object)
    for _, part, columns in preparation.transformers_:
        if columns and hasattr(part, "steps"):  # its imputer gets a DataFrame, too
            part.steps[0][1].feature_names_in_ = preparation.feature_names_in_[columns]
    return preparation
