"""End worker processes within seconds if the process that started them is killed."""

import multiprocessing
import os
import threading
import time
from functools import cache


@cache  # one thread for each process is enough
def end_with_parent() -> None:
    """End this worker process soon after its parent has died. Does nothing in any other process, or on Windows.

    A worker of joblib waits five minutes for tasks of a parent that was killed, and first computes those that it has.
    Only workers that joblib itself has started are ended: Dask and Ray look after theirs.
    """
    parent = multiprocessing.parent_process()
    if parent is None or os.name == "nt" or type(multiprocessing.current_process()).__name__ != "LokyProcess":
        return
    if os.getppid() != parent.pid:
        os._exit(1)
    threading.Thread(target=_watch, args=(parent.pid,), daemon=True).start()


def _watch(parent: int | None) -> None:
    seconds = 1.0  # between two looks at the parent
    while os.getppid() == parent:  # an orphan is adopted by another process
        time.sleep(seconds)
    os._exit(1)  # not sys.exit: it ends only this thread
