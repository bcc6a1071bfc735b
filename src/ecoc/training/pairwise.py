"""Cut a precomputed kernel into folds: its rows carry their numbers."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_classifier
from sklearn.utils.metaestimators import available_if

from ecoc.utils.scikit import get_tags


def numbered_rows(X: Any) -> NDArray[Any]:
    """Return a square matrix between training samples with the number of each row in front of it."""
    X = X.toarray() if issparse(X) else X
    if X.shape[0] != X.shape[1]:
        raise ValueError(
            f"the estimator takes a matrix between the training samples, which must be square; got {X.shape[0]} × "
            f"{X.shape[1]}."
        )
    return np.column_stack([np.arange(len(X)), X])


def _offers(method: str) -> Any:
    return available_if(lambda self: hasattr(getattr(self, "estimator_", self.estimator), method))


class OnNumberedRows(MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """An estimator of a precomputed kernel that is trained on some of the training samples."""

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, X: NDArray[Any], y: Any, **params: Any) -> Self:
        """Fit the estimator to numbered rows, and to the columns that belong to them."""
        self.n_all_ = X.shape[1] - 1
        self.rows_ = X[:, 0].astype(np.intp)
        self.estimator_ = clone(self.estimator).fit(self._cut(X), y, **params)
        if is_classifier(self.estimator_):
            self.classes_ = np.asarray(self.estimator_.classes_)
        return self

    def predict(self, X: NDArray[Any]) -> Any:
        """Predict from rows of the kernel, numbered or not."""
        return self.estimator_.predict(self._cut(X))

    @_offers("decision_function")  # type: ignore[untyped-decorator]
    def decision_function(self, X: NDArray[Any]) -> Any:
        """Return decision values from rows of the kernel, numbered or not."""
        return self.estimator_.decision_function(self._cut(X))

    @_offers("predict_proba")  # type: ignore[untyped-decorator]
    def predict_proba(self, X: NDArray[Any]) -> Any:
        """Return probabilities from rows of the kernel, numbered or not."""
        return self.estimator_.predict_proba(self._cut(X))

    def __sklearn_tags__(self) -> Any:
        """Return the estimator's own tags: it may be a classifier or a regressor."""
        tags = get_tags(self.estimator)
        tags.input_tags.pairwise = False
        return tags

    def _cut(self, X: Any) -> Any:
        X = X.toarray() if issparse(X) else X
        return np.ascontiguousarray(X[:, X.shape[1] - self.n_all_ :][:, self.rows_])
