"""Prepare columns for a model, and take the features and labels of a fitted one from a table."""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from ecoc.tool.tables.cells import USUAL_TARGETS, Table, find_target, labels_in, listed, parsed, together
from ecoc.utils.exceptions import DataError


def features_like(
    table: Table, where: str, names: Sequence[str] | None, is_text: Collection[int], n_features: int
) -> NDArray[Any]:
    """Take the features of a model from a table, in its order; without `names`, all columns but the labels."""
    if names is None:
        names = [name for name in table if name.lower() not in USUAL_TARGETS]
        if len(names) != n_features:
            raise DataError(f"{where} has {len(names)} features, but the model was trained on {n_features}.")
    if missing := [name for name in names if name not in table]:
        raise DataError(
            f"{where} lacks {len(missing)} of the {len(names)} columns that the model was trained on: "
            f"{listed(missing)}; it has {listed(table)}."
        )
    return together([parsed(table[name], name, where, i in is_text) for i, name in enumerate(names)])


def labels_like(
    table: Table, where: str, target: str | None, classes: NDArray[Any]
) -> tuple[list[Any], dict[str, int]]:
    """Take the labels from a table, with the type of the model's classes: 1 matches the text "1" in a table.

    A label that is no class of the model becomes None. The second value counts the rows of each of these. If no label
    is a class, the column is not the one of the classes, and that is an error.
    """
    target = find_target(table, target, where)
    y = labels_in(table[target], target, where)
    known = {str(label): label for label in classes.tolist()}
    texts = [str(label) for label in y.tolist()]
    unknown = Counter(text for text in texts if text not in known)
    if unknown.total() == len(texts):
        raise DataError(
            f"column {target!r} of {where} has only classes that the model was not trained on: {listed(unknown)}; it "
            f"knows {listed(known)}."
        )
    return [known.get(text) for text in texts], dict(unknown.most_common())


def make_preparation(is_text: NDArray[np.bool_]) -> Any:
    """Make the transformer of a table's columns: it imputes missing cells, scales numbers, and encodes text one-hot."""
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
    """Give a fitted transformer the names of its columns; it then accepts a DataFrame with these in any order."""
    preparation.feature_names_in_ = np.array(names, dtype=object)
    for _, part, columns in preparation.transformers_:
        if columns and hasattr(part, "steps"):  # its imputer gets a DataFrame, too
            part.steps[0][1].feature_names_in_ = preparation.feature_names_in_[columns]
    return preparation
