"""Discriminant ECOC: a tree of classes whose splits share the most information with the data."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ecoc.codes.coding.coding import Code, Coding, Context
from ecoc.codes.design.distances import Metric, data_distances
from ecoc.utils.threads import one_blas_thread

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]


class DiscriminantTree(Coding):
    """A binary tree of the classes. Each node is the split with the largest mutual information with the data.

    Length: k−1 columns, one for each inner node, from the root down; classes outside a node are at 0.

    As in the paper, splits are found by sequential floating search, and the mutual information is the
    quadratic one, ∫Σ(p(x, s) − p(x)p(s))² over the side s and the data x. Only the density is simpler: a
    Gaussian for each class in place of one for each sample. That leaves a quadratic form in the split,
    2vᵀKv with v = u − P(u), u the indicator of a side, and K_ij = p_i p_j exp(−d_ij²/4σ²), p the shares of the
    classes and d their distances; σ is half the largest distance within the node.

    Parameters
    ----------
    metric : str or callable, default="mahalanobis"
        How to measure distances between classes; see :func:`~ecoc.class_distances`.

    Attributes
    ----------
    distances_ : ndarray of shape (n_classes, n_classes)
        Distances between the classes.
    tree_ : list of pairs of lists
        Labels on the negative and on the positive side of each column.

    See Also
    --------
    ecoc.Spectral : Split the classes by a graph of their similarities.

    References
    ----------
    O. Pujol, P. Radeva and J. Vitrià, "Discriminant ECOC: a heuristic method for application dependent design
    of error correcting output codes", IEEE TPAMI 28(6), 2006.

    Examples
    --------
    >>> from ecoc.codes.coding import DiscriminantTree
    >>> coding = DiscriminantTree(metric="euclidean")
    >>> coding.build(4, X=[[0], [9], [1], [7]], y=["a", "b", "c", "d"])
    CodeBook 4 × 3 (classes × columns), 33% zeros, min distance 1, correction 0
      a  --·
      b  +·-
      c  -+·
      d  +·+
    >>> coding.tree_
    [(['a', 'c'], ['b', 'd']), (['a'], ['c']), (['b'], ['d'])]
    """

    needs_data = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"metric": [str, callable]}

    def __init__(self, metric: Metric = "mahalanobis") -> None:
        self.metric = metric

    def _build_in(self, n_classes: int, X: Any, y: Any, context: Context) -> Code:
        labels, counts = np.unique(y, return_counts=True)
        self.distances_ = data_distances(X, y, self.metric, context.folds)
        code = np.zeros((n_classes, n_classes - 1), dtype=np.int8)
        self.tree_: list[tuple[list[Any], list[Any]]] = []
        nodes = [np.arange(n_classes)]
        for node in nodes:  # grows as it is walked: level by level
            if len(node) == 1:
                continue
            with one_blas_thread():
                right = best_split(self.distances_[np.ix_(node, node)], counts[node] / counts[node].sum())
            if right[0]:
                right = ~right
            sides = node[~right], node[right]
            code[node, len(self.tree_)] = np.where(right, 1, -1)
            self.tree_.append((labels[sides[0]].tolist(), labels[sides[1]].tolist()))
            nodes += sides
        return code


def best_split(distances: Matrix, shares: Vector) -> NDArray[np.bool_]:
    """Sequential floating search for the side of largest quadratic mutual information with the data.

    Add the best class; take classes out again as long as that beats the best side of that size; and so on.
    """
    scale = distances.max() or 1.0
    potential = np.outer(shares, shares) * np.exp(-((distances / scale) ** 2))
    total = potential.sum(axis=1)
    k = len(shares)
    side = np.zeros(k, dtype=bool)
    best: dict[int, tuple[float, NDArray[np.bool_]]] = {}
    while (size := int(side.sum())) < k - 1:
        values = _information_of_neighbours(potential, total, shares, side.astype(float))
        grown = int(np.where(side, -np.inf, values).argmax())
        shrunk = int(np.where(side, values, -np.inf).argmax())
        # The margin keeps rounding from moving a class to and fro for ever.
        backwards = size > 2 and values[shrunk] > best[size - 1][0] * (1 + 1e-9)
        changed = shrunk if backwards else grown
        side[changed] = ~side[changed]
        size += 1 if side[changed] else -1
        if size not in best or values[changed] > best[size][0]:
            best[size] = float(values[changed]), side.copy()
    return max(best.values(), key=lambda found: found[0])[1]


def _information_of_neighbours(K: Matrix, K1: Vector, p: Vector, u: Vector) -> Vector:
    """(v − P)ᵀK(v − P) = vᵀKv − 2P·vᵀK1 + P²·1ᵀK1, P = pᵀv, for each v that differs from u in one class."""
    sign = 1 - 2 * u
    Ku = K @ u
    vKv = u @ Ku + 2 * sign * Ku + K.diagonal()
    vK1 = u @ K1 + sign * K1
    P = u @ p + sign * p
    information: Vector = vKv - 2 * P * vK1 + P**2 * K1.sum()
    return information
