"""Export a fitted classifier to ONNX: build the graph, verify it, and return it as bytes."""

import json
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from ecoc import __version__
from ecoc.classifier import ECOCClassifier, LeastCostClassifier
from ecoc.classifier.inputs import rows_of
from ecoc.classifier.least_cost import check_costs
from ecoc.tool.onnx import answers
from ecoc.tool.onnx.answers import Costs
from ecoc.tool.onnx.columns import outputs_of
from ecoc.tool.onnx.decodings import probabilities_of, scores_of
from ecoc.tool.onnx.graph import Graph
from ecoc.tool.onnx.preparation import make_inputs, prepared
from ecoc.tool.onnx.verification import Expected, Mismatch, compare, feeds_of, rounded
from ecoc.utils.exceptions import ExportError
from ecoc.utils.optional import optional

OUTPUTS = ("label", "probabilities", "scores", "columns", "top", "sets")
# Share of the tolerance that single precision may use where double precision is the alternative: new samples differ by
# more than those that were verified. With all of it, an SVC verified on 400 rows differed by 1.6e-5 on 1,000 new ones.
_SHARE_OF_TOLERANCE = 0.2
_MOST_BYTES = 2**31 - 1  # of a file of protobuf


@dataclass(frozen=True)
class Wanted:
    """What the graph is to give."""

    outputs: tuple[str, ...]
    dtype: Any
    n_best: int
    thresholds: Any
    costs: Costs | None


@dataclass(frozen=True)
class Source:
    """A fitted classifier, the steps before it, and the model as the user gave it."""

    model: Any
    steps: list[Any]
    classifier: ECOCClassifier

    def names(self) -> list[str] | None:
        """Return the names of the features, if the model knows them."""
        names = getattr(self.model, "feature_names_in_", None)
        return None if names is None else [str(name) for name in names]

    def has_probabilities(self) -> bool:
        """Tell whether there are probabilities."""
        return hasattr(self.classifier, "predict_proba")

    def prepare(self, X: Any) -> Any:
        """Return samples as the classifier takes them."""
        for step in self.steps:
            X = step.transform(X)
        return self.classifier.validate(X)


