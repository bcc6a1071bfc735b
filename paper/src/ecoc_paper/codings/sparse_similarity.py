"""Make columns from similarities of classes that leave some classes out."""

from collections.abc import Callable
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from ecoc import class_distances
from ecoc.codes.coding import Coding, resolve_length
from ecoc.utils.numerics import generator
from ecoc.utils.threads import one_blas_thread
from ecoc_paper._scikit import FREE_LENGTH, Interval
from ecoc_paper.codings.separation import Code, separated

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]

_ROUNDS = 50  # of the concave-convex procedure, at most


class SparseSimilarity(Coding):
    """Columns that are easy to learn, unlike each other, and leave classes out.

    A column b is rewarded for similar classes on the same side and dissimilar classes on opposite sides, and punished
    for being like the columns before it and for every entry that is not 0:
    bᵀSb − correlation · Σ (b·b')² − sparsity · ‖b‖₁, over −1 ≤ b ≤ 1. Column by column, a concave-convex procedure
    maximises it; its inner problem has a closed form, the sign of the slope where that is large, and 0 elsewhere. So
    the result is ternary without rounding.

    This is not Zhao and Xing's sparse output coding, whose objective it resembles: they optimise all columns at once by
    dual projected gradients, penalise the correlation of codewords, not of columns, and decode with probabilities.

    Length: as many columns as classes, unless another number is given.

    Parameters
    ----------
    n_columns : int or float, default=None
        Number of columns, or a float, the number divided by that of the classes. None: as many as classes.
    correlation : float, default=1.0
        Weight of the likeness to earlier columns.
    sparsity : float, default=0.3
        Share of the classes that a column leaves out, at most.
    metric : str or callable, default="mahalanobis"
        How distances between classes are measured, see :func:`~ecoc.class_distances`.

    Attributes
    ----------
    distances_ : ndarray of shape (n_classes, n_classes)
        Distances between the classes.

    See Also
    --------
    ecoc.Spectral : Cuts of a graph of the classes, without zeros.
    ecoc.SparseRandom : Zeros at random.

    References
    ----------
    B. Zhao and E. P. Xing, "Sparse output coding for large-scale visual recognition", CVPR 2013.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from ecoc_paper import SparseSimilarity
    >>> X, y = load_digits(return_X_y=True)
    >>> book = SparseSimilarity(n_columns=12).build(10, X, y, random_state=0)
    >>> book.n_columns, book.is_ternary
    (12, True)
    """

    needs_data = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_columns": FREE_LENGTH,
        "correlation": [Interval(Real, 0, None, closed="left")],
        "sparsity": [Interval(Real, 0, 1, closed="left")],
        "metric": [str, callable],
    }

    def __init__(
        self,
        n_columns: int | float | None = None,
        correlation: float = 1.0,
        sparsity: float = 0.3,
        metric: str | Callable[..., Any] = "mahalanobis",
    ) -> None:
        self.n_columns = n_columns
        self.correlation = correlation
        self.sparsity = sparsity
        self.metric = metric

    def _build(self, n_classes: int, X: Any, y: Any, random_state: Any) -> Code:
        rng = generator(random_state)
        length = resolve_length(self.n_columns, n_classes, n_classes)
        self.distances_ = class_distances(X.toarray() if issparse(X) else X, y, self.metric)
        with one_blas_thread():
            reward = _similarity(self.distances_)
            leading = np.linalg.eigh(reward)[1][:, -1]
            columns: list[Vector] = []
            for _ in range(length):
                reward_now = reward - self.correlation * _likeness(columns, reward)
                columns.append(_column(reward_now, self.sparsity, rng))
        return separated(np.column_stack(columns).astype(np.int8), length, leading, rng)


def _similarity(distances: Matrix) -> Matrix:
    """Return similarities exp(−d²/2σ²), σ the mean distance, centred so that a column of one side gains nothing."""
    k = len(distances)
    scale = distances.sum() / (k * (k - 1)) or 1.0
    similarity = np.exp(-((distances / scale) ** 2) / 2)
    centred: Matrix = similarity - similarity.mean(axis=0) - similarity.mean(axis=1)[:, None] + similarity.mean()
    return centred


def _likeness(columns: list[Vector], reward: Matrix) -> Matrix:
    """Return Σ b bᵀ of the columns so far, in units of the reward's largest eigenvalue."""
    if not columns:
        return np.zeros_like(reward)
    earlier = np.column_stack(columns)
    scale = np.linalg.eigvalsh(reward)[-1] / len(reward)
    return np.asarray(scale * earlier @ earlier.T)


def _column(reward: Matrix, sparsity: float, rng: np.random.Generator) -> Vector:
    """Maximise bᵀMb minus a weight of |b|₁ over the box, by steps to the maximum of the slope minus the weight."""
    values, vectors = np.linalg.eigh(reward)
    convex = reward - min(values[0], 0.0) * np.eye(
        len(reward)
    )  # the same columns are best: b_i² is 1 where b_i is not 0
    b = vectors[:, -1] + 1e-6 * rng.normal(size=len(reward))
    for _ in range(_ROUNDS):
        slope = convex @ b
        slope -= slope.mean()  # both sides are wanted
        least = np.quantile(np.abs(slope), sparsity)
        new = np.where(np.abs(slope) >= least, np.sign(slope), 0.0)
        new[slope.argmax()], new[slope.argmin()] = 1.0, -1.0
        if np.array_equal(new, b):
            break
        b = new
    return b
