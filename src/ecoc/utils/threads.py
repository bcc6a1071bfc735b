"""How do results not depend on the number of BLAS threads? By one thread where rounding could change a result."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

_lock = Lock()
_n_open = 0  # number of open contexts in all threads
_limiter: Any = None


@cache
def _controller() -> Any:
    import scipy.linalg  # noqa: F401  threadpoolctl finds SciPy's own BLAS only if it is loaded
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()  # cached, because it takes milliseconds to scan the loaded libraries


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Run BLAS and LAPACK on one thread inside this context.

    The limit holds for the whole process. The first context that opens sets it, the last one that closes removes it.
    """
    global _n_open, _limiter
    with _lock:
        if _n_open == 0:
            _limiter = _controller().limit(limits=1, user_api="blas")
        _n_open += 1
    try:
        yield
    finally:
        with _lock:
            _n_open -= 1
            if _n_open == 0:
                _limiter.restore_original_limits()


def in_threads(function: Callable[[Any], None], items: Iterable[Any], parallel: bool = True) -> None:
    """Call a function that releases the GIL for every item, on as many threads as BLAS may use.

    BLAS uses one thread within each call, so the results do not depend on the number of threads.
    """
    allowed = max((library["num_threads"] for library in _controller().info()), default=1)
    with one_blas_thread(), ThreadPoolExecutor(allowed if parallel else 1) as pool:
        for _ in pool.map(function, items):
            pass
