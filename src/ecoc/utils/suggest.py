"""How does an error name what is wrong? The first few offenders, and the known names nearest to a wrong one."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, TypeVar

Name = TypeVar("Name", bound=Hashable)

SOME = 5  # offenders an error names


def some(items: Sequence[Any], total: int | None = None, show: Callable[[Any], str] = repr) -> str:
    """The first few items of an error message, and how many more of the total there are."""
    more = (len(items) if total is None else total) - SOME
    return ", ".join(map(show, items[:SOME])) + (f" ... and {more} more" if more > 0 else "")


def nearest(name: object, known: Iterable[Name], n: int = 1) -> list[Name]:
    """Return up to `n` known names that read like `name`, ignoring case and the mark between words."""
    from difflib import get_close_matches  # only errors need it

    texts = {_plain(each): each for each in known}
    return [texts[text] for text in get_close_matches(_plain(name), texts, n=n)]


def unknown_name(kind: str, name: object, known: Iterable[str], besides: str = "") -> str:
    """Return the message for an unknown name: all known names, and the nearest one."""
    names = list(known)
    close = nearest(name, names)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    return f"Unknown {kind} {name!r}; the names are {', '.join(names)}{besides}.{hint}"


def _plain(name: object) -> str:
    return str(name).lower().replace("-", "_").replace(" ", "_")
