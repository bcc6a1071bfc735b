"""Fit from batches: design the code from a sample, train XGBoost in external memory, calibrate on held-out samples."""

import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
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
from ecoc.training.interfaces import FIVE_FOLDS, Dichotomizers, Options, Task
from ecoc.training.xgboosting import MultiLabelTraining, train_from_batches
from ecoc.utils.batches import Batches

Array = NDArray[np.float64]
_DRAWN = "samples drawn when the data are first read, at most a tenth of each class, are not trained on"


class Chosen(NamedTuple):
    """Samples of a table, with weights that restore the class frequencies of the table."""

    X: Any
    y: NDArray[Any]
    weight: Array


class Survey(NamedTuple):
    """Results of one pass over the batches.

    Attributes
    ----------
    classes, counts : ndarray of shape (n_classes,)
        Labels, and their numbers of samples.
    n_rows : list of int
        Number of rows of each batch.
    design : Chosen
        Samples to design the code from, among those to train on.
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
    """Held-out outputs that exist already, in the place of a training that is put off."""

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


def as_batch(X: Any, y: Any) -> tuple[Any, NDArray[Any]]:
    """Check samples and labels of a batch."""
    X, y = np.asarray(X, dtype=np.float32), np.asarray(y)
    if X.ndim != 2 or len(X) != len(y):
        raise ValueError(f"a batch has X of shape {X.shape} and {len(y)} labels.")
    if np.isinf(X).any():
        raise ValueError("X has infinite values; XGBoost takes NaN for missing values only.")
    return X, y


def checked(batches: Iterable[Any]) -> Iterator[tuple[Any, NDArray[Any]]]:
    """Yield samples and labels of each batch."""
    for batch in batches:
        if len(batch) != 2 or batch[1] is None:
            raise ValueError("batches must be pairs (X, y); Batches(files, target=...) names the column of labels.")
        X, y = as_batch(*batch)
        if len(y):
            yield X, y


class Drawn(NamedTuple):
    """Counts of some batches (rows, samples of each label), and drawn samples with their random numbers."""

    n_rows: list[int]
    counts: dict[Any, int]
    low: tuple[Any, Any, Any]
    high: tuple[Any, Any, Any]


def drawn(X: Any, y: Any, i: int, seed: int, most_rows: int) -> Drawn:
    """Count the classes of batch `i` and draw samples: at most `most_rows` for the design, a third as many held out.

    In each class, the samples with the smallest random numbers are held out, a tenth at most, and those with the
    largest design the code.
    """
    held_out_share, u = 0.1, random_numbers(seed, i, len(y))
    counts = {label: int(count) for label, count in zip(*np.unique(y, return_counts=True))}
    below = u < held_out_share
    low = smallest([(X[below], y[below], u[below])], most_rows // 3)
    return Drawn([len(y)], counts, low, smallest([(X[~below], y[~below], 1 - u[~below])], most_rows))


def merged(parts: Sequence[Drawn], most_rows: int) -> Drawn:
    """Merge draws from several batches into the draw from all of them together."""
    counts: dict[Any, int] = {}
    for part in parts:
        for label, count in part.counts.items():
            counts[label] = counts.get(label, 0) + count
    low = smallest([part.low for part in parts], most_rows // 3)
    high = smallest([part.high for part in parts], most_rows)
    return Drawn([n for part in parts for n in part.n_rows], counts, low, high)


def surveyed(found: Drawn, seed: int) -> Survey:
    """Number the classes, and tell which samples are held out."""
    n_rows, counts, (X_low, y_low, u_low), (X_high, y_high, _) = found
    if len(counts) < 2:
        raise ValueError(f"the data has labels of {len(counts)} classes; a classifier needs at least two.")
    if any(label != label for label in counts):
        raise ValueError("some labels are missing (NaN); leave out their samples.")
    classes = np.array(sorted(counts))
    of_classes = np.array([counts[label] for label in classes.tolist()])
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


def to_train(X: Any, y: Any, i: int, classes: Any, limits: Array, seed: int) -> tuple[Any, NDArray[np.intp]]:
    """Return the samples of batch `i` that are not held out, with numbered classes."""
    y = np.searchsorted(classes, y)
    used = random_numbers(seed, i, len(y)) >= limits[y]
    return X[used], y[used]


class TrainingBatches:
    """Batches without the held-out samples, with numbered classes.

    Parameters
    ----------
    batches : iterable of (X, y)
        The batches.
    found : Survey
        Results of the first pass.
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
                raise ValueError(f"batch {i} differs from when the batches were first read.")
            n_batches += 1
            yield to_train(X, y, i, self.found.classes, self.found.limits, self.found.seed)
        if n_batches < len(self.found.n_rows):
            raise ValueError(f"there were {len(self.found.n_rows)} batches, and now there are {n_batches}.")


