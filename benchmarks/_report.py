"""How are results shown? As aligned tables on the terminal and as Markdown, below the versions and the hardware."""

import os
import platform
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from numbers import Integral
from typing import Any

import numpy as np

_PACKAGES = ("ecoc", "numpy", "scipy", "scikit-learn", "numba", "daqp", "quadprog", "clarabel")


@dataclass(frozen=True)
class Table:
    """Measurements. Cells are numbers, booleans, text, or None for an empty cell."""

    title: str
    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]


@dataclass(frozen=True)
class Goal:
    """A goal, and what was measured."""

    goal: str
    measured: str
    met: bool


@dataclass(frozen=True)
class Figure:
    """A figure that pages quote by its name; a float is printed with one decimal."""

    name: str
    value: float | int | str


Result = Table | Goal | Figure | str
Results = Iterator[Result]


def percent(share: float) -> str:
    """Format a share as percent."""
    return f"{100 * share:.0f} %"


def goals_table(goals: list[Goal], title: str = "Goals") -> Table:
    """Make a table of goals."""
    return Table(title, ("goal", "measured", "met"), [(goal.goal, goal.measured, goal.met) for goal in goals])


def as_text(table: Table) -> str:
    """Format a table for a terminal, numbers right-aligned."""
    cells, right = _cells(table)
    widths = [max(map(len, column)) for column in zip(*cells)]
    lines = [
        "  ".join(_justify(cell, width, side) for cell, width, side in zip(row, widths, right)).rstrip()
        for row in cells
    ]
    return "\n".join([table.title, lines[0], "  ".join("─" * width for width in widths), *lines[1:]]) + "\n"


def as_markdown(table: Table) -> str:
    """Format a table as Markdown."""
    cells, right = _cells(table)
    header, *rows = ("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in cells)
    rule = "|" + "|".join("--:" if side else ":--" for side in right) + "|"
    return "\n".join([f"**{table.title}**", "", header, rule, *rows]) + "\n"


def facts() -> str:
    """Describe the hardware and the versions in one line, without host or user names."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    parts = [f"{cores} cores, {platform.system()} {platform.machine()}", f"Python {platform.python_version()}"]
    for package in _PACKAGES:
        try:
            parts.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            parts.append(f"no {package}")
    return ", ".join(parts)


def _cells(table: Table) -> tuple[list[tuple[str, ...]], list[bool]]:
    """Format header and rows as text, and find the right-aligned columns: those with a number."""
    right = [any(_is_number(row[j]) for row in table.rows) for j in range(len(table.columns))]
    return [table.columns, *(tuple(map(_cell, row)) for row in table.rows)], right


def _is_number(value: Any) -> bool:
    return value is not None and not isinstance(value, bool | np.bool_ | str)


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "NO"
    if isinstance(value, str):
        return value
    if isinstance(value, Integral):
        return f"{value:,}"
    return f"{value:,.1f}" if abs(value) >= 1000 else f"{value:.4g}"


def _justify(cell: str, width: int, right: bool) -> str:
    return cell.rjust(width) if right else cell.ljust(width)
