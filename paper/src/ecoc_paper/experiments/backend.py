"""Compute cells in this process, in several, in threads, or on a Dask cluster."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(frozen=True)
class Backend:
    """Where cells are computed.

    Parameters
    ----------
    jobs : int, default=1
        Number of folds at once. The numbers do not depend on it.
    name : str, default="loky"
        A backend of joblib: ``"loky"`` (processes), ``"threading"`` or ``"dask"``.
    scheduler : str or None, default=None
        Address of a Dask scheduler.

    See Also
    --------
    ecoc_paper.experiments.run : Takes a backend.

    Examples
    --------
    >>> from ecoc_paper.experiments import Backend
    >>> Backend(jobs=4)
    Backend(jobs=4, name='loky', scheduler=None)
    >>> Backend(name="dask", scheduler="tcp://head:8786").scheduler
    'tcp://head:8786'
    """

    jobs: int = 1
    name: str = "loky"
    scheduler: str | None = None

    @property
    def shares_files(self) -> bool:
        """Whether workers can write to the files of this machine."""
        return self.name != "dask"

    @contextmanager
    def configured(self) -> Iterator[None]:
        """Make joblib use the backend inside a ``with`` block.

        Yields
        ------
        None
            Nothing.

        Raises
        ------
        ImportError
            If the backend is Dask, and Dask is not installed.
        ValueError
            If the backend is Dask, and the address of a scheduler is missing.

        Examples
        --------
        >>> from ecoc_paper.experiments import Backend
        >>> from joblib import Parallel, delayed
        >>> with Backend(jobs=2, name="threading").configured():
        ...     Parallel()(delayed(abs)(number) for number in (-1, -2))
        [1, 2]
        """
        from joblib import parallel_config

        if self.name != "dask":
            from ecoc.utils.workers import LokyEndingWithParent

            with parallel_config(LokyEndingWithParent() if self.name == "loky" else self.name, n_jobs=self.jobs):
                yield
            return
        try:
            from distributed import Client
        except ImportError:
            raise ImportError("the dask backend needs Dask: pip install 'ecoc-paper[dask]'") from None
        if self.scheduler is None:
            raise ValueError("the dask backend needs the address of a scheduler, such as tcp://head:8786.")
        with Client(self.scheduler), parallel_config("dask"):
            yield
