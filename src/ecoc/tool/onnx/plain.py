"""Nodes of the learner's own multi-class model (``coding="plain"``): a score for each class, then margins."""

from typing import Any, Literal, NamedTuple

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.naive_bayes import BernoulliNB, ComplementNB, GaussianNB, MultinomialNB
from sklearn.neural_network import MLPClassifier
from sklearn.svm import SVC, NuSVC
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

from ecoc.tool.onnx import learners
from ecoc.tool.onnx.forest import Forest, evaluate
from ecoc.tool.onnx.graph import Graph, Value
from ecoc.tool.onnx.other import other_classifier
from ecoc.tool.onnx.preparation import Table, prepared, unwrapped
from ecoc.tool.onnx.trees import forest_of, sklearn_tree
from ecoc.training.binary import OF_ODDS
from ecoc.training.plain import FAR, LEAST, PlainDichotomizers
from ecoc.utils.exceptions import ExportError
from ecoc.utils.scikit import effective_gamma

DOUBLE = np.float64
_TREES = (DecisionTreeClassifier, ExtraTreeClassifier)
_BAGGED = (RandomForestClassifier, ExtraTreesClassifier, BaggingClassifier)
NAIVE_BAYES = (GaussianNB, MultinomialNB, BernoulliNB, ComplementNB)
_SOFTMAX = (LogisticRegression, LogisticRegressionCV, LinearDiscriminantAnalysis)


class Classes(NamedTuple):
    """A value for each class, in double precision, and what that is: the softmax of "odds" is the probability."""

    values: str
    link: Literal["odds", "logarithm", "probability", "score"]


def plain_outputs(graph: Graph, table: Table, models: PlainDichotomizers, kind: str) -> str:
    """Return margins or probabilities of the columns, which are the classes; of two classes the second."""
    steps, model = unwrapped(models.model)
    for step in steps:
        table = prepared(table, step)
    found = _classes(graph, table, model, len(models.classes), kind)
    if kind == "probabilities":
        every = _of_all_classes(graph, models, _probabilities(graph, found, model), graph.number(0.0, DOUBLE))
        return graph.columns(every, [1]) if models.n_classes == 2 else _first(graph, every, models)
    scores = _log_scores(graph, found)
    lowest = graph.add("Sub", graph.reduce("ReduceMin", scores), graph.number(1.0, DOUBLE))
    every = _of_all_classes(graph, models, scores, lowest)
    if models.n_classes == 2:
        return str(graph.add("Sub", graph.columns(every, [1]), graph.columns(every, [0])))
    best, _ = graph.add("TopK", every, np.array([2]), n_outputs=2, axis=1)
    return _first(graph, str(graph.add("Sub", every, graph.reduce("ReduceMean", best))), models)


def _first(graph: Graph, every: str, models: PlainDichotomizers) -> str:
    """Return the columns that a truncated model has left."""
    return every if models.n_columns == models.n_classes else graph.columns(every, range(models.n_columns))


def _of_all_classes(graph: Graph, models: PlainDichotomizers, values: str, otherwise: str) -> str:
    """Return values of all classes; the model does not know those that had no samples."""
    known = len(models.classes)
    if known == models.n_classes:
        return values
    places = np.full(models.n_classes, known)
    places[models.classes] = np.arange(known)
    first = graph.columns(values, [0])
    other = graph.add("Add", graph.add("Mul", first, graph.number(0.0, DOUBLE)), otherwise)
    return graph.columns(str(graph.add("Concat", values, other, axis=1)), places)


def _probabilities(graph: Graph, found: Classes, model: Any) -> str:
    if found.link == "score":
        raise ExportError(f"the graph has no probabilities of {type(model).__name__}; decode by 'discriminant'.")
    return found.values if found.link == "probability" else str(graph.add("Softmax", found.values, axis=1))


def _log_scores(graph: Graph, found: Classes) -> str:
    """Return scores on the scale of logarithms of probabilities, as `class_scores` in training/plain.py does."""
    values, link = found
    if link in ("odds", "score"):
        return values
    if link == "logarithm":
        logs = graph.add("LogSoftmax", values, axis=1)
    else:
        zero = graph.number(0.0, DOUBLE)
        positive = graph.add("Greater", values, zero)
        logs = graph.add("Log", graph.add("Where", positive, values, graph.number(1.0, DOUBLE)))
        least = graph.add("Min", graph.reduce("ReduceMin", logs), graph.number(LEAST, DOUBLE))
        logs = graph.add("Where", positive, logs, least)
    behind = graph.add("Sub", graph.reduce("ReduceMax", logs), logs)
    far, one = graph.number(FAR, DOUBLE), graph.number(1.0, DOUBLE)
    beyond = graph.add("Log", graph.add("Div", graph.add("Max", behind, far), far))
    slowed = graph.add("Mul", graph.add("Add", beyond, one), far)
    return str(graph.add("Neg", graph.add("Min", behind, slowed)))


