"""How is an experiment run, stopped and resumed? Cell by cell, in any number of processes."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ecoc.datasets import Data, load
from ecoc.experiments.cells import Cell, Job, execute
from ecoc.experiments.methods import get_method, method_names
from ecoc.experiments.protocol import PRESETS, Protocol
from ecoc.experiments.store import Store
from ecoc.utils.progress import Progress

_BOUNDARIES = ("ECF-H", "ECF-balanced", "DENSE", "OVA")
_DESIGN = ("ECF-H", "ECF-balanced")


@dataclass(frozen=True)
class Backend:
    """Where cells are computed.

    Parameters
    ----------
    jobs : int, default=1
        Cells at once. Numbers do not depend on it.
    name : str, default="loky"
        A backend of joblib: ``"loky"`` (processes), ``"threading"`` or ``"dask"``.
    scheduler : str or None, default=None
        Address of a Dask scheduler.

    See Also
    --------
    ecoc.experiments.run : Takes one.

    Examples
    --------
    >>> from ecoc.experiments import Backend
    >>> Backend(jobs=4)
    Backend(jobs=4, name='loky', scheduler=None)
    >>> Backend(name="dask", scheduler="tcp://head:8786").scheduler
    'tcp://head:8786'
    """

    jobs: int = 1
    name: str = "loky"
    scheduler: str | None = None

    @contextmanager
    def configured(self) -> Iterator[None]:
        """Have joblib use it inside a ``with``.

        Yields
        ------
        None
            Nothing; what runs inside runs there.

        Raises
        ------
        ImportError
            If it is Dask, and that is not installed.
        ValueError
            If it is Dask without the address of a scheduler.

        Examples
        --------
        >>> from ecoc.experiments import Backend
        >>> from joblib import Parallel, delayed
        >>> with Backend(jobs=2, name="threading").configured():
        ...     Parallel()(delayed(abs)(number) for number in (-1, -2))
        [1, 2]
        """
        from joblib import parallel_config

        if self.name != "dask":
            with parallel_config(self.name, n_jobs=self.jobs):
                yield
            return
        try:
            from distributed import Client
        except ImportError:
            raise ImportError("the dask backend needs Dask: pip install 'ecoc[dask]'") from None
        if self.scheduler is None:
            raise ValueError("the dask backend needs the address of a scheduler, such as tcp://head:8786.")
        with Client(self.scheduler), parallel_config("dask"):
            yield


def plan(protocol: Protocol, methods: Sequence[str] | None = None) -> list[Cell]:
    """All cells of a protocol, those of a fold together so that they can share what it has."""
    names = method_names() if methods is None else list(methods)
    cells = [
        Cell("accuracy", dataset, fold, name, setting)
        for dataset in protocol.datasets
        for fold in protocol.folds
        for name in names
        for setting in get_method(name).settings_in(protocol)
    ]
    for dataset in protocol.curves:
        cells += [Cell("design", dataset, 0, name, str(protocol.min_distances[0])) for name in _DESIGN if name in names]
        cells += [
            Cell("convergence", dataset, trial, order, "")
            for order in ("cyclic", "random")
            for trial in range(protocol.trials)
        ]
    if protocol.boundaries:
        cells += [
            Cell("boundaries", "toy", protocol.folds[0], name, get_method(name).settings_in(protocol)[0])
            for name in _BOUNDARIES
            if name in names
        ]
    for n_classes, n_columns, designs, runs in protocol.planted:
        cells += [
            Cell("planted", f"{n_classes}×{n_columns}", design, "cyclic", str(run))
            for design in range(designs)
            for run in range(runs)
        ]
    return cells


def run(
    protocol: Protocol,
    store: Store,
    *,
    data_dir: str | Path | None = None,
    target: str | None = None,
    methods: Sequence[str] | None = None,
    backend: Backend = Backend(),  # noqa: B008  frozen
    retry_failed: bool = False,
    progress: bool = True,
) -> list[Cell]:
    """Compute the cells that the store does not have yet, and write each as soon as it is there.

    Parameters
    ----------
    protocol : Protocol
        What to run.
    store : Store
        Where finished cells are, and go.
    data_dir : path-like, default=None
        Folder with data sets, for :func:`ecoc.datasets.load`.
    target : str, default=None
        Column of the labels in files of your own, for :func:`ecoc.datasets.load`.
    methods : sequence of str, default=None
        Names of methods. None: all that can be run.
    backend : Backend, default=Backend()
        Where to compute.
    retry_failed : bool, default=False
        Whether cells that have failed before are tried again.
    progress : bool, default=True
        Whether to show a progress bar, if standard error is a terminal.

    Returns
    -------
    list of Cell
        The cells of the protocol.

    See Also
    --------
    ecoc.experiments.reproduce : Run, and write tables, figures and a page.

    Examples
    --------
    >>> import tempfile
    >>> from ecoc.experiments import Protocol, Store, run
    >>> protocol = Protocol("toy", datasets=("toy",), folds=(0,), max_rows=140, Cs=(1.0,), gammas=(0.1,), search="fold",
    ...                     planted=(), curves=(), boundaries=False)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = Store(f"{folder}/results.sqlite")
    ...     cells = run(protocol, store, methods=["OVA"])
    ...     result = next(store.rows(protocol.key, "accuracy")).result
    ...     store.close()
    >>> result["n_columns"], result["n_test"], sorted(result["correct"])
    (14, 28, ['discriminant', 'hamming', 'loss_weighted'])
    """
    from joblib import Parallel, delayed

    cells = plan(protocol, methods)
    known = store.known(protocol.key) | (set() if retry_failed else store.known(protocol.key, "failed"))
    todo = [cell for cell in dict.fromkeys(cells) if cell not in known]
    if not todo:
        return cells
    read = cache(lambda name: load(name, data_dir=data_dir, target=target))
    jobs = [_job(cell, protocol, read) for cell in todo]
    weights = {job.cell: _weight(job) for job in jobs}
    total, done = sum(weights.values()), 0.0
    with Progress(protocol.name, progress) as bar, backend.configured():
        outcomes: Iterable[Any] = Parallel(return_as="generator_unordered", batch_size=1, pre_dispatch="2*n_jobs")(
            delayed(execute)(job) for job in jobs
        )
        for count, outcome in enumerate(outcomes, 1):
            store.add(protocol.key, outcome)
            done += weights[outcome.cell]
            bar.update(done / total, f"{count} of {len(todo)} cells, {outcome.cell.dataset} {outcome.cell.method}")
    return cells


def reproduce(
    preset: str | Protocol = "quick",
    out: str | Path = "reproduction",
    *,
    data_dir: str | Path | None = None,
    **how: Any,
) -> Path:
    """Run an experiment, or what is left of it, and write its tables, figures and page.

    Parameters
    ----------
    preset : str or Protocol, default="quick"
        ``"quick"``, ``"medium"``, ``"paper"`` or a protocol of your own.
    out : path-like, default="reproduction"
        Folder for ``results.sqlite`` and all that is made of it.
    data_dir : path-like, default=None
        Folder with data sets.
    **how : dict
        Passed to :func:`~ecoc.experiments.run`.

    Returns
    -------
    Path
        The page.

    Raises
    ------
    ValueError
        If there is no such preset.

    See Also
    --------
    ecoc.experiments.run : Without tables and figures.
    ecoc.experiments.Protocol : What can be set.

    Examples
    --------
    >>> import tempfile
    >>> from ecoc.experiments import Protocol, reproduce
    >>> protocol = Protocol("planted", datasets=(), planted=((5, 3, 1, 2),), curves=(), boundaries=False)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = reproduce(protocol, folder)
    ...     page.name, (page.parent / "planted.csv").exists()
    ('index.html', True)
    """
    from ecoc.experiments.results import write_all

    if isinstance(preset, str) and preset not in PRESETS:
        raise ValueError(f"Unknown preset {preset!r}; there are {', '.join(PRESETS)}.")
    protocol = PRESETS[preset] if isinstance(preset, str) else preset
    store = Store(Path(out) / "results.sqlite")
    try:
        cells = run(protocol, store, data_dir=data_dir, **how)
        return write_all(protocol, store, cells, Path(out))
    finally:
        store.close()


def _job(cell: Cell, protocol: Protocol, read: Any) -> Job:
    data: Data | None = None if cell.experiment == "planted" else read(cell.dataset)
    method = None if cell.experiment in ("planted", "convergence") else get_method(cell.method)
    return Job(cell, protocol, data, method)


def _weight(job: Job) -> float:
    """About how long a cell takes, against others: the bar needs no more."""
    if job.data is None or job.cell.experiment == "convergence":
        return 1.0
    rows = min(len(job.data.y), job.protocol.max_rows or len(job.data.y))
    return 1.0 + (rows / 200) ** 2 * len(np.unique(job.data.y)) / 10
