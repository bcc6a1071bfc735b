"""Train one binary classifier from any estimator, and compute its labels, margins and probabilities.

A user may have tried a booster by itself first. XGBoost then stores the multi-class objective in the parameters of the
fitted classifier, and copies keep it. So boosters get the equivalent parameters for two classes.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, clone, is_regressor
from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV

from ecoc.utils.estimators import innermost
from ecoc.utils.scikit import get_tags, n_samples, positive_label

Array = NDArray[np.float64]

# How the classifiers of boosting libraries return log-odds. With 12 to 50 columns, decoding by log-odds was 0 to 1.7
# points more accurate than decoding by 2p − 1 (leaves100, 200 characters; XGBoost, LightGBM, HistGradientBoosting).
_RAW_OUTPUTS: dict[str, dict[str, Any]] = {
    "xgboost": {"output_margin": True},
    "lightgbm": {"raw_score": True},
    "catboost": {"prediction_type": "RawFormulaVal"},
}

_THRESHOLDED = (FixedThresholdClassifier, TunedThresholdClassifierCV)
# Share of the logarithm of log-odds in the margins of naive Bayes. Any share orders classes alike in one-vs-all.
OF_ODDS = 0.01


class Spelling(NamedTuple):
    """Names that a library uses for objectives and metrics of many classes and of two, and for the class count."""

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


class ColumnModel(ABC):
    """A trained model of one column, which predicts as a classifier of the labels 0 and 1 does."""

    @property
    def classes_(self) -> NDArray[np.int64]:
        """The labels 0 and 1."""
        return np.array([0, 1])

    @abstractmethod
    def decision_function(self, X: Any) -> Array:
        """Return margins."""

    def predict(self, X: Any) -> NDArray[np.int64]:
        """Return 0 or 1."""
        return (self.decision_function(X) > 0).astype(np.int64)


class Constant(BaseEstimator):  # type: ignore[misc]
    """Model of a column with samples on one side only, which it predicts; side 0 if there are no samples."""

    def __init__(self, side: int = 1) -> None:
        self.side = side

    def decision_function(self, X: Any) -> Array:
        """Return the side for every sample."""
        return np.full(n_samples(X), float(self.side))

    def predict_proba(self, X: Any) -> Array:
        """Return probability 1 for the side; one half if there is none."""
        return np.tile([(1 - self.side) / 2, (1 + self.side) / 2], (n_samples(X), 1))


def targets(estimator: Any, sides: NDArray[np.int8]) -> NDArray[Any]:
    """Return targets for training: 0 and 1 for a classifier (XGBoost accepts no others), −1 and +1 for a regressor."""
    return sides.astype(np.float64) if is_regressor(estimator) else (sides > 0).astype(np.int64)


def seeded_clone(estimator: Any, seed: int | None, *, two_classes: bool = True) -> Any:
    """Return an unfitted copy, for two classes; a seed replaces every `random_state` that is None, also nested ones."""
    model = clone(for_two_classes(estimator) if two_classes else estimator)
    if seed is not None:
        params = model.get_params().items()
        unset = [name for name, value in params if value is None and f"__{name}".endswith("__random_state")]
        model.set_params(**dict.fromkeys(unset, seed))
    return model


def is_pairwise(estimator: Any) -> bool:
    """Tell whether an estimator takes a matrix between samples, such as ``SVC(kernel="precomputed")``."""
    return hasattr(estimator, "__sklearn_tags__") and bool(get_tags(estimator).input_tags.pairwise)


def margins(model: Any, X: Any) -> Array:
    """Return outputs whose sign is the side: the decision function, else 2p − 1, else the prediction.

    The prediction of a regressor is the output itself. The label that a classifier predicts becomes −1 or +1. Boosters
    have log-odds, whatever they call them. With many features, the probabilities of naive Bayes are 0 and 1, so that
    its log-odds count, too. Pipelines and searches have the margins of the model at their end.
    """
    inner, _ = innermost(model)
    if inner is not model and (raw_outputs(inner) or isinstance(inner, _THRESHOLDED) or is_bayes(inner)):
        model, X = innermost(model, X)
    raw = raw_outputs(model)
    if is_regressor(model):
        values = model.predict(X)
    elif raw is not None:
        values = model.predict(X, **raw)
    elif isinstance(model, _THRESHOLDED):
        values = beyond_threshold(model, X)
    elif hasattr(model, "decision_function"):
        values = model.decision_function(X)
    elif is_bayes(model):
        values = margins_of_odds(np.diff(model.predict_joint_log_proba(X), axis=1))
    elif hasattr(model, "predict_proba"):
        values = 2.0 * probabilities(model, X) - 1.0
    else:
        values = np.where(np.asarray(model.predict(X)) > 0, 1.0, -1.0)
    outputs: Array = np.asarray(values, dtype=np.float64).reshape(-1)
    if len(outputs) != n_samples(X):
        raise ValueError(
            f"A binary classifier must have one output for each sample; {type(model).__name__} gave {np.shape(values)} "
            f"for {n_samples(X)} samples."
        )
    return outputs


def is_bayes(model: Any) -> bool:
    """Tell whether a model is scikit-learn's naive Bayes, and a subclass has not changed what it takes for likely."""
    own = getattr(getattr(type(model), "predict_proba", None), "__module__", None)
    return own == "sklearn.naive_bayes" and hasattr(model, "predict_joint_log_proba")


