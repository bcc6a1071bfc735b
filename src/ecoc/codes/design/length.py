"""Choose the number of columns of a code: the rank of the design, or more if the distances need it."""

from math import ceil
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ecoc.codes.design.bounds import Demands, shortest_length
from ecoc.codes.design.checks import Matrix, check_factor, check_min_distance, is_factor, labels_of
from ecoc.codes.design.projection import Projection, project
from ecoc.utils.exceptions import InfeasibleError
from ecoc.utils.threads import one_blas_thread

FEW = 64  # classes up to which the usual length is the rank


class CodeLength(int):
    """A number of columns, with its reasons as attributes.

    Parameters
    ----------
    length : int
        The number of columns.
    rank, log2, bound : int
        See the attributes.
    decided_by : str
        See the attributes.

    Attributes
    ----------
    rank : int
        Rank of the projected design matrix. Fewer columns cannot match the design, even with real-valued codewords.
    log2 : int
        ⌈log2 k⌉, the smallest number of columns that gives k classes different codewords.
    bound : int
        The smallest number of columns that the bounds of coding theory allow for the smallest distances asked for.
    decided_by : str
        ``"rank"``, ``"log2"``, the name of a bound such as ``"Plotkin"``, or ``"columns"`` if there are no
        more different columns than this.

    See Also
    --------
    ecoc.code_length : Find the number of columns for a design.

    Examples
    --------
    >>> import numpy as np
    >>> from ecoc import code_length
    >>> length = code_length(np.ones((5, 5)), min_distance=3)
    >>> length
    6 columns: the least that min_distance needs, by the Plotkin bound (rank 1, log2 3, bound 6)
    >>> length.decided_by, length.bound, length + 1
    ('Plotkin', 6, 7)
    """

    rank: int
    log2: int
    bound: int
    decided_by: str

    def __new__(cls, length: int, rank: int, log2: int, bound: int, decided_by: str) -> "CodeLength":  # noqa: D102
        self = super().__new__(cls, length)
        self.rank, self.log2, self.bound, self.decided_by = rank, log2, bound, decided_by
        return self

    def __getnewargs__(self) -> tuple[Any, ...]:
        return int(self), self.rank, self.log2, self.bound, self.decided_by

    def __repr__(self) -> str:
        why = {
            "rank": "the rank of the design matrix",
            "log2": "the least that tells the classes apart",
            "columns": "there are no more different columns",
        }.get(self.decided_by, f"the least that min_distance needs, by the {self.decided_by} bound")
        return f"{int(self)} columns: {why} (rank {self.rank}, log2 {self.log2}, bound {self.bound})"

    def __str__(self) -> str:
        return int.__repr__(self)  # so that it prints and formats as the number it is


def code_length(D: ArrayLike, min_distance: Any = 1, *, tol: float = 1e-6, factor: bool | None = None) -> CodeLength:
    """Choose the number of columns: the rank of the design matrix, or more if `min_distance` needs it.

    Parameters
    ----------
    D : array-like of shape (n_classes, n_classes) or (n_classes, n_dimensions)
        Design matrix. It is replaced by its nearest correlation matrix (:func:`nearest_correlation`), whose rank is
        well defined. Or a factor F of the design, D = FFᵀ, whose rows are scaled to length one; no square matrix is
        formed from a factor.
    min_distance : int, matrix or mapping, default=1
        Smallest Hamming distance between codewords; see :func:`~ecoc.codes.design.check_min_distance`.
    tol : float, default=1e-6
        The rank is the number of eigenvalues of the projected D above this. The mean eigenvalue is 1.
    factor : bool, default=None
        Whether D is a factor. If None, D is a factor if it is not square.

    Returns
    -------
    CodeLength
        An integer, with the reasons as attributes.

    Raises
    ------
    InfeasibleError
        If no code book has these smallest distances, whatever its length.

    See Also
    --------
    ecoc.codes.design.shortest_length : The number of columns that the distances alone need.
    ecoc.factorize : Make a code of this length.

    Examples
    --------
    >>> import numpy as np
    >>> from ecoc import code_length
    >>> code_length(np.eye(5))
    5 columns: the rank of the design matrix (rank 5, log2 3, bound 3)
    >>> code_length(np.ones((5, 5)), min_distance=3)
    6 columns: the least that min_distance needs, by the Plotkin bound (rank 1, log2 3, bound 6)
    >>> np.zeros((5, code_length(np.eye(5)))).shape
    (5, 5)
    """
    if is_factor(D, factor):
        F = check_factor(D)
        return factor_length(F, check_min_distance(min_distance, len(F)), tol=tol)
    projection = project(D)
    labels = labels_of(D) if hasattr(D, "columns") else len(projection.matrix)
    return projected_length(projection, check_min_distance(min_distance, labels), tol=tol)


