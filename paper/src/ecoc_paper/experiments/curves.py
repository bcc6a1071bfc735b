"""Convergence of the factorization: cyclic and random updates, and designs whose factor is known."""

from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from ecoc import allocate, code_length, nearest_correlation
from ecoc.codes.factorization import relaxed_code

Matrix = NDArray[np.float64]

N_CYCLES = 30
GRID = 120  # points on a side of the plane


def convergence(distances: Matrix, order: str, seed: int) -> list[float]:
    """Return ‖l·D − XXᵀ‖² of the relaxation before and after each cycle, for the hard design of class distances."""
    design = nearest_correlation(allocate(distances, "hard"))
    return _history(design, code_length(design), seed, order)


def planted(n_classes: int, n_columns: int, design_seed: int, run_seeds: list[int]) -> list[list[float]]:
    """Return the same for D = XXᵀ/l with random codewords X, all different, from several starts. The optimum is 0."""
    rng = np.random.default_rng(design_seed)
    words = rng.choice(2**n_columns, n_classes, replace=False)
    code = 2.0 * (words[:, None] >> np.arange(n_columns) & 1) - 1
    return [_history(code @ code.T / n_columns, n_columns, seed, "cyclic") for seed in run_seeds]


def _history(design: Matrix, length: int, seed: int, order: str) -> list[float]:
    order = cast(Literal["cyclic", "random"], order)
    _, history = relaxed_code(design, int(length), order=order, max_cycles=N_CYCLES, random_state=seed)
    return [float(f"{value:.4g}") for value in history]


def grid(X: Matrix) -> Any:
    """Return points all over the plane of X."""
    low, high = X.min(axis=0) - 0.5, X.max(axis=0) + 0.5
    axes = [np.linspace(a, b, GRID) for a, b in zip(low, high)]
    return np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 2)