def _classes(graph: Graph, table: Table, model: Any, n_classes: int, kind: str) -> Classes:
    """Return what a model gives for each class."""
    if type(model) in _TREES or (type(model) in _BAGGED and set(map(type, model.estimators_)) <= set(_TREES)):
        return Classes(_leaves(graph, table, model, n_classes), "probability")
    if type(model) in NAIVE_BAYES:
        return Classes(_naive_bayes(graph, table, model), "logarithm")
    if type(model) in (SVC, NuSVC) and n_classes > 2:
        return Classes(_by_votes(graph, table, model, n_classes), "score")
    forest = forest_of(model)
    if forest is not None:
        values = evaluate(graph, table.numbers(), [forest])
        return Classes(_two_sides(graph, values, n_classes), "odds" if forest.link == "log_odds" else "score")
    X, odds = table.in_arithmetic(), type(model) in _SOFTMAX
    if learners.is_linear_classifier(model) and (odds or kind == "margins"):
        values = graph.cast(learners.linear_models(graph, X, [model]), DOUBLE)
        return Classes(_two_sides(graph, values, n_classes), "odds" if odds else "score")
    if learners.is_machine(model):
        values = graph.cast(learners.kernel_machines(graph, X, [model]), DOUBLE)
        return Classes(_two_sides(graph, values, n_classes), "score")
    if type(model) is MLPClassifier:
        values = graph.cast(learners.networks(graph, X, [model]), DOUBLE)
        return Classes(_and_opposite(graph, values, n_classes), "probability")
    if learners.is_neighbours(model):
        shares = learners.neighbours(graph, table.numbers(), [model], n_classes)
        first = graph.add("Sub", graph.number(1.0, DOUBLE), graph.reduce("ReduceSum", shares))
        return Classes(str(graph.add("Concat", first, shares, axis=1)), "probability")
    found, raw = other_classifier(graph, model, X, table.n, kind)
    values = graph.cast(found, DOUBLE)
    if not raw:
        return Classes(values, "probability")
    return Classes(values if n_classes > 2 else _two_sides(graph, graph.columns(values, [-1]), 2), "score")


def odds_of_bayes(graph: Graph, table: Table, model: Any) -> str:
    """Return the log-odds of the second of two classes."""
    sides = graph.number([[-1.0], [1.0]], DOUBLE)
    return str(graph.add("MatMul", _naive_bayes(graph, table, model), sides))


def margins_of_odds(graph: Graph, odds: str) -> str:
    """Return margins of naive Bayes, as training/binary.py does."""
    size, one = graph.add("Abs", odds), graph.number(1.0, DOUBLE)
    more = graph.add("Mul", graph.add("Log", graph.add("Add", size, one)), graph.number(OF_ODDS, DOUBLE))
    far = graph.add("Tanh", graph.add("Mul", size, graph.number(0.5, DOUBLE)))
    return str(graph.add("Mul", graph.add("Sign", odds), graph.add("Add", far, more)))


def _naive_bayes(graph: Graph, table: Table, model: Any) -> str:
    """Return the joint log-likelihood of each class, in double precision: a product or two."""
    X = table.numbers()
    if type(model) is GaussianNB:
        centre = model.theta_.mean(axis=0)  # so that squares are small differences
        theta, precision = model.theta_ - centre, 1.0 / model.var_
        X = graph.add("Sub", X, graph.number(centre, DOUBLE))
        of_squares = graph.add("MatMul", graph.add("Mul", X, X), graph.number(-0.5 * precision.T, DOUBLE))
        weights, constant = theta * precision, -0.5 * (np.log(2.0 * np.pi * model.var_) + theta**2 * precision).sum(1)
        linear = graph.add("MatMul", X, graph.number(weights.T, DOUBLE))
        values = graph.add("Add", graph.add("Add", of_squares, linear), graph.number(constant, DOUBLE))
        return str(graph.add("Add", values, graph.number(np.log(model.class_prior_), DOUBLE)))
    weights, constant = model.feature_log_prob_, np.asarray(model.class_log_prior_)
    if type(model) is BernoulliNB:
        absent = np.log1p(-np.exp(weights))
        weights, constant = weights - absent, constant + absent.sum(axis=1)
        if model.binarize is not None:
            X = graph.cast(graph.add("Greater", X, graph.number(model.binarize, DOUBLE)), DOUBLE)
    elif type(model) is ComplementNB and len(model.classes_) > 1:
        constant = np.zeros(len(weights))
    product = graph.add("MatMul", X, graph.number(weights.T, DOUBLE))
    return str(graph.add("Add", product, graph.number(constant, DOUBLE)))


def _two_sides(graph: Graph, values: str, n_classes: int) -> str:
    """Return a value for each of two classes, from one that is their difference."""
    if n_classes > 2:
        return values
    return str(graph.add("Mul", values, graph.number([[-0.5, 0.5]], DOUBLE)))


