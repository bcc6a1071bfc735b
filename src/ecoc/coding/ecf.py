"""The code that a design matrix asks for: Error-Correcting Factorization."""

from collections.abc import Callable, Mapping
from numbers import Integral, Real
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils._param_validation import Interval, StrOptions

from ecoc.coding.base import Code, Coding, Metric, data_distances, resolve_length, row_order
from ecoc.design import allocate, check_min_distance, code_length, nearest_correlation, shortest_length
from ecoc.design._checks import check_between_classes, labels_of
from ecoc.exceptions import CodeBookError, InfeasibleError

Matrix = NDArray[np.float64]


class ECF(Coding):
    """Error-Correcting Factorization: a code whose codewords are as alike as a design matrix says.

    The design comes from the distances between the classes in the data, or from a matrix of your own, and
    from what you wish of certain pairs. It is projected to the nearest correlation matrix D, and factorized:
    ‖l·D − XXᵀ‖² is minimised over codes X of l columns that keep the minimum distance.

    Length: the rank of the projected design, or more if the minimum distance needs it.

    Parameters
    ----------
    allocation : {"balanced", "hard", "easy", "equidistant"}, float or callable, default="balanced"
        From distances to design, see :func:`~ecoc.allocate`: ``"hard"`` (1, ECF-H in the paper) separates near
        classes most, ``"easy"`` (−1, ECF-E) far ones, ``"balanced"`` is −0.5, and ``"equidistant"`` (0) needs no
        data.
    n_columns : "rank", int or float, default="rank"
        Number of columns; a float is the number divided by that of the classes. ``"rank"``:
        :func:`~ecoc.code_length`.
    min_distance : int, array-like of shape (n_classes, n_classes) or mapping, default=1
        Smallest Hamming distance between codewords: of all pairs, of each pair, or a mapping from labels or
        pairs of labels to distances, see :func:`~ecoc.design.check_min_distance`.
    design : array-like or DataFrame of shape (n_classes, n_classes), default=None
        How alike any two codewords should be, from −1 to 1, in place of distances and `allocation`. Rows and
        columns are in the order of ``np.unique(y)``; a DataFrame with labels is put in that order.
    metric : str or callable, default="mahalanobis"
        How distances between classes are measured, see :func:`~ecoc.class_distances`.
    wishes : mapping, default=None
        What is wanted of certain pairs over what the design says: ``{("cat", "dog"): "apart"}``; see
        :func:`~ecoc.allocate`.
    method : {"auto", "paper"}, default="auto"
        How to factorize, see :func:`~ecoc.factorize`.
    effort : float, default=None
        How much to search, in units of about a third of a second. None: 1.
    time_limit : float, default=None
        Seconds after which the best code so far is taken.

    Attributes
    ----------
    distances_ : ndarray of shape (n_classes, n_classes) or None
        Distances between the classes; None if the design did not come from data.
    design_ : ndarray of shape (n_classes, n_classes)
        The projected design.
    factorization_ : Factorization
        The code with its objective, a bound on it, and a certificate.

    References
    ----------
    M. A. Bautista, O. Pujol, F. de la Torre and S. Escalera, "Error-correcting factorization", 2015.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from ecoc.coding import ECF
    >>> X, y = load_digits(return_X_y=True)
    >>> coding = ECF(min_distance=3, wishes={(1, 8): "apart"})
    >>> book = coding.build(10, X, y, random_state=0)
    >>> book.min_distance >= 3, bool(coding.factorization_.verify())
    (True, True)

    Without data, from an expert's wishes alone:

    >>> ECF("equidistant", wishes={(0, 1): "apart"}, n_columns=4).build(4, random_state=0).distances()[0]
    array([0, 4, 2, 2], dtype=int32)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "allocation": [str, Real, callable],
        "n_columns": [
            StrOptions({"rank"}),
            Interval(Integral, 1, None, closed="left"),
            Interval(Real, 0, None, closed="neither"),
        ],
        "design": ["array-like", None],
        "metric": [str, callable],
        "wishes": [Mapping, None],
        "method": [StrOptions({"auto", "paper"})],
        "effort": [Interval(Real, 0, None, closed="neither"), None],
        "time_limit": [Interval(Real, 0, None, closed="neither"), None],
    }

    def __init__(
        self,
        allocation: str | float | Callable[[Matrix], ArrayLike] = "balanced",
        n_columns: str | int | float = "rank",
        min_distance: int | ArrayLike | Mapping[Any, int] = 1,
        design: ArrayLike | None = None,
        metric: Metric = "mahalanobis",
        wishes: Mapping[Any, str | float] | None = None,
        method: Literal["auto", "paper"] = "auto",
        effort: float | None = None,
        time_limit: float | None = None,
    ) -> None:
        self.allocation = allocation
        self.n_columns = n_columns
        self.min_distance = min_distance
        self.design = design
        self.metric = metric
        self.wishes = wishes
        self.method = method
        self.effort = effort
        self.time_limit = time_limit

    @property
    def needs_data(self) -> bool:  # type: ignore[override]
        """Whether the design comes from data."""
        is_equidistant = isinstance(self.allocation, str | Real) and self.allocation in ("equidistant", 0)
        return self.design is None and not is_equidistant

    def _build(self, n_classes: int, X: Any, y: NDArray[Any] | None, random_state: Any) -> Code:
        from ecoc.factorization import factorize

        labels = np.arange(n_classes) if y is None else np.unique(y)
        self.distances_ = data_distances(X, y, self.metric) if self.needs_data else None
        self.design_ = nearest_correlation(self._wanted_design(labels, y))
        demands = check_min_distance(self.min_distance, labels.tolist())
        length = self._length(demands)
        while True:
            try:
                self.factorization_ = factorize(
                    self.design_,
                    length,
                    min_distance=demands,
                    method=self.method,
                    random_state=random_state,
                    effort=self.effort,
                    time_limit=self.time_limit,
                    labels=labels.tolist(),
                )
                break
            except InfeasibleError as error:
                # No bound excludes a length of our own choice, and yet there may be no code: choose again.
                nearest = error.nearest_length or 0
                if isinstance(self.n_columns, Integral) or nearest <= length:
                    raise
                length = nearest
        try:
            return self.factorization_.codebook.matrix
        except CodeBookError as error:
            raise CodeBookError(f"{error}. method={self.method!r} can fail so; method='auto' does not.") from error

    def _wanted_design(self, labels: NDArray[Any], y: NDArray[Any] | None) -> Matrix:
        """The design before projection: by allocation, or as given, with the wishes in it."""
        distances, allocation = self.distances_, self.allocation
        if distances is None:
            distances = 1 - np.eye(len(labels))
        if self.design is not None:
            given = _check_design(self.design, len(labels), None if y is None else labels)
            allocation = lambda _: given  # noqa: E731
        return allocate(distances, allocation, labels=labels.tolist(), wishes=self.wishes)

    def _length(self, demands: int | NDArray[np.int64]) -> int:
        k = len(self.design_)
        if isinstance(self.n_columns, Integral):
            return int(self.n_columns)  # factorize says what is wrong with it
        if isinstance(self.n_columns, str):
            return code_length(self.design_, demands)
        return max(resolve_length(self.n_columns, k, k), shortest_length(k, demands)[0])


def _check_design(design: ArrayLike, k: int, labels: NDArray[Any] | None) -> Matrix:
    """The design as a matrix, in the order of the labels if both have names."""
    D = check_between_classes(design, "design")
    if D.shape != (k, k):
        raise ValueError(f"design must be of shape {(k, k)}, a row a class; got {D.shape}.")
    names = labels_of(design)
    if labels is not None and names != list(range(k)):
        order = row_order(names, labels, "design")
        D = D[np.ix_(order, order)]
    np.fill_diagonal(D, 1)
    if np.abs(D).max() > 1:
        i, j = np.unravel_index(np.abs(D).argmax(), D.shape)
        raise ValueError(
            f"design must lie in [-1, 1], from opposite to equal codewords; entry [{i}, {j}] is {D[i, j]:g}. "
            "From distances between classes, ecoc.allocate makes a design."
        )
    return D
