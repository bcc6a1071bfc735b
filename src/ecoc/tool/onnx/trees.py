"""Put all trees of all columns into one TreeEnsemble node: scikit-learn's trees, forests and boosting.

Thresholds and leaves are in double precision, as in the models, so that every sample reaches the same leaf.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import (
    BaggingClassifier,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier, ExtraTreeRegressor

from ecoc.tool.onnx.boosters import BOOSTERS
from ecoc.tool.onnx.forest import LESS_OR_EQUAL, Forest, Link, Tree
from ecoc.utils.exceptions import ExportError


def forest_of(model: Any) -> Forest | None:
    """Return the trees of a fitted model; None if it does not consist of trees."""
    for classes, forest in _FORESTS.items():
        if type(model) in classes:
            return forest(model)
    booster = BOOSTERS.get(f"{type(model).__module__.partition('.')[0]}.{type(model).__name__}")
    return None if booster is None else booster(model)


def sklearn_tree(model: Any, leaf: Callable[[Any], Any]) -> Tree:
    """Return a tree of scikit-learn; `leaf` turns the values of its nodes into outputs."""
    tree = model.tree_
    return Tree(
        feature=np.where(tree.children_left < 0, -1, tree.feature),
        threshold=tree.threshold,
        yes=tree.children_left,
        no=tree.children_right,
        value=np.asarray(leaf(tree.value), dtype=np.float64),
        missing_yes=np.asarray(tree.missing_go_to_left, dtype=bool),
        mode=LESS_OR_EQUAL,
    )


def _share(value: Any) -> Any:
    """Return the probability of the second class in every node."""
    return value[:, 0, 1]


def _tree_classifier(model: Any) -> Forest:
    return Forest([sklearn_tree(model, _share)], [0], single_input=True, link="probability")


def _tree_regressor(model: Any) -> Forest:
    return _regressors([model])


def _forest_classifier(model: Any) -> Forest:
    trees = [sklearn_tree(tree, _share) for tree in model.estimators_]
    return Forest(trees, [0] * len(trees), divisor=len(trees), single_input=True, link="probability")


def _bagging(model: Any) -> Forest | None:
    """Return bagged trees; None if the members are others, or a member knows one side only."""
    trees = []
    for member, features in zip(model.estimators_, model.estimators_features_):
        if type(member) not in (DecisionTreeClassifier, ExtraTreeClassifier) or len(member.classes_) < 2:
            return None
        tree = sklearn_tree(member, _share)
        trees.append(tree._replace(feature=np.where(tree.feature < 0, -1, np.asarray(features)[tree.feature])))
    return Forest(trees, [0] * len(trees), divisor=len(trees), single_input=True, link="probability")


def _forest_regressor(model: Any) -> Forest:
    return _regressors(model.estimators_)


def _regressors(models: Sequence[Any]) -> Forest:
    """Return regression trees; a tree with several outputs is there once for each."""
    n_outputs = models[0].tree_.value.shape[1]
    trees = [sklearn_tree(tree, partial(_output, i)) for i in range(n_outputs) for tree in models]
    targets = [i for i in range(n_outputs) for _ in models]
    return Forest(trees, targets, divisor=len(models), single_input=True)


def _output(i: int, value: Any) -> Any:
    return value[:, i, 0]


def _gradient_boosting(model: Any) -> Forest:
    rate = model.learning_rate
    n_targets = model.estimators_.shape[1]
    trees = [sklearn_tree(tree, lambda value: rate * value[:, 0, 0]) for tree in model.estimators_.ravel()]
    is_classifier = isinstance(model, GradientBoostingClassifier)
    start: Any = 0.0
    if isinstance(model.init_, str):  # "zero"
        pass
    elif type(model.init_) is DummyClassifier and model.init_.strategy == "prior":
        eps = np.finfo(np.float32).eps  # as in scikit-learn
        p = np.clip(model.init_.class_prior_, eps, 1 - eps)
        if n_targets > 1:
            start = np.log(p) - np.log(p).mean()
        else:
            start = np.log(p[1] / (1 - p[1])) * (0.5 if model.loss == "exponential" else 1.0)
    elif type(model.init_) is DummyRegressor:
        start = float(np.ravel(model.init_.constant_)[0])
    else:
        raise ExportError(f"{type(model).__name__}(init={model.init_}) cannot be exported; leave out init.")
    odds = is_classifier and model.loss == "log_loss"
    targets = [i % n_targets for i in range(len(trees))]
    return Forest(trees, targets, start=start, single_input=True, link="log_odds" if odds else "margin")


def _hist_tree(nodes: Any) -> Tree:
    return Tree(
        feature=np.where(nodes["is_leaf"], -1, nodes["feature_idx"].astype(np.int64)),
        threshold=nodes["num_threshold"],
        yes=nodes["left"].astype(np.int64),
        no=nodes["right"].astype(np.int64),
        value=nodes["value"],
        missing_yes=nodes["missing_go_to_left"].astype(bool),
        mode=LESS_OR_EQUAL,
    )


def _hist_gradient_boosting(model: Any) -> Forest:
    if model.is_categorical_ is not None and np.any(model.is_categorical_):
        raise ExportError(
            f"{type(model).__name__} with categorical_features cannot be exported; encode them with OneHotEncoder."
        )
    trees = [_hist_tree(predictor.nodes) for iteration in model._predictors for predictor in iteration]
    targets = [i for iteration in model._predictors for i in range(len(iteration))]
    start = np.ravel(model._baseline_prediction).astype(np.float64)
    link: Link = "margin"
    if isinstance(model, HistGradientBoostingClassifier):
        link = "log_odds"
    elif model.loss not in ("squared_error", "absolute_error", "quantile"):
        raise ExportError(f"{type(model).__name__}(loss={model.loss!r}) cannot be exported; loss='squared_error' can.")
    return Forest(trees, targets, start=start, link=link)


_FORESTS: dict[tuple[type, ...], Callable[[Any], Forest | None]] = {
    (DecisionTreeClassifier, ExtraTreeClassifier): _tree_classifier,
    (DecisionTreeRegressor, ExtraTreeRegressor): _tree_regressor,
    (RandomForestClassifier, ExtraTreesClassifier): _forest_classifier,
    (BaggingClassifier,): _bagging,
    (RandomForestRegressor, ExtraTreesRegressor): _forest_regressor,
    (GradientBoostingClassifier, GradientBoostingRegressor): _gradient_boosting,
    (HistGradientBoostingClassifier, HistGradientBoostingRegressor): _hist_gradient_boosting,
}
