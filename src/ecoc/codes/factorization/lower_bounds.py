"""Lower bounds on the objective that hold for every ±1 code of this length."""

from typing import NamedTuple

import numpy as np

from ecoc.codes.factorization.problem import Problem
from ecoc.codes.factorization.search_limits import LIMITS
from ecoc.utils.threads import one_blas_thread


class LowerBound(NamedTuple):
    """A value that no objective can be below, and the name of the bound."""

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
