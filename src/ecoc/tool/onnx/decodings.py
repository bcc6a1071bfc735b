"""Turn the outputs of the columns into scores and probabilities, by the nodes of each decoding.

All of it is in double precision, as in Python: it is a small part of the work, and equal scores stay equal.
"""

from collections.abc import Callable

import numpy as np

from ecoc.decoding import (
    DECODINGS,
    AttenuatedEuclidean,
    BetaDensity,
    Centroid,
    Decoding,
    Discriminant,
    Euclidean,
    Hamming,
    InverseHamming,
    Laplacian,
    LossBased,
    LossWeighted,
    Probabilistic,
    Structured,
)
from ecoc.decoding.calibration import Calibration
from ecoc.decoding.interface import TIE
from ecoc.tool.onnx.coupling import couple
from ecoc.tool.onnx.graph import Graph
from ecoc.tool.onnx.nodes import Nodes, number
from ecoc.utils.exceptions import ExportError


def scores_of(graph: Graph, decoding: Decoding, outputs: str) -> str:
    """Return the scores of all classes; `outputs` are those that the decoding needs, in double precision."""
    if type(decoding) not in _NODES:
        raise ExportError(
            f"{type(decoding).__name__} decoding has no ONNX nodes. Fit with one of {', '.join(DECODINGS)}; "
            "'discriminant' learns its scores, too."
        )
    with graph.scope(f"decoding/{type(decoding).__name__}"):
        scores = _NODES[type(decoding)](Nodes(graph, decoding), outputs)
    with graph.scope("ties"):
        best = graph.reduce("ReduceMax", scores)
        scale = graph.reduce("ReduceMax", graph.add("Abs", scores))
        floor = graph.add("Sub", best, graph.add("Mul", scale, number(graph, TIE)))
        return str(graph.add("Where", graph.add("GreaterOrEqual", scores, floor), best, scores))


def probabilities_of(graph: Graph, scores: str, calibration: Calibration, n_classes: int) -> str:
    """Return the probabilities of all classes: a softmax, mixed with equal probabilities."""
    with graph.scope("probabilities"):
        sure = graph.add("Softmax", graph.add("Mul", scores, number(graph, calibration.temperature)), axis=1)
        if calibration.doubt == 0:
            return str(sure)
        mixed = graph.add("Mul", sure, number(graph, 1.0 - calibration.doubt))
        return str(graph.add("Add", mixed, number(graph, calibration.doubt / n_classes)))


def _hamming(nodes: Nodes, signs: str) -> str:
    return nodes("Div", nodes.matches(signs), nodes.lengths)


def _inverse_hamming(nodes: Nodes, signs: str) -> str:
    return nodes("MatMul", nodes("Sub", nodes.lengths, nodes.matches(signs)), nodes.decoding.inverse_.T)


def _laplacian(nodes: Nodes, signs: str) -> str:
    return nodes("Div", nodes("Add", nodes.matches(signs), 1.0), nodes.lengths + 2)


def _beta_density(nodes: Nodes, signs: str) -> str:
    table, row = nodes.decoding.scores_, nodes.decoding.length_index_
    places = nodes.graph.cast(nodes("Add", nodes.matches(signs), row * float(table.shape[1])), np.int64)
    return nodes("Gather", table.ravel(), places)


def _by_linear_form(nodes: Nodes, outputs: str) -> str:
    return nodes.linear(outputs, *nodes.decoding.linear_form())


def _euclidean(nodes: Nodes, outputs: str) -> str:
    return nodes("Sub", nodes("MatMul", outputs, nodes.code()), nodes.lengths / 2)


def _attenuated(nodes: Nodes, outputs: str) -> str:
    plus, minus = (_square(nodes, nodes("Add", outputs, shift)) for shift in (-1.0, 1.0))
    return nodes("Neg", nodes("Sqrt", nodes("Div", nodes.sum_by_side(plus, minus), nodes.lengths)))


def _square(nodes: Nodes, tensor: str) -> str:
    return nodes("Mul", tensor, tensor)


