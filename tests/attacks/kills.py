"""Processes that are killed, interrupted, or have no room on the disk: nothing that was finished is lost or damaged.

Most attacks fork this process, because a new one takes seconds to import everything.
"""

import os
import resource
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import warnings
from functools import cache
from pathlib import Path

import numpy as np
from sklearn.linear_model import Ridge

from ecoc import ECOCClassifier, load, save
from ecoc_paper.experiments import Protocol, Store, run
from tests.processes import children, is_running, wait_until

PROTOCOL = Protocol(
    "attack",
    datasets=("toy",),
    folds=(0, 1),
    max_rows=140,
    Cs=(1.0,),
    gammas=(0.1,),
    lengths=("1/2",),
    length_methods=("S-ECOC",),
    tunings=("fold",),
    min_distances=(1,),
    effort=0.02,
    planted=((5, 3, 1, 2), (6, 4, 1, 2)),
    curves=(),
    boundaries=False,
    readings=False,
)
METHODS = ("OVA", "S-ECOC")
FIT = """
from sklearn.datasets import load_digits
from sklearn.neural_network import MLPClassifier
from ecoc import ECOCClassifier
slow = MLPClassifier(max_iter=10**6, n_iter_no_change=10**6)
print("ready", flush=True)
ECOCClassifier(slow, coding="ovo", decoding="hamming", probability=False, n_jobs=2).fit(*load_digits(return_X_y=True))
"""
NOBODY = 65534


def attack(seed):
    rng = np.random.default_rng(seed)
    kinds = (kill_save, kill_run, fill_disk_at_save, fill_disk_at_run, run_twice, read_only, kill_parent)
    weights = np.array([6, 6, 3, 2, 1, 2, 0.2 if Path("/proc/self/stat").exists() else 0])
    kind = kinds[rng.choice(len(kinds), p=weights / weights.sum())]
    with tempfile.TemporaryDirectory() as folder:
        return kind(rng, Path(folder))


def fork(function, *arguments):
    """Run a function in a copy of this process; its exit code is 0, 2 after an OSError, or 3 after another error."""
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])  # until the copy can catch it
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of threads, which the copy does not use
        pid = os.fork()
    if pid:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
        return pid
    code = 3
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have told us to ignore it
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
        function(*arguments)
        code = 0
    except OSError as error:
        code = 2 if len(str(error).splitlines()) == 1 else 3
    except KeyboardInterrupt:
        code = 130
    finally:
        os._exit(code)


def wait(pid):
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def stop(pid, sent):
    """Send a signal until the process has ended. Python drops an interrupt that comes while it deletes an object."""
    code = None
    while code is None:
        os.kill(pid, sent)
        for _ in range(50):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                code = os.waitstatus_to_exitcode(status)
                break
            time.sleep(0.05)
    return code


@cache
def two_models():
    """Two models that predict different classes, and samples."""
    rng = np.random.default_rng(0)
    y = np.arange(60) % 4
    X = rng.normal(size=(60, 3)) + y[:, None]
    model = ECOCClassifier(Ridge(), coding="ova", decoding="linear", probability=False)
    first, second = model.fit(X, y), ECOCClassifier(**model.get_params(deep=False)).fit(X, y[::-1])
    assert not np.array_equal(first.predict(X), second.predict(X))
    return first, second, X


def save_both(path, times):
    first, second, _ = two_models()
    for _ in range(times):
        save(second, path)
        save(first, path)


def check_model(path):
    first, second, X = two_models()
    predicted = load(path).predict(X)
    assert any(np.array_equal(predicted, model.predict(X)) for model in (first, second)), "another model"


def kill_save(rng, folder):
    path = folder / "model.skops"
    save(two_models()[0], path)
    pid = fork(save_both, path, 1000)
    time.sleep(rng.uniform(0, 0.2))
    sent = signal.SIGKILL if rng.random() < 0.7 else signal.SIGINT
    code = stop(pid, sent)
    assert code in (-signal.SIGKILL, 130), f"exit code {code} after {sent.name}"
    check_model(path)
    if sent == signal.SIGINT:
        assert os.listdir(folder) == [path.name], "a scratch file was left"
    return f"save, {sent.name}: a whole model"


