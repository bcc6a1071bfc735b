"""Error-Correcting Factorization: a code with the distances that a design matrix asks for."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from math import ceil
from numbers import Integral, Real
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecoc.codes.coding.alphabet import Alphabet, choose_alphabet
from ecoc.codes.coding.coding import FREE_LENGTH, Code, Coding, Context
from ecoc.codes.coding.protection import protected_pairs, with_pair_columns
from ecoc.codes.design import check_min_distance, class_directions
from ecoc.codes.design.allocation import ALLOCATIONS, allocate, apply_wishes, ordered_design
from ecoc.codes.design.bounds import Demands, shortest_length
from ecoc.codes.design.distances import Metric, data_distances, dense_features, mixed_factor
from ecoc.codes.design.length import FEW, check_entries, factor_length, length_of_many, projected_length, resolve_length
from ecoc.codes.design.projection import Projection, project_checked
from ecoc.codes.factorization import Factorization
from ecoc.codes.factorization.factorize import factorize_problem
from ecoc.codes.factorization.paper import relax_problem
from ecoc.codes.factorization.problem import Problem
from ecoc.codes.refinement.refiner import Refiner
from ecoc.utils.exceptions import CodeBookError, InfeasibleError
from ecoc.utils.numerics import generator
from ecoc.utils.progress import Progress
from ecoc.utils.scikit import Interval, StrOptions

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Limits:
    """Numbers of classes, and of entries of a code, at which the design or its refinement changes."""

    most_refined: int = 5000  # classes
    most_refined_entries: int = 1_000_000  # of a code; beyond, refining takes minutes
    # Number of classes up to which the design is a matrix of all pairs if a factor would do, and if only a matrix does.
    # Held-out accuracy in % with k/10 columns, matrix and factor, means of three splits (SVC for leaves, else ridge
    # regression on 300 Nyström features). Not refined: 100 leaves 98.5 and 97.9, 200 synthetic classes 96.9 and 99.0,
    # 457 regions 18.7 and 19.0, 1,000 synthetic classes 96.3 and 96.9. Refined: the same codes for leaves and regions,
    # because refining preferred another start; 99.2 and 99.2, 97.3 and 97.4 for the synthetic classes. With half of
    # 500, unrefined codes for regions gain 0.3 points; with double, those for 1,000 synthetic classes lose 0.6.
    # Projecting a matrix takes 0.1 s for 457 regions, 0.2 s for 1,000 classes, and 1 to 10 s for 2,000.
    paired: int = 500
    most_paired: int = 2000
    few: int = FEW  # classes up to which the usual length is the rank


class ECF(Coding):
    """Error-Correcting Factorization: a code whose codewords are as similar as a design matrix says.

    The design matrix says how similar any two codewords should be. It is made from the distances between the classes in
    the data, or you give it yourself. It is projected to the nearest correlation matrix D. The factorization then
    minimises ‖l·D − XXᵀ‖² over codes X with l columns that keep the minimum distance.

    By default, the code has as many columns as the projected design has rank. With more than 64 classes, it has six
    columns for each bit of their number, 6·⌈log2 k⌉. The minimum distance may need more. A code with fewer columns than
    classes is then fitted to the data, unless you ask for a certain design; see `refine`.

    With more than 500 classes, the design is a factor with as many dimensions as there are features: the cosines
    between the directions of the classes, seen from the mean of all classes in Mahalanobis coordinates, replace the
    distances. Wishes, a design of your own, other metrics, and allocations above 0 need a matrix of all pairs. They are
    possible with up to 2,000 classes, and take longer.

    Parameters
    ----------
    allocation : {"balanced", "hard", "easy", "equidistant", "auto"}, float or callable, default="balanced"
        How distances become a design, see :func:`~ecoc.allocate`. ``"hard"`` (1, ECF-H in the paper) gives similar
        classes different codewords, ``"easy"`` (−1, ECF-E) gives them similar codewords. ``"balanced"`` is −0.5.
        ``"equidistant"`` (0) needs no data. ``"auto"`` tries −1, −0.5, 0, 0.5 and 1. It chooses the allocation whose
        code recognises most held-out samples, if it beats −0.5 by more than a standard error.
    n_columns : {"rank", "auto"}, int or float, default=None
        Number of columns. A float is a multiple of the number of classes. ``"rank"`` is :func:`~ecoc.code_length`.
        ``"auto"`` takes the shortest code that is within one standard error of the most accurate length, measured on
        held-out outputs of a cheap proxy. None: the rank with up to 64 classes, 6·⌈log2 k⌉ with k classes beyond.
    min_distance : int, array-like of shape (n_classes, n_classes) or mapping, default=1
        Smallest Hamming distance between codewords: of all pairs, of each pair, or a mapping from labels or pairs of
        labels to distances, see :func:`~ecoc.codes.design.check_min_distance`.
    design : array-like or DataFrame of shape (n_classes, n_classes), default=None
        A design of your own, from −1 (opposite codewords) to 1 (equal codewords), which replaces distances and
        `allocation`. Rows and columns are in the order of ``np.unique(y)``; a DataFrame with labels is put in that
        order.
    metric : str or callable, default="mahalanobis"
        How to measure distances between classes, see :func:`~ecoc.class_distances`.
    wishes : mapping, default=None
        Wishes for certain pairs, which replace their entries in the design: ``{("cat", "dog"): "apart"}``; see
        :func:`~ecoc.allocate`. Distances between codewords matter for decodings that go by codewords, such as
        ``"linear"`` and ``"hamming"``. The decoding ``"discriminant"`` learns from all outputs and may not follow them.
    max_columns : int, default=None
        Largest number of columns if `n_columns` is no number. None: for ``"auto"``, one less than classes and, with
        more than 64 classes, 16·⌈log2 k⌉.
    refine : bool or "auto", default="auto"
        Whether to fit the code to the data. A factorized code of about a quarter of one-vs-all's length is changed
        column by column, as long as this lowers a bound on the errors of a discriminant. The bound comes from held-out
        outputs of a cheap proxy: kernel ridge regression, or ridge regression if the estimator is linear. Further
        columns are then added, each the best one after those before it. So the first columns are a good code, too, and
        :meth:`ecoc.ECOCClassifier.truncate` can cut a classifier to them. ``"auto"`` refines if the allocation is
        ``"balanced"`` or ``"auto"`` without wishes, there are at most 5,000 classes, the code has at most a million
        entries, and it has fewer columns than classes. With more than 64 classes, codes for single decision trees are
        not refined, and neither are codes of more than 25 columns for boosters.
    alphabet : {"auto", "binary", "ternary"}, default="auto"
        Whether columns may leave classes out. A ternary code begins with a short binary code. Then each pair of classes
        that a proxy confuses most gets a column of its own, until there are `n_columns`; lengths above the number of
        classes are usual, e.g. ``n_columns=2.0``. ``"auto"`` tries a linear model on a few columns of all classes. If
        it makes most of its errors on training samples, too, such columns are too hard for it, and the code is ternary.
        It is binary for other learners, for ``n_columns="auto"``, if `refine` is False, and if you ask for a certain
        design or distance.
    protect : iterable of pairs of labels, default=None
        Pairs of classes that must not be confused, e.g. ``[("cat", "dog")]``. Each gets a column of its own after all
        others. :class:`~ecoc.ECOCClassifier` measures the effect of these columns on held-out samples, and drops them
        if they do not help; see its `protection_`. If nothing else is set, it adds them to the coding that
        ``coding="auto"`` would choose.
    method : {"auto", "paper"}, default="auto"
        How to factorize, see :func:`~ecoc.factorize`. ``"paper"`` starts again if a code is invalid, up to 20
        times, then with one more column, unless `n_columns` is a number.
    effort : float, default=None
        Length of the search, in units of about a third of a second. None: 1. ``"paper"`` takes no effort.
    time_limit : float, default=None
        Seconds after which the best code so far is taken.

    Attributes
    ----------
    needs_data : bool
        Whether `build` needs X and y; depends on the parameters.
    distances_ : ndarray of shape (n_classes, n_classes) or None
        Distances between the classes; None if the design did not come from data.
    design_ : ndarray of shape (n_classes, n_classes) or None
        The projected design; None if there is a factor instead.
    factor_ : ndarray of shape (n_classes, n_dimensions) or None
        With more than 500 classes, a factor F of the design FFᵀ, unless a parameter needs a matrix of all pairs.
    factorization_ : Factorization
        The factorized code with its objective, a lower bound and a certificate. A refined code started from it.
    allocation_ : float, str or callable
        The allocation that was used; for ``"auto"``, the chosen number.
    is_refined_ : bool
        Whether the code was fitted to the data.
    alphabet_ : Alphabet
        ``"binary"`` or ``"ternary"``, as `name`, and the `difficulty` that ``"auto"`` measured.
    protected_ : list of pairs of int
        Rows of the protected classes.
    n_unprotected_ : int
        Number of columns before the protecting ones.
    trials_ : dict of lists or None
        What ``"auto"`` tried: allocations, numbers of columns, accuracies on held-out outputs of the proxy, and their
        standard errors. ``pandas.DataFrame(coding.trials_)`` shows it as a table.

    See Also
    --------
    ecoc.factorize : Factorize without a coding.
    ecoc.allocate : Make a design from distances and wishes.
    ecoc.class_distances : Compute the distances.

    References
    ----------
    M. A. Bautista, O. Pujol, F. de la Torre and S. Escalera, "Error-correcting factorization", 2015.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from ecoc.codes.coding import ECF
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
    trials_: dict[str, list[Any]] | None
    alphabet_: Alphabet

    _limits: ClassVar[Limits] = Limits()
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "allocation": [str, Real, callable],
        "n_columns": [StrOptions({"rank", "auto"}), *FREE_LENGTH],
        "max_columns": [Interval(Integral, 1, None, closed="left"), None],
        "design": ["array-like", None],
        "metric": [str, callable],
        "wishes": [Mapping, None],
        "refine": ["boolean", StrOptions({"auto"})],
        "alphabet": [StrOptions({"auto", "binary", "ternary"})],
        "protect": [list, tuple, set, Mapping, None],
        "method": [StrOptions({"auto", "paper"})],
        "effort": [Interval(Real, 0, None, closed="neither"), None],
        "time_limit": [Interval(Real, 0, None, closed="neither"), None],
    }

    def __init__(
        self,
        allocation: str | float | Callable[[Matrix], ArrayLike] = "balanced",
        n_columns: str | int | float | None = None,
        min_distance: int | ArrayLike | Mapping[Any, int] = 1,
        design: ArrayLike | None = None,
        metric: Metric = "mahalanobis",
        wishes: Mapping[Any, str | float] | None = None,
        max_columns: int | None = None,
        refine: bool | Literal["auto"] = "auto",
        alphabet: Literal["auto", "binary", "ternary"] = "auto",
        protect: Iterable[Any] | None = None,
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
        self.alphabet = alphabet
        self.protect = protect
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
        return self._designs_from_data or self.refine is True or self.alphabet == "ternary" or self.n_columns == "auto"

    @property
    def _designs_from_data(self) -> bool:
        is_equidistant = isinstance(self.allocation, str | Real) and self.allocation in ("equidistant", 0)
        return self.design is None and not is_equidistant

    def _build_in(self, n_classes: int, X: Any, y: NDArray[Any] | None, context: Context) -> Code:
        labels = (np.arange(n_classes) if y is None else np.unique(y)).tolist()
        self.protected_ = protected_pairs(self.protect, labels)
        code = self._build_unprotected(labels, X, y, context)
        self.n_unprotected_ = code.shape[1]
        return with_pair_columns(code, self.protected_)

    def _build_unprotected(self, labels: list[Any], X: Any, y: NDArray[Any] | None, context: Context) -> Code:
        """Return a code from a design of all pairs of classes or, with many classes, from a factor of it."""
        if self.method == "paper" and self.effort is not None:
            raise ValueError(
                f"method='paper' takes no effort; got effort={self.effort!r}. Leave it out, or use method='auto'."
            )
        k, demands = len(labels), check_min_distance(self.min_distance, labels)
        if k > self._limits.paired and (k > self._limits.most_paired or self._needs_pairs(demands) is None):
            return self._build_from_factor(labels, demands, X, y, context)
        return self._build_from_pairs(labels, demands, X, y, context)

    def _build_from_pairs(
        self, labels: list[Any], demands: int | Demands, X: Any, y: NDArray[Any] | None, context: Context
    ) -> Code:
        """Return a code from a design of all pairs of classes."""
        is_auto = isinstance(self.allocation, str) and self.allocation == "auto" and self.design is None
        allocations = (-1.0, -0.5, 0.0, 0.5, 1.0) if is_auto else (self.allocation,)
        self.distances_ = data_distances(X, y, self.metric, context.folds) if self._designs_from_data else None
        projections = [self._projection(allocation, labels, y) for allocation in allocations]
        lengths = [self._length(len(labels), demands, partial(projected_length, each)) for each in projections]
        self.alphabet_ = self._choose_alphabet(labels, demands, max(lengths), X, y, context)
        is_ternary, totals = self.alphabet_.name == "ternary", lengths
        if is_ternary:
            lengths = [min(length, _start_length(len(labels), demands)) for length in lengths]
        refiner = self._refiner(max(lengths), labels, X, y, context, always=is_auto or is_ternary)
        made = []
        with Progress("designing", len(lengths) > 1) as bar:
            for projection, length in zip(projections, lengths):
                problem = {"design": projection.matrix, "demands": demands, "labels": tuple(labels)}
                made.append(self._code(problem, length, refiner, context))
                bar.update(len(made) / len(lengths), f"{len(made)} of {len(lengths)} designs")
        place, self.trials_ = 0, None
        code, cut = made[0][0], self.n_columns == "auto"
        if refiner is not None and (is_auto or cut):
            place, code = self._choose(refiner, [code for code, _ in made], allocations)
        self.allocation_, self.factor_ = allocations[place], None
        self.design_, self.factorization_ = projections[place].matrix, made[place][1]
        if is_ternary and refiner is not None:
            return with_pair_columns(code, refiner.confused_pairs()[: totals[place] - code.shape[1]])
        return code

    def _projection(self, allocation: Any, labels: list[Any], y: NDArray[Any] | None) -> Projection:
        """Return the nearest design that codewords can match, for an allocation or from the user's own design."""
        k = len(labels)
        if self.design is not None:
            given = ordered_design(self.design, None if y is None else labels, k)
            return project_checked(apply_wishes(given, labels, self.wishes or {}))
        distances = 1 - np.eye(k) if self.distances_ is None else self.distances_
        return project_checked(allocate(distances, allocation, labels=labels, wishes=self.wishes))

    def _length(self, k: int, demands: int | Demands, rank: Callable[[int | Demands], int]) -> int:
        """Return the number of columns; `rank` returns that of the design, or what the demands need."""
        if isinstance(self.n_columns, Integral):
            if np.max(demands) == 1:
                return resolve_length(int(self.n_columns), k, k)
            check_entries(k, int(self.n_columns))  # whether it is possible, the factorization knows
            return int(self.n_columns)
        least = shortest_length(k, demands)[0]
        if not isinstance(self.n_columns, str | None):
            return max(resolve_length(self.n_columns, k, k), least)
        if self.n_columns == "rank" or (self.n_columns is None and k <= self._limits.few):
            usual = int(rank(demands))
        else:
            usual = length_of_many(k, self.n_columns == "auto") if k > self._limits.few else k - 1
        return max(usual if self.max_columns is None else min(usual, int(self.max_columns)), least)

    def _build_from_factor(
        self, labels: list[Any], demands: int | Demands, X: Any, y: NDArray[Any] | None, context: Context
    ) -> Code:
        """Return a code for so many classes that a matrix of all pairs is too large, or not worth its time."""
        self.alphabet_ = Alphabet("binary")
        if (name := self._needs_pairs(demands)) is not None:
            raise ValueError(
                f"ECF with more than {self._limits.most_paired:,} classes has no matrix of all their pairs, which "
                f"{name}={getattr(self, name)!r} needs; leave it at its default. Allocations from -1 ('easy') to 0 "
                "('equidistant') are possible."
            )
        directions = np.ones((len(labels), 1)) if y is None else class_directions(dense_features(X), y)
        length = self._length(len(labels), demands, partial(factor_length, directions))
        refiner = self._refiner(length, labels, X, y, context)
        self.factor_ = mixed_factor(directions, -self._number(), 2 * length, generator(context.random_state))
        self.distances_ = self.design_ = self.trials_ = None
        self.allocation_ = self.allocation
        problem = {"factor": self.factor_, "demands": demands, "labels": tuple(labels)}
        code, self.factorization_ = self._code(problem, length, refiner, context)
        if refiner is not None and self.n_columns == "auto":
            _, code = self._choose(refiner, [code], (self.allocation,))
        return code

    def _number(self) -> float:
        """Return the allocation as a number, which is not a number if it has none."""
        given: Any = ALLOCATIONS.get(self.allocation) if isinstance(self.allocation, str) else self.allocation
        return float(given) if isinstance(given, Real) else np.nan

    def _needs_pairs(self, demands: Any) -> str | None:
        """Return the name of a parameter that needs a matrix of all pairs of classes."""
        special = {
            "allocation": not -1 <= self._number() <= 0,
            "design": self.design is not None,
            "wishes": bool(self.wishes),
            "min_distance": not isinstance(demands, int),
            "metric": self.metric != "mahalanobis",
            "alphabet": self.alphabet == "ternary",
            "method": self.method != "auto",
        }
        return next((name for name, is_special in special.items() if is_special), None)

    def _refiner(
        self,
        length: int,
        labels: list[Any],
        X: Any,
        y: NDArray[Any] | None,
        context: Context,
        *,
        always: bool = False,
    ) -> Refiner | None:
        """Return the refiner, which fits codes to data and compares them; None if it is not needed."""
        self.is_refined_ = self._refines(len(labels), length, y, context)
        if not (self.is_refined_ or always or self.n_columns == "auto"):
            return None
        assert y is not None
        rng, classes = generator(context.random_state), np.searchsorted(labels, y)
        return Refiner(X, classes, rng, linear=context.is_linear, folds=context.folds)

    def _choose(self, refiner: Refiner, codes: list[Code], allocations: Sequence[Any]) -> tuple[int, Code]:
        """Return the place of the best code, and the code, cut to the best length if the length is free."""
        early, cut = _early_length(len(codes[0])), self.n_columns == "auto"
        place, length, self.trials_ = refiner.choose(
            codes, allocations, early, preferred=ALLOCATIONS["balanced"], cut=cut
        )
        return place, codes[place][:, :length] if cut else codes[place]

    def _choose_alphabet(
        self, labels: list[Any], demands: int | Demands, length: int, X: Any, y: NDArray[Any] | None, context: Context
    ) -> Alphabet:
        if self.alphabet == "ternary" and self.n_columns == "auto":
            raise ValueError("n_columns='auto' chooses among binary codes; give alphabet='ternary' a number, e.g. 2.0.")
        if self.alphabet != "auto" or y is None:
            return Alphabet("ternary" if self.alphabet == "ternary" else "binary")
        has_room = length > _start_length(len(labels), demands)
        if not (has_room and self.tries_estimator) or np.max(demands) > 1:
            return Alphabet("binary")
        return choose_alphabet(X, np.searchsorted(labels, y), context)

    @property
    def tries_estimator(self) -> bool:
        """Whether linear estimators are tried on a few columns, to see if columns should leave classes out."""
        return self.alphabet == "auto" and self.n_columns != "auto" and self.refine is not False and self._is_plain

    @property
    def _is_plain(self) -> bool:
        """Whether the user leaves the design open, so that the data may change it."""
        fits = isinstance(self.allocation, str) and self.allocation in ("balanced", "auto")
        return fits and self.design is None and not self.wishes and self.method == "auto"

    def _refines(self, k: int, length: int, y: NDArray[Any] | None, context: Context) -> bool:
        if isinstance(self.refine, bool):
            if self.refine and length >= k:
                raise ValueError(
                    f"A code of {length} columns for {k} classes cannot be refined: {k - 1} columns keep all that the "
                    f"proxy knows. Give n_columns below {k}, n_columns='auto', or refine='auto'."
                )
            return self.refine
        small = k <= self._limits.most_refined and k * length <= self._limits.most_refined_entries
        suits = context.most_refined is None or length <= context.most_refined
        if y is None or not (self._is_plain and small and suits and length < k):
            return False
        return bool(2 * np.count_nonzero(np.unique(y, return_counts=True)[1] > 1) >= k)  # else nothing can be held out

    def _code(
        self, problem: dict[str, Any], length: int, refiner: Refiner | None, context: Context
    ) -> tuple[Code, Factorization]:
        """Return a code for a design, and the factorization that it comes from."""
        effort_to_start = 0.01  # of the factorization that a refinement starts from
        k = len(problem["labels"])
        if refiner is None or not self.is_refined_:
            factorization = self._factorize(problem, length, context)
            code = factorization.code
            orders = refiner is not None and self.n_columns == "auto" and k <= self._limits.most_refined
            return refiner.order(code) if refiner is not None and orders else code, factorization
        least = np.atleast_2d(np.asarray(problem["demands"], dtype=np.int64))
        start = length if least.max() > 1 else min(length, _early_length(k))
        factorization = self._factorize(problem, start, context, effort_to_start)
        return refiner.refine(factorization.code, length, least), factorization

    def _factorize(
        self, problem: dict[str, Any], length: int, context: Context, effort: float | None = None
    ) -> Factorization:
        options = {"random_state": context.random_state, "time_limit": self.time_limit}
        while True:
            problem_of_length = Problem(n_columns=length, **problem)
            try:
                if self.method == "paper":
                    if (valid := _valid_relaxation(problem_of_length, options)) is not None:
                        return valid
                    raise InfeasibleError(
                        f"No start of the paper's algorithm gave a valid code of {length} columns; raise n_columns, or "
                        "take method='auto', whose codes are always valid.",
                        bound="starts",
                        nearest_length=length + 1 if length < 4 * problem_of_length.n_classes else None,
                    )
                return factorize_problem(
                    problem_of_length, effort=effort if self.effort is None else self.effort, **options
                )
            except InfeasibleError as error:
                # No bound excludes this length, and yet no code was found. Take the next length if it is free.
                nearest = error.nearest_length or 0
                if isinstance(self.n_columns, Integral) or nearest <= length:
                    raise
                length = nearest


def _valid_relaxation(problem: Problem, options: dict[str, Any]) -> Factorization | None:
    """Return the first valid code of several starts of the paper's algorithm, whose rounding may equate codewords."""
    most_starts = 20
    rng = generator(options["random_state"])
    for _ in range(most_starts):
        found = relax_problem(problem, **{**options, "random_state": rng})
        with suppress(CodeBookError):
            _ = found.codebook
            return found
    return None


def _early_length(k: int) -> int:
    """Return how many columns are changed together before others are added one by one."""
    return max(ceil(k / 4), (k - 1).bit_length() + 1)


def _start_length(k: int, demands: int | Demands) -> int:
    """Return the length of the binary code that a ternary code begins with."""
    return max(_early_length(k), shortest_length(k, demands)[0])
