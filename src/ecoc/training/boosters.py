"""Train LightGBM, CatBoost and HistGradientBoosting for many columns.

LightGBM bins the features once for all columns. The interfaces of the other two do not allow this: a CatBoost Pool
keeps the labels it was made with, and HistGradientBoosting bins inside `fit`. The boosters of all three predict one by
one: none has an interface to join binary models, and LightGBM's text format is not documented. Fifty of LightGBM's take
0.35 times as long as LightGBM itself for 1,600 rows of 100 classes, and 1.4 times for one row.
"""

from inspect import signature
from typing import Any

import numpy as np
from scipy.special import logit

from ecoc.training.boosting import Boosted, BoostedDichotomizers, BoosterModel, BoostingTraining
from ecoc.training.interfaces import Array, Task, is_numeric
from ecoc.utils.scikit import n_samples
from ecoc.utils.threads import one_blas_thread

STOPPING_SHARE = 0.1  # of the samples; HistGradientBoosting has the same default
_NEAR = 1e-7  # distance of a probability from 0 or 1 from which its log-odds are exact to 9 digits
LIGHTGBM_STOPPING = ("early_stopping_round", "early_stopping_rounds", "early_stopping", "n_iter_no_change")
_NOT_OF_TRAINING = ("n_estimators", "class_weight", "importance_type", "objective", "n_jobs", "random_state")


class LightGBMModel(BoosterModel):
    """A booster of LightGBM."""

    def decision_function(self, X: Any) -> Array:
        """Return log-odds."""
        return np.asarray(self.booster.predict(X, raw_score=True), dtype=np.float64)


class LightGBMTraining(BoostingTraining):
    """Train LGBMClassifier on one data set of binned features."""

    @classmethod
    def stopping_share(cls, estimator: Any, n: int) -> float:
        """Return the share of the samples that stops boosting early."""
        parameters = estimator.get_params()
        return STOPPING_SHARE if any((parameters.get(name) or 0) > 0 for name in LIGHTGBM_STOPPING) else 0.0

    @classmethod
    def prepared(cls, estimator: Any, part: Task, stop: Task | None) -> tuple[Any, Any]:
        """Bin the features once."""
        import lightgbm

        def data(part: Task, reference: Any = None) -> Any:
            return lightgbm.Dataset(
                part.X,
                label=np.zeros(n_samples(part.X)),
                weight=part.sample_weight,
                reference=reference,
                params=_lightgbm_parameters(estimator),
                free_raw_data=False,
            )

        train = data(part).construct()
        return train, None if stop is None else data(stop, train)

    @classmethod
    def boost(cls, estimator: Any, prepared: tuple[Any, Any], labels: Any, stop_labels: Any, seen: bool) -> Boosted:
        """Train a booster as LGBMClassifier does."""
        import lightgbm

        train, stop = prepared
        train.set_label(labels)
        if stop is not None:
            stop.set_label(stop_labels)
        parameters = _lightgbm_parameters(estimator)
        booster = lightgbm.train(
            parameters,
            train,
            estimator.n_estimators,
            valid_sets=None if stop is None else [stop],
            keep_training_booster=seen,
        )
        outputs = None
        if seen:
            outputs = _training_outputs(booster) if "sigmoid" not in parameters else None
            booster = booster.model_from_string(booster.model_to_string())  # as lightgbm.train does otherwise
        booster.free_dataset()
        return Boosted(LightGBMModel(booster), outputs)


def _training_outputs(booster: Any) -> Array | None:
    """Return the log-odds that boosting ended with; None if probabilities are too near to 0 or 1 to tell."""
    taken: list[Array] = []

    def take(probabilities: Array, _: Any) -> tuple[str, float, bool]:
        taken.append(np.array(probabilities, dtype=np.float64))
        return "taken", 0.0, True

    booster.eval_train(take)
    (p,) = taken
    return np.asarray(logit(p)) if np.all((p > _NEAR) & (p < 1 - _NEAR)) else None


def _lightgbm_parameters(estimator: Any) -> dict[str, Any]:
    """Return the parameters of LightGBM for an LGBMClassifier with two classes."""
    given = estimator.get_params()
    parameters = {name: value for name, value in given.items() if name not in _NOT_OF_TRAINING}
    parameters["objective"] = "binary"
    if given["n_jobs"] is not None:
        parameters["num_threads"] = given["n_jobs"]
    if given["random_state"] is not None:
        seed = given["random_state"]
        parameters["seed"] = seed if isinstance(seed, int | np.integer) else int(seed.randint(np.iinfo(np.int32).max))
    return parameters


class HistTraining(BoostingTraining):
    """Train HistGradientBoostingClassifier."""

    threads = False
    bin_parameter = "max_bins"

    @classmethod
    def stopping_share(cls, estimator: Any, n: int) -> float:
        """Return the share of the samples that stops boosting early; 0 before scikit-learn 1.7, which has no X_val."""
        stops = n > 10_000 if estimator.early_stopping == "auto" else estimator.early_stopping
        share = estimator.validation_fraction
        if not stops or share is None or "X_val" not in signature(estimator.fit).parameters:
            return 0.0
        return float(share) / (n if isinstance(share, int | np.integer) else 1)

    @classmethod
    def boost(
        cls, estimator: Any, prepared: tuple[Task, Task | None], labels: Any, stop_labels: Any, seen: bool
    ) -> Boosted:
        """Train a booster."""
        part, stop = prepared
        against = {}
        if stop is not None:
            against = {"X_val": stop.X, "y_val": stop_labels, "sample_weight_val": stop.sample_weight}
        with one_blas_thread():
            return Boosted(estimator.fit(part.X, labels, sample_weight=part.sample_weight, **against), None)


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

    thread_parameter = "thread_count"
    bin_parameter = "border_count"
    makes = CatBoostDichotomizers

    @classmethod
    def stopping_share(cls, estimator: Any, n: int) -> float:
        """Return the share of the samples that stops boosting early."""
        given = estimator.get_params()
        return STOPPING_SHARE if any(given.get(name) for name in ("early_stopping_rounds", "od_wait")) else 0.0

    @classmethod
    def boost(
        cls, estimator: Any, prepared: tuple[Task, Task | None], labels: Any, stop_labels: Any, seen: bool
    ) -> Boosted:
        """Train a booster."""
        part, stop = prepared
        against = {} if stop is None else {"eval_set": (stop.X, stop_labels)}
        return Boosted(estimator.fit(part.X, labels, sample_weight=part.sample_weight, **against), None)
