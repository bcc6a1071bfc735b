"""Draw the tree of a relaxed hierarchy."""

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ecoc.utils.estimators import unwrap

Indices = NDArray[np.intp]
Matrix = NDArray[np.float64]

MINUS, PLUS = "#E69F00", "#0072B2"  # of Okabe and Ito, which people with colour blindness can tell apart
_MOST_LABELLED = 60  # classes up to which each leaf has its name
_MOST_NAMED = 16  # classes up to which a node names the classes that go both ways


@dataclass(repr=False, eq=False)
class HierarchyDisplay:
    """Picture of a relaxed hierarchy: its root at the left, its leaves with one class each at the right.

    A node is drawn at the mean height of its classes. An orange edge leads to the classes at −1, a blue edge to those
    at +1. A class that goes both ways is at the end of several paths.

    Parameters
    ----------
    tree : ClassHierarchy
        The nodes of the hierarchy.

    Attributes
    ----------
    order : ndarray of shape (n_classes,)
        Classes from top to bottom, as rows of ``tree[0].classes``.
    positions : ndarray of shape (n_nodes, 2)
        Depth of each node, and its height in the picture.
    edges : ndarray of shape (n_edges, 3)
        Node, child, and the side of the child, −1 or +1.
    ax_, figure_ : matplotlib Axes and Figure
        The axes that hold the picture, and their figure.

    See Also
    --------
    ecoc_paper.RelaxedHierarchyClassifier.export_text : The hierarchy as text.

    Examples
    --------
    >>> from ecoc_paper import RelaxedHierarchyClassifier
    >>> from ecoc_paper import HierarchyDisplay
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.svm import SVC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = RelaxedHierarchyClassifier(SVC(), rho=0.9, random_state=0).fit(X, y)
    >>> HierarchyDisplay.from_estimator(model).edges.shape
    (4, 3)
    """

    tree: Any
    order: Indices = field(init=False)
    positions: Matrix = field(init=False)
    edges: NDArray[np.intp] = field(init=False)
    ax_: Any = field(init=False)
    figure_: Any = field(init=False)

    def __post_init__(self) -> None:
        nodes = self.tree.nodes
        self.order = np.argsort(_addresses(self.tree), kind="stable")
        height = np.empty(len(self.order))
        height[self.order] = np.arange(len(self.order))
        depth = [self.tree.depth if node.is_leaf else node.depth for node in nodes]
        self.positions = np.column_stack([depth, [height[node.members].mean() for node in nodes]])
        pairs = [(n.index, child, side) for n in nodes for child, side in zip(n.children, (-1, 1))]
        self.edges = np.array(pairs, dtype=np.intp).reshape(-1, 3)

    @classmethod
    def from_estimator(cls, model: Any, **options: Any) -> Self:
        """Draw the hierarchy of a fitted model.

        Parameters
        ----------
        model : RelaxedHierarchyClassifier, or a Pipeline or search that ends in one
            A fitted model.
        **options : dict
            Options of `plot`.

        Returns
        -------
        HierarchyDisplay
            The display, with its picture.
        """
        tree = getattr(unwrap(model)[0], "tree_", None)
        if not hasattr(tree, "inner"):
            raise TypeError(f"expected a RelaxedHierarchyClassifier; got {type(model).__name__}")
        return cls(tree).plot(**options)

    def plot(self, ax: Any = None) -> Self:
        """Draw the nodes and edges.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw in. None makes a new figure.

        Returns
        -------
        self
            The display, with its picture.
        """
        k, depth = len(self.order), self.tree.depth
        size = float(np.clip(2.5 + 0.8 * depth, 4, 11)), float(np.clip(1 + 0.24 * k, 2.6, 9))
        import matplotlib.pyplot as plt
        from matplotlib.collections import LineCollection

        self.ax_ = plt.subplots(figsize=size, layout="constrained")[1] if ax is None else ax
        self.figure_ = self.ax_.figure
        width = float(np.clip(30 / k, 0.25, 1.6))
        start, end, side = self.edges.T
        lines = self.positions[np.column_stack([start, end])]
        colours = np.where(side > 0, PLUS, MINUS).tolist()
        self.ax_.add_collection(LineCollection(lines, colors=colours, linewidths=width, zorder=1))
        inner = np.array([not node.is_leaf for node in self.tree])
        self.ax_.scatter(*self.positions[inner].T, s=float(np.clip(400 / k, 2, 28)), color="black", zorder=2)
        if k <= _MOST_NAMED:
            self._name_shared_classes()
        self.ax_.yaxis.tick_right()
        self.ax_.yaxis.set_label_position("right")
        self.ax_.set(xlim=(-0.2, depth + 0.1), ylim=(k - 0.4, -0.6))
        if k <= _MOST_LABELLED:
            names = [_short(str(name), 24) for name in self.tree[0].classes[self.order]]
            self.ax_.set_yticks(range(k), names, fontsize=float(np.clip(400 / k, 6.5, 9)), parse_math=False)
        else:
            self.ax_.set_yticks([])
            self.ax_.set_ylabel(f"{k} classes")
        self.ax_.tick_params(length=0)
        self.ax_.set_xticks([])
        self.ax_.spines[:].set_visible(False)
        self.ax_.set_title(
            f"{len(self.tree.inner)} binary classifiers, depth {depth}; orange −1, blue +1", fontsize=9, loc="left"
        )
        return self

    def _name_shared_classes(self) -> None:
        """Write beside each node which classes go both ways."""
        for node in self.tree.inner:
            if len(node.ignored):
                self.ax_.annotate(
                    "both: " + _short(", ".join(map(str, node.ignored)), 28),
                    self.positions[node.index],
                    (0, 6),
                    textcoords="offset points",
                    ha="left" if node.index == 0 else "center",
                    fontsize=7,
                    parse_math=False,
                )


def _short(text: str, most: int) -> str:
    """Return a text on one line, with at most so many characters."""
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 1] + "…"


def _addresses(tree: Any) -> Matrix:
    """Return a position in [0, 1) for each class, by which classes are ordered.

    Every node halves the interval it got from its parent. A class that goes both ways has the mean of both halves.
    """
    k = len(tree[0].classes)
    address = np.zeros(k)
    flow = {0: np.ones(k)}  # share of each class that arrives at a node
    for node in tree.inner:
        arrived, rightward = flow.pop(node.index), np.zeros(k)
        rightward[node.members] = (1 + node.colouring) / 2
        address += arrived * rightward * 0.5 ** (node.depth + 1)
        for child, share in ((node.left, 1 - rightward), (node.right, rightward)):
            flow[child] = flow.get(child, np.zeros(k)) + arrived * share
    return address
