"""How does a public name go away? It warns for two minor releases, then it is removed."""

from typing import TypeVar
from warnings import warn

T = TypeVar("T")


def deprecated_name(old: str, new: str, value: T, since: str = "0.2", removed: str = "0.4") -> T:
    """Return what an old name stands for, with a warning that says what to write instead."""
    warn(
        f"{old} is deprecated since {since} and will be removed in {removed}; write {new}.", FutureWarning, stacklevel=3
    )
    return value
