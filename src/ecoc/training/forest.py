"""Predict by the trees of all columns at once: their nodes are in common arrays."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

from ecoc.training.binary import Constant
from ecoc.training.interfaces import Array
from ecoc.utils.scikit import get_tags
from ecoc.utils.threads import in_threads

_BLOCK = 4096  # samples that one thread predicts
_SPLITS = {"criterion", "max_features", "max_leaf_nodes", "monotonic_cst", "random_state", "splitter"}
_LEAST = {"min_impurity_decrease", "min_samples_leaf", "min_samples_split", "min_weight_fraction_leaf"}
_TREE = _SPLITS | _LEAST | {"ccp_alpha", "class_weight", "max_depth"}
_BAG = {"bootstrap", "max_samples", "n_estimators", "n_jobs", "oob_score", "verbose", "warm_start"}
_SINGLE = (DecisionTreeClassifier, ExtraTreeClassifier)
# Models that are trees or means of trees, and the parameters with which they are.
_PARAMETERS: dict[type, set[str]] = {
    DecisionTreeClassifier: _TREE,
    ExtraTreeClassifier: _TREE,
    RandomForestClassifier: _TREE | _BAG,
    ExtraTreesClassifier: _TREE | _BAG,
    BaggingClassifier: _BAG | {"bootstrap_features", "estimator", "max_features", "random_state"},
}


def consist_of_trees(models: Sequence[Any]) -> bool:
    """Tell whether all models are scikit-learn's trees or means of such trees."""
    real = [model for model in models if not isinstance(model, Constant)]
    return bool(real) and all(map(_is_known, real)) and len({model.n_features_in_ for model in real}) == 1


def _is_known(model: Any) -> bool:
    known = _PARAMETERS.get(type(model))
    if known is None or not known.issuperset(model.get_params(deep=False)) or getattr(model, "verbose", False):
        return False
    members = model.estimators_ if type(model) is BaggingClassifier else ()
    return all(type(member) in _SINGLE and _is_known(member) for member in members)


def _members(model: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the trees of a model, and the features that each has seen; None: all."""
    trees = getattr(model, "estimators_", [model])
    yield from zip(trees, getattr(model, "estimators_features_", [None] * len(trees)))


class Trees(NamedTuple):
    """The trees of several models, with all nodes in common arrays.

    Attributes
    ----------
    nodes : int32 ndarray of shape (n_nodes, 4)
        Feature, bits of the threshold, and the two nodes below each node: itself for a leaf.
    missing_left : bool ndarray of shape (n_nodes,)
        Whether missing values go to the first of these nodes.
    values : ndarray of shape (n_nodes,)
        Probability of the +1 side.
    roots, model_of : int32 ndarray of shape (n_trees,)
        First node of each tree, and the model that the tree belongs to.
    start, sizes : ndarray of shape (n_models,)
        What is added to the sum over the trees of a model, and what the sum is divided by.
    takes_nan : bool
        Whether features may be missing.
    n_features : int
        Number of features.
    """

    nodes: NDArray[np.int32]
    missing_left: NDArray[np.bool_]
    values: Array
    roots: NDArray[np.int32]
    model_of: NDArray[np.int32]
    start: Array
    sizes: Array
    takes_nan: bool
    n_features: int

    @classmethod
    def of(cls, models: Sequence[Any]) -> Self:
        """Join the trees of models that consist of trees."""
        real = [(j, model) for j, model in enumerate(models) if not isinstance(model, Constant)]
        members = [(j, tree, features) for j, model in real for tree, features in _members(model)]
        trees = [member.tree_ for _, member, _ in members]

        def joined(name: str) -> NDArray[Any]:
            return np.concatenate([getattr(tree, name) for tree in trees])

        size = np.array([tree.node_count for tree in trees])
        roots = np.cumsum(size) - size
        offset = np.repeat(roots, size)
        feature = np.concatenate(
            [
                tree.feature if seen is None else np.asarray(seen)[np.maximum(tree.feature, 0)]
                for tree, (_, _, seen) in zip(trees, members)
            ]
        )
        left, right = joined("children_left"), joined("children_right")
        is_leaf, place = left < 0, np.arange(len(left))
        nodes = np.empty((len(left), 4), dtype=np.int32)
        nodes[:, 0] = np.where(is_leaf, 0, feature)
        nodes[:, 1] = _rounded_down(joined("threshold")).view(np.int32)
        nodes[:, 2] = np.where(is_leaf, place, left + offset)
        nodes[:, 3] = np.where(is_leaf, place, right + offset)
        start, sizes = np.zeros(len(models)), np.ones(len(models))
        for j, model in enumerate(models):
            if isinstance(model, Constant):
                start[j] = (1.0 + model.side) / 2
            else:
                sizes[j] = len(getattr(model, "estimators_", "1"))
        return cls(
            nodes,
            joined("missing_go_to_left").astype(np.bool_),
            np.concatenate([_of_plus_side(member) for _, member, _ in members]),
            roots.astype(np.int32),
            np.array([j for j, _, _ in members], dtype=np.int32),
            start,
            sizes,
            all(get_tags(next(_members(model))[0]).input_tags.allow_nan for _, model in real),
            real[0][1].n_features_in_,
        )

    def probabilities(self, X: NDArray[Any]) -> Array | None:
        """Return the probability of the +1 side by each model; None where scikit-learn should raise its error."""
        from ecoc.training._tree_kernels import add_leaves

        with np.errstate(over="ignore"):
            singles = np.ascontiguousarray(X, dtype=np.float32)  # trees compare numbers in single precision
        has_nan = not np.isfinite(singles).all()
        refused = has_nan and (np.isinf(singles).any() or not self.takes_nan)
        if refused or X.shape[1] != self.n_features:
            return None
        total: Array = np.tile(self.start, (len(X), 1))
        thresholds = self.nodes.view(np.float32)

        def add(first: int) -> None:
            rows = slice(first, first + _BLOCK)
            trees = (self.nodes, thresholds, self.missing_left, self.values, self.roots, self.model_of)
            add_leaves(singles[rows], *trees, has_nan, total[rows])

        if len(X) <= _BLOCK:
            add(0)
        else:
            in_threads(add, range(0, len(X), _BLOCK))
        return np.asarray(total / self.sizes)


def _rounded_down(threshold: Array) -> NDArray[np.float32]:
    """Return the largest number in single precision that is not above each threshold: x ≤ both, or neither."""
    singles = threshold.astype(np.float32)
    return np.where(singles > threshold, np.nextafter(singles, np.float32(-np.inf)), singles).astype(np.float32)


def _of_plus_side(tree: Any) -> Array:
    """Return the probability of the +1 side at each node; a bag may have samples of one side only."""
    values = tree.tree_.value[:, 0]
    return np.asarray(values[:, 1] if values.shape[1] == 2 else values[:, 0] * float(tree.classes_[0]))
