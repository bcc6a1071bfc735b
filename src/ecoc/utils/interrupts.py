"""Let Ctrl-C interrupt compiled code."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def interruptible() -> Iterator[None]:
    """Raise KeyboardInterrupt for a SystemError that it caused.

    If Ctrl-C comes while Numba returns from a compiled function, Python raises a SystemError ("returned a result with
    an exception set"). A handler for the errors of a computation would take it for one of these.

    Examples
    --------
    >>> from ecoc.utils.interrupts import interruptible
    >>> try:
    ...     with interruptible():
    ...         raise SystemError("returned a result with an exception set") from KeyboardInterrupt()
    ... except KeyboardInterrupt:
    ...     print("stopped")
    stopped
    """
    try:
        yield
    except SystemError as error:
        if isinstance(error.__cause__, KeyboardInterrupt):
            raise KeyboardInterrupt from error
        raise
