"""Private names of scikit-learn that this package uses. Only this file has to follow their changes."""

from numbers import Integral, Real

from sklearn.base import _fit_context as fit_context
from sklearn.utils._param_validation import HasMethods, Interval, RealNotInt, StrOptions
from sklearn.utils.metadata_routing import _raise_for_params as raise_for_params
from sklearn.utils.metadata_routing import _routing_enabled as routing_enabled
from sklearn.utils.validation import _check_method_params as check_method_params
from sklearn.utils.validation import _check_sample_weight as check_sample_weight

__all__ = [
    "FREE_LENGTH",
    "HasMethods",
    "Interval",
    "RealNotInt",
    "StrOptions",
    "check_method_params",
    "check_sample_weight",
    "fit_context",
    "raise_for_params",
    "routing_enabled",
]

# A number of columns, a share of the number of classes, or the default.
FREE_LENGTH = [None, Interval(Integral, 1, None, closed="left"), Interval(Real, 0, None, closed="neither")]
