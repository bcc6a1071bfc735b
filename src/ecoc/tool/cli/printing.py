"""Print results as JSON for programs and as tables for people, in a terminal or a pipe."""

import json
import math
import sys
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ecoc.utils.messages import printable


def show_json(value: Any) -> None:
    """Print one JSON document."""
    print(json.dumps(_plain(value), ensure_ascii=False))


def make_table(
    columns: Sequence[str], rows: Iterable[Sequence[str]], width: int, left: int = 1, least: int | None = None
) -> tuple[Any, int]:
    """Return a table and how many columns it has.

    The first `left` columns are text, the others numbers. If the width does not suffice, the last columns are left out,
    but the first `least` always stay; None: all.
    """
    rows = list(rows)
    words = [[*name.split("\n"), *(printable(row[j]) for row in rows)] for j, name in enumerate(columns)]
    ends = list(accumulate(2 + max(map(len, cells)) for cells in words))
    count = len(columns) if least is None else max(least, bisect_right(ends, width))
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    for place, name in enumerate(columns[:count]):
        table.add_column(
            Text("\n".join(map(printable, name.split("\n")))), justify="left" if place < left else "right", no_wrap=True
        )
    for row in rows:
        table.add_row(*(Text(printable(cell), style="bold" if row[0].startswith("→") else "") for cell in row[:count]))
    return table, min(count, len(columns))


def show_table(columns: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1, least: int | None = None) -> int:
    """Print a table and return how many columns are shown."""
    console = Console(file=sys.stdout)
    if not console.is_terminal:
        console.width = max(console.width, 160)
    table, count = make_table(columns, rows, console.width, left, least)
    console.print(table)
    return count


def status(text: str) -> Any:
    """Return a context that shows a note in a terminal while it lasts."""
    return Console(stderr=True).status(text)


def _plain(value: Any) -> Any:
    """Convert a value for JSON: no NumPy types, and null for NaN."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    return None if isinstance(value, float) and not math.isfinite(value) else value


def say(text: object = "", flush: bool = False) -> None:
    """Print lines with control characters escaped."""
    print("\n".join(map(printable, str(text).split("\n"))), flush=flush)


def print_content(content: str) -> None:
    """Print predictions: without control characters on a terminal, as they are for a program."""
    if sys.stdout.isatty():
        say(content.rstrip("\n"))
    else:
        sys.stdout.write(content)
    sys.stdout.flush()
