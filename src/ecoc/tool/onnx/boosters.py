"""Read the trees of XGBoost, LightGBM and CatBoost from the forms in which these libraries write them."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np

from ecoc.tool.onnx.forest import GREATER, LESS, LESS_OR_EQUAL, Forest, Link, Tree
from ecoc.utils.exceptions import ExportError


def _of_xgboost(model: Any) -> Forest:
    """Return the trees of a classifier or regressor of XGBoost, or of the model that ecoc trains by it."""
    booster = model.get_booster() if hasattr(model, "get_booster") else model.booster
    learner = json.loads(booster.save_raw("json"))["learner"]
    boosting = learner["gradient_booster"]
    if boosting["name"] != "gbtree":
        raise ExportError(f"XGBoost with booster={boosting['name']!r} cannot be exported; booster='gbtree' can.")
    name = learner["objective"]["name"]
    start = np.ravel(json.loads(learner["learner_model_param"]["base_score"])).astype(np.float64)
    link: Link = "margin"
    if name == "binary:logistic":
        link, start = "log_odds", np.log(start) - np.log1p(-start)
    elif name in ("multi:softprob", "multi:softmax"):
        link = "log_odds"
    elif not name.startswith("reg:") or name in ("reg:logistic", "reg:gamma", "reg:tweedie"):
        raise ExportError(f"XGBoost with objective={name!r} cannot be exported; 'binary:logistic' can.")
    best = booster.attr("best_iteration")
    trees = boosting["model"]["trees"]
    if best is not None:
        trees = trees[: int(boosting["model"]["iteration_indptr"][int(best) + 1])]
    missing = float(np.nan if model.missing is None else model.missing)
    made, targets = [_xgboost_tree(tree) for tree in trees], boosting["model"]["tree_info"][: len(trees)]
    return Forest(made, targets, start, link=link, single_input=True, single_sum=True, missing=missing)


def _xgboost_tree(tree: dict[str, Any]) -> Tree:
    if any(tree["split_type"]):
        raise ExportError("XGBoost with categorical features cannot be exported; encode them with OneHotEncoder.")
    if int(tree["tree_param"]["size_leaf_vector"]) > 1:
        raise ExportError("XGBoost with multi_strategy='multi_output_tree' cannot be exported; leave it out.")
    yes, no = np.array(tree["left_children"]), np.array(tree["right_children"])
    values = np.array(tree["split_conditions"], dtype=np.float32).astype(np.float64)  # a leaf has its output here
    return Tree(
        feature=np.where(yes < 0, -1, np.array(tree["split_indices"])),
        threshold=values,
        yes=yes,
        no=no,
        value=values,
        missing_yes=np.array(tree["default_left"], dtype=bool),
        mode=LESS,
    )


def _of_lightgbm(model: Any) -> Forest:
    """Return the trees of a classifier or regressor of LightGBM, or of the model that ecoc trains by it."""
    booster = model.booster_ if hasattr(model, "booster_") else model.booster
    dump = booster.dump_model()
    objective = dump["objective"].split()[0]
    if objective not in ("binary", "multiclass", "regression", "regression_l1", "huber", "fair", "quantile"):
        raise ExportError(f"LightGBM with objective={objective!r} cannot be exported; 'binary' can.")
    trees = [_lightgbm_tree(info["tree_structure"]) for info in dump["tree_info"]]
    link: Link = "log_odds" if objective in ("binary", "multiclass") else "margin"
    n_targets = int(dump["num_tree_per_iteration"])
    targets = [i % n_targets for i in range(len(trees))]
    divisor = len(trees) / n_targets if dump["average_output"] else 1.0
    return Forest(trees, targets, np.zeros(n_targets), divisor=divisor, link=link)


def _lightgbm_tree(root: dict[str, Any]) -> Tree:
    nodes: list[dict[str, Any]] = []
    pending = [root]
    while pending:
        nodes.append(node := pending.pop())
        node["place"] = len(nodes) - 1
        if "split_feature" in node:
            pending += [node["right_child"], node["left_child"]]
    inner = ["split_feature" in node for node in nodes]

    def of_inner(get: Callable[[dict[str, Any]], Any], otherwise: Any) -> Any:
        return np.array([get(node) if is_inner else otherwise for node, is_inner in zip(nodes, inner)])

    return Tree(
        feature=of_inner(lambda node: node["split_feature"], -1),
        threshold=of_inner(_lightgbm_threshold, 0.0),
        yes=of_inner(lambda node: node["left_child"]["place"], -1),
        no=of_inner(lambda node: node["right_child"]["place"], -1),
        value=np.array([0.0 if is_inner else _lightgbm_leaf(node) for node, is_inner in zip(nodes, inner)]),
        missing_yes=of_inner(_lightgbm_missing, False).astype(bool),
        mode=LESS_OR_EQUAL,
    )


def _lightgbm_threshold(node: dict[str, Any]) -> float:
    if node["decision_type"] != "<=":
        raise ExportError("LightGBM with categorical features cannot be exported; encode them with OneHotEncoder.")
    return float(node["threshold"])


def _lightgbm_leaf(node: dict[str, Any]) -> float:
    if node.get("leaf_coeff"):
        raise ExportError("LightGBM with linear_tree=True cannot be exported; linear_tree=False can.")
    return float(node["leaf_value"])


def _lightgbm_missing(node: dict[str, Any]) -> bool:
    """Tell where a missing value goes. Without missing values in training, LightGBM takes it for a zero."""
    zero_yes = float(node["threshold"]) >= 0
    if node["missing_type"] == "None":
        return zero_yes
    if node["missing_type"] == "Zero" and bool(node["default_left"]) != zero_yes:
        raise ExportError("LightGBM with zero_as_missing=True cannot be exported; zero_as_missing=False can.")
    return bool(node["default_left"])


def _of_catboost(model: Any) -> Forest:
    """Return the trees of a CatBoostClassifier, which ask the same question at every node of a level."""
    import os
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.json")
        model.save_model(path, format="json")
        with open(path, encoding="utf-8") as file:
            dump = json.load(file)
    if len(model.classes_) > 2:
        raise ExportError("CatBoost with several classes cannot be exported; coding='ova' can.")
    if "oblivious_trees" not in dump or dump["features_info"].get("categorical_features"):
        raise ExportError(
            "CatBoost with categorical features or grow_policy other than 'SymmetricTree' cannot be exported; encode "
            "the features with OneHotEncoder, and leave out grow_policy."
        )
    features = dump["features_info"]["float_features"]
    place = {each["feature_index"]: each["flat_feature_index"] for each in features}
    as_false = {each["feature_index"] for each in features if each.get("nan_value_treatment") == "AsTrue"}
    scale, bias = dump["scale_and_bias"]
    trees = [_catboost_tree(tree, place, as_false, scale) for tree in dump["oblivious_trees"]]
    start = float(np.ravel(bias)[0])
    return Forest(trees, [0] * len(trees), start, link="log_odds", single_input=True)


def _catboost_tree(tree: dict[str, Any], place: dict[int, int], missing_yes: set[int], scale: float) -> Tree:
    """Return a complete binary tree; split i is bit i of the number of the leaf."""
    splits = tree["splits"] or []
    depth = len(splits)
    n_inner = 2**depth - 1
    level = np.floor(np.log2(np.arange(1, n_inner + 1))).astype(int)  # of the nodes in breadth-first order
    split = [splits[depth - 1 - i] for i in level]  # the root asks for the highest bit
    index = np.arange(n_inner)
    leaves = np.full(2**depth, -1)
    return Tree(
        feature=np.concatenate([[place[s["float_feature_index"]] for s in split], leaves]).astype(np.int64),
        threshold=np.concatenate([[s["border"] for s in split], np.zeros(2**depth)]).astype(np.float64),
        yes=np.concatenate([2 * index + 2, leaves]).astype(np.int64),
        no=np.concatenate([2 * index + 1, leaves]).astype(np.int64),
        value=np.concatenate([np.zeros(n_inner), scale * np.asarray(tree["leaf_values"])]),
        missing_yes=np.concatenate(
            [[s["float_feature_index"] in missing_yes for s in split], np.zeros(2**depth)]
        ).astype(bool),
        mode=GREATER,
    )


# By package and class; the classes of ecoc hold what a library trained.
BOOSTERS: dict[str, Callable[[Any], Forest]] = {
    "xgboost.XGBClassifier": _of_xgboost,
    "xgboost.XGBRegressor": _of_xgboost,
    "ecoc.XGBoostModel": _of_xgboost,
    "lightgbm.LGBMClassifier": _of_lightgbm,
    "lightgbm.LGBMRegressor": _of_lightgbm,
    "ecoc.LightGBMModel": _of_lightgbm,
    "catboost.CatBoostClassifier": _of_catboost,
}
