"""How are many trainings run at once? joblib's way: threads where they help, else processes, or a cluster's workers."""

from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import CancelledError
from typing import Any

import numpy as np
from joblib.parallel import get_active_backend
from scipy.sparse import issparse
from sklearn.linear_model import SGDClassifier, SGDRegressor
from sklearn.svm import SVC, SVR, LinearSVC, LinearSVR, NuSVC, NuSVR
from sklearn.tree import BaseDecisionTree
from sklearn.utils.parallel import Parallel

from ecoc.dichotomies.base import Options
from ecoc.utils.progress import Progress

_COMPILED = (SVC, NuSVC, SVR, NuSVR, LinearSVC, LinearSVR, SGDClassifier, SGDRegressor, BaseDecisionTree)


def releases_interpreter(estimator: Any) -> bool:
    """Whether training lets other threads run: it happens in compiled code that does not hold the interpreter."""
    return isinstance(estimator, _COMPILED) and not callable(getattr(estimator, "kernel", None))


class Shared:
    """What all tasks have in common, as one argument: Dask and Ray move it once to a worker, not once a task."""

    def __init__(self, *values: Any) -> None:
        self.values = values
        self.in_ray: Any = None  # where it is in Ray's object store

    def __sizeof__(self) -> int:
        """Dask moves once what is large, but does not see the size of sparse arrays or of what is in a dictionary."""
        return sum(array.nbytes for value in self.values for array in _arrays(value))

    def __reduce__(self) -> Any:
        if self.in_ray is None:
            return _arrived, self.values
        import ray

        return ray.get, (self.in_ray,)


def share(*values: Any) -> Shared:
    """Make an argument for all tasks of :func:`run_parallel`.

    Ray's backend would store what tasks have in common if joblib did not wrap them so that it no longer sees it.
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
    return Shared(*map(_aligned, values))


def _aligned(value: Any) -> Any:
    """Arrays that Dask has received begin at any byte, and numpy copies such an array at every product."""
    if isinstance(value, np.ndarray):
        return value if value.flags.aligned else value.copy()
    if issparse(value):
        for name in ("data", "indices", "indptr"):
            setattr(value, name, _aligned(getattr(value, name)))
    return {name: _aligned(each) for name, each in value.items()} if isinstance(value, Mapping) else value


def run_parallel(
    tasks: Iterable[Any], options: Options, *, total: int, threads: bool = False, in_place: bool = False
) -> list[Any]:
    """Run joblib tasks in order of results; a progress bar if `verbose`.

    Threads are a hint only: a backend chosen by ``joblib.parallel_config`` has precedence. Tasks that write or read
    large arrays `in_place` are run by threads of this process whatever the backend. Process workers read large arrays
    from one memory map.
    """
    where: dict[str, Any] = {"prefer": "threads" if threads else None, "require": "sharedmem" if in_place else None}
    backend, _ = get_active_backend(**where)
    how = {**where, "return_as": "generator" if backend.supports_return_generator else "list"}  # Ray: a list
    if type(backend).__name__ == "DaskDistributedBackend":  # between tasks a worker would forget what they share
        how |= {"pre_dispatch": "all", "batch_size": max(1, total // (16 * backend.effective_n_jobs(-1)))}
    waiting = list(tasks)
    results: list[Any] = []
    with Progress("training", options.verbose > 0) as bar:
        for chances in (2, 1, 0):
            try:
                parallel = Parallel(n_jobs=options.n_jobs, **how)
                for result in parallel(waiting[len(results) :]):
                    results.append(result)
                    bar.update(len(results) / total, f"{len(results)} of {total} dichotomizers")
                break
            except CancelledError:  # a Dask worker died that alone held the data: they are sent again
                if not chances:
                    raise
    return results
