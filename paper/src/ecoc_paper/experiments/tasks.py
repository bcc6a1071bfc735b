"""A function for each experiment, from a job to its numbers."""

from collections.abc import Callable
from threading import local
from typing import Any

import numpy as np

from ecoc import CodeBookError, InfeasibleError, allocate, class_distances, code_length, nearest_correlation
from ecoc.codes.design import alternating_projections
from ecoc_paper.codings import PaperECF
from ecoc_paper.experiments import curves
from ecoc_paper.experiments.cells import Job
from ecoc_paper.experiments.decomposition import decompose_error
from ecoc_paper.experiments.evaluation import evaluate
from ecoc_paper.experiments.fold import Fold
from ecoc_paper.experiments.images import filtered
from ecoc_paper.experiments.protocol import columns_at
from ecoc_paper.experiments.seeds import seed_of
from ecoc_paper.experiments.tuning import Tuner

_last = local()  # the fold that this thread used last


def tuner_of(job: Job, is_raw: bool = False) -> Tuner:
    """Return the fold of a job with its trained columns, from memory if this thread used it last."""
    assert job.data is not None
    key = (job.data.digest, job.cell.fold, job.protocol.key, is_raw)
    if getattr(_last, "key", None) != key:
        is_filtered = job.cell.dataset in job.protocol.filtered and not is_raw
        data = filtered(job.data) if is_filtered else job.data
        _last.key, _last.tuner = key, Tuner(Fold(data, job.cell.fold, job.protocol), job.protocol)
    tuner: Tuner = _last.tuner
    return tuner


def _accuracy(job: Job) -> dict[str, Any]:
    """Compute the accuracy of a method at a setting of its own; nothing where no code has the distance it asks for."""
    assert job.method is not None
    try:
        return evaluate(tuner_of(job), job.method.build(job.cell.setting, job.protocol), job.seed)[0]
    except InfeasibleError:
        return {}


def _raw(job: Job) -> dict[str, Any]:
    """Compute the same on images that are not filtered."""
    assert job.method is not None
    return evaluate(tuner_of(job, is_raw=True), job.method.build(job.cell.setting, job.protocol), job.seed)[0]


def _length(job: Job) -> dict[str, Any]:
    """Compute the accuracy of a method at a given length; nothing where no code of the method has it."""
    assert job.method is not None
    assert job.method.at_length is not None
    tuner = tuner_of(job)
    n_columns = columns_at(job.cell.setting, tuner.fold.n_classes)
    if n_columns is None:
        return {}
    try:
        return evaluate(tuner, job.method.at_length(n_columns), job.seed)[0] | {"wanted_columns": n_columns}
    except InfeasibleError:
        return {}


def _boundaries(job: Job) -> dict[str, Any]:
    """Predict all over the plane, besides the test rows."""
    assert job.data is not None
    assert job.method is not None
    fold = Fold(job.data, job.cell.fold, job.protocol, extra=curves.grid(job.data.X))
    made = job.method.at_length(int(job.cell.setting)) if job.cell.setting else job.method.build("", job.protocol)  # type: ignore[misc]
    result, predicted = evaluate(Tuner(fold, job.protocol), made, job.seed)
    tuning = job.protocol.tunings[0]
    name = "loss_weighted" if "loss_weighted" in predicted[tuning] else next(iter(predicted[tuning]))
    regions = fold.classes[predicted[tuning][name][fold.n_test :]]
    code = made.build(fold.n_classes, fold.X, fold.y, job.seed).matrix  # the same code again
    return {**result, "decoding": name, "regions": regions.tolist(), "code": code.tolist()}


def _design(job: Job) -> dict[str, Any]:
    """Compute the design matrix of a fold, its spectrum, and a code for it."""
    fold = tuner_of(job).fold
    assert job.method is not None
    coding = job.method.build(job.cell.setting, job.protocol).set_params(effort=job.protocol.effort)
    code = coding.build(fold.n_classes, fold.X, fold.y, job.seed).matrix
    return {"design": coding.design_.round(6).tolist(), "code": code.tolist()}


