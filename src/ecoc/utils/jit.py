"""How are kernels compiled? Imported only by kernel modules, which are themselves imported at first use."""

from collections.abc import Callable
from typing import Any, TypeVar

from numba import njit

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F, fastmath: Any = False) -> F:
    """Compile at first call, cached on disk where some cache folder can be written, in memory where none can."""
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": fastmath}
    try:
        compiled: F = njit(cache=True, **options)(function)
    except RuntimeError:  # numba found neither a writable package folder nor a writable user cache
        compiled = njit(**options)(function)
    return compiled
