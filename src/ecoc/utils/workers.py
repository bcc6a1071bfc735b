"""End worker processes within seconds if the process that started them is killed."""

import multiprocessing
import os
import threading
import time
from functools import cache
from typing import Any

from joblib.parallel import LokyBackend


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


class LokyEndingWithParent(LokyBackend):  # type: ignore[misc]
    """Joblib's own backend of processes, with workers that end when this process is killed.

    Joblib keeps its workers for all who use it. It has an option `initializer`, but stops all workers if that option
    changes, and a thread that is using them then waits forever. So the initializer is set here. Workers that someone
    else has started end with this process as soon as they have a task of ours.
    """

    def configure(self, *args: Any, **options: Any) -> int:
        """Get joblib's workers; those that start from now on watch this process."""
        n_jobs: int = super().configure(*args, **options)
        if self._workers._initializer is None:  # else it is the user's
            self._workers._initializer = end_with_parent
        return n_jobs


def ending_with_parent(backend: Any) -> Any:
    """Return joblib's processes as workers that end with this process, and other backends as they are."""
    if type(backend) is not LokyBackend:
        return backend
    settings = {"nesting_level": backend.nesting_level, "inner_max_num_threads": backend.inner_max_num_threads}
    return LokyEndingWithParent(**settings, **getattr(backend, "backend_kwargs", {}))  # joblib 1.4 has no others
