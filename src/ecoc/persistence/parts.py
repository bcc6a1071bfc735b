"""What is a model made of? Its parts, the parts of these, and so on."""

from collections.abc import Iterator, Mapping
from typing import Any

from numpy import ndarray


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
