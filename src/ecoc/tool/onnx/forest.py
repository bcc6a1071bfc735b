"""Trees as arrays, and the one node that evaluates all of them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecoc.tool.onnx.graph import ML, TREE_OPSET, Graph

Link = Literal["margin", "probability", "log_odds", "side"]  # what a model gives
LESS_OR_EQUAL, LESS, GREATER = 0, 1, 3  # modes of a node of TreeEnsemble


class Tree(NamedTuple):
    """Nodes of a tree as arrays: node i asks whether its feature is at most (or below) its threshold.

    `feature` is −1 in a leaf, and `value` its output. `missing_yes` says where a missing value goes.
    """

    feature: NDArray[np.int64]
    threshold: NDArray[np.float64]
    yes: NDArray[np.int64]
    no: NDArray[np.int64]
    value: NDArray[np.float64]
    missing_yes: NDArray[np.bool_]
    mode: int = LESS_OR_EQUAL


@dataclass(frozen=True)
class Forest:
    """A model of trees: target i is start[i] + (sum of the trees of target i) / divisor.

    `single_input` says that the model rounds features to single precision before it compares them, and `missing` is
    the number that stands for a missing value.
    """

    trees: Sequence[Tree]
    targets: Sequence[int]
    start: Any = 0.0  # a number for each target, or one for all
    divisor: float = 1.0
    link: Link = "margin"
    single_input: bool = False
    single_sum: bool = field(default=False)  # whether the model adds in single precision
    missing: float = np.nan


def evaluate(graph: Graph, X: str, forests: Sequence[Forest]) -> str:
    """Return the outputs of several models of trees, side by side; X is in double precision."""
    if any(forest.single_input for forest in forests):
        X = graph.cast(graph.cast(X, np.float32), np.float64)
    if not np.isnan(forests[0].missing):
        lost = graph.add("Equal", X, graph.number(forests[0].missing, np.float64))
        X = graph.add("Where", lost, graph.number(np.nan, np.float64), X)
    graph.single_sum |= any(forest.single_sum for forest in forests)
    widths = [max(max(forest.targets, default=0) + 1, np.size(forest.start)) for forest in forests]
    before = np.cumsum([0, *widths])
    trees = [tree for forest in forests for tree in forest.trees]
    targets = [at + target for forest, at in zip(forests, before) for target in forest.targets]
    if graph.newest_ml >= TREE_OPSET:
        found = graph.add("TreeEnsemble", X, domain=ML, **_attributes(trees, targets, int(before[-1])))
    else:  # this one gives single precision
        attributes = _attributes_of_regressor(trees, targets, int(before[-1]))
        found = graph.cast(graph.add("TreeEnsembleRegressor", X, domain=ML, **attributes), np.float64)
        graph.single_sum = True
    divisor = np.repeat([forest.divisor for forest in forests], widths)
    start = np.concatenate([np.broadcast_to(forest.start, width) for forest, width in zip(forests, widths)])
    if (divisor != 1).any():
        found = graph.add("Div", found, graph.number(divisor, np.float64))
    if start.any():
        found = graph.add("Add", found, graph.number(start, np.float64))
    return str(found)


def _attributes(trees: Sequence[Tree], targets: Sequence[int], n_targets: int) -> dict[str, Any]:
    """Return the attributes of TreeEnsemble: inner nodes and leaves are numbered apart, through all trees."""
    from onnx import numpy_helper

    trees = [_with_a_question(tree) for tree in trees]
    inner = [tree.feature >= 0 for tree in trees]
    n_inner, n_leaves = [int(i.sum()) for i in inner], [int((~i).sum()) for i in inner]
    roots, first_leaf = np.cumsum([0, *n_inner]), np.cumsum([0, *n_leaves])
    parts: list[list[Any]] = [[], [], [], []]
    yes, yes_leaf, no, no_leaf = parts
    for tree, is_inner, root, leaf in zip(trees, inner, roots, first_leaf):
        place = np.where(is_inner, root + np.cumsum(is_inner) - 1, leaf + np.cumsum(~is_inner) - 1)
        for child, ids, leaves in ((tree.yes, yes, yes_leaf), (tree.no, no, no_leaf)):
            ids.append(place[child[is_inner]])
            leaves.append(~is_inner[child[is_inner]])

    def joined(parts: Sequence[Any], dtype: Any = np.int64) -> Any:
        return np.concatenate([np.asarray(part) for part in parts]).astype(dtype)

    def of_nodes(name: str, dtype: Any) -> Any:
        return joined([getattr(tree, name)[is_inner] for tree, is_inner in zip(trees, inner)], dtype)

    modes = joined([np.full(n, tree.mode) for tree, n in zip(trees, n_inner)], np.uint8)
    weights = joined([tree.value[~is_inner] for tree, is_inner in zip(trees, inner)], np.float64)
    return {
        "aggregate_function": 1,  # sum
        "n_targets": n_targets,
        "tree_roots": roots[:-1].tolist(),
        "nodes_featureids": of_nodes("feature", np.int64).tolist(),
        "nodes_splits": numpy_helper.from_array(of_nodes("threshold", np.float64), "splits"),
        "nodes_modes": numpy_helper.from_array(modes, "modes"),
        "nodes_missing_value_tracks_true": of_nodes("missing_yes", np.int64).tolist(),
        "nodes_truenodeids": joined(yes).tolist(),
        "nodes_trueleafs": joined(yes_leaf).tolist(),
        "nodes_falsenodeids": joined(no).tolist(),
        "nodes_falseleafs": joined(no_leaf).tolist(),
        "leaf_weights": numpy_helper.from_array(weights, "weights"),
        "leaf_targetids": np.repeat(np.asarray(targets), n_leaves).tolist(),
    }


def _attributes_of_regressor(trees: Sequence[Tree], targets: Sequence[int], n_targets: int) -> dict[str, Any]:
    """Return the attributes of TreeEnsembleRegressor, in which each tree numbers its own nodes."""
    from onnx import numpy_helper

    sizes = [len(tree.feature) for tree in trees]
    feature, threshold, yes, no, value, missing_yes = (
        np.concatenate([np.asarray(column) for column in columns]) for columns in list(zip(*trees))[:-1]
    )
    names = {LESS_OR_EQUAL: "BRANCH_LEQ", LESS: "BRANCH_LT", GREATER: "BRANCH_GT"}
    mode = [names[tree.mode] for tree, size in zip(trees, sizes) for _ in range(size)]
    leaf = feature < 0
    tree_of, node = np.repeat(np.arange(len(trees)), sizes), np.concatenate([np.arange(size) for size in sizes])
    return {
        "aggregate_function": "SUM",
        "n_targets": n_targets,
        "nodes_treeids": tree_of.tolist(),
        "nodes_nodeids": node.tolist(),
        "nodes_featureids": np.maximum(feature, 0).tolist(),
        "nodes_values_as_tensor": numpy_helper.from_array(threshold.astype(np.float64), "values"),
        "nodes_modes": ["LEAF" if is_leaf else name for is_leaf, name in zip(leaf, mode)],
        "nodes_missing_value_tracks_true": missing_yes.astype(int).tolist(),
        "nodes_truenodeids": np.where(leaf, 0, yes).tolist(),
        "nodes_falsenodeids": np.where(leaf, 0, no).tolist(),
        "target_treeids": tree_of[leaf].tolist(),
        "target_nodeids": node[leaf].tolist(),
        "target_ids": np.repeat(np.asarray(targets), sizes)[leaf].tolist(),
        "target_weights_as_tensor": numpy_helper.from_array(value[leaf].astype(np.float64), "weights"),
    }


def _with_a_question(tree: Tree) -> Tree:
    """Return the tree; one that is a single leaf asks a question whose answers lead to the same leaf."""
    if len(tree.feature) > 1:
        return tree
    return Tree(
        np.array([0, -1]),
        np.zeros(2),
        np.array([1, -1]),
        np.array([1, -1]),
        np.append(0.0, tree.value),
        np.zeros(2, dtype=bool),
        tree.mode,
    )
