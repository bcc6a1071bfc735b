"""Split the error of a factorization into the paper's optimisation and discretisation errors.

X* is the local optimum of the relaxation, D_B the product of discrete vectors that is nearest to the design l·D. Then

    ‖X*X*ᵀ − l·D‖² = ‖X*X*ᵀ − D_B‖² + ‖l·D − D_B‖² − 2 tr((X*X*ᵀ − D_B)(l·D − D_B)),

the optimisation error ε_o, the discretisation error ε_d, and a trace term that the paper leaves undiscussed.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecoc import factorize
from ecoc.codes.factorization import relaxed_code
from ecoc.utils.numerics import generator


@dataclass(frozen=True)
class ErrorDecomposition:
    """The parts of the squared error of the paper's relaxation; they add up to `total`.

    Attributes
    ----------
    total : float
        ‖X*X*ᵀ − l·D‖².
    optimisation : float
        ε_o = ‖X*X*ᵀ − D_B‖².
    discretisation : float
        ε_d = ‖l·D − D_B‖², the objective of the best code that is known.
    trace : float
        −2 tr((X*X*ᵀ − D_B)(l·D − D_B)).
    is_exact : bool
        Whether the best code is proven to be the best. Otherwise D_B, and with it each part, is an estimate.
    """

    total: float
    optimisation: float
    discretisation: float
    trace: float
    is_exact: bool


def decompose_error(
    D: ArrayLike,
    n_columns: int | None = None,
    *,
    min_distance: Any = 1,
    max_cycles: int = 100,
    effort: float | None = None,
    random_state: Any = None,
) -> ErrorDecomposition:
    """Split the error of the paper's relaxation into its parts.

    Parameters
    ----------
    D : array-like of shape (n_classes, n_classes)
        Design matrix, as for :func:`ecoc.factorize`.
    n_columns : int, default=None
        Number of columns. None: :func:`ecoc.code_length`.
    min_distance : int, array-like or mapping, default=1
        Smallest distance of two codewords.
    max_cycles : int, default=100
        Most cycles of the relaxation.
    effort : float, default=None
        Effort of the search for the best code.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the relaxation's start and of the search.

    Returns
    -------
    ErrorDecomposition
        The parts.

    Examples
    --------
    For a design that codewords can match, all of the error is the relaxation's own:

    >>> import numpy as np
    >>> from ecoc_paper.experiments.decomposition import decompose_error
    >>> code = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]])
    >>> parts = decompose_error(code @ code.T / 3, 3, random_state=0)
    >>> parts.discretisation, parts.trace, parts.is_exact
    (0.0, 0.0, True)
    """
    rng = generator(random_state)
    best = factorize(D, n_columns, min_distance=min_distance, effort=effort, random_state=rng, progress=False)
    relaxed = relaxed_code(D, best.n_columns, min_distance=min_distance, max_cycles=max_cycles, random_state=rng)[0]
    target = best.n_columns * np.asarray(D, dtype=np.float64)
    np.fill_diagonal(target, best.n_columns)
    found, nearest = relaxed @ relaxed.T, best.code.astype(np.float64) @ best.code.T
    trace = -2 * float(((found - nearest) * (target - nearest)).sum())

    def squared(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
        return float(((a - b) ** 2).sum())

    parts = squared(found, target), squared(found, nearest), squared(target, nearest)
    return ErrorDecomposition(*parts, trace + 0.0, best.optimal)
