"""Show the progress of a comparison: an updated table in a terminal, a line every few seconds in a pipe."""

import sys
from collections.abc import Callable
from math import inf
from types import TracebackType
from typing import Any, Self

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from ecoc.tool.comparison import Comparison, Step


class Display:
    """Called with each step of a comparison; knows what is known if it is interrupted."""

    first = 5.0  # seconds until the first table, or line
    every = 5.0  # seconds between two of them
    redraw = 0.5  # seconds between two updates of the line below the table

    def __init__(self, make_table: Callable[[Comparison, int], Any]) -> None:
        self._make_table = make_table  # of what is known, for the width of a terminal
        self._console = Console(stderr=True)
        self._live: Any = None
        self._step: Step | None = None
        self._told = self.first - self.every
        self._drawn = 0.0
        self._table: Any = None

    def __call__(self, step: Step) -> None:
        """Take note of a step, and show it if it is time to."""
        self._step = step
        if self._live is not None:
            self._redraw(step)
        elif step.seconds >= self._told + self.every:
            self._told = step.seconds
            print(f"ecoc: {_line(step, step.comparison())}", file=sys.stderr, flush=True)

    def known(self) -> Comparison | None:
        """Return the comparison as far as it is known; None if nothing is."""
        return None if self._step is None else self._step.comparison()

    def __enter__(self) -> Self:
        if self._console.is_terminal and not self._console.is_dumb_terminal:  # which cannot redraw
            self._live = Live(console=self._console, transient=True, auto_refresh=False)
            self._live.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.__exit__(kind, error, trace)

    def _redraw(self, step: Step) -> None:
        if step.seconds < self._drawn + self.redraw:
            return
        self._drawn = step.seconds
        if step.seconds >= self._told + self.every and (known := step.comparison()) is not None:
            self._told = step.seconds
            self._table = self._make_table(known, self._console.width)
        line = Text(_line(step))
        self._live.update(line if self._table is None else Group(self._table, line), refresh=True)


def _line(step: Step, known: Comparison | None = None) -> str:
    """Return one line about a step."""
    left = f" of at most {step.budget:.0f} s" if step.budget < inf else ""
    if step.seconds_left is not None:
        left = f", about {step.seconds_left:.0f} s left"
    best = ""
    if known is not None:
        best = f"; so far {known.recommended.candidate.name}, {known.recommended.accuracy:.1%}"
    return f"{step.seconds:.0f} s{left}, {step.done} of {step.total} fits ({step.note}){best}"
