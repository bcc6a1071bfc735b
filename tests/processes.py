"""Watch other processes, on systems with /proc."""

import os
import time
from pathlib import Path

PROC = Path("/proc")


def children(parent, busy=0.0):
    """Process ids of the children that were busy for so many seconds, without joblib's resource tracker."""
    found = []
    for path in PROC.glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
            command = (path.parent / "cmdline").read_text()
        except OSError:  # the process has ended
            continue
        seconds = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        if int(fields[1]) == parent and "resource_tracker" not in command and seconds >= busy:
            found.append(int(path.parent.name))
    return found


def is_running(pid):
    try:
        return (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until(condition, seconds):
    """Whether a condition holds within so many seconds."""
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.1)
    return condition()
