"""Run, stop and resume experiments: fold by fold in any number of processes, stored cell by cell."""

from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ecoc.utils.messages import unknown_name
from ecoc.utils.progress import Progress
from ecoc.utils.workers import end_with_parent
from ecoc_paper.datasets import Data, load
from ecoc_paper.experiments.backend import Backend
from ecoc_paper.experiments.cells import Cell, Job, Outcome, execute
from ecoc_paper.experiments.methods import get_method
from ecoc_paper.experiments.plan import plan
from ecoc_paper.experiments.protocol import PRESETS, Protocol
from ecoc_paper.experiments.store import Store

_WITHOUT_DATA = ("planted",)
_WITH_METHOD = ("accuracy", "length", "raw", "design", "boundaries")


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
    """Compute the cells that the store does not have yet, and store each as soon as it is finished.

    All cells of a fold are computed by one process, one after the other, because they share Gram matrices and columns.

    Parameters
    ----------
    protocol : Protocol
        What to run.
    store : Store
        The finished cells.
    data_dir : path-like, default=None
        Folder with data sets, for :func:`ecoc_paper.datasets.load`.
    target : str, default=None
        Column of the labels in your own files, for :func:`ecoc_paper.datasets.load`.
    methods : sequence of str, default=None
        Names of methods. None: all.
    backend : Backend, default=Backend()
        Where to compute.
    retry_failed : bool, default=False
        Whether to compute cells again that failed before.
    progress : bool, default=True
        Whether to show a progress bar, if standard error is a terminal.

    Returns
    -------
    list of Cell
        All cells of the protocol, those of each repetition in turn.

    See Also
    --------
    ecoc_paper.experiments.reproduce : Run a protocol, and write its tables, figures and page.

    Examples
    --------
    >>> import tempfile
    >>> from ecoc_paper.experiments import Protocol, Store, run
    >>> protocol = Protocol("toy", datasets=("toy",), folds=(0,), max_rows=140, Cs=(1.0,), gammas=(0.1,), lengths=(),
    ...                     tunings=("fold",), planted=(), curves=(), boundaries=False)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = Store(f"{folder}/results.sqlite")
    ...     cells = run(protocol, store, methods=["OVA"])
    ...     result = next(store.rows(protocol.key, "accuracy")).result
    ...     store.close()
    >>> result["n_columns"], result["n_test"], sorted(result["correct"]["fold"])
    (14, 28, ['discriminant', 'hamming', 'loss_weighted'])
    """
    from joblib import Parallel, delayed

    cells, todo = [], []
    for repetition in protocol.repetitions:
        own = plan(repetition, methods)
        known = store.known(repetition.key) | (set() if retry_failed else store.known(repetition.key, "failed"))
        cells += own
        todo += [(cell, repetition) for cell in own if cell not in known]
    if not todo:
        return cells
    read = cache(lambda name: load(name, data_dir=data_dir, target=target))
    batches = _batches([_job(cell, repetition, read) for cell, repetition in todo])
    weights = {job.cell: _weight(job) for batch in batches for job in batch}
    total, done, count = sum(_weight(job) for batch in batches for job in batch), 0.0, 0
    path = store.path if backend.shares_files else None
    with Progress(protocol.name, progress) as bar, backend.configured():
        finished: Iterable[Any] = Parallel(return_as="generator_unordered", batch_size=1, pre_dispatch="n_jobs")(
            delayed(execute_batch)(batch, path) for batch in batches
        )
        for outcomes in finished:
            for outcome in outcomes:
                if path is None:
                    store.add(outcome.protocol, outcome)
                done += weights[outcome.cell]
                count += 1
            bar.update(done / total, f"{count} of {len(todo)} cells, last {outcomes[-1].cell.dataset}")
    return cells


def execute_batch(jobs: Sequence[Job], path: Path | None) -> list[Outcome]:
    """Compute jobs one after the other. With a path, each outcome is stored there as soon as it is known."""
    end_with_parent()
    outcomes = []
    store = None if path is None else Store(path)
    try:
        for job in jobs:
            outcome = execute(job)
            if store is not None:
                store.add(job.protocol.key, outcome)
            outcomes.append(outcome)
    finally:
        if store is not None:
            store.close()
    return outcomes


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
        ``"quick"``, ``"medium"``, ``"paper"`` or your own protocol.
    out : path-like, default="reproduction"
        Folder for ``results.sqlite``, tables, figures and the page.
    data_dir : path-like, default=None
        Folder with data sets.
    **how : dict
        Passed to :func:`~ecoc_paper.experiments.run`.

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
    ecoc_paper.experiments.run : Without tables and figures.
    ecoc_paper.experiments.Protocol : All settings.

    Examples
    --------
    >>> import tempfile
    >>> from ecoc_paper.experiments import Protocol, reproduce
    >>> protocol = Protocol("planted", datasets=(), planted=((5, 3, 1, 2),), curves=(), boundaries=False)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = reproduce(protocol, folder)
    ...     page.name, (page.parent / "planted.csv").exists()
    ('index.html', True)
    """
    from ecoc_paper.experiments.results import write_all

    if isinstance(preset, str) and preset not in PRESETS:
        raise ValueError(unknown_name("preset", preset, PRESETS))
    protocol = PRESETS[preset] if isinstance(preset, str) else preset
    store = Store(Path(out) / "results.sqlite")
    try:
        run(protocol, store, data_dir=data_dir, **how)
        return write_all(protocol, store, Path(out), how.get("methods"))
    finally:
        store.close()


def _job(cell: Cell, protocol: Protocol, read: Any) -> Job:
    data: Data | None = None if cell.experiment in _WITHOUT_DATA else read(cell.dataset)
    method = get_method(cell.method) if cell.experiment in _WITH_METHOD else None
    return Job(cell, protocol, data, method)


def _batches(jobs: Iterable[Job]) -> list[list[Job]]:
    """Put the jobs of a fold together; the longest batches come first, so that no process has to wait at the end."""
    batches: dict[tuple[Any, ...], list[Job]] = {}
    for job in jobs:
        cell = job.cell
        alone, seed = cell.experiment in ("planted", "boundaries"), job.protocol.seed
        batches.setdefault((seed, *cell) if alone else (seed, cell.dataset, cell.fold), []).append(job)
    for batch in batches.values():
        batch.sort(key=lambda job: job.cell.experiment == "raw")  # other features than all other cells of the fold
    return sorted(batches.values(), key=lambda batch: -sum(map(_weight, batch)))


def _weight(job: Job) -> float:
    """Return about how long a cell takes, relative to others."""
    if job.data is None:
        n_classes, n_columns = map(int, job.cell.dataset.split("×"))
        return 1e-3 * n_classes * n_columns
    if job.cell.experiment not in ("accuracy", "length", "raw"):
        return 1.0
    rows = min(len(job.data.y), job.protocol.max_rows or len(job.data.y))
    return 1.0 + (rows / 200) ** 2 * len(np.unique(job.data.y)) / 10