def margins_of_odds(odds: Array) -> Array:
    """Return 2p − 1 plus a small term that grows with the log-odds, so that the order stays where p is 0 or 1."""
    size = np.minimum(np.abs(odds), np.finfo(np.float64).max)
    return np.copysign(np.tanh(size / 2.0) + OF_ODDS * np.log1p(size), odds)


def raw_outputs(model: Any) -> dict[str, Any] | None:
    """Return the arguments with which a booster, or a class derived from it, predicts log-odds; None for others."""
    module = getattr(getattr(type(model), "predict", None), "__module__", None) or ""
    return _RAW_OUTPUTS.get(module.partition(".")[0])


def beyond_threshold(model: Any, X: Any) -> Array:
    """Return how far the score of the +1 side is beyond the threshold at which a classifier decides.

    The scale is that of 2p − 1 or of the decision function. A score that equals the threshold is on the positive side.
    """
    uses = model.response_method
    if uses == "auto":
        uses = "predict_proba" if hasattr(model, "predict_proba") else "decision_function"
    threshold = model.best_threshold_ if hasattr(model, "best_threshold_") else model.threshold
    sign = -1.0 if positive_label(model) == 0 else 1.0
    if uses == "predict_proba":
        scores, scale, usual = np.asarray(model.predict_proba(X))[:, 1 if sign > 0 else 0], 2.0, 0.5
    else:
        scores, scale, usual = sign * np.asarray(model.decision_function(X)), 1.0, 0.0
    beyond = scale * (scores - (usual if isinstance(threshold, str) else threshold))
    return np.asarray(sign * np.where(beyond == 0, np.finfo(np.float64).tiny, beyond))


def probabilities(model: Any, X: Any) -> Array:
    """Return the probability of the +1 side, which is the second class in the model's order.

    It is one half where a model has none: label propagation divides 0 by 0 for a sample that is far from all others.
    """
    values = np.asarray(model.predict_proba(X), dtype=np.float64)[:, 1]
    return np.where(np.isnan(values), 0.5, values)


def check_squares(X: Any) -> None:
    """Raise an error that names features whose squares are not finite, so that no linear model or kernel fits."""
    values = X.data if issparse(X) else np.asarray(X)
    if values.dtype.kind != "f":
        return
    largest = float(np.abs(values).max(initial=0))
    with np.errstate(over="ignore"):
        if np.isfinite(largest) and np.isinf(n_samples(X) * np.square(largest)):
            raise ValueError(
                f"Features are as large as {largest:.3g}, and their squares are not finite; scale them, e.g. with "
                "StandardScaler."
            )


def for_two_classes(estimator: Any) -> Any:
    """Return the estimator, or a copy in which boosters, also nested ones, have objectives for two classes."""
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
    """Return the names that the library of a booster uses; None for other objects."""
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
