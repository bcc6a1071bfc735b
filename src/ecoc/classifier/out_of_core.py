"""Fit from batches: design the code by a sample, train XGBoost in external memory, decide by held-out samples."""

import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecoc.classifier.decision import Decision
from ecoc.classifier.fitted import FittedModel
from ecoc.classifier.fitting import Fit, Settings, make_code
from ecoc.decoding.evidence import Evidence
from ecoc.policy import Plan
from ecoc.training.choosing import choose_path, free_memory
from ecoc.training.interfaces import Options, Task
from ecoc.training.xgboosting import MultiLabelTraining, train_from_batches
from ecoc.utils.batches import Batches

Array = NDArray[np.float64]


class Chosen(NamedTuple):
    """Samples of a table, and weights with which their classes are as frequent as in the table."""

    X: Any
    y: NDArray[Any]
    weight: Array


class Survey(NamedTuple):
    """What one pass over the batches has found.

    Attributes
    ----------
    classes, counts : ndarray of shape (n_classes,)
        Labels, and their numbers of samples.
    n_rows : list of int
        Number of rows of each batch.
    design : Chosen
        Samples that the code is designed for, among those that are trained on.
    held_out : Chosen
        Samples that are not trained on.
    limits : ndarray of shape (n_classes,)
        A sample of the class is held out if its random number is smaller.
    seed : int
        Seed of the random numbers.
    """

    classes: NDArray[Any]
    counts: NDArray[np.intp]
    n_rows: list[int]
    design: Chosen
    held_out: Chosen
    limits: Array
    seed: int


@dataclass(frozen=True)
class Known:
    """Held-out outputs that are there, in the place of a training that is put off."""

    known: Evidence

    def evidence(self) -> Evidence:
        """Return them."""
        return self.known

    def first(self, n_columns: int) -> "Known":
        """Return those of the first columns."""
        return Known(self.known.first(n_columns))


def random_numbers(seed: int, batch: int, n: int) -> Array:
    """Return a number from 0 to 1 for each row of a batch, the same in every pass."""
    return np.random.default_rng([seed, batch]).random(n)


def checked(batches: Iterable[Any]) -> Iterator[tuple[Any, NDArray[Any]]]:
    """Yield samples and labels of each batch."""
    for batch in batches:
        if len(batch) != 2 or batch[1] is None:
            raise ValueError("batches must be pairs (X, y); Batches(files, target=...) names the column of labels.")
        X, y = np.asarray(batch[0], dtype=np.float32), np.asarray(batch[1])
        if X.ndim != 2 or len(X) != len(y):
            raise ValueError(f"a batch has X of shape {X.shape} and {len(y)} labels.")
        if np.isinf(X).any():
            raise ValueError("X has infinite values; XGBoost takes NaN for missing values only.")
        if len(y):
            yield X, y


