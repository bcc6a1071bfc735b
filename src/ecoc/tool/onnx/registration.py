"""Make ECOCClassifier known to skl2onnx, so that it converts pipelines and ensembles that contain one."""

from typing import Any

import numpy as np

from ecoc.classifier import ECOCClassifier
from ecoc.tool.onnx.export import Wanted, build, source_of
from ecoc.tool.onnx.graph import ML, ML_OPSET
from ecoc.utils.exceptions import ExportError
from ecoc.utils.optional import optional


def register() -> None:
    """Register the converter of :class:`ecoc.ECOCClassifier` with skl2onnx.

    `skl2onnx.to_onnx` then converts every model that contains one. It does not verify the result, as
    :func:`ecoc.to_onnx` does. skl2onnx has no node for all trees of all columns, so that trees, forests and boosting
    are exported by :func:`ecoc.to_onnx` only.

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
    skl2onnx.update_registered_converter(
        ECOCClassifier,
        "EcocECOCClassifier",
        shapes.calculate_linear_classifier_output_shapes,
        _convert,
        options={"zipmap": [True, False, "columns"], "nocl": [True, False], "output_class_labels": [False, True]},
    )


def _convert(scope: Any, operator: Any, container: Any) -> None:
    """Add the nodes of a classifier to the graph that skl2onnx builds."""
    from onnx import compose
    from skl2onnx.common.data_types import DoubleTensorType

    dtype = np.dtype(np.float64 if isinstance(operator.inputs[0].type, DoubleTensorType) else np.float32)
    source = source_of(operator.raw_operator)
    wanted = Wanted(("label", "probabilities"), dtype, 1, None, None)
    graph = build(source, np.zeros((1, source.classifier.n_features_in_)), wanted, dtype)
    if graph.opsets.get(ML, 1) > ML_OPSET:
        raise ExportError("skl2onnx cannot hold the node of trees, forests and boosting; ecoc.to_onnx exports them.")
    prefix = scope.get_unique_variable_name("ecoc") + "/"
    inner = compose.add_prefix_graph(graph.model({}).graph, prefix)
    outside = {f"{prefix}X": operator.inputs[0].full_name}
    outside |= {f"{prefix}{name}": value.full_name for name, value in zip(wanted.outputs, operator.outputs)}
    for node in inner.node:
        node.input[:] = [outside.get(name, name) for name in node.input]
        node.output[:] = [outside.get(name, name) for name in node.output]
        container.nodes.append(node)
        container.node_domain_version_pair_sets.add((node.domain, graph.opsets[node.domain]))
    container.initializers.extend(inner.initializer)
