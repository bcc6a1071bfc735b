"""Select the features and labels that a fitted model takes from a table."""

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecoc.tool.tables.cells import labels_in, parsed, together
from ecoc.tool.tables.names import USUAL_TARGETS, Table, find_target, listed
from ecoc.utils.exceptions import DataError


def features_like(
    table: Table, where: str, names: Sequence[str] | None, is_text: Collection[int], n_features: int
) -> NDArray[Any]:
    """Take the features of a model from a table, by name and in the model's order.

    Parameters
    ----------
    table : dict of str to ndarray
        Columns by name.
    where : str
        Where the table comes from, for errors.
    names : sequence of str or None
        Columns that the model was trained on. None: all columns but the labels.
    is_text : collection of int
        Positions of the features that are text.
    n_features : int
        Number of features of the model.

    Returns
    -------
    ndarray of shape (n_samples, n_features)
        Numbers, or objects if a column is text.

    Raises
    ------
    DataError
        If columns are missing, or hold text where the model expects numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from ecoc.tool.tables import features_like
    >>> table = {"weight": np.array(["4.5", "?"]), "name": np.array(["Tom", "Rex"]), "length": np.array(["46", "60"])}
    >>> features_like(table, "pets.csv", ["length", "weight"], is_text=(), n_features=2)
    array([[46. ,  4.5],
           [60. ,  nan]])
    """
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


def labels_like(table: Table, where: str, target: str | None, classes: NDArray[Any]) -> NDArray[Any]:
    """Take the labels from a table, with the type that a model's classes have.

    The label 1 of a model matches the text "1" in a table, and the other way round.

    Parameters
    ----------
    table : dict of str to ndarray
        Columns by name.
    where : str
        Where the table comes from, for errors.
    target : str or None
        Column of the labels. None: the first of label, class, target, y that there is.
    classes : ndarray of shape (n_classes,)
        The model's classes.

    Returns
    -------
    ndarray of shape (n_samples,)
        Elements of `classes`.

    Raises
    ------
    DataError
        If a label is not one of the classes.

    Examples
    --------
    >>> import numpy as np
    >>> from ecoc.tool.tables import labels_like
    >>> labels_like({"class": np.array(["1", "3"])}, "new.csv", None, classes=np.array([1, 2, 3]))
    array([1, 3])
    """
    target = find_target(table, target, where)
    y = labels_in(table[target], target, where)
    known = {str(label): label for label in classes.tolist()}
    if unknown := [label for label in np.unique(y).tolist() if str(label) not in known]:
        raise DataError(
            f"column {target!r} of {where} has classes that the model was not trained on: "
            f"{listed(map(str, unknown))}; it knows {listed(known)}."
        )
    return np.array([known[str(label)] for label in y.tolist()])
