"""Leave a model as it was if its fit fails: the fitted state changes all at once at the end."""

from collections.abc import Callable
from copy import copy
from functools import wraps
from typing import Any, TypeVar, cast

from ecoc.utils.interrupts import interruptible

F = TypeVar("F", bound=Callable[..., Any])


def all_at_once(fit: F) -> F:
    """Let a method that fits run on a stand-in, whose attributes the model takes over when the method returns.

    An error, or Ctrl-C, leaves the model with the attributes that it had. The method may replace attributes; the
    objects that attributes refer to must not be changed in place.

    Examples
    --------
    >>> from ecoc.utils.fitting import all_at_once
    >>> class Model:
    ...     @all_at_once
    ...     def fit(self, y):
    ...         self.classes_ = sorted(set(y))
    ...         self.per_class_ = 6 // (len(self.classes_) - 1)
    ...         return self
    >>> model = Model().fit([1, 2, 3])
    >>> try:
    ...     model.fit([7])
    ... except ZeroDivisionError:
    ...     print(vars(model))
    {'classes_': [1, 2, 3], 'per_class_': 3}
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
