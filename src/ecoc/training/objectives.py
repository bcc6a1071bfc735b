"""Boosters whose parameters are for many classes, with the equivalent parameters for two classes.

A user may have tried the booster by itself first. XGBoost then stores the multi-class objective in the parameters of
the fitted classifier, and copies keep it.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from sklearn.base import clone


class Spelling(NamedTuple):
    """How a library names objectives and metrics, those for many classes with those for two, and the class count."""

    parameters: tuple[str, ...]
    values: Mapping[str, str]
    counts: tuple[str, ...]


_MULTICLASS = ("multiclass", "softmax", "multiclassova", "multiclass_ova", "ova", "ovr")
_SPELLINGS = {
    "xgboost": Spelling(
        ("objective", "eval_metric"),
        dict.fromkeys(("multi:softprob", "multi:softmax"), "binary:logistic")
        | {"mlogloss": "logloss", "merror": "error"},
        ("num_class",),
    ),
    "lightgbm": Spelling(
        ("objective", "objective_type", "app", "application", "loss", "metric", "metrics", "metric_types"),
        dict.fromkeys(_MULTICLASS, "binary")
        | {"multi_logloss": "binary_logloss", "multi_error": "binary_error", "auc_mu": "auc"},
        ("num_class", "num_classes"),
    ),
    "catboost": Spelling(
        ("loss_function", "objective", "eval_metric", "custom_metric", "custom_loss"),
        dict.fromkeys(("MultiClass", "MultiClassOneVsAll"), "Logloss"),
        ("classes_count",),
    ),
}


def for_two_classes(estimator: Any) -> Any:
    """Return the estimator, or a copy in which boosters have objectives and metrics for two classes.

    Parameters
    ----------
    estimator : estimator
        A booster, or a pipeline or other estimator that holds one.

    Returns
    -------
    estimator
        The estimator itself if there is nothing to change.
    """
    if not hasattr(estimator, "get_params"):
        return estimator
    spelling = _spelling(estimator)
    if spelling is None:
        inner = {name: for_two_classes(part) for name, part in estimator.get_params().items() if _spelling(part)}
        changed = {name: part for name, part in inner.items() if part is not estimator.get_params()[name]}
        return clone(estimator).set_params(**changed) if changed else estimator
    given = estimator.get_params(deep=False)
    params = {name: value for name, value in given.items() if name not in spelling.counts}
    for name in params.keys() & set(spelling.parameters):
        params[name] = _binary(params[name], spelling.values)
    return estimator if params == given else type(estimator)(**params)


def _spelling(estimator: Any) -> Spelling | None:
    """Return how the library of a booster names things; None for other objects."""
    modules = (kind.__module__.partition(".")[0] for kind in type(estimator).__mro__)
    return next((_SPELLINGS[module] for module in modules if module in _SPELLINGS), None)


def _binary(value: Any, values: Mapping[str, str]) -> Any:
    """Replace a name, also in a list or with options behind a colon."""
    if isinstance(value, list | tuple):
        return [_binary(each, values) for each in value]
    if not isinstance(value, str) or value in values:
        return values[value] if isinstance(value, str) else value
    name, colon, options = value.partition(":")
    return values.get(name, name) + colon + options