def to_onnx(
    model: Any,
    X_sample: Any,
    *,
    outputs: Iterable[str] | str | None = None,
    dtype: Literal["float32", "float64"] = "float32",
    arithmetic: Literal["auto", "float32", "float64"] = "auto",
    n_best: int = 5,
    confidence: float = 0.9,
    by_class: bool | ArrayLike = False,
    costs: Any = None,
    reject_cost: float | None = None,
    reject_label: Any = None,
) -> bytes:
    """Export a fitted classifier to ONNX, so that it predicts without Python.

    The graph has the whole model: the steps of a pipeline, the binary classifiers, the decoding and the calibration.
    Models of one kind share their nodes: all linear columns are one matrix product, all kernel machines share their
    support vectors, and all trees of all columns are one node. The graph is run on the sample before it is returned.

    Parameters
    ----------
    model : ECOCClassifier, or Pipeline, search or LeastCostClassifier that ends in one
        A fitted classifier.
    X_sample : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
        Samples as `predict` takes them, to verify the graph with. A table with text columns has an input for each
        column; every other X is one input, ``X``.
    outputs : iterable of str, default=None
        What the graph gives; None: label and, if the model has any, probabilities. Names are ``"label"``;
        ``"probabilities"``; ``"scores"``, of all classes; ``"columns"``, the outputs of the binary classifiers that the
        decoding decides by; ``"top"``, which are ``top_labels`` and ``top_values`` of the `n_best` classes, with
        probabilities if there are any, else scores; ``"sets"``, which classes belong to the set of `predict_sets`.
    dtype : {"float32", "float64"}, default="float32"
        Precision of the inputs and outputs.
    arithmetic : {"auto", "float32", "float64"}, default="auto"
        Precision in which linear models, kernel machines and neural networks compute. ``"auto"`` is single precision
        if the decoding takes margins, not signs or probabilities, and the graph gives what the model gives for the
        sample to a fifth of the tolerance; else double precision.
        The file says which. Trees and decodings always compute in double precision, and so does everything with
        ``dtype="float64"``.
    n_best : int, default=5
        Number of classes of ``"top"``; all, if there are fewer.
    confidence : float, default=0.9
        Promised share of ``"sets"`` that hold the true class.
    by_class : bool or array-like of labels, default=False
        Classes that have this promise for themselves, as in `predict_sets`.
    costs, reject_cost, reject_label : default=None
        What errors and rejection cost, as in :class:`ecoc.ECOCClassifier`. None: as the model was fitted.

    Returns
    -------
    bytes
        The content of an ``.onnx`` file. The same model and sample give the same bytes.

    Raises
    ------
    ExportError
        If a part of the model cannot be exported, or the graph does not give what the model gives: labels must be
        equal unless scores are within 1e-5 (float32) or 1e-12 (float64), and no probability may differ by more.

    Warns
    -----
    UserWarning
        If onnxruntime is not installed, so that the graph is not verified.

    See Also
    --------
    ecoc.save : Write a model for Python.

    Examples
    --------
    >>> from ecoc import ECOCClassifier, to_onnx
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.svm import SVC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ECOCClassifier(SVC(), random_state=0).fit(X, load_iris().target_names[y])
    >>> content = to_onnx(model, X)
    >>> import onnxruntime
    >>> labels, probabilities = onnxruntime.InferenceSession(content).run(None, {"X": X[::50].astype("float32")})
    >>> labels
    array(['setosa', 'versicolor', 'virginica'], dtype=object)
    """
    optional("onnx", "exporting to ONNX needs onnx", "'ecoc[onnx]'")
    source = source_of(model)
    for name, value, allowed in (
        ("dtype", dtype, ("float32", "float64")),
        ("arithmetic", arithmetic, ("auto", "float32", "float64")),
    ):
        if value not in allowed:
            raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}; got {value!r}.")
    given = costs_of(source, costs, reject_cost, reject_label)
    wanted = _wanted(source, outputs, np.dtype(dtype), n_best, confidence, by_class, given)
    X = rounded(X_sample, wanted.dtype)
    tried = precisions(source, dtype, arithmetic)
    expected = Expected.of(source, X, wanted)
    for precision in tried:
        graph = build(source, X, wanted, Graph(precision))
        if graph.needs_double and precision != tried[-1]:
            continue
        if not _can_run():
            return _content(graph, source, wanted, "no: onnxruntime is not installed")
        try:
            tolerance = tolerance_of(graph, wanted)
            limit = tolerance if precision == tried[-1] else tolerance * _SHARE_OF_TOLERANCE
            compare(graph.model({}).SerializeToString(), feeds_of(graph, X), expected, wanted, limit)
            return _content(graph, source, wanted, f"{expected}, to {tolerance:g}")
        except Mismatch as mismatch:
            if precision == tried[-1]:
                raise ExportError(_blame(source, X, wanted, np.dtype(precision), expected) or str(mismatch)) from None
    raise AssertionError("unreachable")


def precisions(source: Source, dtype: str, arithmetic: str) -> list[str]:
    """Return the precisions of the learners' arithmetic to try, in this order.

    Signs, and iterations that end at a tolerance, may change after a rounding error: they need double precision.
    """
    if dtype == "float64" or arithmetic != "auto":
        return ["float64"] if dtype == "float64" else [arithmetic]
    return ["float32", "float64"] if source.classifier.decoding_.needs == "margins" else ["float64"]


