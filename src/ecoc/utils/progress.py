"""Show a progress bar in a terminal or notebook if a computation takes more than two seconds."""

import shutil
import sys
import time
from types import TracebackType
from typing import Self


class Progress:
    """A progress bar on standard error. It appears after two seconds, and only in a terminal or notebook."""

    def __init__(self, label: str, enabled: bool = True) -> None:
        self._label = label
        self._enabled = enabled and sys.stderr is not None and (sys.stderr.isatty() or _is_notebook(sys.stderr))
        self._start = self._last = time.perf_counter()
        self._drawn = 0

    def update(self, share: float, note: str = "") -> None:
        """Draw the bar, at most ten times a second, with `share` of the work done."""
        width = 30
        now = time.perf_counter()
        if not self._enabled or now - self._start < 2 or now - self._last < 0.1:
            return
        self._last = now
        full = round(min(max(share, 0.0), 1.0) * width)
        left = (now - self._start) * (1 / share - 1) if share > 0 else 0
        line = f"{self._label} {'━' * full}{'╌' * (width - full)} {share:4.0%}  {left:.0f} s left  {note}"
        line = line[: shutil.get_terminal_size().columns - 1]  # a line that wraps could not be erased
        sys.stderr.write("\r" + line.ljust(self._drawn))
        sys.stderr.flush()
        self._drawn = len(line)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._drawn:
            sys.stderr.write("\r" + " " * self._drawn + "\r")
            sys.stderr.flush()


def _is_notebook(stream: object) -> bool:
    """Tell whether a stream writes to a Jupyter cell, which can redraw a line like a terminal."""
    return type(stream).__module__.startswith("ipykernel.")