def projected_length(projection: Projection, demands: int | Demands, *, tol: float = 1e-6) -> CodeLength:
    """Find the number of columns for a design that is projected and demands that are checked."""
    with one_blas_thread():
        eigenvalues = np.linalg.eigvalsh(projection.matrix)
    return _length(len(projection.matrix), int(np.count_nonzero(eigenvalues > tol)), demands)


def factor_length(F: Matrix, demands: int | Demands, *, tol: float = 1e-6) -> CodeLength:
    """Find the number of columns for a factor with rows of length one and demands that are checked."""
    with one_blas_thread():
        singular_values = np.linalg.svd(F, compute_uv=False)
    return _length(len(F), int(np.count_nonzero(singular_values**2 > tol)), demands)


def _length(k: int, rank: int, demands: int | Demands) -> CodeLength:
    bound, bound_name = shortest_length(k, demands)
    candidates = {"rank": rank, "log2": (k - 1).bit_length(), bound_name: bound}
    decided_by = max(candidates, key=lambda name: candidates[name])  # the first of equals
    length = candidates[decided_by]
    if length.bit_length() > k - 1:
        length, decided_by = 2 ** (k - 1) - 1, "columns"
    return CodeLength(length, rank, candidates["log2"], bound, decided_by)


def check_entries(n_classes: int, n_columns: int) -> None:
    """Raise an error if a code book is too large for memory, and for any use."""
    most_entries = 2**31  # of a code book
    if n_classes * n_columns > most_entries:
        raise ValueError(
            f"{n_columns:,} columns for {n_classes:,} classes are too many: each column needs a binary classifier. "
            f"Ask for {n_classes:,} columns or fewer, as is usual."
        )


def length_of_many(k: int, most: bool = False) -> int:
    """Return the usual number of columns for many classes, or the largest number that is worth trying.

    With many classes, the rank of a design is nearly always k − 1, which would be as many columns as one-vs-all has.
    """
    # Columns for each bit of the number of classes, if there are more classes. Accuracy of SVC(C=10) with 2, 3, 4, 6, 8
    # and 12 of them: 74.9, 82.0, 84.8, 89.0, 88.3 and 87.3 % on 200 characters (one-vs-all 75.1 %), and 99.3, 99.3,
    # 99.6, 99.6, 99.6 and 99.6 % on 100 species of leaves (one-vs-all 99.8 %). With half, characters lose 7 points;
    # with double, 2.
    usual, longest = 6, 16
    return min((longest if most else usual) * (k - 1).bit_length(), k - 1)


def resolve_length(n_columns: int | float | None, n_classes: int, default: int, most: int | None = None) -> int:
    """Return the number of columns that the parameter `n_columns` of a coding asks for.

    Parameters
    ----------
    n_columns : int, float or None
        A number; a float, which is multiplied by the number of classes; or None for the default.
    n_classes : int
        Number of classes, k.
    default : int
        The usual number of columns.
    most : int, default=None
        Largest possible number of columns. None: all different ones, 2^(k−1) − 1.

    Returns
    -------
    int
        The number of columns. A share or the default is changed to the nearest number from ⌈log2 k⌉ to `most`.

    Raises
    ------
    InfeasibleError
        If `n_columns` is an integer that is impossible.

    Examples
    --------
    >>> from ecoc.codes.coding import resolve_length
    >>> resolve_length(None, 10, default=9), resolve_length(0.5, 10, default=9), resolve_length(0.1, 10, default=9)
    (9, 5, 4)
    """
    least, most = (n_classes - 1).bit_length(), 2 ** (n_classes - 1) - 1 if most is None else most
    if not isinstance(n_columns, Integral):
        wanted = default if n_columns is None else ceil(n_columns * n_classes)
        return min(max(wanted, least), most)
    length = int(n_columns)
    if length < least:
        raise InfeasibleError(
            f"n_columns={length} cannot tell {n_classes} classes apart; take {least} or more.",
            bound="log2",
            nearest_length=least,
        )
    if length > most:
        raise InfeasibleError(
            f"n_columns={length} is too many: {n_classes} classes have only {most} different columns of this kind.",
            bound="Columns",
            nearest_length=most,
        )
    check_entries(n_classes, length)
    return length