def source_of(model: Any) -> Source:
    """Return the classifier inside pipelines, searches and wrappers, and the steps before it."""
    steps: list[Any] = []
    inner = model
    while True:
        if hasattr(inner, "best_estimator_"):
            inner = inner.best_estimator_
        elif isinstance(inner, Pipeline):
            check_is_fitted(inner)
            steps += [step for _, step in inner.steps[:-1] if step is not None and not isinstance(step, str)]
            inner = inner.steps[-1][1]
        elif isinstance(inner, LeastCostClassifier):
            check_is_fitted(inner)
            inner = inner.estimator_
        else:
            break
    if not isinstance(inner, ECOCClassifier):
        raise TypeError(
            f"to_onnx exports an ECOCClassifier, or a pipeline that ends in one; got {type(inner).__name__}. "
            'ECOCClassifier(estimator, coding="plain") can be exported; models of scikit-learn by skl2onnx.to_onnx.'
        )
    check_is_fitted(inner, "fitted_")
    return Source(model, steps, inner)


def build(source: Source, X: Any, wanted: Wanted, graph: Graph) -> Graph:
    """Add all nodes to a graph, from the inputs to the outputs that are wanted."""
    classifier, dtype = source.classifier, wanted.dtype
    fitted, k = classifier.fitted_, len(classifier.classes_)
    table = make_inputs(graph, X, int(source.model.n_features_in_), source.names(), dtype)
    for step in source.steps:
        table = prepared(table, step)
    decoding = fitted.decision.decoding
    outputs = outputs_of(graph, table, fitted.dichotomizers, decoding.needs)
    scores = scores_of(graph, decoding, outputs)
    probabilities = None
    if source.has_probabilities():
        probabilities = probabilities_of(graph, scores, fitted.decision.calibration, k)
    labels = answers.label_tensor(classifier.classes_, wanted.costs)
    kind = str if labels.dtype == object else labels.dtype
    names = graph.constant(labels, "labels")

    def emit(name: str, tensor: str, width: int | None, of: Any = None) -> None:
        if of is None:  # computed in double precision
            tensor, of = (tensor if dtype == np.float64 else graph.cast(tensor, dtype)), dtype
        graph.emit(name, tensor, of, width)

    for name in wanted.outputs:
        if name == "label":
            place = answers.chosen_class(graph, scores, probabilities, wanted.costs)
            emit("label", graph.add("Gather", names, place), None, kind)
        elif name == "probabilities" and probabilities is not None:
            emit("probabilities", probabilities, k)
        elif name == "scores":
            emit("scores", scores, k)
        elif name == "columns":
            emit("columns", outputs, classifier.n_columns_)
        elif name == "top":
            values, places = answers.best_classes(graph, probabilities or scores, wanted.n_best)
            emit("top_labels", graph.add("Gather", names, places), wanted.n_best, kind)
            emit("top_values", values, wanted.n_best)
        elif name == "sets" and probabilities is not None:
            emit("sets", answers.members(graph, probabilities, wanted.thresholds), k, np.bool_)
    total = sum(array.nbytes for array in graph.constants.values())
    if total > _MOST_BYTES:
        raise ExportError(
            f"the graph would take {total / 2**30:.1f} GB, and a file of ONNX takes at most 2 GB; use fewer columns, "
            "fewer features, or a learner with fewer parameters."
        )
    return graph


def tolerance_of(graph: Graph, wanted: Wanted) -> float:
    """Return the largest difference that is allowed between the graph and the model."""
    single = wanted.dtype == np.float32 or graph.single_sum
    return 1e-5 if single else 1e-12


