"""ECF as the paper prints it."""

from numbers import Integral, Real
from typing import Any, ClassVar, Literal

import numpy as np

from ecoc import (
    CodeBook,
    CodeBookError,
    Coding,
    InfeasibleError,
    allocate,
    class_distances,
    code_length,
    factorize,
    factorize_paper,
    nearest_correlation,
)
from ecoc.codes.design import alternating_projections, violated_bound
from ecoc.codes.factorization import read_distance
from ecoc.utils.numerics import generator
from ecoc_paper._scikit import FREE_LENGTH, Interval, StrOptions


class PaperECF(Coding):
    """The paper's ECF: Algorithm 1 from random starts until a code is valid.

    Rounding by one threshold can give two classes equal codewords, or a column of one sign. Such a code cannot be used,
    and another start is tried. Where the paper can be read in several ways, a parameter has them all.

    Parameters
    ----------
    allocation : {"hard", "easy", "balanced", "equidistant"} or float, default="hard"
        How distances become a design, see :func:`ecoc.allocate`. ``"hard"`` is ECF-H, ``"easy"`` ECF-E.
    min_distance : int or array-like of shape (n_classes, n_classes), default=1
        The paper's constant c, of all pairs or of each.
    n_columns : int or float, default=None
        Number of columns. None: the rank of the design or, unless c caps products, what c needs, if this is more. A
        float multiplies this number.
    reading : {"mended", "printed", "products"}, default="mended"
        What c means: a Hamming distance; the paper's cap l − c on inner products, which keeps half of that distance; or
        a cap of the inner products, see :func:`ecoc.factorize_paper`.
    projection : {"nearest", "printed", "linear"}, default="nearest"
        How the design becomes a correlation matrix: the nearest one, or by the paper's Algorithm 2, where "scale" means
        to clip, or to scale linearly.
    rounding : {"end", "cycle"}, default="end"
        Whether to round after the relaxation, or in every cycle, see :func:`ecoc.factorize_paper`.
    diagonal : bool, default=False
        Whether the objective that chooses the threshold includes the diagonal.
    metric : str or callable, default="mahalanobis"
        Distances between classes, see :func:`ecoc.class_distances`.
    method : {"paper", "auto"}, default="paper"
        Algorithm 1, or :func:`ecoc.factorize`, whose codes are always valid.
    effort : float, default=None
        Effort of :func:`ecoc.factorize`.
    n_starts : int, default=20
        Most starts of Algorithm 1.
    stop_at_valid : bool, default=True
        Whether the first valid code ends the search. If not, all starts are made and counted.

    Attributes
    ----------
    design_ : ndarray of shape (n_classes, n_classes)
        The design that was factorized.
    details_ : dict
        The number of starts, how many gave a valid code, how many had repeated columns, the rank of the design, the
        length, and the relative error of the code.

    See Also
    --------
    ecoc.ECF : ECF with a search in place of Algorithm 1, and with parameters for daily use.
    ecoc.factorize_paper : Algorithm 1 for a design, once.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from ecoc_paper import PaperECF
    >>> X, y = load_digits(return_X_y=True)
    >>> coding = PaperECF("hard", min_distance=3, reading="printed", projection="printed", rounding="cycle")
    >>> book = coding.build(10, X, y, random_state=0)
    >>> book.min_distance >= 1, coding.details_["valid"]
    (True, 1)
    """

    needs_data = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "allocation": [str, Real],
        "min_distance": [Interval(Integral, 1, None, closed="left"), "array-like"],
        "n_columns": FREE_LENGTH,
        "reading": [StrOptions({"mended", "printed", "products"})],
        "projection": [StrOptions({"nearest", "printed", "linear"})],
        "rounding": [StrOptions({"end", "cycle"})],
        "diagonal": ["boolean"],
        "metric": [str, callable],
        "method": [StrOptions({"paper", "auto"})],
        "effort": [Interval(Real, 0, None, closed="neither"), None],
        "n_starts": [Interval(Integral, 1, None, closed="left")],
        "stop_at_valid": ["boolean"],
    }

    def __init__(
        self,
        allocation: str | float = "hard",
        min_distance: Any = 1,
        *,
        n_columns: int | float | None = None,
        reading: Literal["mended", "printed", "products"] = "mended",
        projection: Literal["nearest", "printed", "linear"] = "nearest",
        rounding: Literal["end", "cycle"] = "end",
        diagonal: bool = False,
        metric: Any = "mahalanobis",
        method: Literal["paper", "auto"] = "paper",
        effort: float | None = None,
        n_starts: int = 20,
        stop_at_valid: bool = True,
    ) -> None:
        self.allocation = allocation
        self.min_distance = min_distance
        self.n_columns = n_columns
        self.reading = reading
        self.projection = projection
        self.rounding = rounding
        self.diagonal = diagonal
        self.metric = metric
        self.method = method
        self.effort = effort
        self.n_starts = n_starts
        self.stop_at_valid = stop_at_valid

    def _build(self, n_classes: int, X: Any, y: Any, random_state: Any) -> Any:
        rng = generator(random_state)
        self.design_ = projected(allocate(class_distances(X, y, self.metric), self.allocation), self.projection)
        length, distances = self._length()
        if reason := violated_bound(n_classes, length, int(np.max(distances))):
            raise InfeasibleError(
                f"There is no code of {length} columns and distance {np.max(distances)} for {n_classes} classes. "
                f"{reason}.",
                bound=reason.partition(":")[0],
            )
        rank = code_length(self.design_).rank
        self.details_: dict[str, float] = {"starts": 0, "valid": 0, "repeated": 0, "rank": rank, "length": length}
        if self.method == "auto":
            options: dict[str, Any] = {"effort": self.effort, "random_state": rng, "progress": False}
            return factorize(self.design_, length, min_distance=distances, **options).code
        found = None
        while self.details_["starts"] < self.n_starts and (found is None or not self.stop_at_valid):
            result = factorize_paper(
                self.design_,
                length,
                min_distance=self.min_distance,
                reading=self.reading,
                rounding=self.rounding,
                diagonal=self.diagonal,
                random_state=rng,
                progress=False,
            )
            is_valid = _is_valid(result.code)
            self.details_["starts"] += 1
            self.details_["valid"] += is_valid
            self.details_["repeated"] += result.code.shape[1] < length
            found = result if found is None and is_valid else found
        if found is None:
            raise CodeBookError(
                f"None of {self.n_starts} starts gave a valid code of {length} columns; raise n_starts or n_columns, "
                "or take method='auto'."
            )
        self.details_["relative_error"] = round(found.relative_error, 6)
        return found.code

    def _length(self) -> tuple[int, Any]:
        """Return the number of columns, and the Hamming distances that the reading of c keeps at this length."""
        usual = code_length(self.design_)
        if self.reading != "products":  # whose distances grow with the length
            usual = code_length(self.design_, read_distance(self.min_distance, None, self.reading))
        wanted = self.n_columns
        most = 2 ** (len(self.design_) - 1) - 1  # different columns
        length = int(wanted) if isinstance(wanted, Integral) else min(round((wanted or 1.0) * int(usual)), most)
        return length, read_distance(self.min_distance, length, self.reading)


def projected(design: Any, projection: str) -> Any:
    """Return the correlation matrix that a design becomes."""
    if projection == "nearest":
        return nearest_correlation(design)
    return alternating_projections(design, scaling="clip" if projection == "printed" else "linear").matrix


def _is_valid(code: Any) -> bool:
    try:
        CodeBook(np.asarray(code))
    except CodeBookError:
        return False
    return True
