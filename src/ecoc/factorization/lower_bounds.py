"""How good could any code be? Lower bounds on the objective that hold for every ±1 code of this length."""

from typing import NamedTuple

import numpy as np

from ecoc.factorization.problem import Problem
from ecoc.utils.threads import one_blas_thread

_MOST_CLASSES = 4096  # above, k × k eigenvalues or pairs cost more than they tell
_MOST_FACTORED = 1024  # above, a design given as a factor is not made square


class LowerBound(NamedTuple):
    """A value no code can undercut, and the name of the argument."""

    value: float
    source: str


def lower_bound(problem: Problem) -> LowerBound:
    """The larger of the spectral and the parity bound."""
    candidates = [LowerBound(0.0, "none"), LowerBound(spectral_bound(problem), "spectral")]
    if problem.n_classes <= (_MOST_CLASSES if problem.factor is None else _MOST_FACTORED):
        candidates.append(LowerBound(parity_bound(problem), "parity"))
    return max(candidates, key=lambda bound: bound.value)


def spectral_bound(problem: Problem) -> float:
    """XXᵀ has trace k·l and at most l eigenvalues μ ≥ 0; by Hoffman and Wielandt ‖l·D − XXᵀ‖² ≥ Σ(l·λ_i − μ_i)².

    The best μ keeps the l largest eigenvalues of l·D and spreads over them what the others hold, as far as μ ≥ 0
    allows: a projection onto a simplex.
    """
    k, l = problem.n_classes, problem.n_columns
    with one_blas_thread():
        if problem.factor is not None:
            eigenvalues = np.linalg.svd(problem.factor, compute_uv=False) ** 2
        elif problem.design is None or k > _MOST_CLASSES:
            return 0.0
        else:
            eigenvalues = np.linalg.eigvalsh(problem.design)[::-1]
    values = l * eigenvalues
    kept = values[:l]
    if len(kept) < min(k, l):  # a factor of low rank: the other eigenvalues are zero
        kept = np.concatenate([kept, np.zeros(min(k, l) - len(kept))])
    # projection of kept onto {μ ≥ 0, Σμ = k·l}
    steps = (k * l - np.cumsum(kept)) / np.arange(1, len(kept) + 1)
    shift = steps[np.flatnonzero(kept + steps > 0)[-1]]
    mu = np.maximum(kept + shift, 0.0)
    bound = ((kept - mu) ** 2).sum() + (values[l:] ** 2).sum()
    return float(bound) if bound > 1e-9 * problem.scale**2 else 0.0


def parity_bound(problem: Problem) -> float:
    """Inner products of codewords are integers of l's parity between −l and l − 2c: no pair is nearer than rounding."""
    l, target = problem.n_columns, problem.target
    nearest = l - 2 * np.round((l - target) / 2)
    miss = (target - np.clip(nearest, -l, problem.cap)) ** 2
    np.fill_diagonal(miss, 0)
    return float(miss.sum())
