"""Train XGBoost for many columns on one matrix of binned features."""

from typing import Any, NamedTuple

import numpy as np

from ecoc.training.base import Array
from ecoc.training.boosting import Boosted, BoostedDichotomizers, BoosterModel, BoostingTraining, Part
from ecoc.training.supported import honoured, one_of, supports

_STOPPING_SHARE = 0.1  # of the samples; HistGradientBoosting has the same default

_PARAMETERS = {
    "tree_method": one_of(None, "auto", "hist"),
    "booster": one_of(None, "gbtree"),
    "device": one_of(None, "cpu"),
    "objective": one_of("binary:logistic"),
    "eval_metric": lambda metric: metric is None or all(isinstance(m, str) for m in np.atleast_1d(metric)),
    **dict.fromkeys(("callbacks", "feature_weights", "multi_strategy", "sampling_method"), one_of(None)),
    **honoured("base_score colsample_bylevel colsample_bynode colsample_bytree early_stopping_rounds"),
    **honoured("enable_categorical feature_types gamma grow_policy importance_type interaction_constraints"),
    **honoured("learning_rate max_bin max_cat_threshold max_cat_to_onehot max_delta_step max_depth max_leaves"),
    **honoured("min_child_weight missing monotone_constraints n_estimators n_jobs num_parallel_tree random_state"),
    **honoured("reg_alpha reg_lambda scale_pos_weight subsample validate_parameters verbosity"),
}


class XGBoostModel(BoosterModel):
    """A booster of XGBoost."""

    def __init__(self, booster: Any, missing: float) -> None:
        super().__init__(booster)
        self.missing = missing

    def decision_function(self, X: Any) -> Array:
        """Return log-odds; X may be a DMatrix."""
        import xgboost

        data = X if isinstance(X, xgboost.DMatrix) else matrix(X, self)
        best = self.booster.attr("best_iteration")
        rounds = (0, int(best) + 1) if best is not None else (0, 0)
        return np.asarray(self.booster.predict(data, output_margin=True, iteration_range=rounds), dtype=np.float64)


class XGBoostDichotomizers(BoostedDichotomizers):
    """Boosters that predict from one DMatrix."""

    def prepare(self, X: Any) -> Any:
        """Return a DMatrix."""
        first = next((model for model in self.models if isinstance(model, XGBoostModel)), None)
        return X if first is None else matrix(X, first)


class Binned(NamedTuple):
    """Binned features of the training samples, and of those that stop boosting."""

    train: Any
    stop: Any


class XGBoostTraining(BoostingTraining):
    """Train XGBClassifier."""

    package = "xgboost"
    learner = "XGBClassifier"
    makes = XGBoostDichotomizers

    @classmethod
    def understands(cls, estimator: Any) -> bool:
        """Tell whether boosting is by histograms of binned features, on the CPU, with nothing of the user's in it."""
        return supports(_PARAMETERS, estimator)

    @classmethod
    def stopping_share(cls, estimator: Any, n: int) -> float:
        """Return the share of the samples that stops boosting early."""
        return 0.0 if estimator.early_stopping_rounds is None else _STOPPING_SHARE

    @classmethod
    def prepared(cls, estimator: Any, part: Part, stop: Part | None) -> Binned:
        """Bin the features once."""
        import xgboost

        options = {
            "missing": estimator.missing,
            "max_bin": estimator.max_bin,
            "nthread": estimator.n_jobs,
            "enable_categorical": estimator.enable_categorical,
            "feature_types": estimator.feature_types,
        }
        train = xgboost.QuantileDMatrix(part.X, weight=part.weight, **options)
        if stop is None:
            return Binned(train, None)
        return Binned(train, xgboost.QuantileDMatrix(stop.X, weight=stop.weight, ref=train, **options))

    @classmethod
    def boost(cls, estimator: Any, prepared: Binned, labels: Any, stop_labels: Any, seen: bool) -> Boosted:
        """Train a booster as XGBClassifier does."""
        import xgboost

        prepared.train.set_label(labels)
        parameters = estimator.get_xgb_params()
        if estimator.eval_metric is not None:
            parameters["eval_metric"] = estimator.eval_metric
        rounds = estimator.get_num_boosting_rounds()
        outputs = None
        with xgboost.config_context(verbosity=estimator.verbosity):
            if prepared.stop is not None:
                prepared.stop.set_label(stop_labels)
                booster = xgboost.train(
                    parameters,
                    prepared.train,
                    rounds,
                    evals=[(prepared.stop, "validation_0")],
                    early_stopping_rounds=estimator.early_stopping_rounds,
                    verbose_eval=False,
                )
            else:
                # What xgboost.train does, which forgets the margins of the training samples at its end.
                booster = xgboost.Booster(parameters, [prepared.train])
                for round_ in range(rounds):
                    booster.update(prepared.train, iteration=round_)
                if seen:
                    outputs = np.asarray(booster.predict(prepared.train, output_margin=True), dtype=np.float64)
                booster = booster.reset() if hasattr(booster, "reset") else booster.copy()  # frees memory
        return Boosted(XGBoostModel(booster, estimator.missing), outputs)


def matrix(X: Any, model: XGBoostModel) -> Any:
    """Return X as a DMatrix for prediction."""
    import xgboost

    return xgboost.DMatrix(X, missing=model.missing, enable_categorical=True)
