"""Start joblib's worker processes so that they end with this process, even if they never get a task."""

from typing import Any

from joblib.parallel import LokyBackend

from ecoc.utils.orphans import end_with_parent


class LokyEndingWithParent(LokyBackend):  # type: ignore[misc]
    """Joblib's own backend of processes, with workers that end when this process is killed.

    Joblib keeps its workers for all who use it. It has an option `initializer`, but stops all workers if that option
    changes, and a thread that is using them then waits for ever. So the initializer is set here. Workers that somebody
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
