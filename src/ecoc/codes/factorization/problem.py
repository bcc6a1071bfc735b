"""The factorization problem: a design matrix or its factor, a number of columns and minimum distances, checked once."""

from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecoc.codes.design.bounds import Demands
from ecoc.codes.design.checks import (
    Matrix,
    check_between_classes,
    check_factor,
    check_min_distance,
    is_factor,
    labels_of,
)
from ecoc.codes.design.length import check_entries, factor_length, projected_length
from ecoc.codes.design.projection import project_checked
from ecoc.utils.threads import one_blas_thread

Code = NDArray[np.int8]


@dataclass(frozen=True, eq=False, kw_only=True)
class Problem:
    """Minimise ‖l·D − XXᵀ‖²_F over valid codes X ∈ {−1,+1}^{k×l}.

    A code is valid if the Hamming distance of each pair of codewords is at least what `demands` says, and no column is
    constant, equal to another column or its complement. Give either `design`, a checked D with unit diagonal and
    entries in [−1, 1], or `factor`, F with rows of length one, where D = FFᵀ. Both are stored row by row (C order).
    """

    n_columns: int
    demands: int | Demands
    design: Matrix | None = None
    factor: Matrix | None = None
    labels: tuple[Any, ...] | None = None
    caps: float | NDArray[Any] | None = None  # on products in the paper's relaxation, where they are not l − 2·demands

    @property
    def n_classes(self) -> int:
        """Number of classes, k."""
        return len(self.factor if self.design is None else self.design)  # type: ignore[arg-type]

    @cached_property
    def target(self) -> Matrix:
        """l·D, k × k."""
        if self.design is not None:
            return self.n_columns * self.design
        assert self.factor is not None
        with one_blas_thread():
            target = self.n_columns * (self.factor @ self.factor.T)
        np.fill_diagonal(target, self.n_columns)
        return target

    @cached_property
    def cap(self) -> Matrix:
        """Largest inner product allowed for each pair, l − 2c. The paper's l − c ensures only c/2."""
        caps = self.n_columns - 2.0 * np.asarray(self.demands) if self.caps is None else self.caps
        return np.broadcast_to(np.asarray(caps, dtype=np.float64), self.target.shape).copy()

    @cached_property
    def scale(self) -> float:
        """‖l·D‖_F."""
        if self.design is not None:
            return float(self.n_columns * np.linalg.norm(self.design))
        assert self.factor is not None
        with one_blas_thread():
            return float(self.n_columns * np.linalg.norm(self.factor.T @ self.factor))

    def objective(self, code: NDArray[Any]) -> float:
        """Compute ‖l·D − XXᵀ‖²_F; for a factor, without a k × k matrix."""
        x = np.asarray(code, dtype=np.float64)
        with one_blas_thread():
            if self.design is not None:
                return self._squared_error(self.design, x.astype(np.float32))  # exact for inner products, and faster
            assert self.factor is not None
            cross = np.linalg.norm(self.factor.T @ x) ** 2
            squared = self.scale**2 - 2 * self.n_columns * cross + np.linalg.norm(x.T @ x) ** 2
        return max(0.0, float(squared))

    def _squared_error(self, design: Matrix, x: NDArray[np.float32]) -> float:
        block = 256  # rows of a design that are compared with a code at a time
        total = 0.0
        for start in range(0, len(x), block):  # rows from the diagonal on; all but the first square counts twice
            rows = slice(start, start + block)
            error = (self.n_columns * design[rows, start:] - x[rows] @ x[start:].T) ** 2
            total += float(2 * error.sum() - error[:, :block].sum())
        return total

    def with_columns(self, n_columns: int) -> "Problem":
        """Return the same problem with another number of columns."""
        return replace(self, n_columns=n_columns)


def make_problem(
    D: ArrayLike, n_columns: int | None, min_distance: Any, labels: Any = None, factor: bool | None = None
) -> Problem:
    """Check the input of a factorization; choose the number of columns if it is None."""
    factored = is_factor(D, factor)
    matrix = check_factor(D) if factored else _check_design(D)
    k = len(matrix)
    if labels is None and hasattr(D, "columns"):
        labels = labels_of(D)
    if labels is not None:
        labels = tuple(labels)
        if len(labels) != k or len(set(labels)) != k:
            raise ValueError(
                f"labels must be {k} different names, one for each class; got {len(labels)} labels, "
                f"{len(set(labels))} of them different."
            )
    demands = check_min_distance(min_distance, k if labels is None else labels)
    if n_columns is None:
        n_columns = factor_length(matrix, demands) if factored else projected_length(project_checked(matrix), demands)
    elif isinstance(n_columns, bool) or not isinstance(n_columns, int | np.integer) or n_columns < 1:
        raise ValueError(f"n_columns must be a positive integer or None; got {n_columns!r}.")
    check_entries(k, int(n_columns))
    given = {"factor" if factored else "design": matrix}
    return Problem(n_columns=int(n_columns), demands=demands, labels=labels, **given)


def _check_design(D: ArrayLike) -> Matrix:
    rounding = 1e-6  # a larger deviation from a unit diagonal or from [−1, 1] is an error, not rounding
    values = check_between_classes(D, "D")
    diagonal, largest = np.diag(values), np.abs(values).max()
    if np.abs(diagonal - 1).max() > rounding or largest > 1 + rounding:
        raise ValueError(
            f"D must have a unit diagonal and entries in [-1, 1]; its diagonal spans [{diagonal.min():.4g}, "
            f"{diagonal.max():.4g}] and its largest entry is {largest:.4g} in size. ecoc.nearest_correlation(D) "
            "returns the nearest such matrix; ecoc.allocate(distances) makes one from distances."
        )
    np.clip(values, -1, 1, out=values)
    np.fill_diagonal(values, 1)
    # A data frame may store its values column by column, for which the kernels would be compiled a second time.
    return np.ascontiguousarray(values)


def check_positive(value: Any, name: str) -> None:
    """Raise an error unless a value is a positive number or None."""
    if value is not None and (isinstance(value, bool) or not isinstance(value, Real)):
        raise TypeError(f"{name} must be a number; got {value!r}.")
    if value is not None and not float(value) > 0:
        raise ValueError(f"{name} must be positive; got {value!r}.")
