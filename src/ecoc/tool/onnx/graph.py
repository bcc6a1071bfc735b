"""Build an ONNX graph node by node; constants that are equal are stored once."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

OPSET = 18  # of ONNX; reductions take their axes as an input from here on
ML_OPSET = 3  # of ai.onnx.ml; 5 where there are trees, whose node is new there
TREE_OPSET = 5
IR_VERSION = 10  # the lowest that knows version 5 of ai.onnx.ml
ML = "ai.onnx.ml"
OWN = "ecoc/"  # begins the names of all tensors but inputs and outputs


class Value(NamedTuple):
    """An input or an output of the graph: its name, the type of its elements, and its number of columns."""

    name: str
    dtype: Any  # a numpy type; str for text
    width: int | None


class Graph:
    """Nodes and constants in the order in which they were added.

    Parameters
    ----------
    dtype : numpy type
        Type of the learners' arithmetic: single or double precision.
    newest_ml : int
        The highest version of ai.onnx.ml that nodes may need.
    scope : str
        Part of the names of all tensors but inputs and outputs.
    """

    def __init__(self, dtype: Any = np.float32, newest_ml: int = TREE_OPSET, scope: str = "") -> None:
        self.dtype = np.dtype(dtype)
        self.newest_ml = newest_ml
        self.nodes: list[Any] = []
        self.constants: dict[str, Array] = {}
        self.inputs: list[Value] = []
        self.outputs: list[Value] = []
        self.opsets = {"": OPSET}
        self.needs_double = False  # whether single precision is not enough, even if it is for the sample
        self.single_sum = False  # whether a model that the graph copies adds in single precision
        self._named: dict[Any, str] = {}
        self._scope = scope
        self._taken: dict[str, int] = {}

    @contextmanager
    def scope(self, name: str) -> Iterator[None]:
        """Give the nodes that are added inside a common beginning of their names."""
        before, self._scope = self._scope, f"{self._scope}{name}/"
        yield
        self._scope = before

    def add(self, op: str, *inputs: Any, n_outputs: int = 1, domain: str = "", **attributes: Any) -> Any:
        """Add a node and return the name of its output; a tuple of names if it has several.

        An input is the name of a tensor, or an array, which becomes a constant; None leaves an optional input out.
        """
        from onnx import helper

        name = self._new_name(op)
        outputs = [name] if n_outputs == 1 else [f"{name}.{i}" for i in range(n_outputs)]
        self._need(domain, TREE_OPSET if op == "TreeEnsemble" else ML_OPSET)
        names = ["" if each is None else each if isinstance(each, str) else self.constant(each) for each in inputs]
        self.nodes.append(helper.make_node(op, names, outputs, name=name, domain=domain, **attributes))
        return outputs[0] if n_outputs == 1 else tuple(outputs)

    def constant(self, array: Array, name: str = "constant") -> str:
        """Return the name of a constant; an equal one that is there already is taken."""
        array = np.asarray(array)
        key = (array.dtype.str, array.shape, tuple(array.flat) if array.dtype.kind in "OU" else array.tobytes())
        if key not in self._named:
            self._named[key] = self._new_name(name)
            self.constants[self._named[key]] = array
        return self._named[key]

    def number(self, value: Any, dtype: Any = None) -> str:
        """Return the name of a constant in the learners' arithmetic, or in the given type."""
        return self.constant(np.asarray(value, dtype=self.dtype if dtype is None else dtype))

    def cast(self, tensor: str, dtype: Any) -> str:
        """Return the tensor in another type."""
        from onnx import helper

        return str(self.add("Cast", tensor, to=helper.np_dtype_to_tensor_dtype(np.dtype(dtype))))

    def columns(self, tensor: str, places: Sequence[int] | Array) -> str:
        """Return some columns of a matrix, in a given order."""
        return str(self.add("Gather", tensor, np.asarray(places, dtype=np.int64), axis=1))

    def reduce(self, op: str, tensor: str, axis: int = 1, *, keepdims: bool = True) -> str:
        """Return a reduction along an axis."""
        return str(self.add(op, tensor, np.array([axis], dtype=np.int64), keepdims=int(keepdims)))

    def emit(self, name: str, tensor: str, dtype: Any, width: int | None) -> None:
        """Make a tensor an output of the graph, by a name and in a type of its own."""
        from onnx import helper

        self.nodes.append(helper.make_node("Identity", [tensor], [name], name=f"{OWN}{self._scope}{name}"))
        self.outputs.append(Value(name, dtype, width))

    def splice(self, model: Any, inputs: Sequence[str]) -> list[str]:
        """Add the nodes of another model, and return the names of its outputs."""
        from onnx import compose, numpy_helper

        prefix = self._new_name("model") + "/"
        inner = compose.add_prefix_graph(model.graph, prefix)
        renamed = dict(zip((value.name for value in inner.input), inputs))
        for constant in inner.initializer:
            array = numpy_helper.to_array(constant)
            if array.dtype.kind in "biuf":  # neighbours of all columns share their samples
                renamed[constant.name] = self.constant(array)
            else:
                self.constants[constant.name] = array
        for node in inner.node:
            node.input[:] = [renamed.get(name, name) for name in node.input]
            node.name = node.name or self._new_name(node.op_type)
            self.nodes.append(node)
        for opset in model.opset_import:
            self._need(opset.domain, opset.version)
        return [renamed.get(value.name, value.name) for value in inner.output]

    def child(self) -> "Graph":
        """Return the graph of a loop's body, whose constants are those of this graph."""
        body = Graph(self.dtype)
        body.constants, body._named, body._taken = self.constants, self._named, self._taken
        body._scope = f"{self._scope}loop/"
        return body

    def own_name(self, name: str) -> str:
        """Return a name that no other tensor has."""
        return self._new_name(name)

    def loop(
        self,
        body: "Graph",
        most: Array,
        tensors: Sequence[Value],
        names: Sequence[str],
        start: Sequence[str],
        condition: str,
        after: Sequence[str],
    ) -> tuple[str, ...]:
        """Repeat a body at most so many times while its condition holds; `tensors` go from one round to the next."""
        from onnx import TensorProto, helper

        round_, goes_on = (body.own_name(name) for name in ("round", "goes_on"))
        first = [
            helper.make_tensor_value_info(round_, TensorProto.INT64, []),
            helper.make_tensor_value_info(goes_on, TensorProto.BOOL, []),
        ]
        graph = helper.make_graph(
            body.nodes,
            "body",
            first + [_value_info(value._replace(name=name)) for value, name in zip(tensors, names)],
            [
                helper.make_tensor_value_info(condition, TensorProto.BOOL, []),
                *(_value_info(value._replace(name=name)) for value, name in zip(tensors, after)),
            ],
        )
        found = self.add("Loop", most, np.array(True), *start, n_outputs=len(tensors), body=graph)
        return tuple(found)

    def model(self, metadata: dict[str, str]) -> Any:
        """Return the whole as a ModelProto."""
        import onnx
        from onnx import helper

        used = set(_inputs_of(self.nodes))
        graph = helper.make_graph(
            self.nodes,
            "ecoc",
            [_value_info(value) for value in self.inputs],
            [_value_info(value) for value in self.outputs],
            [_tensor(array, name) for name, array in self.constants.items() if name in used],
        )
        opsets = [helper.make_opsetid(domain, version) for domain, version in sorted(self.opsets.items())]
        model = helper.make_model(graph, opset_imports=opsets, producer_name="ecoc", ir_version=IR_VERSION)
        helper.set_model_props(model, metadata)
        onnx.checker.check_model(model)
        return model

    def _need(self, domain: str, version: int) -> None:
        if domain:
            self.opsets[domain] = max(self.opsets.get(domain, 1), version)

    def _new_name(self, name: str) -> str:
        name = f"{OWN}{self._scope}{name}"
        self._taken[name] = self._taken.get(name, 0) + 1
        return name if self._taken[name] == 1 else f"{name}_{self._taken[name]}"


def _inputs_of(nodes: Any) -> Iterator[str]:
    """Return the names of all tensors that nodes read, those inside loops as well."""
    for node in nodes:
        yield from node.input
        for attribute in node.attribute:
            yield from _inputs_of(attribute.g.node)


def _tensor(array: Array, name: str) -> Any:
    from onnx import helper, numpy_helper

    if array.dtype.kind in "OU":
        texts: Any = [str(text).encode() for text in array.flat]
        return helper.make_tensor(name, helper.np_dtype_to_tensor_dtype(np.dtype(object)), array.shape, texts)
    return numpy_helper.from_array(np.asarray(array, order="C"), name)


def _value_info(value: Value) -> Any:
    from onnx import helper

    dtype = np.dtype(object) if value.dtype is str else np.dtype(value.dtype)
    shape = [None] if value.width is None else [None, value.width]
    return helper.make_tensor_value_info(value.name, helper.np_dtype_to_tensor_dtype(dtype), shape)
