"""The result of a factorization: the code, its objective, a lower bound, and a check of all these."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecoc.codes.codebook import CodeBook
from ecoc.codes.codebook.book import pair_distances
from ecoc.codes.factorization.budget import LIMITS
from ecoc.codes.factorization.problem import Code, Problem
from ecoc.utils.messages import SOME
from ecoc.utils.threads import one_blas_thread


class LowerBound(NamedTuple):
    """A lower bound of the objective, and its name."""

    value: float
    source: str


def lower_bound(problem: Problem) -> LowerBound:
    """Return the larger of the spectral and the parity bound."""
    candidates = [LowerBound(0.0, "none"), LowerBound(spectral_bound(problem), "spectral")]
    if problem.n_classes <= (LIMITS.most_eigenvalues if problem.factor is None else LIMITS.most_squared):
        candidates.append(LowerBound(parity_bound(problem), "parity"))
    return max(candidates, key=lambda bound: bound.value)


def spectral_bound(problem: Problem) -> float:
    """Bound the objective by eigenvalues: ‖l·D − XXᵀ‖² ≥ Σ(l·λ_i − μ_i)² (Hoffman and Wielandt).

    XXᵀ has trace k·l and at most l positive eigenvalues μ_i. The μ that minimises the sum is the projection of the l
    largest eigenvalues of l·D onto the simplex {μ ≥ 0, Σμ = k·l}.
    """
    k, l = problem.n_classes, problem.n_columns
    with one_blas_thread():
        if problem.factor is not None:
            eigenvalues = np.linalg.svd(problem.factor, compute_uv=False) ** 2
        elif problem.design is None or k > LIMITS.most_eigenvalues:
            return 0.0
        else:
            eigenvalues = np.linalg.eigvalsh(problem.design)[::-1]
    values = l * eigenvalues
    largest = values[:l]
    if len(largest) < min(k, l):  # a factor of low rank: the other eigenvalues are zero
        largest = np.concatenate([largest, np.zeros(min(k, l) - len(largest))])
    steps = (k * l - np.cumsum(largest)) / np.arange(1, len(largest) + 1)
    shift = steps[np.flatnonzero(largest + steps > 0)[-1]]
    mu = np.maximum(largest + shift, 0.0)
    bound = ((largest - mu) ** 2).sum() + (values[l:] ** 2).sum()
    return float(bound) if bound > 1e-9 * problem.scale**2 else 0.0


def parity_bound(problem: Problem) -> float:
    """Bound the objective by rounding: inner products are integers from −l to l − 2c with the parity of l."""
    l, target = problem.n_columns, problem.target
    nearest = l - 2 * np.round((l - target) / 2)
    error = (target - np.clip(nearest, -l, problem.cap)) ** 2
    np.fill_diagonal(error, 0)
    return float(error.sum())


@dataclass(frozen=True)
class Certificate:
    """Result of :meth:`ecoc.Factorization.verify`. It is true if the factorization is valid.

    Attributes
    ----------
    objective : float
        ‖l·D − XXᵀ‖²_F, computed from D and the code.
    objective_error : float
        Absolute difference between this and the objective that the factorization reports.
    min_distance : int
        Smallest Hamming distance of two codewords.
    n_close_pairs : int
        Number of pairs of codewords that are closer than `min_distance` allows.
    problems : tuple of str
        A sentence for each fault; empty if there is none.

    Examples
    --------
    >>> import numpy as np
    >>> from ecoc import factorize
    >>> D = np.array([[1, -0.5, 0.5], [-0.5, 1, 0], [0.5, 0, 1]])
    >>> certificate = factorize(D, n_columns=3, random_state=0).verify()
    >>> bool(certificate), certificate.min_distance, certificate.problems
    (True, 2, ())
    """

    objective: float
    objective_error: float
    min_distance: int
    n_close_pairs: int
    problems: tuple[str, ...]

    def __bool__(self) -> bool:
        return not self.problems

    def __str__(self) -> str:
        if self:
            return f"valid: objective {self.objective:.6g}, all codewords as far apart as asked, columns distinct"
        return "not valid: " + "; ".join(self.problems)


@dataclass(frozen=True, eq=False, repr=False)
class Factorization:
    """A code X with XXᵀ close to l·D, and how good it is.

    Attributes
    ----------
    code : int8 ndarray of shape (n_classes, n_columns)
        The code book matrix, read-only.
    objective : float
        ‖l·D − XXᵀ‖²_F.
    method : str
        ``"auto"`` or ``"paper"``.
    n_cycles : int
        Number of passes over the rows (``"paper"``), or of rounds of the search (``"auto"``).
    history : ndarray
        With ``"auto"``, the best objective after each round of the search. With ``"paper"``, the objective of the
        relaxation, without the diagonal and before rounding, after each cycle.
    stopped_by : str
        ``"optimal"``, ``"converged"``, ``"effort"``, ``"cycles"`` or ``"time"``.
    problem : Problem
        The design, the number of columns and the smallest distances.
    proven : bool
        Whether the search has proven that no code is better.

    See Also
    --------
    ecoc.factorize : Factorize a design matrix.
    ecoc.inspection.HistoryDisplay : Plot the objective over the search.

    Examples
    --------
    >>> import numpy as np
    >>> from ecoc import factorize
    >>> D = np.array([[1, -0.5, 0.5], [-0.5, 1, 0], [0.5, 0, 1]])
    >>> result = factorize(D, n_columns=3, random_state=0)
    >>> result
    Factorization(valid, 3 × 3, method='auto'): objective 15, relative error 0.645, proven optimal
    >>> result.codebook
    CodeBook 3 × 3 (classes × columns), min distance 2, correction 0
      0  ++-
      1  +-+
      2  ---
    >>> result.lower_bound == result.objective, result.bound_from
    (True, 'exact')
    """

    code: Code
    objective: float
    method: str
    n_cycles: int
    history: NDArray[np.float64]
    stopped_by: str
    problem: Problem = field(repr=False)
    proven: bool = False

    @property
    def n_classes(self) -> int:
        """Number of classes, k."""
        return len(self.code)

    @property
    def n_columns(self) -> int:
        """Number of columns, l."""
        return int(self.code.shape[1])

    @property
    def relative_error(self) -> float:
        """‖l·D − XXᵀ‖_F / ‖l·D‖_F."""
        return float(np.sqrt(self.objective) / self.problem.with_columns(self.n_columns).scale)

    @cached_property
    def codebook(self) -> CodeBook:
        """The code as a :class:`~ecoc.CodeBook`. Raises CodeBookError if the code is not valid."""
        return CodeBook(self.code, self.problem.labels)

    @cached_property
    def _bound(self) -> LowerBound:
        if self.proven:
            return LowerBound(self.objective, "exact")
        return lower_bound(self.problem.with_columns(self.n_columns))

    @property
    def lower_bound(self) -> float:
        """A lower bound: no code of this length has a smaller objective."""
        return min(self._bound.value, self.objective)

    @property
    def bound_from(self) -> str:
        """Name of the lower bound: ``"exact"``, ``"spectral"``, ``"parity"`` or ``"none"``."""
        return self._bound.source

    @property
    def optimal(self) -> bool:
        """Whether the objective is proven to be the smallest possible."""
        return self.objective <= self._bound.value * (1 + 1e-9) + 1e-9

    def verify(self) -> Certificate:
        """Check the factorization, using only D and the code.

        Returns
        -------
        Certificate
            True if the objective is right, every pair of codewords has its smallest distance, and the code has the
            number of columns asked for, none of them constant, equal to another column or its complement.

        Examples
        --------
        >>> import numpy as np
        >>> from ecoc import factorize
        >>> print(factorize(np.eye(6), n_columns=4, min_distance=2, random_state=0).verify())
        valid: objective 64, all codewords as far apart as asked, columns distinct

        The code of the paper's algorithm can be invalid:

        >>> certificate = factorize(np.eye(6), n_columns=4, min_distance=2, method="paper", random_state=0).verify()
        >>> bool(certificate), certificate.min_distance
        (False, 0)
        """
        problem = self.problem.with_columns(self.n_columns)
        objective = problem.objective(self.code)
        error = abs(objective - self.objective)
        found = []
        if error > 1e-9 * problem.scale**2 + 1e-9:
            found.append(f"the objective is {objective:.9g}, not {self.objective:.9g}")
        if self.n_columns != self.problem.n_columns:
            found.append(f"{self.n_columns} columns instead of {self.problem.n_columns}")
        smallest, n_close, named = _close_pairs(self.code, self.problem)
        if n_close:
            more = ", …" if n_close > SOME else ""
            found.append(f"{n_close} pairs of codewords are too close ({', '.join(named)}{more})")
        overlap = self.code.T.astype(np.int64) @ self.code
        constant = np.flatnonzero(np.abs(self.code.sum(axis=0, dtype=np.int64)) == self.n_classes)
        if len(constant):
            found.append(f"constant columns: {constant[:SOME].tolist()}")
        repeated = np.argwhere(np.triu(np.abs(overlap) == self.n_classes, 1))
        if len(repeated):
            found.append(f"columns equal or complementary: {repeated[:SOME].tolist()}")
        return Certificate(objective, error, smallest, n_close, tuple(found))

    def __repr__(self) -> str:
        valid = "valid" if self.verify() else "NOT valid"
        text = f"Factorization({valid}, {self.n_classes} × {self.n_columns}, method={self.method!r}): "
        text += f"objective {self.objective:.6g}, relative error {self.relative_error:.3g}, "
        if self.optimal:
            return text + "proven optimal"
        return text + f"at most {self.objective - self.lower_bound:.4g} above the optimum ({self.bound_from} bound)"


def _close_pairs(code: Code, problem: Problem) -> tuple[int, int, list[str]]:
    """Return the smallest distance, the number of pairs that are too close, and a text for the first of them."""
    names = range(len(code)) if problem.labels is None else problem.labels
    smallest, n_close = float(code.shape[1]), 0
    named: list[str] = []
    for start, apart in pair_distances(code):
        smallest = min(smallest, apart.min())
        rows = slice(start, start + len(apart))
        demand = problem.demands[rows, start:] if isinstance(problem.demands, np.ndarray) else problem.demands
        close = np.argwhere(np.triu(apart < demand, 1))
        n_close += len(close)
        named += [
            f"{names[start + i]!r} and {names[start + j]!r}: {int(apart[i, j])}" for i, j in close[: SOME - len(named)]
        ]
    return int(smallest), n_close, named


def make_result(
    problem: Problem,
    code: NDArray[Any],
    method: str,
    history: list[float],
    stopped_by: str,
    proven: bool = False,
    objective: float | None = None,
) -> Factorization:
    """Make the result of a method; the objective is computed unless it is known exactly."""
    code = np.ascontiguousarray(code, dtype=np.int8)
    code.setflags(write=False)
    if objective is None:
        objective = problem.with_columns(code.shape[1]).objective(code)
    n_cycles, stopped_by = len(history) - 1, "optimal" if proven else stopped_by
    return Factorization(code, objective, method, n_cycles, np.array(history), stopped_by, problem, proven)
