"""Make our classifiers known to skl2onnx, so that it converts pipelines and ensembles that contain one."""

from typing import Any

import numpy as np

from ecoc.classifier import ECOCClassifier, LeastCostClassifier
from ecoc.tool.onnx.export import Wanted, build, costs_of, precisions, source_of
from ecoc.tool.onnx.graph import ML_OPSET, Graph
from ecoc.utils.exceptions import ExportError
from ecoc.utils.optional import optional


def register() -> None:
    """Register converters of :class:`ecoc.ECOCClassifier` and :class:`ecoc.LeastCostClassifier` with skl2onnx.

    `skl2onnx.to_onnx` then converts every model that contains one. It does not verify the result, as
    :func:`ecoc.to_onnx` does. skl2onnx knows the older node of trees only, which adds in double precision but gives
    single precision.

    Examples
    --------
    >>> from ecoc import ECOCClassifier
    >>> from ecoc.tool.onnx import register
    >>> from skl2onnx import to_onnx
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from sklearn.svm import SVC
    >>> register()
    >>> X, y = load_iris(return_X_y=True)
    >>> model = make_pipeline(StandardScaler(), ECOCClassifier(SVC(), random_state=0)).fit(X, y)
    >>> content = to_onnx(model, X[:1].astype("float32"), options={"zipmap": False}).SerializeToString()
    """
    skl2onnx = optional("skl2onnx", "registering needs skl2onnx", "'ecoc[onnx]'")
    shapes = optional("skl2onnx.common.shape_calculator", "registering needs skl2onnx", "'ecoc[onnx]'")
    for kind in (ECOCClassifier, LeastCostClassifier):
        skl2onnx.update_registered_converter(
            kind,
            f"Ecoc{kind.__name__}",
            shapes.calculate_linear_classifier_output_shapes,
            _convert,
            options={"zipmap": [True, False, "columns"], "nocl": [True, False], "output_class_labels": [False, True]},
        )


def _convert(scope: Any, operator: Any, container: Any) -> None:
    """Add the nodes of a classifier to the graph that skl2onnx builds."""
    from onnx import helper
    from skl2onnx.common.data_types import DoubleTensorType, FloatTensorType

    given = operator.inputs[0]
    dtype = np.dtype(np.float64 if isinstance(given.type, DoubleTensorType) else np.float32)
    source = source_of(operator.raw_operator)
    if not source.has_probabilities():
        raise ExportError("skl2onnx needs probabilities of a classifier: fit with probability=True.")
    wanted = Wanted(("label", "probabilities"), dtype, 1, None, costs_of(source))
    X = np.zeros((1, source.classifier.n_features_in_))
    # Signs, votes and iterations may change after a rounding error.
    steady = precisions(source, "float32", "auto")[0] == "float32"
    steady = steady and not build(source, X, wanted, Graph(np.float32, ML_OPSET)).needs_double
    own = scope.get_unique_variable_name("model") + "/"
    graph = build(source, X, wanted, Graph(dtype if steady else np.float64, ML_OPSET, own))
    inner = graph.model({}).graph
    outside = {"X": given.full_name}
    outside |= {name: value.full_name for name, value in zip(wanted.outputs, operator.outputs)}
    if not isinstance(given.type, DoubleTensorType | FloatTensorType):
        real = helper.np_dtype_to_tensor_dtype(dtype)
        outside["X"] = scope.get_unique_variable_name("X")
        container.nodes.append(helper.make_node("Cast", [given.full_name], [outside["X"]], f"{own}Cast", to=real))
    for node in inner.node:
        node.input[:] = [outside.get(name, name) for name in node.input]
        node.output[:] = [outside.get(name, name) for name in node.output]
        container.nodes.append(node)
        container.node_domain_version_pair_sets.add((node.domain, graph.opsets[node.domain]))
    container.initializers.extend(inner.initializer)
