"""Nodes in double precision that several decodings have in common."""

from typing import Any

import numpy as np

from ecoc.tool.onnx.graph import Graph

DOUBLE = np.float64


def number(graph: Graph, value: Any) -> str:
    """Return the name of a constant in double precision."""
    return graph.number(value, DOUBLE)


class Nodes:
    """What the nodes of several decodings have in common."""

    def __init__(self, graph: Graph, decoding: Any) -> None:
        self.graph = graph
        self.decoding = decoding

    def __call__(self, op: str, *inputs: Any, **attributes: Any) -> str:
        """Add a node; numbers and real arrays are constants in double precision."""
        graph = self.graph
        tensors = [each if isinstance(each, str) else number(graph, each) for each in inputs]
        return str(graph.add(op, *tensors, **attributes))

    @property
    def lengths(self) -> Any:
        """Number of columns in which each codeword is not 0."""
        return self.decoding.n_nonzero_.astype(DOUBLE)

    def code(self) -> str:
        """Return the code, columns as rows; the file has a byte for each entry."""
        stored = self.graph.constant(np.ascontiguousarray(self.decoding.codebook_.matrix.T), "code")
        return self.graph.cast(stored, DOUBLE)

    def sum_by_side(self, plus: str, minus: str, weights: Any = None) -> str:
        """Return the sums over the columns of what each says about the side of each class."""
        code = self.code()
        on_plus, on_minus = self("Relu", code), self("Relu", self("Neg", code))
        if weights is not None:
            on_plus, on_minus = self("Mul", on_plus, weights.T), self("Mul", on_minus, weights.T)
        return self("Add", self("MatMul", plus, on_plus), self("MatMul", minus, on_minus))

    def matches(self, signs: str) -> str:
        """Return the number of columns whose sign is that of the codeword."""
        return self.sum_by_side(self("Relu", signs), self("Relu", self("Neg", signs)))

    def linear(self, outputs: str, weights: Any, intercepts: Any) -> str:
        """Return scores that are linear in the outputs."""
        return str(
            self.graph.add("Gemm", outputs, number(self.graph, weights), number(self.graph, intercepts), transB=1)
        )

    def softplus(self, tensor: str) -> str:
        """Return log(1 + e^t), without overflow."""
        tail = self("Log", self("Add", self("Exp", self("Neg", self("Abs", tensor))), 1.0))
        return self("Add", self("Relu", tensor), tail)
