"""Which tables come with scikit-learn? Four, by names such as ``sklearn:digits``, to try things out on."""

from ecoc.datasets.files import Table
from ecoc.exceptions import DataError

PREFIX = "sklearn:"
BUNDLED = ("breast_cancer", "digits", "iris", "wine")


def bundled_table(name: str) -> Table:
    """Read one of them.

    Parameters
    ----------
    name : str
        One of `BUNDLED`, after `PREFIX`.

    Returns
    -------
    dict of str to ndarray
        The features by name, and ``label``.
    """
    from sklearn import datasets

    short = name.removeprefix(PREFIX)
    if short not in BUNDLED:
        raise DataError(f"scikit-learn has no table {short!r}; there are {', '.join(PREFIX + one for one in BUNDLED)}.")
    found = getattr(datasets, f"load_{short}")()
    columns = dict(zip(map(str, found.feature_names), found.data.T))
    return {**columns, "label": found.target_names[found.target]}
