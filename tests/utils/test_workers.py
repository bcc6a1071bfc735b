"""Do workers end when the process that started them is killed?"""

import os
import signal
import subprocess
import sys
import time

import pytest
from joblib import Parallel, delayed, parallel_config
from joblib.parallel import LokyBackend, ThreadingBackend, get_active_backend

from ecoc.utils.workers import ending_with_parent
from tests.processes import PROC, children, is_running, wait_until

pytestmark = pytest.mark.skipif(not (PROC / "self" / "stat").exists(), reason="needs /proc")

# All compute for minutes, unless they are killed.
FIT = """
from sklearn.datasets import load_digits
from sklearn.neural_network import MLPClassifier
from ecoc import ECOCClassifier
slow = MLPClassifier(max_iter=10**6, n_iter_no_change=10**6)
ECOCClassifier(slow, coding="ovo", decoding="hamming", probability=False, n_jobs=2).fit(*load_digits(return_X_y=True))
"""
THREE_MODELS = FIT.replace("ovo", "ova").replace("digits", "wine").replace("n_jobs=2", "n_jobs=4")


def test_workers_end_with_their_parent():
    process = subprocess.Popen([sys.executable, "-c", FIT])
    try:
        assert wait_until(lambda: process.poll() is not None or len(children(process.pid, busy=0.5)) == 2, 120)
        started = children(process.pid, busy=0.5)
        assert len(started) == 2
        time.sleep(2)  # they have begun their first tasks
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    # the watch looks every second; a busy machine may be slower
    assert wait_until(lambda: not any(map(is_running, started)), 30), "workers outlived their parent"


def test_a_worker_without_a_task_ends_with_its_parent():
    process = subprocess.Popen([sys.executable, "-c", THREE_MODELS])
    try:
        assert wait_until(lambda: process.poll() is not None or len(children(process.pid, busy=0.5)) >= 3, 120)
        started = children(process.pid)
        assert len(started) == 4
        time.sleep(2)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert wait_until(lambda: not any(map(is_running, started)), 30), "workers outlived their parent"


def test_workers_are_shared_with_other_users_of_joblib():
    by_us = ending_with_parent(LokyBackend(nesting_level=0))
    ours, theirs = (set(Parallel(2, backend=each)(delayed(where)(i) for i in range(8))) for each in (by_us, "loky"))
    assert ours == theirs


def where(_):
    time.sleep(0.05)  # so that no worker does it all
    return os.getpid()


def test_settings_and_other_backends_stay():
    loky = LokyBackend(nesting_level=1, inner_max_num_threads=3)
    ours = ending_with_parent(loky)
    assert (ours.nesting_level, ours.inner_max_num_threads) == (1, 3)
    assert ending_with_parent(ours) is ours
    threads = ThreadingBackend(nesting_level=0)
    assert ending_with_parent(threads) is threads


@pytest.mark.skipif(not hasattr(LokyBackend(), "backend_kwargs"), reason="joblib 1.4 has no such option")
def test_an_initializer_of_the_user_stays():
    with parallel_config("loky", n_jobs=2, initializer=time.sleep, initargs=(0.01,)):
        backend = ending_with_parent(get_active_backend()[0])
        parallel = Parallel(2, backend=backend)
        assert parallel(delayed(abs)(i) for i in (-1, -2)) == [1, 2]
        with parallel:
            assert backend._workers._initializer is time.sleep
