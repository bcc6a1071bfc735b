"""Tables that come with scikit-learn, named ``sklearn:digits`` and the like, to try the command line."""

from ecoc.tool.tables.columns import Table
from ecoc.utils.exceptions import DataError

PREFIX = "sklearn:"
BUNDLED = ("breast_cancer", "digits", "iris", "wine")


def bundled_table(name: str) -> Table:
    """Load a table that comes with scikit-learn.

    Parameters
    ----------
    name : str
        `PREFIX` followed by one of `BUNDLED`.

    Returns
    -------
    dict of str to ndarray
        The features by name, and ``label``.
    """
    from sklearn import datasets

    short = name.removeprefix(PREFIX)
    if short not in BUNDLED:
        raise DataError(f"scikit-learn has no table {short!r}; known are {', '.join(PREFIX + one for one in BUNDLED)}.")
    found = getattr(datasets, f"load_{short}")()
    columns = dict(zip(map(str, found.feature_names), found.data.T))
    return {**columns, "label": found.target_names[found.target]}
