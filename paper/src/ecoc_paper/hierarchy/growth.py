"""Grow a hierarchy node by node, up to a largest number of binary classifiers."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.parallel import Parallel, delayed

from ecoc_paper.hierarchy.node import NodeData, NodeSettings, TrainedNode, train_node
from ecoc_paper.hierarchy.tree import ClassHierarchy, HierarchyNode

Key = tuple[int, ...]  # the classes of a node, as positions in classes_


class Growth:
    """A hierarchy in the making. Nodes are identified by their classes, so that each set of classes has one node."""

    def __init__(self, n_classes: int, limit: int) -> None:
        root = tuple(range(n_classes))
        self.limit = limit
        # Binary classifiers needed in all if no further node ignores a class: a node of m classes then needs m − 1.
        self.n_needed = n_classes - 1
        self.trained: dict[Key, TrainedNode] = {}
        self.waiting = [root]
        self._known = {root}

    def add(self, key: Key, node: TrainedNode) -> bool:
        """Add a node and put its children in the queue; return False if the hierarchy would exceed the limit.

        A node that ignores no class never exceeds the limit.
        """
        new = [child for child in node.children if len(child) > 1 and child not in self._known]
        n_needed = self.n_needed + 1 + sum(len(child) - 1 for child in new) - (len(key) - 1)
        if n_needed > self.limit:
            return False
        self.n_needed = n_needed
        self.trained[key] = node
        self.waiting += new
        self._known.update(new)
        return True

    def hierarchy(self, classes: NDArray[Any]) -> ClassHierarchy:
        """Return the hierarchy with numbered nodes, parents before children and leaves last."""
        depth = dict.fromkeys(self.trained, 0)
        depth |= {(i,): 0 for i in range(len(classes))}
        for key in sorted(self.trained, key=len, reverse=True):  # a child has fewer classes than its parents
            for child in self.trained[key].children:
                depth[child] = max(depth[child], depth[key] + 1)
        order = [*sorted(self.trained, key=depth.__getitem__), *((i,) for i in range(len(classes)))]
        index = {key: i for i, key in enumerate(order)}
        nodes = []
        for key in order:
            members = np.array(key)
            place = {"index": index[key], "classes": classes[members], "members": members, "depth": depth[key]}
            if len(key) == 1:
                nodes.append(HierarchyNode(**place, colouring=np.zeros(1, dtype=np.int8)))
            else:
                node = self.trained[key]
                left, right = (index[child] for child in node.children)
                learned = node._asdict()
                del learned["children"]
                nodes.append(HierarchyNode(**place, left=left, right=right, **learned))
        return ClassHierarchy(nodes)


def grow(
    estimator: Any,
    data: NodeData,
    classes: NDArray[Any],
    settings: NodeSettings,
    limit: int | None,
    rng: np.random.RandomState,
    n_jobs: int | None,
    verbose: int,
) -> ClassHierarchy:
    """Train a hierarchy of at most `limit` binary classifiers, by default as many as one-vs-one has, level by level."""
    k = len(classes)
    limit = k * (k - 1) // 2 if limit is None else limit
    if limit < k - 1:
        raise ValueError(
            f"max_dichotomizers={limit} is too small: a hierarchy of {k} classes needs at least {k - 1} binary "
            "classifiers."
        )
    growth = Growth(k, limit)

    def train(keys: list[Key], relaxed: bool) -> list[TrainedNode]:
        how = settings._replace(relaxed=relaxed)
        seeds = rng.randint(np.iinfo(np.int32).max, size=len(keys)).tolist()
        jobs = (delayed(train_node)(estimator, data, key, how, seed) for key, seed in zip(keys, seeds))
        return list(Parallel(n_jobs=n_jobs)(jobs)) if keys else []

    while growth.waiting:
        level, growth.waiting = growth.waiting, []
        trained = train(level, growth.n_needed < limit)
        refused = [key for key, node in zip(level, trained) if not growth.add(key, node)]
        for key, node in zip(refused, train(refused, False)):
            growth.add(key, node)
        if verbose:
            left = f"{len(growth.waiting)} or more" if growth.waiting else "none"
            print(f"[RelaxedHierarchyClassifier] binary classifiers: {len(growth.trained)} trained, {left} to train")
    return growth.hierarchy(classes)
