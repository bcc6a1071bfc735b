"""What does one binary model say? Margins or probabilities from whatever the estimator offers."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone, is_regressor

Array = NDArray[np.float64]


class Constant(BaseEstimator):  # type: ignore[misc]
    """The model of a dichotomy whose samples are all on one side: it says so. Side 0: there were none."""

    def __init__(self, side: int = 1) -> None:
        self.side = side

    def decision_function(self, X: Any) -> Array:
        """The side, for every sample."""
        return np.full(X.shape[0], float(self.side))

    def predict_proba(self, X: Any) -> Array:
        """Certainty, or none at all."""
        return np.tile([(1 - self.side) / 2, (1 + self.side) / 2], (X.shape[0], 1))


def seeded_clone(estimator: Any, seed: int | None) -> Any:
    """An unfitted copy; if there is a seed, every `random_state` in it that is None is set, nested ones too."""
    model = clone(estimator)
    if seed is not None:
        params = model.get_params().items()
        unset = [name for name, value in params if value is None and f"__{name}".endswith("__random_state")]
        model.set_params(**dict.fromkeys(unset, seed))
    return model


def offers_probabilities(estimator: Any) -> bool:
    """Whether the estimator has class probabilities to give."""
    return not is_regressor(estimator) and hasattr(estimator, "predict_proba")


def margins(model: Any, X: Any) -> Array:
    """Signed outputs of a fitted model: its decision function, else 2p − 1, else what it predicts, ±1 or real."""
    if is_regressor(model):
        values = model.predict(X)
    elif hasattr(model, "decision_function"):
        values = model.decision_function(X)
    elif hasattr(model, "predict_proba"):
        values = 2.0 * probabilities(model, X) - 1.0
    else:
        values = model.predict(X)
    outputs: Array = np.asarray(values, dtype=np.float64).reshape(-1)
    if len(outputs) != X.shape[0]:
        raise ValueError(
            f"A dichotomizer has one output for each sample; {type(model).__name__} gave {np.shape(values)} for "
            f"{X.shape[0]} samples."
        )
    return outputs


def probabilities(model: Any, X: Any) -> Array:
    """Probability of the +1 side: the second class of a model trained on −1 and +1."""
    return np.asarray(model.predict_proba(X), dtype=np.float64)[:, 1]
