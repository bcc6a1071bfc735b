"""Limit BLAS to one thread where rounding could change a result."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils.extmath import safe_sparse_dot

_lock = Lock()
_ROWS = 4096  # of a block that one thread multiplies
_SMALL = 2**14  # multiplications that BLAS never splits
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
    items = list(items)
    allowed = 1
    if parallel and len(items) > 1:  # a pool takes longer to start than a single row to predict
        allowed = max((library["num_threads"] for library in _controller().info()), default=1)
    if allowed == 1:
        with one_blas_thread():
            for item in items:
                function(item)
        return
    with one_blas_thread(), ThreadPoolExecutor(allowed) as pool:
        for _ in pool.map(function, items):
            pass


def matrix_product(A: Any, B: Any) -> NDArray[np.float64]:
    """Return A·B as an array, to the same last digit whatever the number of BLAS threads; both may be sparse.

    BLAS rounds differently if it splits a product among threads. So the rows are split here, in blocks of one size.
    """
    if issparse(A) and issparse(B):  # scikit-learn multiplies two sparse matrices of one precision only
        A = A.astype(np.float64, copy=False)
    if issparse(A) or issparse(B) or A.size * B.shape[1] <= _SMALL:
        return np.asarray(safe_sparse_dot(A, B, dense_output=True))
    product = np.empty((len(A), B.shape[1]))

    def fill(start: int) -> None:
        product[start : start + _ROWS] = A[start : start + _ROWS] @ B

    in_threads(fill, range(0, len(A), _ROWS), parallel=len(A) > _ROWS)
    return product
