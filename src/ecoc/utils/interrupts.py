"""Keep models intact when Ctrl-C or an error stops a computation."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from functools import wraps
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])


@contextmanager
def interruptible() -> Iterator[None]:
    """Raise KeyboardInterrupt for a SystemError that it caused.

    If Ctrl-C comes while Numba returns from a compiled function, Python raises a SystemError ("returned a result with
    an exception set"). A handler for the errors of a computation would take it for one of these.
    """
    try:
        yield
    except SystemError as error:
        if isinstance(error.__cause__, KeyboardInterrupt):
            raise KeyboardInterrupt from error
        raise


def all_at_once(fit: F) -> F:
    """Run a fitting method on a stand-in, whose attributes the model takes over when the method returns.

    An error, or Ctrl-C, leaves the model with the attributes that it had. The method may replace attributes; the
    objects that attributes refer to must not be changed in place.
    """

    @wraps(fit)
    def fit_or_leave(self: Any, *args: Any, **kwargs: Any) -> Any:
        stand_in = object.__new__(type(self))
        stand_in.__dict__ = copy(self.__dict__)
        with interruptible():
            fit(stand_in, *args, **kwargs)
        self.__dict__ = stand_in.__dict__
        return self

    return cast(F, fit_or_leave)