def _and_opposite(graph: Graph, values: str, n_classes: int) -> str:
    """Return the probabilities of two classes, from that of the second."""
    if n_classes > 2:
        return values
    return str(graph.add("Concat", graph.add("Sub", graph.number(1.0, DOUBLE), values), values, axis=1))


def _by_votes(graph: Graph, table: Table, model: Any, n_classes: int) -> str:
    """Return the votes of the pairs of classes, plus how far the class is ahead, as scikit-learn's SVC counts."""
    if not learners.is_machine(model):
        raise ExportError("a kernel that is a Python function cannot be exported; kernel='rbf' can.")
    if model.decision_function_shape != "ovr":
        raise ExportError(f"{type(model).__name__}(decision_function_shape='ovo') cannot be exported; 'ovr' can.")
    pairs = [(i, j) for i in range(n_classes) for j in range(i + 1, n_classes)]
    side = np.repeat(np.arange(n_classes), model.n_support_)  # the class of each support vector
    duals = learners.dense(model.dual_coef_)
    coefficients = np.zeros((len(side), len(pairs)))
    sign = np.zeros((len(pairs), n_classes))
    for place, (i, j) in enumerate(pairs):
        coefficients[side == i, place] = duals[j - 1, side == i]
        coefficients[side == j, place] = duals[i, side == j]
        sign[place, [i, j]] = 1, -1
    graph.needs_double = True  # a rounding error may change a vote
    kernel = learners.Kernel(model.kernel, effective_gamma(model), model.degree, model.coef0)
    parts = learners.dense(model.support_vectors_), coefficients, model.intercept_
    ahead = graph.cast(learners.kernel_machine(graph, table.in_arithmetic(), kernel, *parts), DOUBLE)
    lost = graph.cast(graph.add("Less", ahead, graph.number(0.0, DOUBLE)), DOUBLE)
    won = graph.add("Sub", graph.number(1.0, DOUBLE), lost)
    votes = graph.add(
        "Add",
        graph.add("MatMul", won, graph.number(np.maximum(sign, 0), DOUBLE)),
        graph.add("MatMul", lost, graph.number(np.maximum(-sign, 0), DOUBLE)),
    )
    total = graph.add("MatMul", ahead, graph.number(sign, DOUBLE))
    size = graph.add("Add", graph.add("Abs", total), graph.number(1.0, DOUBLE))
    share = graph.add("Div", total, graph.add("Mul", size, graph.number(3.0, DOUBLE)))
    return str(graph.add("Add", votes, share))


def _leaves(graph: Graph, table: Table, model: Any, n_classes: int) -> str:
    """Return the mean of the trees' probabilities: one node finds the leaves, whose probabilities are one table."""
    members = [model] if type(model) in _TREES else list(model.estimators_)
    features = getattr(model, "estimators_features_", None)
    trees, rows, before = [], [], [0]
    for i, member in enumerate(members):
        n_nodes = member.tree_.node_count
        tree = sklearn_tree(member, _places)
        if features is not None:
            tree = tree._replace(feature=np.where(tree.feature < 0, -1, np.asarray(features[i])[tree.feature]))
        row = np.zeros((n_nodes, n_classes))
        row[:, np.asarray(member.classes_, dtype=np.int64)] = member.tree_.value[:, 0]
        trees.append(tree)
        rows.append(row)
        before.append(before[-1] + n_nodes)
    forest = Forest(trees, range(len(trees)), np.array(before[:-1]), single_input=True)
    places = graph.cast(evaluate(graph, table.numbers(), [forest]), np.int64)
    of_leaves = graph.number(np.vstack(rows), DOUBLE)
    if len(trees) == 1:
        return str(graph.add("Gather", of_leaves, graph.add("Squeeze", places, np.array([1]))))
    total = _sum_of_rows(graph, of_leaves, str(graph.add("Transpose", places, perm=[1, 0])), len(trees), n_classes)
    return str(graph.add("Div", total, graph.number(float(len(trees)), DOUBLE)))


def _places(value: Any) -> Any:
    return np.arange(len(value))


def _sum_of_rows(graph: Graph, table: str, places: str, n: int, width: int) -> str:
    """Return the sum of n rows of a table for each sample, one after the other, so that memory stays small."""
    tensors = [Value("sum", DOUBLE, width), Value("round", np.int64, None)]
    body = graph.child()
    before, i = (body.own_name(value.name) for value in tensors)
    chosen = body.add("Gather", table, body.add("Squeeze", body.add("Gather", places, i), np.array([0])))
    after = [str(body.add("Add", before, chosen)), str(body.add("Add", i, np.array([1])))]
    going_on = str(body.add("Less", body.add("Squeeze", after[1]), np.array(n)))
    rows = graph.add("Shape", places, start=1, end=2)
    shape = graph.add("Concat", rows, np.array([width]), axis=0)
    start = [graph.add("Expand", graph.number([[0.0]], DOUBLE), shape), graph.constant(np.array([0]))]
    return graph.loop(body, np.array(n), tensors, [before, i], start, going_on, after)[0]
