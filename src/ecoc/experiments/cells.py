"""What is one cell of the experiment, and what comes out of it? (data set, fold, method, setting) to a few numbers."""

import hashlib
import platform
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from os import cpu_count
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple
from warnings import catch_warnings, simplefilter

from ecoc.datasets import Data
from ecoc.experiments import curves
from ecoc.experiments.evaluation import evaluate
from ecoc.experiments.fold import Fold
from ecoc.experiments.methods import Method
from ecoc.experiments.protocol import Protocol
from ecoc.experiments.seeds import seed_of
from ecoc.experiments.tuning import Tuning
from ecoc.utils.threads import one_blas_thread

_PACKAGES = ("ecoc", "numpy", "scipy", "scikit-learn", "numba", "daqp")
_REMEMBERED = 2  # folds that a process keeps in memory


class Cell(NamedTuple):
    """The name of a cell; `experiment` tells what is done with the rest."""

    experiment: str
    dataset: str
    fold: int
    method: str
    setting: str


@dataclass(frozen=True)
class Job:
    """A cell with all that is needed to compute it in another process."""

    cell: Cell
    protocol: Protocol
    data: Data | None = None
    method: Method | None = None


@dataclass(frozen=True)
class Outcome:
    """What came out of a job: numbers, or the error."""

    cell: Cell
    result: dict[str, Any] | None
    error: str | None
    seed: int
    seconds: float
    facts: dict[str, str]


def execute(job: Job) -> Outcome:
    """Compute a cell. Numbers depend on the job alone; an error is an outcome too."""
    start, seed = time.perf_counter(), seed_of(job.protocol, *job.cell)
    result, error = None, None
    try:
        with one_blas_thread(), catch_warnings():
            simplefilter("ignore")  # of codes that need more columns, of machines stopped by max_iter
            result = _EXPERIMENTS[job.cell.experiment](job, seed)
    except ImportError:  # a missing package says nothing about the cell: stop, and go on once it is there
        raise
    except Exception as failure:
        where = traceback.extract_tb(failure.__traceback__)[-1]
        error = f"{type(failure).__name__}: {failure} ({where.name}, line {where.lineno})"
    return Outcome(job.cell, result, error, seed, time.perf_counter() - start, machine_facts())


def machine_facts() -> dict[str, str]:
    """The machine and the versions; nothing that tells whose machine it is."""
    facts = {"machine": f"{platform.system()} {platform.machine()}, {cpu_count()} cores"}
    versions = {}
    for name in _PACKAGES:
        with suppress(PackageNotFoundError):  # daqp is optional
            versions[name] = version(name)
    return facts | {"python": platform.python_version()} | versions | {"source": _source_digest()}


@cache
def _source_digest() -> str:
    """Of the package as it is installed, so that rows tell whether the code changed between them."""
    folder = Path(__file__).parents[1]
    content = b"".join(path.read_bytes() for path in sorted(folder.rglob("*.py")))
    return hashlib.sha256(content).hexdigest()[:12]


_recent: dict[tuple[str, int, str], Tuning] = {}
_lock = Lock()


def tuning_of(job: Job) -> Tuning:
    """Return the fold of a job with its trained columns, from memory if this process used it lately."""
    assert job.data is not None
    key = (job.data.digest, job.cell.fold, job.protocol.key)
    with _lock:
        if key not in _recent:
            while len(_recent) >= _REMEMBERED:
                del _recent[next(iter(_recent))]
            _recent[key] = Tuning(Fold(job.data, job.cell.fold, job.protocol), job.protocol)
        return _recent[key]


def _accuracy(job: Job, seed: int) -> dict[str, Any]:
    assert job.method is not None
    return evaluate(tuning_of(job), job.method.build(job.cell.setting, job.protocol), seed)[0]


def _boundaries(job: Job, seed: int) -> dict[str, Any]:
    """What is predicted all over the plane, besides the test rows; by the second decoding, loss-weighted."""
    assert job.data is not None
    grid = curves.grid(job.data.X)
    assert job.method is not None
    fold = Fold(job.data, job.cell.fold, job.protocol, extra=grid)
    result, predicted = evaluate(Tuning(fold, job.protocol), job.method.build(job.cell.setting, job.protocol), seed)
    name = "loss_weighted" if "loss_weighted" in predicted else next(iter(predicted))
    regions = fold.classes[predicted[name][fold.n_test :]]
    return {**result, "decoding": name, "regions": regions.tolist()}


def _design(job: Job, seed: int) -> dict[str, Any]:
    """The design matrix of a fold and the code that comes of it."""
    fold = tuning_of(job).fold
    assert job.method is not None
    coding = job.method.build(job.cell.setting, job.protocol).set_params(effort=job.protocol.effort)
    code = coding.build(fold.n_classes, fold.X, fold.y, seed).matrix
    return {"design": coding.design_.round(6).tolist(), "code": code.tolist()}


def _convergence(job: Job, seed: int) -> dict[str, Any]:
    assert job.data is not None
    fold = tuning_of(Job(job.cell._replace(fold=0), job.protocol, job.data)).fold
    return {"history": curves.convergence(fold.X, fold.y, job.cell.method, seed)}


def _planted(job: Job, seed: int) -> dict[str, Any]:
    n_classes, n_columns = map(int, job.cell.dataset.split("×"))
    design_seed = seed_of(job.protocol, "planted", job.cell.dataset, job.cell.fold)
    return {"history": curves.planted(n_classes, n_columns, design_seed, seed)}


_EXPERIMENTS: dict[str, Callable[[Job, int], dict[str, Any]]] = {
    "accuracy": _accuracy,
    "boundaries": _boundaries,
    "design": _design,
    "convergence": _convergence,
    "planted": _planted,
}
