"""What a coding may know besides the data."""

from dataclasses import dataclass
from typing import Any

from ecoc.utils.folds import Folds


@dataclass(frozen=True)
class Context:
    """What a coding may know besides X and y.

    Parameters
    ----------
    random_state : int, RandomState, Generator or None, default=None
        Seed of a coding that draws.
    is_linear : bool, default=False
        Whether the binary classifiers will be linear models.
    folds : list of pairs of rows, default=None
        The user's own training and test rows, for a coding that compares held-out outputs. None: the coding chooses.
    estimator : estimator, default=None
        The binary classifier, for a coding that tries it on a few columns; of a Pipeline, the last step.
    most_refined : int, default=None
        Number of columns up to which a code is fitted to the data. None: no limit.

    Examples
    --------
    >>> from ecoc import ECF
    >>> from ecoc.codes.coding import Context
    >>> from sklearn.datasets import load_digits
    >>> ECF(n_columns=5).build(10, *load_digits(return_X_y=True), context=Context(random_state=0, most_refined=0)).shape
    (10, 5)
    """

    random_state: Any = None
    is_linear: bool = False
    folds: Folds | None = None
    estimator: Any = None
    most_refined: int | None = None