def _rank(job: Job) -> dict[str, Any]:
    """Compute the ranks of the design of a fold: of the nearest correlation matrix, and of what Algorithm 2 gives."""
    n_rounds = 4000  # of linear scaling, which does not converge: the rank falls for as long as it goes on
    fold = tuner_of(job).fold
    wanted = allocate(fold.distances, job.cell.method)
    unshrunk = allocate(class_distances(fold.X, fold.y, shrinkage=0.0), job.cell.method)
    nearest, printed = nearest_correlation(wanted), alternating_projections(wanted).matrix
    linear, both = (alternating_projections(D, scaling="linear", max_iter=n_rounds).matrix for D in (wanted, unshrunk))
    spectrum = np.linalg.eigvalsh(nearest)[::-1]
    shares = spectrum.cumsum() / spectrum.sum()
    return {
        "n_classes": len(wanted),
        "rank": code_length(nearest).rank,
        **{name: _numerical_rank(D) for name, D in (("printed", printed), ("linear", linear), ("unshrunk", both))},
        "positive": int((np.linalg.eigvalsh(wanted) > 0).sum()),
        **{f"energy {share}": int(np.searchsorted(shares, share / 100) + 1) for share in (80, 90, 95, 99)},
    }


def _numerical_rank(D: Any) -> int:
    eigenvalues = np.linalg.eigvalsh(D)
    return int((eigenvalues > 1e-6 * eigenvalues[-1]).sum())


def _convergence(job: Job) -> dict[str, Any]:
    seeds = [seed_of(job.protocol, *job.cell, trial) for trial in range(int(job.cell.setting))]
    distances = tuner_of(job).fold.distances
    return {"histories": [curves.convergence(distances, job.cell.method, seed) for seed in seeds]}


def _planted(job: Job) -> dict[str, Any]:
    """Run the relaxation on a planted design from several starts; the setting is their number."""
    n_classes, n_columns = map(int, job.cell.dataset.split("×"))
    seeds = [seed_of(job.protocol, *job.cell, run) for run in range(int(job.cell.setting))]
    return {"histories": curves.planted(n_classes, n_columns, job.seed, seeds)}


def _reading(job: Job) -> dict[str, Any]:
    """Count the valid codes of the paper's algorithm; the method is an allocation, a reading and a projection."""
    fold = tuner_of(job).fold
    allocation, reading, projection, rounding = job.cell.method.split(", ")
    how: Any = {"reading": reading, "projection": projection, "rounding": rounding, "diagonal": rounding == "cycle"}
    coding = PaperECF(allocation, int(job.cell.setting), n_starts=job.protocol.starts, stop_at_valid=False, **how)
    try:
        book = coding.build(fold.n_classes, fold.X, fold.y, job.seed)
    except InfeasibleError as error:
        return {"infeasible": str(error)}
    except CodeBookError:
        return {**coding.details_}
    pairs = np.triu_indices(book.n_classes, 1)
    apart = book.distances()[pairs]
    correlation = float(np.corrcoef(apart, fold.distances[pairs])[0, 1]) if apart.std() > 0 else None
    return {**coding.details_, "min_distance": book.min_distance, "correlation": correlation}


def _decomposition(job: Job) -> dict[str, Any]:
    """Split the error of the relaxation into its parts, relative to ‖l·D‖²; the method is an allocation."""
    fold = tuner_of(job).fold
    design = nearest_correlation(allocate(fold.distances, job.cell.method))
    length = int(code_length(design))
    parts = decompose_error(design, length, effort=job.protocol.effort, random_state=job.seed)
    scale = length**2 * float((design**2).sum())
    names = ("total", "optimisation", "discretisation", "trace")
    return {**{name: getattr(parts, name) / scale for name in names}, "is_exact": parts.is_exact, "length": length}


EXPERIMENTS: dict[str, Callable[[Job], dict[str, Any]]] = {
    "accuracy": _accuracy,
    "length": _length,
    "raw": _raw,
    "boundaries": _boundaries,
    "design": _design,
    "rank": _rank,
    "reading": _reading,
    "decomposition": _decomposition,
    "convergence": _convergence,
    "planted": _planted,
}
