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

import numpy as np
from numpy.typing import NDArray

from ecoc.datasets import Data
from ecoc.experiments import curves
from ecoc.experiments.fold import Array, Fold
from ecoc.experiments.methods import Method
from ecoc.experiments.protocol import Protocol
from ecoc.experiments.seeds import seed_of
from ecoc.utils.threads import one_blas_thread

_PACKAGES = ("ecoc", "numpy", "scipy", "scikit-learn", "numba", "daqp")
_KEPT = 2  # folds that a process remembers


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


_folds: dict[tuple[str, int, str], Fold] = {}
_lock = Lock()


def fold_of(job: Job) -> Fold:
    """The fold of a job, from memory if this process had it lately."""
    assert job.data is not None
    key = (job.data.digest, job.cell.fold, job.protocol.key)
    with _lock:
        if key not in _folds:
            while len(_folds) >= _KEPT:
                del _folds[next(iter(_folds))]
            _folds[key] = Fold(job.data, job.cell.fold, job.protocol)
        return _folds[key]


def _accuracy(job: Job, seed: int) -> dict[str, Any]:
    return evaluate(fold_of(job), job, seed)[0]


def evaluate(fold: Fold, job: Job, seed: int) -> tuple[dict[str, Any], dict[str, NDArray[np.intp]]]:
    """How many test rows a method gets right with every decoding, what it takes, and what it predicts."""
    from ecoc.coding import Coding

    assert job.method is not None
    made = job.method.build(job.cell.setting, job.protocol)
    if isinstance(made, Coding):
        predicted, result = _coded(fold, made, job.protocol, seed)
    else:
        predicted, result = _classified(fold, made, seed)
    correct = {name: int((classes == fold.y_test).sum()) for name, classes in predicted.items()}
    sizes = {"n_train": len(fold.y), "n_test": fold.n_test, "n_classes": fold.n_classes}
    return {"correct": correct, **result, **sizes}, predicted


def _coded(
    fold: Fold, coding: Any, protocol: Protocol, seed: int
) -> tuple[dict[str, NDArray[np.intp]], dict[str, Any]]:
    from ecoc.decoding import decide, get_decoding

    if "effort" in coding.get_params() and coding.effort is None:
        coding.set_params(effort=protocol.effort)
    book = coding.build(fold.n_classes, fold.X, fold.y, seed)
    columns = list(fold.columns(book.matrix))

    def outputs(which: str, needs: str) -> Array:
        margins = np.column_stack([getattr(column, which) * sign for column, sign in columns])
        return np.where(margins > 0, 1.0, -1.0) if needs == "signs" else margins

    predicted = {}
    for name in protocol.decodings:
        decoding = get_decoding(name)
        which = {"training": "train", "out_of_fold": "held_out", None: None}[decoding.fit_on]
        decoding.fit(book, None if which is None else outputs(which, decoding.needs), fold.y)
        predicted[name] = decide(decoding.scores(outputs("test", decoding.needs)))
    support = np.unique(np.concatenate([column.support for column, _ in columns]))
    return predicted, {"n_columns": book.n_columns, "n_support": len(support), "min_distance": book.min_distance}


def _classified(fold: Fold, model: Any, seed: int) -> tuple[dict[str, NDArray[np.intp]], dict[str, Any]]:
    """A classifier with its own decoding. It has one C and γ for all its machines."""
    from sklearn.utils import get_tags

    params = model.get_params()
    C, gamma = fold.best_pair
    wanted = {"random_state": seed, "estimator__C": C, "estimator__max_iter": fold.protocol.max_iter}
    model.set_params(**{name: value for name, value in wanted.items() if name in params})
    train, test = fold.X, fold.X_test
    if get_tags(model).input_tags.pairwise:
        train, test = np.split(fold.gram(gamma), [len(fold.y)])
    predicted = np.asarray(model.fit(train, fold.y).predict(test))
    columns = getattr(model, "n_dichotomizers_", None) or len(getattr(model, "estimators_", [model]))
    return {"own": predicted}, {
        "n_columns": int(columns),
        "n_support": int(np.sum(getattr(model, "n_support_", np.nan))) if hasattr(model, "n_support_") else None,
        "min_distance": None,
    }


def _boundaries(job: Job, seed: int) -> dict[str, Any]:
    """What is predicted all over the plane, besides the test rows; by the second decoding, loss-weighted."""
    assert job.data is not None
    grid = curves.grid(job.data.X)
    fold = Fold(job.data, job.cell.fold, job.protocol, extra=grid)
    result, predicted = evaluate(fold, job, seed)
    name = "loss_weighted" if "loss_weighted" in predicted else next(iter(predicted))
    regions = fold.classes[predicted[name][fold.n_test :]]
    return {**result, "decoding": name, "regions": regions.tolist()}


def _design(job: Job, seed: int) -> dict[str, Any]:
    """The design matrix of a fold and the code that comes of it."""
    fold = fold_of(job)
    assert job.method is not None
    coding = job.method.build(job.cell.setting, job.protocol).set_params(effort=job.protocol.effort)
    code = coding.build(fold.n_classes, fold.X, fold.y, seed).matrix
    return {"design": coding.design_.round(6).tolist(), "code": code.tolist()}


def _convergence(job: Job, seed: int) -> dict[str, Any]:
    assert job.data is not None
    fold = fold_of(Job(job.cell._replace(fold=0), job.protocol, job.data))
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
