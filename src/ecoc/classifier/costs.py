"""Check costs, label rejections, and warn of classes that are never predicted."""

import warnings
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecoc.decoding.costs import cost_matrix, least_expected_cost
from ecoc.utils.messages import some

Array = NDArray[np.float64]


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
    """Return the state of a fitted model with its costs as a matrix: files hold no mappings of pairs and no frames."""
    if state.get("cost_matrix_") is None or state["costs"] is None:
        return state
    return {**state, "costs": state["cost_matrix_"]}


def with_rejection(state: dict[str, Any]) -> dict[str, Any]:
    """Return the state of a saved model with its cost and label of rejection as fitted, which earlier files lack."""
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
    """Warn of classes that the costs keep from being predicted for any of the held-out samples."""
    before, after = probabilities.argmax(axis=1), least_expected_cost(probabilities, costs)
    lost = classes[np.setdiff1d(before, after)].tolist()
    if lost:
        warnings.warn(
            f"with these costs, {some(lost)} would never be predicted for a training sample that was held out; lower "
            "the costs of errors in which it is predicted.",
            UserWarning,
            stacklevel=3,
        )
