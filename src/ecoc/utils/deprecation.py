"""How is a public name removed? It warns for two minor releases, then it is removed."""

from typing import TypeVar
from warnings import warn

T = TypeVar("T")


def deprecated_name(old: str, new: str, value: T, since: str = "0.2", removed: str = "0.4") -> T:
    """Return the object that an old name stands for, with a warning that gives the new name."""
    warn(f"{old} is deprecated since {since} and will be removed in {removed}; use {new}.", FutureWarning, stacklevel=3)
    return value
