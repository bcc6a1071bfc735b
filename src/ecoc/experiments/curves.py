"""How does the factorization converge? Cyclic against random updates, and designs whose optimum is known."""

from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

N_CYCLES = 30
GRID = 120  # points of a side of the plane


def convergence(X: Any, y: Any, order: str, seed: int) -> list[float]:
    """The relaxed objective before and after each cycle, of the hard design of the data."""
    from ecoc.design import allocate, class_distances, code_length, nearest_correlation

    design = nearest_correlation(allocate(class_distances(X, y), "hard"))
    return _history(design, code_length(design), seed, cast(Literal["cyclic", "random"], order))


def planted(n_classes: int, n_columns: int, design_seed: int, seed: int) -> list[float]:
    """The same for D = XXᵀ/l of random codewords X, all different: its optimum is 0."""
    rng = np.random.default_rng(design_seed)
    words = rng.choice(2**n_columns, n_classes, replace=False)
    code = 2.0 * (words[:, None] >> np.arange(n_columns) & 1) - 1
    return _history(code @ code.T / n_columns, n_columns, seed, "cyclic")


def _history(design: NDArray[np.float64], length: int, seed: int, order: Literal["cyclic", "random"]) -> list[float]:
    from ecoc.factorization import factorize

    result = factorize(
        design, length, method="paper", order=order, max_cycles=N_CYCLES, random_state=seed, progress=False
    )
    return [float(f"{value:.6g}") for value in result.history]


def grid(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Points all over the plane that X is in."""
    low, high = X.min(axis=0) - 0.5, X.max(axis=0) + 0.5
    axes = [np.linspace(a, b, GRID) for a, b in zip(low, high)]
    return np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 2)
