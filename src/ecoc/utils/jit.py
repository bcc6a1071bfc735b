"""How are kernels compiled? By Numba, which is imported only when a kernel is first needed."""

from collections.abc import Callable
from typing import Any, TypeVar

from numba import njit

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F, fastmath: Any = False) -> F:
    """Compile a function at its first call, and cache the result on disk if a cache folder can be written."""
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": fastmath}
    try:
        compiled: F = njit(cache=True, **options)(function)
    except RuntimeError:  # Numba can write neither to the package folder nor to the user's cache
        compiled = njit(**options)(function)
    return compiled
