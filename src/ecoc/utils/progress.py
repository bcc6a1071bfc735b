"""How far is a long run? One line in a terminal or notebook, after two seconds, and nothing at all anywhere else."""

import shutil
import sys
import time
from types import TracebackType
from typing import Self

_WIDTH = 30


class Progress:
    """A progress bar for work whose done share is known; silent for two seconds, and where nobody looks."""

    def __init__(self, label: str, enabled: bool = True) -> None:
        self._label = label
        self._enabled = enabled and sys.stderr is not None and (sys.stderr.isatty() or _is_notebook(sys.stderr))
        self._start = self._last = time.perf_counter()
        self._drawn = 0

    def update(self, share: float, note: str = "") -> None:
        """Draw the bar, at most ten times a second; `share` of the work is done."""
        now = time.perf_counter()
        if not self._enabled or now - self._start < 2 or now - self._last < 0.1:
            return
        self._last = now
        full = round(min(max(share, 0.0), 1.0) * _WIDTH)
        left = (now - self._start) * (1 / share - 1) if share > 0 else 0
        line = f"{self._label} {'━' * full}{'╌' * (_WIDTH - full)} {share:4.0%}  {left:.0f} s left  {note}"
        line = line[: shutil.get_terminal_size().columns - 1]  # what wraps is never wiped out
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
    """Whether a stream goes to a Jupyter cell, which redraws a line as a terminal does."""
    return type(stream).__module__.startswith("ipykernel.")
