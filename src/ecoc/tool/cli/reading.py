"""Read a table for a command, with advice on columns that are best left out."""

import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ecoc.tool.cli.commands import command_line
from ecoc.tool.tables import Samples, read_samples

_ADVICE = "may say nothing about new rows"  # of read_samples; here the advice is a command


def format_options(sep: str | None, decimal: str | None, encoding: str | None) -> dict[str, Any]:
    """Return the options about the format of a table that were given."""
    given = {"sep": sep, "decimal": decimal, "encoding": encoding}
    return {name: value for name, value in given.items() if value is not None}


def read_rows(
    data: Path, target: str | None, drop: Sequence[str] | None, drop_like_id: bool, format: dict[str, Any]
) -> tuple[Samples, list[str]]:
    """Read a table to learn from; return the columns that were left out, too."""
    dropped = list(drop or ())
    samples = _read(data, target, dropped, format)
    doubtful = list(samples.doubtful)
    if doubtful and drop_like_id:
        dropped += doubtful
        _tell(f"these columns look like identifiers or dates, and are left out: {', '.join(doubtful)}")
        samples = _read(data, target, dropped, format)
    elif doubtful:
        options = command_line([word for name in doubtful for word in ("--drop", name)])
        looks = ", ".join(f"{name} ({kind})" for name, kind in samples.doubtful.items())
        _tell(f"warning: some columns may say nothing about new rows: {looks}; leave them out with {options}")
    return samples, dropped


def _read(data: Path, target: str | None, drop: Sequence[str], format: dict[str, Any]) -> Samples:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=f".*{_ADVICE}", category=UserWarning)
        return read_samples(data, target, drop, **format)


def _tell(text: str) -> None:
    print(f"ecoc: {text}", file=sys.stderr)
