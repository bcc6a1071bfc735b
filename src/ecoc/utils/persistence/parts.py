"""List the parts of a model, the parts of these, and so on."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy import ndarray

from ecoc.utils.exceptions import PersistenceError

_FITTED = ("ecoc.classifier.", "ecoc.codes.codebook.", "ecoc.decoding.", "ecoc.training.")
# Out-of-bag outputs, scores of a search, and the samples of nearest neighbours with a metric for missing values.
_MAY_HAVE_NAN = ("oob_", "best_score_", "_fit_X", "missing")


def parts(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield names and values of the parts of containers, estimators, and objects of ecoc and scikit-learn.

    Everything else has no parts here.
    """
    if isinstance(value, Mapping):
        yield from ((f"[{key!r}]", part) for key, part in value.items())
    elif isinstance(value, list | tuple | set | frozenset):
        yield from ((f"[{i}]", part) for i, part in enumerate(value))
    elif isinstance(value, ndarray) and value.dtype == object:
        yield from ((f"[{i}]", part) for i, part in enumerate(value.flat))
    elif not isinstance(value, type) and (
        hasattr(value, "get_params") or type(value).__module__.partition(".")[0] in ("ecoc", "sklearn")
    ):
        yield from ((f".{attribute}", part) for attribute, part in getattr(value, "__dict__", {}).items())


def walk(value: Any) -> Iterator[Any]:
    """Yield the value and all its parts, each object once."""
    stack, seen = [value], set()
    while stack:
        value = stack.pop()
        if id(value) not in seen:
            seen.add(id(value))
            stack.extend(part for _, part in parts(value))
            yield value


def check_numbers(model: Any) -> None:
    """Raise an error if a number that predictions depend on is NaN.

    Checked are our own fitted parts, and what classifiers and regressors have learned. Preprocessing may have learned
    that a feature is always missing.
    """
    from sklearn.base import is_classifier, is_regressor

    for value in walk(model):
        if type(value).__module__.startswith(_FITTED):
            learned = getattr(value, "__dict__", {})  # a named tuple has none, and is part of something that does
        elif (
            hasattr(value, "get_params")
            and not isinstance(value, type)
            and (is_classifier(value) or is_regressor(value))
        ):
            parameters = value.get_params(deep=False)
            learned = {name: part for name, part in vars(value).items() if name not in parameters}
        else:
            continue
        for name, part in learned.items():
            if not name.startswith(_MAY_HAVE_NAN) and any(np.isnan(numbers).any() for numbers in _floats(part)):
                raise PersistenceError(f"{type(value).__name__}.{name} has NaN instead of a number")


def _floats(value: Any) -> Iterator[Any]:
    """Yield the numbers and arrays of numbers in a value, in nested lists, and in sparse matrices."""
    from scipy.sparse import issparse

    if isinstance(value, list | tuple):
        for part in value:
            yield from _floats(part)
    elif isinstance(value, float) or (isinstance(value, ndarray) and value.dtype.kind == "f"):
        yield value
    elif issparse(value):
        yield from _floats(value.data)
