"""Kernel values of support vector machines, by one matrix product where possible."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.metrics.pairwise import pairwise_kernels

from ecoc.training.base import Array
from ecoc.training.binary import check_squares
from ecoc.utils.numerics import without_duplicates
from ecoc.utils.threads import in_threads

_GRAM_ROWS = 256


@dataclass(frozen=True)
class Kernel:
    """A kernel whose parameters are numbers."""

    kind: Any  # a name or a callable
    gamma: float = 1.0
    degree: int = 3
    coef0: float = 0.0

    @classmethod
    def of(cls, estimator: Any, X: Any) -> "Kernel":
        """Return the kernel of an SVC on X; its gamma may depend on the variance of X."""
        if callable(estimator.kernel):
            return cls(estimator.kernel)
        check_squares(X)
        gamma = estimator.gamma
        if gamma == "scale":
            X = as_floats(X)
            variance = X.multiply(X).mean() - X.mean() ** 2 if issparse(X) else X.var()
            gamma = 1.0 / (X.shape[1] * variance) if variance != 0 else 1.0
        elif gamma == "auto":
            gamma = 1.0 / X.shape[1]
        return cls(estimator.kernel, float(gamma), int(estimator.degree), float(estimator.coef0))

    def __call__(self, A: Any, B: Any) -> Array:
        """Return kernel values between the rows of A and of B."""
        return self.with_rows(B)(A)

    def with_rows(self, B: Any) -> Callable[[Any], Array]:
        """Return a function of A that computes kernel values between its rows and those of B; B is prepared once."""
        if callable(self.kind):
            return lambda A: np.asarray(self.kind(A, B), dtype=np.float64)
        B = as_floats(B)
        if self.kind == "rbf" and not issparse(B):
            return _gaussian(B, self.gamma)
        numbers = {"rbf": ("gamma",), "sigmoid": ("gamma", "coef0"), "poly": ("gamma", "degree", "coef0"), "linear": ()}
        options = {name: getattr(self, name) for name in numbers[self.kind]}

        def values(A: Any) -> Array:
            block = pairwise_kernels(as_floats(A), B, metric=self.kind, **options)
            return np.ascontiguousarray(block.toarray() if issparse(block) else block)

        return values


def as_floats(X: Any) -> Any:
    """Return samples in double precision, as LIBSVM reads them; in a narrow type, squares and sums would overflow."""
    return without_duplicates(X.astype(np.float64, copy=False))


def _gaussian(B: Array, gamma: float) -> Callable[[Any], Array]:
    """Return exp(−γ|a−b|²) as a function of A, with both centred at the mean of B.

    One matrix product gives the exponent: (√2γ·a, −γ|a|², 1)·(√2γ·b, 1, −γ|b|²).
    """
    centre, scale = B.mean(axis=0), np.sqrt(2.0 * gamma)

    def scaled(A: Any) -> tuple[Array, Array, Array]:
        A = (np.asarray(A, dtype=np.float64) - centre) * scale
        return A, -0.5 * np.einsum("ij,ij->i", A, A), np.ones(len(A))

    vectors, halves, ones = scaled(B)
    right = np.vstack([vectors.T, ones, halves])

    def values(A: Any) -> Array:
        block: Array = np.column_stack(scaled(A)) @ right
        np.minimum(block, 0.0, out=block)
        return np.exp(block, out=block)

    return values


def gram_matrix(kernel: Kernel, X: Any) -> Array:
    """Return kernel values between all samples, which do not depend on the number of threads."""
    n = X.shape[0]
    X = X if callable(kernel.kind) else as_floats(X)
    gram = np.empty((n, n))

    def fill(rows: slice) -> None:
        block = kernel(X[rows], X[: rows.stop])
        gram[rows, : rows.stop] = block
        gram[: rows.stop, rows] = block.T  # exactly symmetric, in spite of rounding
        if kernel.kind == "rbf":
            np.fill_diagonal(gram[rows, rows], 1.0)

    blocks = [slice(start, min(start + _GRAM_ROWS, n)) for start in range(0, n, _GRAM_ROWS)]
    in_threads(fill, reversed(blocks), parallel=not callable(kernel.kind))  # the last blocks are the largest
    return gram
