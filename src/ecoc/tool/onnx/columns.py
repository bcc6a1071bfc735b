"""Nodes from the features to the outputs of all columns."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from joblib import hash as content_hash
from sklearn.base import is_regressor
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge

from ecoc.tool.onnx import learners
from ecoc.tool.onnx.forest import Forest, Link, evaluate
from ecoc.tool.onnx.graph import Graph
from ecoc.tool.onnx.other import other_model
from ecoc.tool.onnx.plain import NAIVE_BAYES, margins_of_odds, odds_of_bayes, plain_outputs
from ecoc.tool.onnx.preparation import Table, prepared, unwrapped
from ecoc.tool.onnx.trees import forest_of
from ecoc.training.binary import Constant
from ecoc.training.interfaces import Dichotomizers, Kind
from ecoc.training.kernel import KernelDichotomizers
from ecoc.training.plain import PlainDichotomizers
from ecoc.training.separate import LinearDichotomizers, SeparateDichotomizers
from ecoc.training.together import JointDichotomizers
from ecoc.training.trees import MeanDichotomizers
from ecoc.utils.exceptions import ExportError

DOUBLE = np.float64


class Primary(NamedTuple):
    """What models give, side by side in double precision, and what that is."""

    values: str
    link: Link


def outputs_of(graph: Graph, table: Table, models: Dichotomizers, kind: Kind) -> str:
    """Return the outputs of all columns, of the kind that the decoding needs."""
    with graph.scope("columns"):
        wanted = "probabilities" if kind == "probabilities" else "margins"
        outputs = _outputs(graph, table, models, wanted)
        if kind != "signs":
            return outputs
        positive = graph.add("Greater", outputs, graph.number(0.0, DOUBLE))
        return str(graph.add("Where", positive, graph.number(1.0, DOUBLE), graph.number(-1.0, DOUBLE)))


def _outputs(graph: Graph, table: Table, models: Dichotomizers, kind: str) -> str:
    if isinstance(models, KernelDichotomizers):
        return _shared_kernel(graph, table, models)
    if isinstance(models, JointDichotomizers):
        steps, model = unwrapped(models.model)
        for step in steps:
            table = prepared(table, step)
        found = _as_kind(graph, _group(graph, table, [_read(model)], kind), kind)
        return found if type(model) in (Ridge, KernelRidge) else graph.columns(found, range(models.n_columns))
    if isinstance(models, MeanDichotomizers):
        return _mean(graph, table, models, kind)
    if isinstance(models, PlainDichotomizers):
        return plain_outputs(graph, table, models, kind)
    if not isinstance(models, SeparateDichotomizers):
        raise ExportError(f"{type(models).__name__} cannot be exported; train with a single estimator for all columns.")
    if isinstance(models, LinearDichotomizers) and kind == "margins":
        values = learners.linear(graph, table.in_arithmetic(), models.weights, models.intercepts)
        return graph.cast(values, DOUBLE)
    found = _of_models(graph, table, models.models, kind)
    return _signed(graph, found, models.model_of, models.signs, kind, len(models.models))


def _signed(graph: Graph, each: str, model_of: Any, signs: Any, kind: str, n: int) -> str:
    """Return the outputs of columns from those of models, some of which serve several columns or opposite ones."""
    if len(model_of) != n or (model_of != np.arange(n)).any():
        each = graph.columns(each, model_of)
    if (signs > 0).all():
        return each
    if kind == "margins":
        return str(graph.add("Mul", each, graph.number(signs, DOUBLE)))
    other = graph.add("Sub", graph.number(1.0, DOUBLE), each)
    return str(graph.add("Where", graph.constant(signs > 0), each, other))


def _shared_kernel(graph: Graph, table: Table, models: KernelDichotomizers) -> str:
    kernel = models.kernel
    if callable(kernel.kind):
        raise ExportError("a kernel that is a Python function cannot be exported; kernel='rbf' can.")
    if kernel.kind == "linear":
        values = learners.linear(graph, table.in_arithmetic(), models.vectors, models.intercepts)
    else:
        same = learners.Kernel(kernel.kind, kernel.gamma, kernel.degree, kernel.coef0)
        parts = models.vectors, models.coefficients, models.intercepts
        values = learners.kernel_machine(graph, table.in_arithmetic(), same, *parts)
    return graph.cast(values, DOUBLE)


def _mean(graph: Graph, table: Table, models: MeanDichotomizers, kind: str) -> str:
    """Return the mean of the models of the folds; trees become one forest for each column."""
    forest = _mean_forest(models)
    if forest is not None and kind == "margins":
        return evaluate(graph, table.numbers(), forest)
    parts = [_outputs(graph, table, part, kind) for part in models.parts]
    return str(graph.add("Div", graph.add("Sum", *parts), graph.number(float(len(parts)), DOUBLE)))


def _mean_forest(models: MeanDichotomizers) -> list[Forest] | None:
    """Return the trees of each column, whose leaves hold margins; None if the models are not single trees."""
    forests = []
    for mean in models.estimators:
        found = [forest_of(model) for model in mean.estimators_]
        trees = []
        for forest in found:
            if forest is None or forest.link != "probability" or len(forest.trees) != 1:
                return None
            tree = forest.trees[0]
            trees.append(tree._replace(value=2.0 * tree.value - 1.0))
        forests.append(Forest(trees, [0] * len(trees), divisor=len(trees), single_input=True))
    return forests


def _of_models(graph: Graph, table: Table, models: Sequence[Any], kind: str) -> str:
    """Return the outputs of several models. Those of one family are evaluated together, on features of their own."""
    groups: dict[Any, list[int]] = {}
    steps: dict[Any, list[Any]] = {}
    final: list[Any] = []
    for i, model in enumerate(models):
        before, last = unwrapped(model)
        final.append(_read(last))
        key = (tuple(content_hash(step) for step in before), _family(final[-1]))
        groups.setdefault(key, []).append(i)
        steps[key] = before
    found, order = [], []
    for key, places in groups.items():
        own = table
        for step in steps[key]:
            own = prepared(own, step)
        found.append(_as_kind(graph, _group(graph, own, [final[i] for i in places], kind), kind))
        order += places
    joined = found[0] if len(found) == 1 else str(graph.add("Concat", *found, axis=1))
    return joined if order == list(range(len(models))) else graph.columns(joined, np.argsort(order))


def _family(model: Any) -> Any:
    """Return a key that is equal for models that one set of nodes can evaluate."""
    if isinstance(model, Constant):
        return "constant"
    if learners.is_linear(model):
        return "linear", learners.link_of_linear(model)
    if learners.is_machine(model):
        return "machine"
    if learners.is_network(model):
        return "network", type(model), model.activation, tuple(w.shape for w in model.coefs_)
    if learners.is_neighbours(model):
        return "neighbours", model.n_neighbors, content_hash(model._fit_X)
    if isinstance(model, Forest):
        return "trees", model.link, model.single_input, repr(model.missing)
    return id(model)


def _read(model: Any) -> Any:
    """Return the trees of a model that consists of trees; any other model itself."""
    forest = forest_of(model)
    return model if forest is None else forest


def _group(graph: Graph, table: Table, models: Sequence[Any], kind: str) -> Primary:
    """Return what models of one family give."""
    first = models[0]
    if isinstance(first, Constant):
        return _constants(graph, table, models)
    if isinstance(first, Forest):
        return Primary(evaluate(graph, table.numbers(), models), first.link)
    if learners.is_neighbours(first):
        return Primary(learners.neighbours(graph, table.numbers(), models), "probability")
    if type(first) in NAIVE_BAYES:
        odds = odds_of_bayes(graph, table, first)
        return Primary(margins_of_odds(graph, odds) if kind == "margins" else odds, "log_odds")
    for takes, nodes, link in _FAMILIES:
        if takes(first):
            return Primary(graph.cast(nodes(graph, table.in_arithmetic(), models), DOUBLE), link(first))
    return _other(graph, table, first, kind)


def _constants(graph: Graph, table: Table, models: Sequence[Any]) -> Primary:
    """Return the sides of columns that have one only, as often as there are samples."""
    n = graph.add("Shape", graph.inputs[0].name, start=0, end=1)
    sides = graph.number([[model.side for model in models]], DOUBLE)
    shape = graph.add("Concat", n, np.array([len(models)]), axis=0)
    return Primary(graph.add("Expand", sides, shape), "side")


def _other(graph: Graph, table: Table, model: Any, kind: str) -> Primary:
    values, link = other_model(graph, model, table.in_arithmetic(), table.n, kind)
    return Primary(graph.cast(values, DOUBLE), link)


def _kernel_ridge(graph: Graph, X: str, models: Sequence[Any]) -> str:
    (model,) = models
    n_features = model.X_fit_.shape[1]
    if callable(model.kernel):
        raise ExportError("a kernel that is a Python function cannot be exported; kernel='rbf' can.")
    gamma = 1.0 / n_features if model.gamma is None else model.gamma
    kernel = learners.Kernel(model.kernel, gamma, model.degree, model.coef0)
    dual = model.dual_coef_.reshape(len(model.dual_coef_), -1)
    return learners.kernel_machine(graph, X, kernel, model.X_fit_, dual, np.zeros(dual.shape[1]))


def _link_of_network(model: Any) -> Link:
    return "margin" if is_regressor(model) else "probability"


_Family = tuple[Callable[[Any], bool], Callable[[Graph, str, Sequence[Any]], str], Callable[[Any], Link]]
_FAMILIES: tuple[_Family, ...] = (
    (learners.is_linear, learners.linear_models, learners.link_of_linear),
    (learners.is_machine, learners.kernel_machines, lambda _: "margin"),
    (lambda model: type(model) is KernelRidge, _kernel_ridge, lambda _: "margin"),
    (learners.is_network, learners.networks, _link_of_network),
)


def _as_kind(graph: Graph, primary: Primary, kind: str) -> str:
    """Return margins or probabilities from what models give."""
    values, link = primary
    one, two = graph.number(1.0, DOUBLE), graph.number(2.0, DOUBLE)
    if kind == "margins":
        if link == "probability":
            return str(graph.add("Sub", graph.add("Mul", values, two), one))
        return values
    if link == "margin":
        raise ExportError("these binary classifiers have margins but no probabilities; decode by 'discriminant'.")
    if link == "side":
        return str(graph.add("Div", graph.add("Add", values, one), two))
    return values if link == "probability" else str(graph.add("Sigmoid", values))
