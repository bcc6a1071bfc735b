"""What is a hierarchy of classes? Nodes that part them, and the graph that these make."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecoc.codebook import CodeBook
from ecoc.hierarchy.colouring import Colouring, Indices

_LEAF = -1  # child of a leaf
_SOME = 8  # labels a drawing shows of a side


@dataclass(frozen=True, eq=False, repr=False)
class HierarchyNode:
    """A node of a :class:`ClassHierarchy`: a dichotomizer and its colouring, or a leaf of one class.

    Attributes
    ----------
    index : int
        Its place in ``hierarchy.nodes``; a node comes before its children.
    classes : ndarray of shape (n_node_classes,)
        Labels of the classes that may arrive here.
    members : ndarray of shape (n_node_classes,)
        The same as positions in the classifier's ``classes_``.
    colouring : ndarray of shape (n_node_classes,)
        -1 for classes that go left, +1 right, 0 both ways.
    left, right : int
        Index of the child for a negative and a positive output; -1 at a leaf.
    depth : int
        Most decisions taken on a way here from the root.
    estimator : estimator or None
        The dichotomizer; None at a leaf.
    history : tuple of float
        Objective, per sample, after each round of training and colouring that was kept: it decreases.
    support : ndarray or None
        Rows of the training data that are support vectors, if the estimator has any.
    columns : ndarray or None
        Rows of the training data that the dichotomizer knows, if X is a precomputed kernel.

    Examples
    --------
    >>> import numpy as np
    >>> from ecoc import RelaxedHierarchyClassifier
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
        """Whether one class is left."""
        return self.left == _LEAF

    @property
    def children(self) -> tuple[int, ...]:
        """Indices of the left and the right child; empty at a leaf."""
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
        """Labels of the classes that may go either way; empty at a leaf."""
        return self.classes[:0] if self.is_leaf else self.classes[self.colouring == 0]

    def __repr__(self) -> str:
        if self.is_leaf:
            return f"#{self.index} {self.classes[0]}"
        both = f", both {_some(self.ignored)}" if len(self.ignored) else ""
        return f"#{self.index} {_some(self.negative)} | {_some(self.positive)}{both}"


class ClassHierarchy:
    """A rooted graph of :class:`HierarchyNode`, in which every way down ends at a leaf of one class.

    It is a tree, except that nodes with the same classes are one node: they would train the same dichotomizer.
    ``str`` draws it, ``len`` counts its nodes, and indexing and iteration give them, the root first.

    Parameters
    ----------
    nodes : list of HierarchyNode
        The nodes, parents before children.

    See Also
    --------
    ecoc.RelaxedHierarchyClassifier : Has one as ``tree_``.

    Examples
    --------
    >>> import numpy as np
    >>> from ecoc import RelaxedHierarchyClassifier
    >>> from sklearn.svm import SVC
    >>> X = np.array([[-3], [-2], [-1], [-1.5], [0], [1.5], [1], [2], [3]])
    >>> y = np.repeat(["cold", "mild", "warm"], 3)
    >>> tree = RelaxedHierarchyClassifier(SVC(kernel="linear"), random_state=0).fit(X, y).tree_
    >>> tree
    <ClassHierarchy of 3 classes: 3 dichotomizers, depth 2>
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
        """The nodes that have a dichotomizer."""
        return [node for node in self.nodes if not node.is_leaf]

    @property
    def depth(self) -> int:
        """Most decisions that a sample may need."""
        return max(node.depth for node in self.nodes)

    def code_book(self) -> CodeBook:
        """Give the colourings as a ternary code book, a column for each dichotomizer.

        Classes that do not arrive at a node are at 0 in its column, as are those it ignores. Any two classes are
        on different sides somewhere, since some way down keeps both until one node parts them.

        Returns
        -------
        CodeBook
            A row a class, a column a dichotomizer.
        """
        inner = self.inner
        matrix = np.zeros((len(self.nodes[0].classes), len(inner)), dtype=np.int8)
        for column, node in enumerate(inner):
            matrix[node.members, column] = node.colouring
        return CodeBook(matrix, self.nodes[0].classes.tolist())

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
        return f"<ClassHierarchy of {len(root.classes)} classes: {n} dichotomizers, depth {self.depth}>"


def _some(labels: NDArray[Any]) -> str:
    shown = ", ".join(map(str, labels[:_SOME].tolist()))
    return "{" + shown + (f", … {len(labels) - _SOME} more" if len(labels) > _SOME else "") + "}"
