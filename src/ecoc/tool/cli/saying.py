"""Print lines with control characters escaped, which labels of a table may hold."""

from ecoc.utils.text import printable


def say(text: object = "", flush: bool = False) -> None:
    """Print lines, with control characters escaped."""
    print("\n".join(map(printable, str(text).split("\n"))), flush=flush)
