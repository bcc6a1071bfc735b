"""Nodes of probabilistic decoding: a loop that ends when every sample is finished."""

import numpy as np

from ecoc.tool.onnx.graph import Value
from ecoc.tool.onnx.nodes import DOUBLE, Nodes

_LEAST = 1e-6  # binary probabilities are clipped to [this, 1 − this], as in Probabilistic
_LEAST_CLASS = 1e-100
_LEAST_SHARE = 0.3  # what extrapolation leaves of a class probability at least, as in Probabilistic


def couple(nodes: Nodes, probabilities: str) -> str:
    """Return the logarithms of the class probabilities that agree best with binary ones; unfinished rows go on."""
    graph, decoding = nodes.graph, nodes.decoding
    k = decoding.codebook_.n_classes
    r = nodes("Min", nodes("Max", probabilities, _LEAST), 1 - _LEAST)
    n = graph.add("Shape", r, start=0, end=1)
    start = graph.add("Expand", graph.number([[1 / k]], DOUBLE), graph.add("Concat", n, np.array([k]), axis=0))
    rows = graph.add("Range", np.array(0), graph.add("Squeeze", n), np.array(1))
    code = nodes.code()
    sides = nodes("Relu", code), nodes("Relu", nodes("Neg", code))
    turned = [nodes("Transpose", side, perm=[1, 0]) for side in sides]

    body = graph.child()
    inside = Nodes(body, decoding)
    tensors = [
        Value("p", DOUBLE, k),
        Value("rows", np.int64, None),
        Value("rate", DOUBLE, decoding.codebook_.n_columns),
    ]
    names = [body.own_name(value.name) for value in tensors]
    p, places, rate = names

    def iterate(p: str) -> str:
        on_plus, on_minus = (inside("MatMul", p, side) for side in turned)
        agree = inside("MatMul", inside("Div", rate, on_plus), sides[0])
        disagree = inside("MatMul", inside("Div", inside("Sub", 1.0, rate), on_minus), sides[1])
        both = inside("Div", 1.0, inside("Add", on_plus, on_minus))
        b = inside("Add", inside("MatMul", both, sides[0]), inside("MatMul", both, sides[1]))
        a = inside("Mul", p, inside("Add", agree, disagree))
        smoothed = inside("Add", a, decoding.smoothing)
        return on_simplex(inside("Div", smoothed, inside("Add", b, k * decoding.smoothing)))

    def on_simplex(p: str) -> str:
        p = inside("Max", p, _LEAST_CLASS)
        return inside("Div", p, body.reduce("ReduceSum", p))

    def length_of(step: str) -> str:
        return body.reduce("ReduceL2", step)

    before = body.add("Gather", p, places, axis=0)
    first = iterate(before)
    second = iterate(first)
    step = inside("Sub", first, before)
    bend = inside("Add", inside("Sub", second, inside("Mul", first, 2.0)), before)
    length = inside("Max", inside("Div", length_of(step), inside("Max", length_of(bend), _LEAST_CLASS)), 1.0)
    moved = inside("Add", before, inside("Mul", inside("Mul", length, 2.0), step))
    moved = inside("Add", moved, inside("Mul", inside("Mul", length, length), bend))
    third = iterate(on_simplex(inside("Max", moved, inside("Mul", second, _LEAST_SHARE))))
    p_after = body.add("ScatterND", p, body.add("Unsqueeze", places, np.array([1])), third)
    change = body.reduce("ReduceMax", inside("Abs", inside("Sub", second, first)), keepdims=False)
    going_on = body.add("NonZero", inside("Greater", change, decoding.tol))
    going_on = body.add("Squeeze", going_on, np.array([0]))
    after = [p_after, body.add("Gather", places, going_on), body.add("Gather", rate, going_on, axis=0)]
    any_left = body.add("Greater", body.add("Size", going_on), np.array(0))

    cycles = np.array(decoding.max_iter, dtype=np.int64)
    final = graph.loop(body, cycles, tensors, names, [start, rows, r], any_left, after)
    return nodes("Log", final[0])