def _losses(nodes: Nodes, margins: str) -> str:
    """Return the loss L(t) of margins."""
    loss = nodes.decoding.loss
    if loss == "linear":
        return nodes("Neg", margins)
    if loss == "exponential":
        return nodes("Exp", nodes("Neg", margins))
    if loss == "logistic":
        return nodes.softplus(nodes("Neg", margins))
    short = nodes("Sub", 1.0, margins)
    return nodes("Relu", short) if loss == "hinge" else _square(nodes, short)


def _sides(nodes: Nodes, outputs: str) -> tuple[str, str]:
    if nodes.decoding.loss == "exponential":  # as LossBased: a sample with a margin beyond ±300 is scaled down
        largest = nodes.graph.reduce("ReduceMax", nodes("Abs", outputs))
        outputs = nodes("Div", outputs, nodes("Max", nodes("Div", largest, 300.0), 1.0))
    return _losses(nodes, outputs), _losses(nodes, nodes("Neg", outputs))


def _from_loss(nodes: Nodes, mean: str) -> str:
    return nodes("Neg", nodes("Log", mean) if nodes.decoding.loss == "exponential" else mean)


def _loss_based(nodes: Nodes, outputs: str) -> str:
    return _from_loss(nodes, nodes("Div", nodes.sum_by_side(*_sides(nodes, outputs)), nodes.lengths))


def _loss_weighted(nodes: Nodes, outputs: str) -> str:
    return _from_loss(nodes, nodes.sum_by_side(*_sides(nodes, outputs), nodes.decoding.weights_))


def _discriminant(nodes: Nodes, outputs: str) -> str:
    return nodes("LogSoftmax", _by_linear_form(nodes, outputs), axis=1)


def _structured(nodes: Nodes, outputs: str) -> str:
    decoding = nodes.decoding
    structure = decoding.structure_
    z = nodes("Add", nodes("Mul", outputs, structure.slope), structure.intercept)
    scores = _structure_scores(nodes, z)
    if decoding.coef_ is not None:
        l = len(decoding.scale_)
        of_outputs, of_tanh, intercepts = decoding.coef_[:, :l], decoding.coef_[:, l:-1], decoding.coef_[:, -1]
        learned = nodes.linear(nodes("Div", outputs, decoding.scale_), of_outputs, intercepts)
        scores = nodes(
            "Add", nodes("Add", scores, learned), nodes("MatMul", nodes("Tanh", nodes("Div", z, 2.0)), of_tanh.T)
        )
    return nodes("LogSoftmax", scores, axis=1)


def _structure_scores(nodes: Nodes, z: str) -> str:
    """Return the scores that follow from the code; `Structure` has the formulas."""
    structure, no_belief = nodes.decoding.structure_, 1e-12
    plus = nodes("Neg", nodes.softplus(nodes("Neg", z)))
    minus = nodes("Sub", plus, z)
    first = nodes("Add", nodes.sum_by_side(plus, minus), np.log(2) * nodes.lengths)
    if not structure.matrix.all():
        belief = nodes("Softmax", nodes("Mul", first, structure.belief), axis=1)
        code = nodes("Transpose", nodes.code(), perm=[1, 0])
        on_plus, on_minus = (nodes("MatMul", belief, nodes("Relu", side)) for side in (code, nodes("Neg", code)))
        seen = nodes("Add", on_plus, on_minus)
        known = nodes("Greater", seen, no_belief)
        said = nodes("Add", nodes("Mul", on_plus, nodes("Exp", plus)), nodes("Mul", on_minus, nodes("Exp", minus)))
        said = nodes("Where", known, nodes("Div", said, nodes("Where", known, seen, 1.0)), 0.5)
        expected = nodes("Log", nodes("Max", said, 1e-300))
        first = nodes.sum_by_side(nodes("Sub", plus, expected), nodes("Sub", minus, expected))
    return nodes("Mul", first, structure.temperature)


_NODES: dict[type[Decoding], Callable[[Nodes, str], str]] = {
    Hamming: _hamming,
    InverseHamming: _inverse_hamming,
    Euclidean: _euclidean,
    AttenuatedEuclidean: _attenuated,
    Laplacian: _laplacian,
    BetaDensity: _beta_density,
    LossBased: _loss_based,
    LossWeighted: _loss_weighted,
    Centroid: _by_linear_form,
    Discriminant: _discriminant,
    Probabilistic: couple,
    Structured: _structured,
}
