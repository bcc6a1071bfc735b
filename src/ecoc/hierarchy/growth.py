"""How does a hierarchy grow within a limit? Node by node, equal ones only once."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecoc.hierarchy.node import TrainedNode
from ecoc.hierarchy.tree import ClassHierarchy, HierarchyNode

Key = tuple[int, ...]  # classes of a node, as positions in classes_


class Growth:
    """A hierarchy that grows within a limit. A node is known by its classes, so that equal ones are one."""

    def __init__(self, n_classes: int, limit: int) -> None:
        root = tuple(range(n_classes))
        self.limit = limit
        self.promised = n_classes - 1  # dichotomizers if no node to come ignores a class: m classes need m − 1
        self.trained: dict[Key, TrainedNode] = {}
        self.waiting = [root]
        self._known = {root}

    def admit(self, key: Key, node: TrainedNode) -> bool:
        """Take a node and have its children wait, unless that would break the limit; without 0s it never does."""
        new = [child for child in node.children if len(child) > 1 and child not in self._known]
        promised = self.promised + 1 + sum(len(child) - 1 for child in new) - (len(key) - 1)
        if promised > self.limit:
            return False
        self.promised = promised
        self.trained[key] = node
        self.waiting += new
        self._known.update(new)
        return True

    def hierarchy(self, classes: NDArray[Any]) -> ClassHierarchy:
        """Number the nodes, parents before children and leaves last."""
        depth = dict.fromkeys(self.trained, 0)
        depth |= {(i,): 0 for i in range(len(classes))}
        for key in sorted(self.trained, key=len, reverse=True):  # a child is smaller than all its parents
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
