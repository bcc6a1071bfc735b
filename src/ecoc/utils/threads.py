"""How do results not depend on the number of BLAS threads? One thread wherever rounding could steer a search."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

_lock = Lock()
_inside = 0  # how many contexts are open, in all threads
_limiter: Any = None


@cache
def _controller() -> Any:
    import scipy.linalg  # noqa: F401  scipy brings a BLAS of its own, which has to be loaded to be found
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()  # scanning the loaded libraries takes milliseconds: once a process is enough


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Context in which BLAS and LAPACK run on one thread.

    The limit is the process's, so the first to come sets it and the last to leave lifts it, whatever their threads.
    """
    global _inside, _limiter
    with _lock:
        if _inside == 0:
            _limiter = _controller().limit(limits=1, user_api="blas")
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0:
                _limiter.restore_original_limits()


def in_threads(function: Callable[[Any], None], items: Iterable[Any], parallel: bool = True) -> None:
    """Call a function that frees the interpreter for every item, on as many threads as BLAS may use.

    BLAS itself has one in each: what is computed for an item does not depend on how many there are.
    """
    allowed = max((library["num_threads"] for library in _controller().info()), default=1)
    with one_blas_thread(), ThreadPoolExecutor(allowed if parallel else 1) as pool:
        for _ in pool.map(function, items):
            pass
