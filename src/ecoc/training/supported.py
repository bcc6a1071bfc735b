"""The parameters that a fast way of training supports; an estimator with any others is trained in the plain way."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

Values = Callable[[Any], bool]


def one_of(*values: Any) -> Values:
    """Accept these values only."""
    return lambda value: isinstance(value, str | int | float | None) and value in values


def finite(value: Any) -> bool:
    """Accept a finite number, valid or not."""
    return isinstance(value, int | float | np.number) and bool(np.isfinite(value))


def honoured(names: str) -> dict[str, Values]:
    """Accept every value of the named parameters, which are honoured or have no effect on two classes."""
    return dict.fromkeys(names.split(), lambda value: True)


def supports(parameters: Mapping[str, Values], estimator: Any) -> bool:
    """Tell whether every parameter of the estimator is listed, with a supported value.

    A parameter that a later version adds is not listed.
    """
    given = estimator.get_params(deep=False)
    return all(name in parameters and parameters[name](value) for name, value in given.items())
