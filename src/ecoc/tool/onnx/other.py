"""Transformers and learners that skl2onnx converts; their nodes become a part of the graph."""

from typing import Any

import numpy as np
from sklearn.base import is_regressor

from ecoc.tool.onnx.forest import Link
from ecoc.tool.onnx.graph import ML, ML_OPSET, OPSET, Graph
from ecoc.utils.exceptions import ExportError
from ecoc.utils.optional import optional


def other_model(graph: Graph, model: Any, X: str, n_features: int, kind: str) -> tuple[str, Link]:
    """Return what a model gives, and what that is: a prediction, a margin or a probability."""
    if is_regressor(model):
        return convert(graph, model, X, n_features, graph.dtype)[0], "margin"
    found, raw = other_classifier(graph, model, X, n_features, kind)
    return graph.columns(found, [-1]), "margin" if raw else "probability"


def other_classifier(graph: Graph, model: Any, X: str, n_features: int, kind: str) -> tuple[str, bool]:
    """Return a value for each class, and whether it is of the decision function, not a probability."""
    options: dict[str, Any] = {"zipmap": False}
    raw = hasattr(model, "decision_function") and not (kind == "probabilities" and hasattr(model, "predict_proba"))
    if raw:
        options["raw_scores"] = True
    elif not hasattr(model, "predict_proba"):
        raise ExportError(
            f"{type(model).__name__} predicts labels only; an estimator with decision_function can be exported."
        )
    return convert(graph, model, X, n_features, graph.dtype, options)[1], raw


def convert(
    graph: Graph, model: Any, X: str, n_features: int, dtype: Any, options: dict[str, Any] | None = None
) -> list[str]:
    """Add the nodes that skl2onnx makes of a fitted model, and return the names of its outputs."""
    needed = f"exporting {type(model).__name__} to ONNX needs skl2onnx"
    skl2onnx, types = (optional(name, needed, "'ecoc[onnx]'") for name in ("skl2onnx", "skl2onnx.common.data_types"))
    kind = types.DoubleTensorType if np.dtype(dtype) == np.float64 else types.FloatTensorType
    try:
        made = skl2onnx.convert_sklearn(
            model,
            "part",
            initial_types=[("X", kind([None, n_features]))],
            options=None if not options else {id(model): options},
            target_opset={"": OPSET, ML: ML_OPSET},
        )
    except Exception as error:  # skl2onnx raises errors of many kinds
        raise ExportError(
            f"{type(model).__name__} cannot be exported: {' '.join(str(error).split())[:200]} What can: linear models, "
            "SVC, trees, forests, boosting and MLPClassifier."
        ) from error
    with graph.scope(type(model).__name__):
        return graph.splice(made, [X])
