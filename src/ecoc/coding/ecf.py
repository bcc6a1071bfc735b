"""The code that a design matrix asks for: Error-Correcting Factorization."""

from collections.abc import Callable, Mapping
from math import ceil
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecoc.coding.base import Code, Coding, Metric, data_distances, dense_features, resolve_length, row_order
from ecoc.coding.context import Context
from ecoc.design import (
    Projection,
    allocate,
    check_min_distance,
    class_directions,
    code_length,
    mixed_factor,
    shortest_length,
)
from ecoc.design.allocation import ALLOCATIONS
from ecoc.design.checks import check_between_classes, labels_of
from ecoc.design.length import projected_length
from ecoc.design.projection import project_checked
from ecoc.exceptions import CodeBookError, InfeasibleError
from ecoc.utils.columns import shortest_prefix
from ecoc.utils.progress import Progress
from ecoc.utils.random import generator
from ecoc.utils.scikit import Interval, StrOptions

if TYPE_CHECKING:
    from ecoc.refinement import HeldOut

Matrix = NDArray[np.float64]

_TRIED = (-1.0, -0.5, 0.0, 0.5, 1.0)  # allocations
_BALANCED = -0.5
_MOST_REFINED = 64  # classes; beyond, refining takes minutes
_MOST_PAIRED = 2000  # classes; beyond, projecting a matrix of all pairs takes minutes
_COLUMNS_A_BIT = 4  # least length of a code for more classes than that: four times that of their numbers in binary


