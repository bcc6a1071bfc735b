"""Cost-sensitive prediction with any classifier, and checks of costs and rejection labels."""

import warnings
from numbers import Real
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ecoc.classifier.inputs import check_one_label_each
from ecoc.decoding.costs import cost_matrix, least_expected_cost
from ecoc.utils.interrupts import all_at_once
from ecoc.utils.messages import some
from ecoc.utils.scikit import get_tags, routing_enabled

Array = NDArray[np.float64]


def _has_probabilities(model: "LeastCostClassifier") -> bool:
    return hasattr(getattr(model, "estimator_", model.estimator), "predict_proba")


class LeastCostClassifier(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Make any classifier with probabilities predict the class with the least expected cost.

    :class:`ecoc.ECOCClassifier` takes costs itself. This is for all other classifiers.

    Parameters
    ----------
    estimator : classifier
        A classifier with `predict_proba`; the better its probabilities are calibrated, the better the decisions.
    costs : mapping, DataFrame or array-like, default=None
        As in :class:`ecoc.ECOCClassifier`.
    reject_cost : float, default=None
        Cost of the answer "don't know". None: there is no such answer.
    reject_label : object, default=None
        The answer "don't know"; a number if the labels are numbers.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    estimator_ : classifier
        The fitted classifier.
    cost_matrix_ : ndarray of shape (n_classes, n_classes)
        Cost of each true class (row) when each class (column) is predicted.

    See Also
    --------
    ecoc.cost_report : Costs of a model's errors.

    Examples
    --------
    >>> from ecoc import LeastCostClassifier
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> plain = LogisticRegression(max_iter=1000)
    >>> careful = LeastCostClassifier(plain, costs={(2, 1): 50}).fit(X, y)
    >>> int((careful.predict(X) == 2).sum() - (plain.fit(X, y).predict(X) == 2).sum())
    36
    """

    def __init__(
        self, estimator: Any, costs: Any = None, reject_cost: float | None = None, reject_label: Any = None
    ) -> None:
        self.estimator = estimator
        self.costs = costs
        self.reject_cost = reject_cost
        self.reject_label = reject_label

    @all_at_once
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, **fit_params: Any) -> Self:
        """Fit the classifier.

        Parameters
        ----------
        X : object
            Training data, as the classifier takes it.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples, given to the classifier's `fit`.
        **fit_params : dict
            Given to the classifier's `fit`; with metadata routing enabled, if the classifier requests them.

        Returns
        -------
        self
            The fitted classifier.
        """
        if not hasattr(self.estimator, "predict_proba"):
            name = type(self.estimator).__name__
            raise TypeError(
                f"{name} has no predict_proba, which costs need; ECOCClassifier({name}(), coding='plain') takes "
                "costs, too, and calibrates probabilities."
            )
        check_one_label_each(y, type(self).__name__)
        params = fit_params if sample_weight is None else {**fit_params, "sample_weight": sample_weight}
        if routing_enabled():
            params = process_routing(self, "fit", **params).estimator.fit
        self.estimator_ = clone(self.estimator).fit(X, y, **params)
        self.classes_ = self.estimator_.classes_
        costs = {} if self.costs is None else self.costs
        self.cost_matrix_ = check_costs(costs, self.reject_cost, self.reject_label, self.classes_)
        self._rejection = self.reject_cost, self.reject_label
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class with the least expected cost, or `reject_label`.

        Parameters
        ----------
        X : object
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Class labels.
        """
        check_is_fitted(self, "estimator_")
        costs: Any = self.cost_matrix_
        reject_cost, reject_label = self._rejection
        probabilities = self.estimator_.predict_proba(X)
        if reject_cost is not None:  # probabilities of training samples, in `fit`, would be too high
            warn_of_rejections(probabilities, costs, reject_cost, "these")
        chosen = least_expected_cost(probabilities, costs, reject_cost)
        return labels_with_rejections(self.classes_, chosen, reject_label)

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Array:
        """Return the classifier's probabilities; costs do not change them.

        Parameters
        ----------
        X : object
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities of the classes.
        """
        check_is_fitted(self, "estimator_")
        probabilities: Array = self.estimator_.predict_proba(X)
        return probabilities

    @property
    def n_features_in_(self) -> int:
        """Number of features."""
        check_is_fitted(self, "estimator_")
        return int(self.estimator_.n_features_in_)

    def get_metadata_routing(self) -> MetadataRouter:
        """Route fit parameters to the classifier.

        Returns
        -------
        MetadataRouter
            What `fit` passes on.
        """
        mapping = MethodMapping().add(caller="fit", callee="fit")
        return MetadataRouter(owner=self).add(estimator=self.estimator, method_mapping=mapping)

    def __getstate__(self) -> dict[str, Any]:
        return with_plain_costs(super().__getstate__())

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(with_rejection(state))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self.estimator).input_tags
        return tags


