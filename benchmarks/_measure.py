"""How do the benchmarks measure? Candidates take turns; memory and imports are measured in a new process."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

_ROOT = Path(__file__).parents[1]
_CALL = """
import importlib, json, sys
module, function, arguments = json.loads(sys.argv[1])
print(json.dumps(getattr(importlib.import_module(module), function)(**arguments)))
"""
T = TypeVar("T")


def timed(function: Callable[..., T], *args: Any, **kwargs: Any) -> tuple[T, float]:
    """Call a function; return its result and the seconds it took."""
    start = time.perf_counter()
    result = function(*args, **kwargs)
    return result, time.perf_counter() - start


def in_turn(measures: Mapping[str, Callable[[], float]], repeats: int) -> dict[str, list[float]]:
    """Take each measurement `repeats` times; in every round, another one comes first."""
    names = list(measures)
    taken: dict[str, list[float]] = {name: [] for name in names}
    for turn in range(repeats):
        first = turn % len(names)
        for name in names[first:] + names[:first]:
            taken[name].append(measures[name]())
    return taken


def in_fresh_process(
    function: Callable[..., Any], *, environment: Mapping[str, str] | None = None, **arguments: Any
) -> Any:
    """Call a function of a benchmark module in a new interpreter; arguments and result travel as JSON."""
    call = json.dumps([function.__module__, function.__name__, arguments])
    return json.loads(run_python(_CALL, call, **(environment or {})))


def run_python(source: str, *args: str, **environment: str) -> str:
    """Run `source` in a new interpreter and return the last line that it prints."""
    done = subprocess.run(
        [sys.executable, "-c", source, *args],
        cwd=_ROOT,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return done.stdout.strip().splitlines()[-1]


def peak_megabytes() -> float:
    """Return the peak memory of this process (MB = 10⁶ bytes); NaN if the system does not report it."""
    status = Path("/proc/self/status")
    if status.exists():  # Linux: getrusage would also count the memory of the parent process
        return next(float(line.split()[1]) for line in status.read_text().splitlines() if "VmHWM" in line) * 1024 / 1e6
    try:
        import resource
    except ImportError:  # Windows
        return float("nan")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak * (1 if sys.platform == "darwin" else 1024) / 1e6
