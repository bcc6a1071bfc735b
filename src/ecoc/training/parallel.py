"""Run many trainings at once by joblib: in threads, in processes or on a cluster."""

from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import CancelledError
from typing import Any

import numpy as np
from joblib.parallel import get_active_backend
from scipy.sparse import issparse
from sklearn.utils.parallel import Parallel

from ecoc.training.interfaces import Options
from ecoc.utils.progress import Progress
from ecoc.utils.workers import end_with_parent, ending_with_parent


def n_workers(options: Options) -> int:
    """Return the number of models that are trained at the same time."""
    return int(get_active_backend()[0].effective_n_jobs(options.n_jobs or 1))


class Shared:
    """Data of all tasks as one argument, which Dask and Ray send to each worker once, not with each task."""

    def __init__(self, *values: Any) -> None:
        self.values = values
        self.in_ray: Any = None  # reference to the copy in Ray's object store

    def __sizeof__(self) -> int:
        """Return the size in bytes. Dask sends large objects once, but cannot size sparse arrays and dictionaries."""
        return sum(array.nbytes for value in self.values for array in _arrays(value))

    def __reduce__(self) -> Any:
        if self.in_ray is None:
            return _arrived, self.values
        import ray

        return ray.get, (self.in_ray,)


def share(*values: Any) -> Shared:
    """Make an argument for all tasks of :func:`run_parallel`.

    Ray's backend cannot find common arguments of tasks, because joblib wraps the tasks. So they are stored here.
    """
    shared = Shared(*values)
    if type(get_active_backend()[0]).__name__ == "RayBackend":
        import ray

        shared.in_ray = ray.put(shared)
    return shared


def _arrays(value: Any) -> Iterator[Any]:
    if isinstance(value, np.ndarray):
        yield value
    elif issparse(value):
        yield from (value.data, value.indices, value.indptr)
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _arrays(each)


def _arrived(*values: Any) -> Shared:
    end_with_parent()
    return Shared(*map(_aligned, values))


def _aligned(value: Any) -> Any:
    """Return aligned arrays. Those that Dask has sent may begin at any byte, and numpy copies them at every product."""
    if isinstance(value, np.ndarray):
        return value if value.flags.aligned else value.copy()
    if issparse(value):
        for name in ("data", "indices", "indptr"):
            setattr(value, name, _aligned(getattr(value, name)))
    return {name: _aligned(each) for name, each in value.items()} if isinstance(value, Mapping) else value


def run_parallel(
    tasks: Iterable[Any], options: Options, *, total: int, threads: bool = False, in_place: bool = False
) -> list[Any]:
    """Run joblib tasks and return their results in order; show a progress bar if `verbose`.

    `threads` is a hint: a backend chosen by ``joblib.parallel_config`` has precedence. Tasks that use large arrays
    `in_place` always run in threads of this process. Worker processes read large arrays from one memory map.
    """
    where: dict[str, Any] = {"prefer": "threads" if threads else None, "require": "sharedmem" if in_place else None}
    backend, _ = get_active_backend(**where)
    how = {**where, "return_as": "generator" if backend.supports_return_generator else "list"}  # Ray returns a list
    if type(backend).__name__ == "DaskDistributedBackend":  # else a worker forgets the common data between tasks
        how |= {"pre_dispatch": "all", "batch_size": max(1, total // (16 * backend.effective_n_jobs(-1)))}
    waiting = list(tasks)
    results: list[Any] = []
    with Progress("training", options.verbose > 0) as bar:
        for chances in (2, 1, 0):
            try:
                parallel = Parallel(n_jobs=options.n_jobs, backend=ending_with_parent(backend), **how)
                for result in parallel(waiting[len(results) :]):
                    results.append(result)
                    bar.update(len(results) / total, f"{len(results)} of {total} binary classifiers")
                break
            except CancelledError:  # the Dask worker that held the data died: send the data again
                if not chances:
                    raise
    return results
