"""The private names of scikit-learn that the package uses; a test uses each of them.

A private name may change in any release. All other modules import the names from here, so that only this file has to be
adapted.
"""

from typing import Any

from sklearn.linear_model._base import LinearClassifierMixin as LinearClassifierMixin
from sklearn.linear_model._base import LinearModel as LinearModel
from sklearn.svm._base import BaseLibSVM as BaseLibSVM
from sklearn.utils import _safe_indexing as safe_indexing
from sklearn.utils import get_tags as _get_tags
from sklearn.utils._param_validation import HasMethods as HasMethods
from sklearn.utils._param_validation import Interval as Interval
from sklearn.utils._param_validation import StrOptions as StrOptions
from sklearn.utils.metadata_routing import _routing_enabled as routing_enabled
from sklearn.utils.validation import _check_method_params as check_method_params
from sklearn.utils.validation import _check_sample_weight
from sklearn.utils.validation import _num_samples as n_samples

__all__ = ["check_method_params", "n_samples", "routing_enabled", "safe_indexing"]


def check_sample_weight(sample_weight: Any, X: Any, *, dtype: Any = None) -> Any:
    """Return checked sample weights; negative ones are an error."""
    return _check_sample_weight(sample_weight, X, dtype=dtype, ensure_non_negative=True)


def check_parameters(estimator: Any) -> None:
    """Check the parameters of an estimator, as its `fit` would."""
    estimator._validate_params()


def get_tags(estimator: Any) -> Any:
    """Return an estimator's tags; a class instead of an instance is an error."""
    if isinstance(estimator, type):  # scikit-learn 1.6 has no message for it
        raise TypeError(f"Give an instance, {estimator.__name__}(), instead of the class {estimator.__name__}.")
    return _get_tags(estimator)


def effective_gamma(machine: Any) -> float:
    """Return the number that ``gamma="scale"`` or ``"auto"`` became in the fit of an `SVC`."""
    return float(machine._gamma)


def positive_label(thresholded: Any) -> Any:
    """Return the label that a fitted classifier with a decision threshold predicts for high scores."""
    return thresholded.pos_label if hasattr(thresholded, "pos_label") else thresholded._curve_scorer._get_pos_label()