def survey(batches: Iterable[Any], seed: int, most_rows: int) -> Survey:
    """Count the classes and draw samples: at most `most_rows` for the design, and a third as many held out.

    Of each class, those with the smallest random numbers are held out, a tenth at most, and those with the largest ones
    design the code.
    """
    held_out_share, n_rows = 0.1, []
    counts: dict[Any, int] = {}
    low: list[tuple[Any, Any, Any]] = []
    high: list[tuple[Any, Any, Any]] = []
    for i, (X, y) in enumerate(checked(batches)):
        n_rows.append(len(y))
        for label, count in zip(*np.unique(y, return_counts=True)):
            counts[label] = counts.get(label, 0) + int(count)
        u = random_numbers(seed, i, len(y))
        below = u < held_out_share
        low = [smallest([*low, (X[below], y[below], u[below])], most_rows // 3)]
        high = [smallest([*high, (X[~below], y[~below], 1 - u[~below])], most_rows)]
    if len(counts) < 2:
        raise ValueError(f"the batches have labels of {len(counts)} classes; a classifier needs at least two.")
    classes = np.array(sorted(counts))
    of_classes = np.array([counts[label] for label in classes.tolist()])
    (X_low, y_low, u_low), (X_high, y_high, _) = low[0], high[0]
    y_low, y_high = np.searchsorted(classes, y_low), np.searchsorted(classes, y_high)
    limits = np.zeros(len(classes))
    np.maximum.at(limits, y_low, u_low)
    lacking = classes[np.bincount(y_high, minlength=len(classes)) == 0]
    if len(lacking):
        raise ValueError(f"class {lacking.tolist()[0]!r} has too few samples to train on; leave it out.")
    design, held_out = (
        Chosen(X, y, (of_classes / np.maximum(np.bincount(y, minlength=len(classes)), 1))[y])
        for X, y in ((X_high, y_high), (X_low, y_low))
    )
    return Survey(classes, of_classes, n_rows, design, held_out, np.nextafter(limits, 1), seed)


def smallest(parts: list[tuple[Any, Any, Any]], most: int) -> tuple[Any, Any, Any]:
    """Return the samples with the smallest numbers of each class, about `most` of all classes."""
    X, y, u = (np.concatenate(each) for each in zip(*parts))
    _, place = np.unique(y, return_inverse=True)
    order = np.lexsort((u, place))
    of_class = np.bincount(place)
    rank = np.empty(len(y), dtype=np.intp)
    rank[order] = np.arange(len(y)) - np.repeat(np.cumsum(of_class) - of_class, of_class)
    kept = np.sort(np.flatnonzero(rank < max(1, most // max(len(of_class), 1))))
    return X[kept], y[kept], u[kept]


class TrainingBatches:
    """Batches without the held-out samples, with numbered classes.

    Parameters
    ----------
    batches : iterable of (X, y)
        The batches.
    found : Survey
        What the first pass has found.
    """

    def __init__(self, batches: Iterable[Any], found: Survey) -> None:
        self.batches = batches
        self.found = found

    def __iter__(self) -> Iterator[tuple[Any, NDArray[np.intp]]]:
        n_batches = 0
        for i, (X, y) in enumerate(checked(self.batches)):
            if (
                i >= len(self.found.n_rows)
                or len(y) != self.found.n_rows[i]
                or not np.isin(y, self.found.classes).all()
            ):
                raise ValueError(f"batch {i} is not what it was when the batches were read before.")
            y = np.searchsorted(self.found.classes, y)
            used = random_numbers(self.found.seed, i, len(y)) >= self.found.limits[y]
            n_batches += 1
            yield X[used], y[used]
        if n_batches < len(self.found.n_rows):
            raise ValueError(f"there were {len(self.found.n_rows)} batches, and now there are {n_batches}.")


def check_alone(*others: Any) -> None:
    """Refuse other arguments of `fit` beside batches."""
    if any(other is not None for other in others):
        raise ValueError("Batches hold the labels; fit them without y, sample_weight and other arguments.")


def memory_of(max_memory: float | None) -> float:
    """Return the bytes that a fit may take: a quarter of the free memory by default."""
    share = 0.25
    return share * free_memory() if max_memory is None else float(max_memory)


def first_pass(batches: Batches, seed: int) -> Survey:
    """Survey the batches; the samples that it draws take a tenth of the memory."""
    share, most_rows = 0.1, 40_000
    X, _ = next(checked(batches), (None, None))
    if X is None:
        raise ValueError("there are no batches.")
    rows = int(share * memory_of(batches.max_memory) / (8 * X.shape[1]))
    return survey(batches, seed, int(np.clip(rows, 1000, most_rows)))


def fit_from_batches(settings: Settings, plan: Plan, batches: Batches, found: Survey) -> Fit:
    """Carry out a plan on batches: make the code, train its columns in external memory, and learn to decide."""
    (X, y, weight), held_out = found.design, found.held_out
    settings = replace(settings, options=replace(settings.options, cache=None))
    code = make_code(settings, plan, X, y)
    matrix = code.book.matrix
    plan = plan.with_code(matrix)
    path = choose_path(settings.estimator, Task(matrix, X, y), Options())
    if path.training is not MultiLabelTraining:
        raise ValueError(
            f"{type(settings.estimator).__name__} cannot be trained from batches with these parameters: XGBClassifier "
            'can, with tree_method="hist", all rows and features in each tree, and columns that leave no class out. '
            "partial_fit trains learners that have it from a stream; fit takes a sample."
        )
    stop = Task(matrix, held_out.X, held_out.y, held_out.weight)
    with tempfile.TemporaryDirectory(prefix="ecoc-", dir=batches.folder) as cache:
        models = train_from_batches(
            settings.estimator,
            matrix,
            TrainingBatches(batches, found),
            stop,
            Path(cache) / "bins",
            memory_of(batches.max_memory),
        )
    unseen = models.margins(held_out.X)
    known = Evidence(None, unseen, held_out.y, held_out.weight)
    plan = plan.with_held_out(len(held_out.y)) if plan.decoding is None else plan
    if plan.decoding is None or plan.decoding.fit_on == "out_of_fold":
        evidence, later = replace(known, outputs=unseen, judging=plan.judging), None
    else:
        evidence = Evidence(models.margins(X), None, y, weight, judging=plan.judging)
        later = Known(replace(known, outputs=evidence.outputs, judging=plan.judging)) if settings.calibrates else None
    decision = Decision.learn(
        plan.decoding,
        code.book,
        evidence,
        calibrates=settings.calibrates,
        keeps_evidence=settings.keeps_outputs,
        seed=settings.seeds[1],
        later=later,
    )
    plan = replace(plan, training="in external memory, all columns as one multi-label model")
    return Fit(plan, code, FittedModel(code.book, models, decision), None)
