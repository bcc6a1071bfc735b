"""Do workers end when the process that started them is killed?"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

PROC = Path("/proc")
pytestmark = pytest.mark.skipif(not (PROC / "self" / "stat").exists(), reason="needs /proc")

# Both compute for minutes, unless they are killed.
FIT = """
from sklearn.datasets import load_digits
from sklearn.neural_network import MLPClassifier
from ecoc import ECOCClassifier
slow = MLPClassifier(max_iter=10**6, n_iter_no_change=10**6)
ECOCClassifier(slow, coding="ovo", decoding="hamming", probability=False, n_jobs=2).fit(*load_digits(return_X_y=True))
"""
REPRODUCE = """
import sys
from ecoc.experiments import Backend, Protocol, Store, run
planted = ((200, 8, 1000, 1000), (210, 8, 1000, 1000))
run(Protocol("p", datasets=(), planted=planted, curves=(), boundaries=False), Store(sys.argv[1]), backend=Backend(2))
"""


def workers(parent):
    """Process ids of the children of a process that are busy, without joblib's resource tracker."""
    found = []
    for path in PROC.glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
            command = (path.parent / "cmdline").read_text()
        except OSError:  # the process has ended
            continue
        seconds = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        if int(fields[1]) == parent and "resource_tracker" not in command and seconds > 0.5:
            found.append(int(path.parent.name))
    return found


def is_running(pid):
    try:
        return (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until(condition, seconds):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.1)
    return condition()


@pytest.mark.parametrize("program", [FIT, REPRODUCE], ids=["fit", "reproduce"])
def test_workers_end_with_their_parent(tmp_path, program):
    process = subprocess.Popen([sys.executable, "-c", program, str(tmp_path / "results.sqlite")])
    try:
        assert wait_until(lambda: process.poll() is not None or len(workers(process.pid)) == 2, 120)
        started = workers(process.pid)
        assert len(started) == 2
        time.sleep(2)  # they have begun their first tasks
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    # the watch looks every second; a busy machine may be slower
    assert wait_until(lambda: not any(map(is_running, started)), 30), "workers outlived their parent"
