"""A hierarchy of classes: a graph of nodes, each of which splits its classes in two."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecoc import CodeBook
from ecoc_paper.hierarchy.colouring import Colouring, Indices

_LEAF = -1  # index of the children of a leaf
_MAX_LABELS = 8  # labels of one side that are shown


@dataclass(frozen=True, eq=False, repr=False)
class HierarchyNode:
    """A node of a :class:`ClassHierarchy`: a binary classifier and its colouring, or a leaf with one class.

    Attributes
    ----------
    index : int
        Position in ``hierarchy.nodes``; a node comes before its children.
    classes : ndarray of shape (n_node_classes,)
        Labels of the classes of the node.
    members : ndarray of shape (n_node_classes,)
        Positions of these classes in the ``classes_`` of the classifier.
    colouring : ndarray of shape (n_node_classes,)
        -1 for classes that go left, +1 right, 0 both ways.
    left, right : int
        Index of the child for a negative and for a positive output; -1 for a leaf.
    depth : int
        Length of the longest path from the root.
    estimator : estimator or None
        The binary classifier; None for a leaf.
    history : tuple of float
        Objective per sample after each round of training and colouring that lowered it.
    support : ndarray or None
        Rows of the training data that are support vectors, if the estimator has any.
    columns : ndarray or None
        Rows of the training data that the binary classifier was trained on, if X is a precomputed kernel.

    Examples
    --------
    >>> import numpy as np
    >>> from ecoc_paper import RelaxedHierarchyClassifier
    >>> from sklearn.svm import SVC
    >>> X = np.array([[-3], [-2], [-1], [-1.5], [0], [1.5], [1], [2], [3]])
    >>> y = np.repeat(["cold", "mild", "warm"], 3)
    >>> tree = RelaxedHierarchyClassifier(SVC(kernel="linear"), random_state=0).fit(X, y).tree_
    >>> root = tree[0]
    >>> root.negative, root.positive, root.ignored
    (array(['cold'], dtype='<U4'), array(['warm'], dtype='<U4'), array(['mild'], dtype='<U4'))
    >>> [tree[child] for child in root.children]
    [#1 {cold} | {mild}, #2 {mild} | {warm}]
    """

    index: int
    classes: NDArray[Any]
    members: Indices
    colouring: Colouring
    depth: int
    left: int = _LEAF
    right: int = _LEAF
    estimator: Any = None
    history: tuple[float, ...] = ()
    support: Indices | None = None
    columns: Indices | None = None

    @property
    def is_leaf(self) -> bool:
        """Whether the node has one class."""
        return self.left == _LEAF

    @property
    def children(self) -> tuple[int, ...]:
        """Indices of the left and the right child; empty for a leaf."""
        return () if self.is_leaf else (self.left, self.right)

    @property
    def negative(self) -> NDArray[Any]:
        """Labels of the classes that go left."""
        return self.classes[self.colouring < 0]

    @property
    def positive(self) -> NDArray[Any]:
        """Labels of the classes that go right."""
        return self.classes[self.colouring > 0]

    @property
    def ignored(self) -> NDArray[Any]:
        """Labels of the classes that go both ways; empty for a leaf."""
        return self.classes[:0] if self.is_leaf else self.classes[self.colouring == 0]

    def __repr__(self) -> str:
        if self.is_leaf:
            return f"#{self.index} {self.classes[0]}"
        both = f", both {_some(self.ignored)}" if len(self.ignored) else ""
        return f"#{self.index} {_some(self.negative)} | {_some(self.positive)}{both}"


class ClassHierarchy:
    """A graph of :class:`HierarchyNode` with one root, in which every path ends at a leaf with one class.

    It is a tree, except that nodes with the same classes are merged. ``str`` draws it, ``len`` counts its nodes, and
    indexing and iteration return them, starting with the root.

    Parameters
    ----------
    nodes : list of HierarchyNode
        The nodes, parents before children.

    See Also
    --------
    ecoc_paper.RelaxedHierarchyClassifier : The classifier; its hierarchy is ``tree_``.

    Examples
    --------
    >>> import numpy as np
    >>> from ecoc_paper import RelaxedHierarchyClassifier
    >>> from sklearn.svm import SVC
    >>> X = np.array([[-3], [-2], [-1], [-1.5], [0], [1.5], [1], [2], [3]])
    >>> y = np.repeat(["cold", "mild", "warm"], 3)
    >>> tree = RelaxedHierarchyClassifier(SVC(kernel="linear"), random_state=0).fit(X, y).tree_
    >>> tree
    <ClassHierarchy of 3 classes: 3 binary classifiers, depth 2>
    >>> len(tree), len(tree.inner), tree.depth
    (6, 3, 2)
    >>> tree[0]
    #0 {cold} | {warm}, both {mild}
    """

    def __init__(self, nodes: list[HierarchyNode]) -> None:
        self.nodes = nodes

    def __len__(self) -> int:
        return len(self.nodes)

    def __getitem__(self, index: int) -> HierarchyNode:
        return self.nodes[index]

    def __iter__(self) -> Iterator[HierarchyNode]:
        return iter(self.nodes)

    @property
    def inner(self) -> list[HierarchyNode]:
        """The nodes with a binary classifier."""
        return [node for node in self.nodes if not node.is_leaf]

    @property
    def depth(self) -> int:
        """Largest number of binary classifiers that a sample may need."""
        return max(node.depth for node in self.nodes)

    def codebook(self) -> CodeBook:
        """Return the colourings as a ternary code book, with a column for each binary classifier.

        A class is 0 in the column of a node that ignores it or does not have it. Any two classes are on different
        sides of some node, because they end at different leaves.

        Returns
        -------
        CodeBook
            One row for each class.
        """
        inner = self.inner
        matrix = np.zeros((len(self.nodes[0].classes), len(inner)), dtype=np.int8)
        for column, node in enumerate(inner):
            matrix[node.members, column] = node.colouring
        return CodeBook(matrix, self.nodes[0].classes.tolist())

    def arrivals(
        self, n_samples: int, goes_right: Callable[[HierarchyNode, Indices], NDArray[np.bool_]]
    ) -> Iterator[tuple[HierarchyNode, Indices]]:
        """Send samples from the root to the leaves, and yield each node that some reach with the rows of these.

        Parameters
        ----------
        n_samples : int
            Number of samples.
        goes_right : callable
            Says of a node and of samples that are there which of them go to its right child.

        Yields
        ------
        HierarchyNode, ndarray
            A node, and the samples that reach it; parents come before children.
        """
        waiting: dict[int, list[Indices]] = {0: [np.arange(n_samples)]}
        for node in self.nodes:
            if node.index not in waiting:
                continue
            samples = np.concatenate(waiting.pop(node.index))
            yield node, samples
            if not node.is_leaf:
                right = goes_right(node, samples)
                for child, part in ((node.left, samples[~right]), (node.right, samples[right])):
                    if len(part):
                        waiting.setdefault(child, []).append(part)

    def __str__(self) -> str:
        lines: list[str] = []
        drawn: set[int] = set()
        stack = [(0, "", "")]
        while stack:
            index, branch, indent = stack.pop()
            node = self.nodes[index]
            if index in drawn and not node.is_leaf:
                lines.append(f"{branch}#{index}, above")
                continue
            drawn.add(index)
            lines.append(branch + (str(node.classes[0]) if node.is_leaf else repr(node)))
            if not node.is_leaf:
                stack.append((node.right, indent + "└─ ", indent + "   "))
                stack.append((node.left, indent + "├─ ", indent + "│  "))
        return "\n".join(lines)

    def __repr__(self) -> str:
        root, n = self.nodes[0], len(self.inner)
        return f"<ClassHierarchy of {len(root.classes)} classes: {n} binary classifiers, depth {self.depth}>"


def _some(labels: NDArray[Any]) -> str:
    shown = ", ".join(map(str, labels[:_MAX_LABELS].tolist()))
    return "{" + shown + (f", … {len(labels) - _MAX_LABELS} more" if len(labels) > _MAX_LABELS else "") + "}"