class ECF(Coding):
    """Error-Correcting Factorization: a code whose codewords are as alike as a design matrix says.

    The design comes from the distances between the classes in the data, or from a matrix of your own, and
    from what you wish of certain pairs. It is projected to the nearest correlation matrix D, and factorized:
    ‖l·D − XXᵀ‖² is minimised over codes X of l columns that keep the minimum distance.

    Length: the rank of the projected design, or more if the minimum distance needs it.

    A code shorter than one-vs-all is then fitted to the data, unless you ask for a certain design: see `refine`.

    More than 2,000 classes have no matrix of all their pairs. Their design is a factor, of as many dimensions as the
    features: cosines of the directions in which the classes lie from the centre of all, in Mahalanobis' coordinates,
    take the place of distances. Allocations that keep near classes apart, wishes and choices by held-out samples are
    not possible then.

    Parameters
    ----------
    allocation : {"balanced", "hard", "easy", "equidistant", "auto"}, float or callable, default="balanced"
        From distances to design, see :func:`~ecoc.allocate`: ``"hard"`` (1, ECF-H in the paper) separates near
        classes most, ``"easy"`` (−1, ECF-E) far ones, ``"balanced"`` is −0.5, and ``"equidistant"`` (0) needs no
        data. ``"auto"`` tries −1, −0.5, 0, 0.5 and 1 and takes the one under whose code a discriminant recognises
        most held-out samples by the outputs of the proxy, if these are more than with −0.5 by a standard error.
    n_columns : {"rank", "auto"}, int or float, default="rank"
        Number of columns; a float is the number divided by that of the classes. ``"rank"``:
        :func:`~ecoc.code_length`. ``"auto"``: the first columns of a code of `max_columns`, so many that a discriminant
        of the proxy's outputs is within one standard error of the most accurate number.
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
        :func:`~ecoc.allocate`. Distances act where codewords decide, that is with decodings such as ``"linear"`` or
        ``"hamming"``; ``"discriminant"`` works for the accuracy over all classes whatever the code.
    max_columns : int, default=None
        At most so many columns where ``"rank"`` or ``"auto"`` decide. None: for ``"auto"`` one less than classes.
    refine : bool or "auto", default="auto"
        Whether to fit the code to the data. A factorized code of about a quarter of one-vs-all's length is changed
        where that lowers a bound on the errors that a discriminant makes with the outputs of a cheap proxy (kernel
        ridge regression, or ridge regression if the estimator is linear), and columns are added, each the best after
        those before it. So the first columns are a good code too, and a classifier can be cut to them
        (:meth:`ecoc.ECOCClassifier.truncate`). "auto": if the design is ``"balanced"`` or ``"auto"`` without wishes,
        and the code has fewer columns than there are classes, at most 64.
    method : {"auto", "paper"}, default="auto"
        How to factorize, see :func:`~ecoc.factorize`.
    effort : float, default=None
        How much to search, in units of about a third of a second. None: 1.
    time_limit : float, default=None
        Seconds after which the best code so far is taken.

    Attributes
    ----------
    needs_data : bool
        Whether `build` needs X and y; depends on the parameters.
    distances_ : ndarray of shape (n_classes, n_classes) or None
        Distances between the classes; None if the design did not come from data.
    design_ : ndarray of shape (n_classes, n_classes) or None
        The projected design; None for more than 2,000 classes.
    factor_ : ndarray of shape (n_classes, n_dimensions) or None
        For more than 2,000 classes, a factor F of the design, FFᵀ.
    factorization_ : Factorization
        The code with its objective, a bound on it, and a certificate; of a refined one, the code it began with.
    allocation_ : float, str or callable
        The allocation; if that was ``"auto"``, the chosen number.
    is_refined_ : bool
        Whether the code was fitted to the data.
    trials_ : dict of lists
        If something was ``"auto"``: each allocation and length that was tried, the accuracy of a discriminant of the
        proxy's outputs and its standard error; ``pandas.DataFrame(coding.trials_)`` shows it.

    See Also
    --------
    ecoc.factorize : The factorization alone.
    ecoc.allocate : From distances and wishes to a design.
    ecoc.class_distances : The distances.

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

    distances_: Matrix | None
    design_: Matrix | None
    factor_: Matrix | None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "allocation": [str, Real, callable],
        "n_columns": [
            StrOptions({"rank", "auto"}),
            Interval(Integral, 1, None, closed="left"),
            Interval(Real, 0, None, closed="neither"),
        ],
        "max_columns": [Interval(Integral, 1, None, closed="left"), None],
        "design": ["array-like", None],
        "metric": [str, callable],
        "wishes": [Mapping, None],
        "refine": ["boolean", StrOptions({"auto"})],
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
        max_columns: int | None = None,
        refine: bool | Literal["auto"] = "auto",
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
        self.max_columns = max_columns
        self.refine = refine
        self.method = method
        self.effort = effort
        self.time_limit = time_limit

    @property
    def needs_data(self) -> bool:  # type: ignore[override]
        """Whether the code comes from data: the design, its refinement or its length.

        Examples
        --------
        >>> from ecoc import ECF
        >>> ECF().needs_data, ECF("equidistant").needs_data
        (True, False)
        """
        return self._designs_from_data or self.refine is True or self.n_columns == "auto"

    @property
    def _designs_from_data(self) -> bool:
        is_equidistant = isinstance(self.allocation, str | Real) and self.allocation in ("equidistant", 0)
        return self.design is None and not is_equidistant

    def _build_in(self, n_classes: int, X: Any, y: NDArray[Any] | None, context: Context) -> Code:
        random_state = context.random_state
        labels = np.arange(n_classes) if y is None else np.unique(y)
        demands = check_min_distance(self.min_distance, labels.tolist())
        if n_classes > _MOST_PAIRED:
            return self._build_from_factor(X, y, labels, demands, random_state)
        self.factor_ = None
        self.distances_ = data_distances(X, y, self.metric, context.folds) if self._designs_from_data else None
        is_auto = self.allocation == "auto" if isinstance(self.allocation, str) else False
        allocations: tuple[Any, ...] = _TRIED if is_auto and self.design is None else (self.allocation,)
        projections = [project_checked(self._wanted_design(allocation, labels, y)) for allocation in allocations]
        designs = [projection.matrix for projection in projections]
        lengths = [self._length(projection, demands) for projection in projections]
        self.is_refined_ = self._refines(n_classes, max(lengths), y)
        chooses = len(designs) > 1 or self.n_columns == "auto"
        self.trials_: dict[str, list[Any]] | None = None
        bound = held_out = None
        rng = generator(random_state)
        if self.is_refined_ or chooses:
            from ecoc.refinement import ErrorBound, proxy_outputs

            assert y is not None
            indices = np.searchsorted(labels, y)
            held_out = proxy_outputs(X, indices, rng, linear=context.is_linear, folds=context.folds)
            bound = ErrorBound(held_out.outputs, held_out.y)
        made = []
        with Progress("designing", len(designs) > 1) as bar:
            for design, length in zip(designs, lengths):
                made.append(self._code(design, length, demands, labels, random_state, bound, rng))
                bar.update(len(made) / len(designs), f"{len(made)} of {len(designs)} designs")
        chosen = 0
        if chooses:
            assert held_out is not None
            chosen, length = self._choose(allocations, [code for code, _ in made], held_out)
        self.allocation_ = allocations[chosen]
        self.design_ = designs[chosen]
        code, self.factorization_ = made[chosen]
        return code[:, :length] if self.n_columns == "auto" else code

    def _build_from_factor(
        self, X: Any, y: NDArray[Any] | None, labels: NDArray[Any], demands: int | NDArray[np.int64], random_state: Any
    ) -> Code:
        """A code for more classes than a matrix of all pairs is made for."""
        k, rng = len(labels), generator(random_state)
        share = self._share_of_directions(demands)
        directions = np.ones((k, 1)) if y is None else class_directions(dense_features(X), y)
        if isinstance(self.n_columns, str):
            length = max(int(code_length(directions, demands, factor=True)), _COLUMNS_A_BIT * (k - 1).bit_length())
            length = length if self.max_columns is None else min(length, int(self.max_columns))
        else:
            length = resolve_length(self.n_columns, k, k)
        factor = mixed_factor(directions, share, 2 * length, rng)
        self.allocation_, self.is_refined_ = self.allocation, False
        self.distances_ = self.design_ = self.trials_ = None
        self.factor_ = factor
        self.factorization_ = self._factorize(factor, length, demands, labels, random_state)
        return self._matrix(self.factorization_)

    def _share_of_directions(self, demands: Any) -> float:
        """−a; an error if what is asked for needs a matrix of all pairs."""
        given: Any = self.allocation
        a = ALLOCATIONS.get(given, np.nan) if isinstance(given, str) else given
        special = {
            "allocation": not isinstance(a, Real) or not -1 <= float(a) <= 0,
            "design": self.design is not None,
            "wishes": bool(self.wishes),
            "min_distance": not isinstance(demands, int),
            "metric": self.metric != "mahalanobis",
            "n_columns": self.n_columns == "auto",
            "refine": self.refine is True,
            "method": self.method != "auto",
        }
        if any(special.values()):
            name = next(name for name, is_special in special.items() if is_special)
            raise ValueError(
                f"ECF with more than {_MOST_PAIRED:,} classes has no matrix of all their pairs, which "
                f"{name}={getattr(self, name)!r} needs; leave it at its default. Allocations from -1 ('easy') to 0 "
                "('equidistant') are possible."
            )
        return -float(a)

    def _refines(self, k: int, length: int, y: NDArray[Any] | None) -> bool:
        if isinstance(self.refine, bool):
            if self.refine and length >= k:
                raise ValueError(
                    f"A code of {length} columns for {k} classes cannot be refined: {k - 1} columns keep all that the "
                    f"proxy knows. Give n_columns below {k}, n_columns='auto', or refine='auto'."
                )
            return self.refine
        fits = isinstance(self.allocation, str) and self.allocation in ("balanced", "auto")
        plain = self.design is None and not self.wishes and self.method == "auto"
        if y is None or not (fits and plain and length < k <= _MOST_REFINED):
            return False
        return bool(2 * np.count_nonzero(np.unique(y, return_counts=True)[1] > 1) >= k)  # else nothing can be held out

    def _code(
        self,
        design: Matrix,
        length: int,
        demands: int | NDArray[np.int64],
        labels: NDArray[Any],
        random_state: Any,
        bound: Any,
        rng: np.random.Generator,
    ) -> tuple[Code, Any]:
        """A code for a design, and the factorization it comes from."""
        k = len(design)
        least = np.full((k, k), demands) if isinstance(demands, int) else demands
        if not self.is_refined_:
            factorization = self._factorize(design, length, demands, labels, random_state)
            code = self._matrix(factorization)
            if bound is not None and self.n_columns == "auto" and k <= _MOST_REFINED:
                code = code[:, bound.order(code)]
            return code, factorization
        start = length if least.max() > 1 else min(length, _early_length(k))
        factorization = self._factorize(design, start, demands, labels, random_state)
        code = bound.improve(self._matrix(factorization), least, rng)
        code = code[:, bound.order(code)]
        return bound.extend(code, max(length, code.shape[1]), rng), factorization

    def _choose(self, allocations: tuple[Any, ...], codes: list[Code], held_out: "HeldOut") -> tuple[int, int]:
        """Return the place of the best allocation, and the number of columns."""
        from ecoc.refinement import held_out_hits, shortest_of_the_best

        def hits_of(code: Code) -> NDArray[np.bool_]:
            return held_out_hits(held_out.outputs, held_out.y, code, held_out.fold)

        k = len(codes[0])
        early = min(_early_length(k), *(code.shape[1] for code in codes), k)
        tried: list[tuple[Any, int, NDArray[np.bool_]]] = []
        for allocation, code in zip(allocations, codes):
            # With "auto" columns, allocations are compared where they differ most: on short codes.
            length = early if self.n_columns == "auto" else code.shape[1]
            tried.append((allocation, length, hits_of(code[:, :length])))
        best = _best_or_balanced([hits for _, _, hits in tried], allocations)
        length = tried[best][1]
        if self.n_columns == "auto":
            code = codes[best]
            least = shortest_prefix(code) or code.shape[1]
            lengths = np.unique(np.geomspace(least, code.shape[1], 32).astype(int)).tolist()
            hits = {m: hits_of(code[:, :m]) for m in lengths}
            length = shortest_of_the_best(hits)
            tried += [(allocations[best], m, hits[m]) for m in lengths if (allocations[best], m) != tried[best][:2]]
        self.trials_ = {
            "allocation": [allocation for allocation, _, _ in tried],
            "n_columns": [m for _, m, _ in tried],
            "accuracy": [float(hit.mean()) for _, _, hit in tried],
            "standard_error": [float(hit.std() / np.sqrt(len(hit))) for _, _, hit in tried],
        }
        return best, length

    def _factorize(
        self, design: Matrix, length: int, demands: int | NDArray[np.int64], labels: NDArray[Any], random_state: Any
    ) -> Any:
        from ecoc.factorization.factorize import factorize_problem
        from ecoc.factorization.problem import Problem

        given = {"factor" if design is self.factor_ else "design": design}
        while True:
            try:
                return factorize_problem(
                    Problem(n_columns=length, demands=demands, labels=tuple(labels.tolist()), **given),
                    method=self.method,
                    random_state=random_state,
                    effort=self.effort,
                    time_limit=self.time_limit,
                )
            except InfeasibleError as error:
                # No bound excludes a length of our own choice, and yet there may be no code: choose again.
                nearest = error.nearest_length or 0
                if isinstance(self.n_columns, Integral) or nearest <= length:
                    raise
                length = nearest

    def _matrix(self, factorization: Any) -> Code:
        if self.method == "paper":  # its rounding may leave two codewords equal
            try:
                _ = factorization.codebook
            except CodeBookError as error:
                raise CodeBookError(f"{error}. method='paper' can fail in this way; method='auto' does not.") from error
        code: Code = factorization.code
        return code

    def _wanted_design(self, allocation: Any, labels: NDArray[Any], y: NDArray[Any] | None) -> Matrix:
        """The design before projection: by allocation, or as given, with the wishes in it."""
        distances = self.distances_
        if distances is None:
            distances = 1 - np.eye(len(labels))
        if self.design is not None:
            given = _check_design(self.design, len(labels), None if y is None else labels)
            allocation = lambda _: given  # noqa: E731
        return allocate(distances, allocation, labels=labels.tolist(), wishes=self.wishes)

    def _length(self, projection: Projection, demands: int | NDArray[np.int64]) -> int:
        k = len(projection.matrix)
        if isinstance(self.n_columns, Integral):
            if np.max(demands) == 1:
                resolve_length(int(self.n_columns), k, k)  # an error if it is impossible
            return int(self.n_columns)
        least = shortest_length(k, demands)[0]
        if not isinstance(self.n_columns, str):
            return max(resolve_length(self.n_columns, k, k), least)
        most = k if self.max_columns is None else int(self.max_columns)
        if self.n_columns == "auto":
            return int(max(min(most, k - 1), least))
        rank = int(projected_length(projection, demands))
        return rank if self.max_columns is None else int(max(min(rank, most), least))


def _early_length(k: int) -> int:
    """Return how many columns are changed together before others are added one by one."""
    return max(ceil(k / 4), (k - 1).bit_length() + 1)


def _best_or_balanced(hits: list[NDArray[np.bool_]], allocations: tuple[Any, ...]) -> int:
    """The place of the most accurate allocation, if it is better than balanced by more than a standard error."""
    best = int(np.argmax([hit.mean() for hit in hits]))
    if _BALANCED not in allocations:
        return best
    balanced = allocations.index(_BALANCED)
    gain = hits[best].astype(float) - hits[balanced]
    return best if gain.mean() > gain.std() / np.sqrt(len(gain)) else balanced


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
