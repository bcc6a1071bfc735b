"""What may a coding know besides the data? The seed, the binary classifier, and the folds."""

from dataclasses import dataclass
from typing import Any

from ecoc.utils.folds import Folds
from ecoc.utils.models import last_step
from ecoc.utils.scikit import LinearClassifierMixin, LinearModel

_BOOSTERS = (
    "XGBClassifier",
    "LGBMClassifier",
    "CatBoostClassifier",
    "HistGradientBoostingClassifier",
    "GradientBoostingClassifier",
)


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

    Examples
    --------
    >>> from ecoc.codes.coding import Context
    >>> from sklearn.linear_model import LogisticRegression
    >>> Context.of(LogisticRegression(), random_state=0).is_linear
    True
    """

    random_state: Any = None
    is_linear: bool = False
    folds: Folds | None = None
    estimator: Any = None

    @classmethod
    def of(cls, estimator: Any, random_state: Any = None, folds: Folds | None = None) -> "Context":
        """Describe the training of an estimator.

        Parameters
        ----------
        estimator : estimator
            The binary classifier; of a Pipeline, the last step counts.
        random_state : int, RandomState, Generator or None, default=None
            Seed.
        folds : list of pairs of rows, default=None
            The user's own folds.

        Returns
        -------
        Context
            The context.
        """
        last = last_step(estimator)
        return cls(random_state, is_linear(last), folds, last)


def is_linear(estimator: Any) -> bool:
    """Tell whether an estimator decides by a scalar product of the features."""
    return isinstance(estimator, LinearClassifierMixin | LinearModel) or getattr(estimator, "kernel", None) == "linear"


def is_tree(estimator: Any) -> bool:
    """Tell whether an estimator is a single decision tree."""
    from sklearn.tree import BaseDecisionTree

    return isinstance(estimator, BaseDecisionTree)


def is_booster(estimator: Any) -> bool:
    """Tell whether an estimator boosts trees; of a Pipeline, the last step counts."""
    return any(kind.__name__ in _BOOSTERS for kind in type(last_step(estimator)).__mro__)
