"""Escape control characters of text that is shown in a terminal."""

import unicodedata

_UNPRINTABLE = ("Cc", "Cf", "Cs", "Zl", "Zp")  # control, format (writing direction), surrogate, line and paragraph


def printable(value: object) -> str:
    """Show a value with control characters escaped.

    A terminal obeys control characters: they can hide text, change its colours or its direction.

    Parameters
    ----------
    value : object
        A label, or any other value.

    Returns
    -------
    str
        Its text in one line.

    Examples
    --------
    >>> from ecoc.utils.text import printable
    >>> print(printable("red\\x1b[31m"), printable("café"))
    red\\x1b[31m café
    """
    text = str(value)
    if text.isprintable():
        return text
    return "".join(
        character.encode("unicode_escape").decode() if unicodedata.category(character) in _UNPRINTABLE else character
        for character in text
    )
