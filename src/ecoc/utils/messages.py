"""Helpers for messages: the first few of many items, similar names, and texts without control characters."""

import unicodedata
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, TypeVar

Name = TypeVar("Name", bound=Hashable)

SOME = 5  # items that an error message names
_UNPRINTABLE = ("Cc", "Cf", "Cs", "Zl", "Zp")  # control, format (writing direction), surrogate, line and paragraph


def printable(value: object) -> str:
    """Return the text of a value with control characters escaped.

    A terminal obeys control characters: they can hide text, change its colours or its direction.
    """
    text = str(value)
    if text.isprintable():
        return text
    return "".join(
        character.encode("unicode_escape").decode() if unicodedata.category(character) in _UNPRINTABLE else character
        for character in text
    )


def some(items: Sequence[Any], total: int | None = None, show: Callable[[Any], str] = repr) -> str:
    """Return a text with the first few items and the number of others."""
    more = (len(items) if total is None else total) - SOME
    return ", ".join(map(show, items[:SOME])) + (f" ... and {more} more" if more > 0 else "")


def nearest(name: object, known: Iterable[Name], n: int = 1) -> list[Name]:
    """Return up to `n` known names that are similar to `name`; case, spaces, "-" and "_" do not matter."""
    texts = {_plain(each): each for each in known}
    return [texts[text] for text in get_close_matches(_plain(name), texts, n=n)]


def unknown_name(
    kind: str, name: object, known: Iterable[str], besides: str = "", meanings: Mapping[str, str] | None = None
) -> str:
    """Return the message for an unknown name, with all known names and the most similar one.

    `meanings` has other words for known names. The most similar word decides, and the message has what it means.
    """
    names, words = list(known), dict(meanings or {})
    close = nearest(name, [*names, *words])
    hint = f" Did you mean {words.get(close[0], close[0])!r}?" if close else ""
    return f"Unknown {kind} {name!r}; the names are {', '.join(names)}{besides}.{hint}"


def _plain(name: object) -> str:
    return str(name).lower().replace("-", "_").replace(" ", "_")
