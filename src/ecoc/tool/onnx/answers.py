"""Nodes from scores and probabilities to labels, the best classes, and sets of classes."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecoc.tool.onnx.graph import Graph
from ecoc.tool.onnx.nodes import number
from ecoc.utils.exceptions import ExportError


class Costs(NamedTuple):
    """Costs of errors, the cost of rejection, and its label."""

    matrix: NDArray[np.float64]
    reject_cost: float | None = None
    reject_label: Any = None


def label_tensor(classes: NDArray[Any], costs: Costs | None) -> NDArray[Any]:
    """Return the labels as ONNX has them: text, integers, numbers or truth values; a last one for rejection."""
    labels = list(classes.tolist())
    if costs is not None and costs.reject_cost is not None:
        labels.append("" if costs.reject_label is None else costs.reject_label)
    if all(isinstance(label, str) for label in labels):
        return np.array(labels, dtype=object)
    kinds = {bool: np.bool_, int: np.int64, float: np.float64}
    for kind in (bool, int, float):
        if all(isinstance(label, kind) or (kind is float and isinstance(label, int)) for label in labels):
            try:
                return np.array(labels, dtype=kinds[kind])
            except OverflowError:
                break
    raise ExportError(
        f"labels must be text, or numbers of 64 bits; got {sorted({type(label).__name__ for label in labels})}."
    )


def chosen_class(graph: Graph, scores: str, probabilities: str | None, costs: Costs | None) -> str:
    """Return the place of the predicted label among the labels."""
    with graph.scope("label"):
        if costs is None or probabilities is None:
            return str(graph.add("ArgMax", scores, axis=1, keepdims=0))
        expected = graph.add("MatMul", probabilities, number(graph, costs.matrix))
        chosen = graph.add("ArgMax", graph.add("Neg", expected), axis=1, keepdims=0)
        if costs.reject_cost is None:
            return str(chosen)
        least = graph.reduce("ReduceMin", expected, keepdims=False)
        rejected = graph.add("Greater", least, number(graph, costs.reject_cost))
        return str(graph.add("Where", rejected, np.array(len(costs.matrix)), chosen))


def best_classes(graph: Graph, values: str, n_best: int) -> tuple[str, str]:
    """Return the values and the places of the best classes, the best first."""
    with graph.scope("top"):
        found: tuple[str, str] = graph.add("TopK", values, np.array([n_best]), n_outputs=2, axis=1)
    return found


def members(graph: Graph, probabilities: str, thresholds: NDArray[np.float64]) -> str:
    """Tell which classes belong to the set of each sample."""
    with graph.scope("sets"):
        misses = graph.add("Sub", number(graph, 1.0), probabilities)
        return str(graph.add("LessOrEqual", misses, number(graph, thresholds)))
