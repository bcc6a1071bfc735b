"""Let boosters classify by themselves: translate labels for those that only take numbers."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone

_TRANSLATED = ("xgboost", "catboost")


class NumberedClasses(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that is trained on the numbers of the classes.

    XGBoost takes no other labels, and CatBoost predicts labels in a column.

    Parameters
    ----------
    estimator : estimator
        The classifier.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    estimator_ : estimator
        The fitted classifier.

    Examples
    --------
    >>> from ecoc.tool.comparison.native import NumberedClasses
    >>> from sklearn.linear_model import LogisticRegression
    >>> NumberedClasses(LogisticRegression()).fit([[0], [1]], ["no", "yes"]).predict([[2]])
    array(['yes'], dtype='<U3')
    """

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, X: Any, y: Any) -> Self:
        """Train on the numbers of the classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training data.
        y : array-like of shape (n_samples,)
            Class labels.

        Returns
        -------
        self
            The fitted classifier.
        """
        self.classes_, numbers = np.unique(y, return_inverse=True)
        self.estimator_ = clone(self.estimator).fit(X, numbers)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict labels.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Class labels.
        """
        labels: NDArray[Any] = self.classes_[np.ravel(self.estimator_.predict(X)).astype(np.intp)]
        return labels

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Estimate the probability of each class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Rows sum to one.
        """
        return np.asarray(self.estimator_.predict_proba(X), dtype=np.float64)


def native_classifier(learner: Any) -> Any:
    """Return an unfitted copy of a learner that takes any labels."""
    model = clone(learner)
    return NumberedClasses(model) if type(model).__module__.partition(".")[0] in _TRANSLATED else model