def compute(path):
    store = Store(path)
    run(PROTOCOL, store, methods=METHODS, progress=False)
    store.close()


def results(path):
    """What a store holds, without times."""
    base = sqlite3.connect(path, timeout=60)
    try:
        assert base.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        columns = "experiment, dataset, fold, method, setting, status, result, seed"
        return base.execute(f"SELECT {columns} FROM cells ORDER BY {columns}").fetchall()
    except sqlite3.OperationalError as error:
        if "no such table" not in str(error):
            raise
        return []  # killed before the table was made
    finally:
        base.close()


@cache
def whole():
    """The results of a run without interruption, and how long it takes."""
    with tempfile.TemporaryDirectory() as folder:
        compute(Path(folder, "first.sqlite"))  # compiles
        start = time.perf_counter()
        compute(Path(folder, "results.sqlite"))
        found = results(Path(folder, "results.sqlite"))
    assert {row[5] for row in found} == {"ok"}, found
    return found, time.perf_counter() - start


def kill_run(rng, folder):
    path, expected, seconds = folder / "results.sqlite", *whole()
    known = []
    for _ in range(3):
        pid = fork(compute, path)
        time.sleep(rng.uniform(0, seconds))
        code = stop(pid, signal.SIGKILL if rng.random() < 0.7 else signal.SIGINT)
        assert code in (-signal.SIGKILL, 130, 0), f"exit code {code}"  # 0: it had come to its end
        now = results(path) if path.exists() else []
        assert set(known) <= set(now), "finished cells were lost"
        known = now
    assert wait(fork(compute, path)) == 0
    assert results(path) == expected, "other results than without interruption"
    return "run, killed or interrupted three times: the same results"


def limited(function, size, *arguments):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    function(*arguments)


def fill_disk_at_save(rng, folder):
    path = folder / "model.skops"
    save(two_models()[0], path)
    size = int(rng.integers(path.stat().st_size - 100))
    assert wait(fork(limited, save_both, size, path, 1)) == 2, "not an OSError of one line"
    check_model(path)
    assert os.listdir(folder) == [path.name], "a scratch file was left"
    return "save, disk full: the earlier model"


def fill_disk_at_run(rng, folder):
    path, expected, _ = folder / "results.sqlite", *whole()
    code = wait(fork(limited, compute, int(rng.integers(40_000)), path))
    assert code in (0, 2), f"exit code {code}"
    assert wait(fork(compute, path)) == 0
    assert results(path) == expected
    return "run, disk full: goes on when there is room" if code else "run, disk large enough"


def run_twice(rng, folder):
    path, expected, seconds = folder / "results.sqlite", *whole()
    first = fork(compute, path)
    time.sleep(rng.uniform(0, seconds / 2))
    second = fork(compute, path)
    assert (wait(first), wait(second)) == (0, 0)
    assert results(path) == expected
    return "two runs at once: the same results"


def read_only(rng, folder):
    """A folder that may not be written to, for a user who is not root."""
    path, store = folder / "model.skops", folder / "results.sqlite"
    save(two_models()[0], path)
    if rng.random() < 0.5:
        compute(store)
    folder.chmod(0o555)

    def as_nobody(function, *arguments):
        if os.geteuid() == 0:
            os.setgid(NOBODY)
            os.setuid(NOBODY)
        function(*arguments)

    try:
        assert wait(fork(as_nobody, save_both, path, 1)) == 2, "not an OSError of one line"
        assert wait(fork(as_nobody, compute, store)) in ((0, 2) if store.exists() else (2,))
    finally:
        folder.chmod(0o755)
    check_model(path)
    return "read-only folder: an error of one line"


def kill_parent(rng, folder):
    del folder
    parent = subprocess.Popen([sys.executable, "-c", FIT], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    parent.stdout.readline()
    time.sleep(rng.uniform(0, 10))
    workers = children(parent.pid)
    parent.kill()
    parent.wait()
    parent.stdout.close()
    start = time.monotonic()
    assert wait_until(lambda: not any(map(is_running, workers)), 60), "workers outlived their parent"
    if not workers:
        return "fit killed, no workers yet"
    return f"fit killed, workers end {'within 5 s' if time.monotonic() - start <= 5 else 'within a minute'}"
