"""How do results not depend on the number of BLAS threads? One thread wherever rounding could steer a search."""

from contextlib import AbstractContextManager
from functools import cache
from typing import Any


@cache
def _controller() -> Any:
    import scipy.linalg  # noqa: F401  scipy brings a BLAS of its own, which has to be loaded to be found
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()  # scanning the loaded libraries takes milliseconds: once a process is enough


def one_blas_thread() -> AbstractContextManager[Any]:
    """Context in which BLAS and LAPACK run on one thread."""
    context: AbstractContextManager[Any] = _controller().limit(limits=1, user_api="blas")
    return context