def _wanted(
    source: Source,
    outputs: Iterable[str] | str | None,
    dtype: Any,
    n_best: int,
    confidence: float,
    by_class: Any,
    costs: Costs | None,
) -> Wanted:
    """Check what the graph is to give."""
    if outputs is None:
        outputs = ("label", "probabilities") if source.has_probabilities() else ("label",)
    names = (outputs,) if isinstance(outputs, str) else tuple(dict.fromkeys(outputs))
    if not names or any(name not in OUTPUTS for name in names):
        raise ValueError(f"outputs must be some of {', '.join(OUTPUTS)}; got {', '.join(map(str, names)) or 'none'}.")
    needing = [name for name in names if name in ("probabilities", "sets")]
    if (needing or costs is not None) and not source.has_probabilities():
        raise ValueError(f"{needing[0] if needing else 'costs'} need probabilities: fit with probability=True.")
    classes = source.classifier.classes_
    thresholds = None
    if "sets" in names:
        predictor = source.classifier.fitted_.decision.set_predictor()
        thresholds = predictor.thresholds(float(confidence), rows_of(by_class, classes, "by_class"))
    return Wanted(names, dtype, min(int(n_best), len(classes)), thresholds, costs)


def costs_of(
    source: Source, costs: Any = None, reject_cost: float | None = None, reject_label: Any = None
) -> Costs | None:
    """Return given costs, else those of the model."""
    classes = source.classifier.classes_
    if costs is not None or reject_cost is not None:
        matrix = check_costs(costs, reject_cost, reject_label, classes)
        return None if matrix is None else Costs(matrix, reject_cost, reject_label)
    owner = source.model if isinstance(source.model, LeastCostClassifier) else source.classifier
    if owner.cost_matrix_ is None:
        return None
    return Costs(owner.cost_matrix_, *owner._rejection)


def _blame(source: Source, X: Any, wanted: Wanted, arithmetic: Any, expected: Expected) -> str | None:
    """Return which node is the first to give something else than the model, and by how much."""
    stages = ("columns", "scores", *(("probabilities",) if source.has_probabilities() else ()), "label")
    full = Wanted(stages, wanted.dtype, wanted.n_best, None, wanted.costs)
    graph = build(source, X, full, Graph(arithmetic))
    expected = Expected.of(source, X, full)
    try:
        compare(graph.model({}).SerializeToString(), feeds_of(graph, X), expected, full, tolerance_of(graph, full))
    except Mismatch as mismatch:
        made_by = {output: node for node in graph.nodes for output in node.output}
        node = made_by[mismatch.output]
        while node.op_type in ("Identity", "Cast") and node.input[0] in made_by:
            node = made_by[node.input[0]]
        return f"node {node.name} ({node.op_type}): {mismatch}"
    return None


def _content(graph: Graph, source: Source, wanted: Wanted, verified: str) -> bytes:
    if verified.startswith("no"):
        warnings.warn(
            "the graph was not verified, since onnxruntime is not installed: pip install onnxruntime",
            UserWarning,
            stacklevel=3,
        )
    content: bytes = graph.model(_metadata(graph, source, wanted, verified)).SerializeToString(deterministic=True)
    return content


def _metadata(graph: Graph, source: Source, wanted: Wanted, verified: str) -> dict[str, str]:
    classifier = source.classifier
    book = classifier.code_book_
    signs = np.array(["-", "0", "+"])[book.matrix + 1]
    labels = answers.label_tensor(classifier.classes_, None)
    facts = {
        "version": __version__,
        "versions": json.dumps({name: _version(name) for name in ("scikit-learn", "onnx", "skl2onnx", "onnxruntime")}),
        "opset": json.dumps(graph.opsets, sort_keys=True),
        "learner": " ".join(repr(classifier.estimator).split()),
        "coding": " ".join(repr(classifier.coding_).split()),
        "decoding": " ".join(repr(classifier.decoding_).split()),
        "classes": json.dumps(labels.tolist()),
        "code_book": "\n".join("".join(row) for row in signs.tolist()),
        "columns": json.dumps(source.names()),
        "target": json.dumps(getattr(source.model, "target_name_", None)),
        "arithmetic": str(graph.dtype),
        "verified": verified,
    }
    return {f"ecoc.{name}": value for name, value in facts.items()}


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _can_run() -> bool:
    return find_spec("onnxruntime") is not None
