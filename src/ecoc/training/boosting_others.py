"""Train CatBoost and HistGradientBoosting for many columns, each on its own.

Their interfaces do not let columns share binned features: a CatBoost Pool keeps the labels it was made with, and
HistGradientBoosting bins inside `fit`.
"""

from inspect import signature
from typing import Any

import numpy as np

from ecoc.training.base import Array, is_numeric
from ecoc.training.boosting import Boosted, BoostedDichotomizers, BoostingTraining, Part
from ecoc.utils.threads import one_blas_thread

_STOPPING_SHARE = 0.1  # of the samples; HistGradientBoosting has the same default


class HistTraining(BoostingTraining):
    """Train HistGradientBoostingClassifier."""

    package = "sklearn"
    learner = "HistGradientBoostingClassifier"
    threads = False

    @classmethod
    def stopping_share(cls, estimator: Any, n: int) -> float:
        """Return the share of the samples that stops boosting early; 0 before scikit-learn 1.7, which has no X_val."""
        stops = n > 10_000 if estimator.early_stopping == "auto" else estimator.early_stopping
        share = estimator.validation_fraction
        if not stops or share is None or "X_val" not in signature(estimator.fit).parameters:
            return 0.0
        return float(share) / (n if isinstance(share, int | np.integer) else 1)

    @classmethod
    def prepared(cls, estimator: Any, part: Part, stop: Part | None) -> tuple[Part, Part | None]:
        """Return the samples as they are."""
        return part, stop

    @classmethod
    def boost(
        cls, estimator: Any, prepared: tuple[Part, Part | None], labels: Any, stop_labels: Any, seen: bool
    ) -> Boosted:
        """Train a booster."""
        part, stop = prepared
        against = {}
        if stop is not None:
            against = {"X_val": stop.X, "y_val": stop_labels, "sample_weight_val": stop.weight}
        with one_blas_thread():
            return Boosted(estimator.fit(part.X, labels, sample_weight=part.weight, **against), None)


class CatBoostDichotomizers(BoostedDichotomizers):
    """Boosters that predict from one Pool."""

    def prepare(self, X: Any) -> Any:
        """Return a Pool of numbers; other samples are read by each booster."""
        import catboost

        return catboost.Pool(X) if is_numeric(X) else X

    def log_odds(self, model: Any, data: Any) -> Array:
        """Return the log-odds of one booster."""
        return np.asarray(model.predict(data, prediction_type="RawFormulaVal"), dtype=np.float64)


class CatBoostTraining(BoostingTraining):
    """Train CatBoostClassifier."""

    package = "catboost"
    learner = "CatBoostClassifier"
    thread_parameter = "thread_count"
    makes = CatBoostDichotomizers

    @classmethod
    def understands(cls, estimator: Any) -> bool:
        """Tell whether the loss is logistic."""
        return {estimator.get_params().get(name) for name in ("loss_function", "objective")} <= {None, "Logloss"}

    @classmethod
    def stopping_share(cls, estimator: Any, n: int) -> float:
        """Return the share of the samples that stops boosting early."""
        given = estimator.get_params()
        return _STOPPING_SHARE if any(given.get(name) for name in ("early_stopping_rounds", "od_wait")) else 0.0

    @classmethod
    def prepared(cls, estimator: Any, part: Part, stop: Part | None) -> tuple[Part, Part | None]:
        """Return the samples as they are."""
        return part, stop

    @classmethod
    def boost(
        cls, estimator: Any, prepared: tuple[Part, Part | None], labels: Any, stop_labels: Any, seen: bool
    ) -> Boosted:
        """Train a booster."""
        part, stop = prepared
        against = {} if stop is None else {"eval_set": (stop.X, stop_labels)}
        return Boosted(estimator.fit(part.X, labels, sample_weight=part.weight, **against), None)
