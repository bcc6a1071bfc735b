"""What does ECF give if it is run as the paper prints it? A coding with nothing of ours in it."""

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
    nearest_correlation,
)
from ecoc.codes.design import alternating_projections, violated_bound
from ecoc.codes.factorization import read_distance
from ecoc.utils.numerics import generator

Reading = Literal["mended", "printed", "products"]


class PaperECF(Coding):
    """The paper's ECF: Algorithm 1 from random starts until a code is valid.

    Rounding by one threshold can give two classes equal codewords, or a column of one sign. Such a code cannot be used,
    and another start is tried.

    Parameters
    ----------
    allocation : {"hard", "easy"} or float, default="hard"
        ECF-H or ECF-E.
    min_distance : int, default=1
        The paper's constant c.
    reading : {"mended", "printed", "products"}, default="mended"
        What c means, see :func:`ecoc.factorize`.
    projection : {"nearest", "printed"}, default="nearest"
        Whether the design is projected to the nearest correlation matrix, or by the paper's Algorithm 2.
    n_starts : int, default=20
        Most starts.
    stop_at_valid : bool, default=True
        Whether the first valid code ends the search. If not, all starts are made and counted.

    Attributes
    ----------
    details_ : dict
        The number of starts, how many gave a valid code, the rank of the design and the relative error of the code.
    """

    needs_data = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}

    def __init__(
        self,
        allocation: str | float = "hard",
        min_distance: int = 1,
        reading: Reading = "mended",
        projection: Literal["nearest", "printed"] = "nearest",
        n_starts: int = 20,
        stop_at_valid: bool = True,
    ) -> None:
        self.allocation = allocation
        self.min_distance = min_distance
        self.reading = reading
        self.projection = projection
        self.n_starts = n_starts
        self.stop_at_valid = stop_at_valid

    def _build(self, n_classes: int, X: Any, y: Any, random_state: Any) -> Any:
        rng = generator(random_state)
        wanted = allocate(class_distances(X, y), self.allocation)
        design = nearest_correlation(wanted) if self.projection == "nearest" else alternating_projections(wanted).matrix
        length = code_length(design)
        rank, distance = length.rank, read_distance(self.min_distance, int(length), self.reading)
        if self.reading != "products":  # whose distance grows with the length
            length = code_length(design, distance)
        if reason := violated_bound(n_classes, int(length), distance):
            raise InfeasibleError(
                f"There is no code of {length} columns and distance {distance} for {n_classes} classes. {reason}.",
                bound=reason.partition(":")[0],
            )
        found: list[Any] = []
        n_starts = 0
        while n_starts < self.n_starts and not (found and self.stop_at_valid):
            n_starts += 1
            result = factorize(
                design, int(length), min_distance=distance, method="paper", random_state=rng, progress=False
            )
            if _is_valid(result.code):
                found.append(result)
        self.details_ = {"starts": n_starts, "valid": len(found), "rank": rank, "length": int(length)}
        if not found:
            raise CodeBookError(f"None of {n_starts} starts gave a valid code of {length} columns.")
        self.details_["relative_error"] = round(found[0].relative_error, 6)
        return found[0].code


def _is_valid(code: Any) -> bool:
    try:
        CodeBook(np.asarray(code))
    except CodeBookError:
        return False
    return True
