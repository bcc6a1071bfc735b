"""Train LightGBM for many columns on one data set of binned features."""

from typing import Any, NamedTuple

import numpy as np
from scipy.special import logit

from ecoc.training.base import Array
from ecoc.training.boosting import Boosted, BoosterModel, BoostingTraining, Part
from ecoc.training.supported import honoured, one_of, supports

_STOPPING_SHARE = 0.1  # of the samples; HistGradientBoosting has the same default
_NEAR = 1e-7  # distance of a probability from 0 or 1 from which its log-odds are exact to 9 digits
_STOPPING = ("early_stopping_round", "early_stopping_rounds", "early_stopping", "n_iter_no_change")  # one parameter
_NOT_OF_TRAINING = ("n_estimators", "class_weight", "importance_type", "objective", "n_jobs", "random_state")

_PARAMETERS = {
    "objective": one_of(None, "binary"),
    "class_weight": one_of(None),
    **honoured("boosting_type colsample_bytree importance_type learning_rate max_depth min_child_samples"),
    **honoured("min_child_weight min_split_gain n_estimators n_jobs num_leaves random_state reg_alpha reg_lambda"),
    **honoured("subsample subsample_for_bin subsample_freq"),
    # Further parameters of LightGBM, which the classifier takes, too:
    **honoured("bagging_fraction bagging_freq deterministic extra_trees feature_fraction force_col_wise"),
    **honoured("force_row_wise is_unbalance lambda_l1 lambda_l2 max_bin max_delta_step metric min_data_in_leaf"),
    **honoured("path_smooth scale_pos_weight verbose verbosity early_stopping_min_delta"),
    **honoured(" ".join(_STOPPING)),
}


class LightGBMModel(BoosterModel):
    """A booster of LightGBM."""

    def decision_function(self, X: Any) -> Array:
        """Return log-odds."""
        return np.asarray(self.booster.predict(X, raw_score=True), dtype=np.float64)


class Binned(NamedTuple):
    """Binned features of the training samples, and of those that stop boosting."""

    train: Any
    stop: Any


class LightGBMTraining(BoostingTraining):
    """Train LGBMClassifier."""

    package = "lightgbm"
    learner = "LGBMClassifier"

    @classmethod
    def understands(cls, estimator: Any) -> bool:
        """Tell whether the loss is logistic, without weights of classes, and all other parameters are known."""
        return supports(_PARAMETERS, estimator)

    @classmethod
    def stopping_share(cls, estimator: Any, n: int) -> float:
        """Return the share of the samples that stops boosting early."""
        parameters = estimator.get_params()
        return _STOPPING_SHARE if any((parameters.get(name) or 0) > 0 for name in _STOPPING) else 0.0

    @classmethod
    def prepared(cls, estimator: Any, part: Part, stop: Part | None) -> Binned:
        """Bin the features once."""
        import lightgbm

        options: dict[str, Any] = {"params": parameters_of(estimator), "free_raw_data": False}
        train = lightgbm.Dataset(part.X, label=np.zeros(_length(part)), weight=part.weight, **options).construct()
        if stop is None:
            return Binned(train, None)
        options["reference"] = train
        return Binned(train, lightgbm.Dataset(stop.X, np.zeros(_length(stop)), weight=stop.weight, **options))

    @classmethod
    def boost(cls, estimator: Any, prepared: Binned, labels: Any, stop_labels: Any, seen: bool) -> Boosted:
        """Train a booster as LGBMClassifier does."""
        import lightgbm

        prepared.train.set_label(labels)
        if prepared.stop is not None:
            prepared.stop.set_label(stop_labels)
        parameters = parameters_of(estimator)
        booster = lightgbm.train(
            parameters,
            prepared.train,
            estimator.n_estimators,
            valid_sets=None if prepared.stop is None else [prepared.stop],
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


def parameters_of(estimator: Any) -> dict[str, Any]:
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


def _length(part: Part) -> int:
    from ecoc.utils.scikit import n_samples

    return int(n_samples(part.X))