def check_costs(costs: Any, reject_cost: float | None, reject_label: Any, classes: NDArray[Any]) -> Array | None:
    """Return the matrix of costs; None if the most probable class is always predicted."""
    if costs is None and reject_cost is None:
        return None
    if reject_cost is not None:
        if classes.dtype.kind in "biuf" and not isinstance(reject_label, Real):
            raise ValueError(
                "the labels are numbers, so reject_label must be a number that is no class, e.g. reject_label=-1."
            )
        if reject_label in classes.tolist():
            raise ValueError(f"reject_label={reject_label!r} is a class; choose another label.")
    return cost_matrix(costs, classes.tolist())


def with_plain_costs(state: dict[str, Any]) -> dict[str, Any]:
    """Return the state of a fitted model with its costs as a matrix, because files hold no mappings of pairs."""
    if state.get("cost_matrix_") is None or state["costs"] is None:
        return state
    return {**state, "costs": state["cost_matrix_"]}


def with_rejection(state: dict[str, Any]) -> dict[str, Any]:
    """Return the state of a saved model; files of earlier versions lack the fitted cost and label of rejection."""
    return {"_rejection": (state["reject_cost"], state["reject_label"]), **state}


def labels_with_rejections(classes: NDArray[Any], chosen: NDArray[np.intp], reject_label: Any) -> NDArray[Any]:
    """Return the labels of chosen classes, and the label of rejection where the choice is −1."""
    if (chosen >= 0).all():
        return np.asarray(classes[chosen])
    if reject_label is None:
        labels = classes.astype(object)[chosen]
    else:
        labels = classes[chosen].astype(np.result_type(classes, np.asarray(reject_label)))
    labels[chosen < 0] = reject_label
    return np.asarray(labels)


def warn_of_lost_classes(probabilities: Array, costs: Array, classes: NDArray[Any]) -> None:
    """Warn about classes that the costs keep from being predicted for any held-out sample."""
    before, after = probabilities.argmax(axis=1), least_expected_cost(probabilities, costs)
    lost = classes[np.setdiff1d(before, after)].tolist()
    if lost:
        warnings.warn(
            f"with these costs, {some(lost)} would never be predicted for a training sample that was held out; lower "
            "the costs of errors in which it is predicted.",
            UserWarning,
            stacklevel=4,
        )


def warn_of_rejections(probabilities: Array, costs: Any, reject_cost: float, which: str = "the training") -> None:
    """Warn if hardly any of 20 samples or more would be answered, and name a cost at which half of them would be."""
    hardly, fewest = 0.05, 20
    if len(probabilities) < fewest:
        return
    expected = (probabilities @ costs).min(axis=1)
    answered = float(np.mean(expected <= reject_cost))
    if answered < hardly:
        half = np.ceil(100 * np.median(expected)) / 100
        warnings.warn(
            f"with reject_cost={reject_cost:g}, {1 - answered:.0%} of {which} samples get no answer; "
            f"reject_cost={half:g} would leave about half of them answered.",
            UserWarning,
            stacklevel=4,
        )
