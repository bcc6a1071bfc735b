"""A cell of the experiments: experiment, data set, fold, method and setting, with its numbers."""

import hashlib
import platform
import time
import traceback
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from os import cpu_count
from pathlib import Path
from typing import Any, NamedTuple
from warnings import catch_warnings, simplefilter

import ecoc
from ecoc.utils.interrupts import interruptible
from ecoc.utils.threads import one_blas_thread
from ecoc_paper.datasets import Data
from ecoc_paper.experiments.methods import Method
from ecoc_paper.experiments.protocol import Protocol
from ecoc_paper.experiments.seeds import seed_of

_PACKAGES = ("ecoc-paper", "ecoc", "numpy", "scipy", "scikit-learn", "numba", "daqp")


class Cell(NamedTuple):
    """The name of a cell. The experiment says what is done with the rest."""

    experiment: str
    dataset: str
    fold: int
    method: str
    setting: str


@dataclass(frozen=True)
class Job:
    """A cell with everything that is needed to compute it in another process."""

    cell: Cell
    protocol: Protocol
    data: Data | None = None
    method: Method | None = None

    @property
    def seed(self) -> int:
        """Seed of the cell. It does not depend on the setting, so that equal settings give equal codes."""
        return seed_of(self.protocol, self.cell.dataset, self.cell.fold, self.cell.method)


@dataclass(frozen=True)
class Outcome:
    """The result of a job: numbers, or an error. The protocol is the key under which it is stored."""

    cell: Cell
    result: dict[str, Any] | None
    error: str | None
    seed: int
    seconds: float
    facts: dict[str, str]
    protocol: str = ""


def execute(job: Job) -> Outcome:
    """Compute a cell. The numbers depend on the job alone. An error is an outcome, too."""
    from ecoc_paper.experiments.tasks import EXPERIMENTS

    start = time.perf_counter()
    result, error = None, None
    try:
        with interruptible(), one_blas_thread(), catch_warnings():
            simplefilter("ignore")  # codes that need more columns, machines stopped by max_iter
            result = EXPERIMENTS[job.cell.experiment](job)
    except ImportError:  # a missing package says nothing about the cell: stop, and go on once it is there
        raise
    except Exception as failure:
        where = traceback.extract_tb(failure.__traceback__)[-1]
        error = f"{type(failure).__name__}: {failure} ({where.name}, line {where.lineno})"
    return Outcome(job.cell, result, error, job.seed, time.perf_counter() - start, machine_facts(), job.protocol.key)


def machine_facts() -> dict[str, str]:
    """Return the kind of machine and the versions, and nothing that tells whose machine it is."""
    facts = {"machine": f"{platform.system()} {platform.machine()}, {cpu_count()} cores"}
    versions = {}
    for name in _PACKAGES:
        with suppress(PackageNotFoundError):
            versions[name] = version(name)
    return facts | {"python": platform.python_version()} | versions | {"source": _source_digest()}


@cache
def _source_digest() -> str:
    """Return a digest of the installed packages, so that rows tell whether the code changed between them."""
    folders = Path(__file__).parents[1], Path(ecoc.__file__).parent
    content = b"".join(path.read_bytes() for folder in folders for path in sorted(folder.rglob("*.py")))
    return hashlib.sha256(content).hexdigest()[:12]