def check_alone(*others: Any) -> None:
    """Raise an error for arguments of `fit` that batches do not support."""
    if any(other is not None for other in others):
        raise ValueError("Batches hold the labels; fit them without y, sample_weight and other arguments.")


def memory_of(max_memory: float | None) -> float:
    """Return the bytes that a fit may take: a quarter of the free memory by default."""
    share = 0.25
    return share * free_memory() if max_memory is None else float(max_memory)


def rows_to_draw(n_features: int, max_memory: float | None) -> int:
    """Return how many samples design the code; they take a tenth of the memory."""
    share, most_rows = 0.1, 40_000
    return int(np.clip(share * memory_of(max_memory) / (8 * n_features), 1000, most_rows))


def first_pass(batches: Batches, seed: int) -> Survey:
    """Survey the batches."""
    found: list[Drawn] = []
    most_rows = 0
    for i, (X, y) in enumerate(checked(batches)):
        most_rows = most_rows or rows_to_draw(X.shape[1], batches.max_memory)
        found = [merged([*found, drawn(X, y, i, seed, most_rows)], most_rows)]
    if not found:
        raise ValueError("there are no batches.")
    return surveyed(found[0], seed)


class FromBatches:
    """A fit from batches: a survey, then training in external memory."""

    def __init__(self, batches: Batches) -> None:
        self.batches = batches

    def survey(self, seed: int) -> Survey:
        """Survey the batches."""
        return first_pass(self.batches, seed)

    def fit(self, settings: Settings, plan: Plan, found: Survey) -> Fit:
        """Carry out a plan."""

        def train(estimator: Any, matrix: Any, stop: Task) -> Dichotomizers:
            with tempfile.TemporaryDirectory(prefix="ecoc-", dir=self.batches.folder) as cache:
                batches, memory = TrainingBatches(self.batches, found), memory_of(self.batches.max_memory)
                sample = Task(matrix, *found.design)
                return train_from_batches(estimator, matrix, batches, sample, stop, Path(cache) / "bins", memory)

        made = fit_surveyed(settings, plan, found, train, "from batches")
        plan = replace(made.plan, training="in external memory, all columns as one multi-label model")
        return made._replace(plan=plan)


def check_learner(estimator: Any, task: Task, how: str) -> None:
    """Raise an error for estimators and codes whose columns are not trained as one model."""
    if choose_path(estimator, task, Options()).training is not MultiLabelTraining:
        raise ValueError(
            f"{type(estimator).__name__} cannot be trained {how} with these parameters: XGBClassifier "
            'can, with tree_method="hist", all rows and features in each tree, and columns that leave no class out. '
            "partial_fit trains learners that have it from a stream; fit takes a sample."
        )


def fit_surveyed(
    settings: Settings, plan: Plan, found: Survey, train: Callable[[Any, Any, Task], Dichotomizers], how: str
) -> Fit:
    """Carry out a plan on data that need not fit into memory: make the code, train it, and fit the decoding.

    `train` gets the estimator, the code and samples that stop boosting early.
    """
    (X, y, weight), held_out = found.design, found.held_out
    settings = replace(settings, options=replace(settings.options, cache=None))
    code = make_code(settings, plan, X, y)
    matrix = code.book.matrix
    plan = plan.with_code(matrix)
    check_learner(settings.estimator, Task(matrix, X, y), how)
    models = train(settings.estimator, matrix, Task(matrix, held_out.X, held_out.y, held_out.weight))
    unseen = models.margins(held_out.X)
    known = Evidence(None, unseen, held_out.y, held_out.weight)
    plan = replace(plan, held_out=FIVE_FOLDS._replace(way="part")).because_of("held-out outputs", _DRAWN)
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
    return Fit(plan, code, FittedModel(code.book, models, decision), None)
