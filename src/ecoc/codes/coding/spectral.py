"""Spectral ECOC: split the classes by the graph of their similarities."""

from typing import Any, ClassVar
from warnings import warn

import numpy as np
from numpy.typing import NDArray

from ecoc.codes.codebook.book import equal_rows
from ecoc.codes.coding.coding import FREE_LENGTH, Code, Coding, Context
from ecoc.codes.design.distances import Metric, data_distances
from ecoc.codes.design.length import resolve_length
from ecoc.utils.threads import one_blas_thread

Matrix = NDArray[np.float64]


class Spectral(Coding):
    """Cuts of the graph of class similarities: thresholded eigenvectors of its Laplacian.

    The edge between two classes at distance d has the weight exp(−d²/2σ²), where σ is the mean distance. The
    eigenvectors of the normalised Laplacian, from the second on, are relaxed normalised cuts; the side of a class is
    the sign of its entry. Eigenvectors that repeat a column are skipped.

    Length: k−1 columns, or fewer if some are equal. Thresholding can give two classes equal codewords, mostly in
    short codes. Then columns are appended until all codewords differ; each halves all groups of equal codewords
    along their own cut. A warning and `n_appended_` say so.

    Parameters
    ----------
    n_columns : int or float, default=None
        Number of eigenvectors, k−1 at most, or a float, the number divided by that of the classes. None: k−1.
    metric : str or callable, default="mahalanobis"
        How to measure distances between classes; see :func:`~ecoc.class_distances`.

    Attributes
    ----------
    distances_ : ndarray of shape (n_classes, n_classes)
        Distances between the classes.
    n_appended_ : int
        Columns appended to make codewords differ.

    See Also
    --------
    ecoc.DiscriminantTree : A tree of the classes.
    ecoc.ECF : Make a code from a design.

    References
    ----------
    X. Zhang, L. Liang and H.-Y. Shum, "Spectral error correcting output codes for efficient multiclass
    recognition", ICCV 2009.

    Examples
    --------
    >>> from ecoc.codes.coding import Spectral
    >>> Spectral(n_columns=2, metric="euclidean").build(4, X=[[0], [1], [7], [8]], y=["a", "b", "c", "d"])
    CodeBook 4 × 2 (classes × columns), min distance 1, correction 0
      a  --
      b  -+
      c  ++
      d  +-
    """

    needs_data = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"n_columns": FREE_LENGTH, "metric": [str, callable]}

    def __init__(self, n_columns: int | float | None = None, metric: Metric = "mahalanobis") -> None:
        self.n_columns = n_columns
        self.metric = metric

    def _build_in(self, n_classes: int, X: Any, y: Any, context: Context) -> Code:
        length = resolve_length(self.n_columns, n_classes, n_classes - 1, most=n_classes - 1)
        self.distances_ = data_distances(X, y, self.metric, context.folds)
        with one_blas_thread():
            similarity = _similarity(self.distances_)
            code = _signs(_eigenvectors(similarity), length)
            n_columns = code.shape[1]
            while groups := equal_rows(code):
                code = np.column_stack([code, _halving(similarity, groups)])
        self.n_appended_ = code.shape[1] - n_columns
        if self.n_appended_:
            warn(
                f"The {n_columns} thresholded eigenvectors give some classes equal codewords; {self.n_appended_} more "
                "columns tell them apart.",
                stacklevel=3,
            )
        return code


def _similarity(distances: Matrix) -> Matrix:
    least_similarity = 1e-12  # keeps a class connected that is far from all others
    k = len(distances)
    scale = distances.sum() / (k * (k - 1)) or 1.0
    weights: Matrix = np.maximum(np.exp(-((distances / scale) ** 2) / 2), least_similarity)
    np.fill_diagonal(weights, 0)
    return weights


def _eigenvectors(weights: Matrix) -> Matrix:
    """Eigenvectors of I − S^(−1/2) W S^(−1/2), S the degrees, but for the trivial one; smoothest first."""
    root = np.sqrt(weights.sum(axis=1))
    trivial = root / np.linalg.norm(root)
    laplacian = np.eye(len(weights)) - weights / np.outer(root, root)
    # Eigenvalues lie in [0, 2]. Moving the trivial one to 3 keeps all others orthogonal to a positive vector,
    # even if the graph falls apart: each then has entries of both signs.
    _, vectors = np.linalg.eigh(laplacian + 3 * np.outer(trivial, trivial))
    return np.asarray(vectors[:, :-1])


def _signs(vectors: Matrix, n_columns: int) -> Code:
    """Return the first different columns among the signs of the vectors; the first class is at −1."""
    code = np.where(vectors > 0, 1, -1).astype(np.int8)
    code *= -code[0]
    columns = {column.tobytes(): j for j, column in reversed(list(enumerate(code.T))) if (column == 1).any()}
    return code[:, sorted(columns.values())[:n_columns]]


def _halving(weights: Matrix, groups: list[tuple[int, ...]]) -> Code:
    """A column that halves each group along its own second eigenvector; others side with the more similar."""
    column = np.zeros(len(weights))
    for group in groups:
        order = np.argsort(_eigenvectors(weights[np.ix_(group, group)])[:, 0], kind="stable")
        column[np.array(group)[order]] = np.where(np.arange(len(group)) < len(group) // 2, -1, 1)
    sides = np.where(column == 0, weights @ column, column)
    return np.where(sides < 0, -1, 1).astype(np.int8)
