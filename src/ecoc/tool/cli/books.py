"""Design a code book from a table, a matrix or wishes, and print its distances and correction."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import ecoc
from ecoc.tool.cli.parsing import classes_of, make_coding, parse_protection
from ecoc.tool.cli.printing import say, show_table
from ecoc.tool.comparison.learners import parse_value
from ecoc.tool.tables.matrices import read_matrix
from ecoc.tool.tables.preparation import make_preparation
from ecoc.tool.tables.reading import read_samples


def show_book(book: Any) -> None:
    """Print a code book, its distances and its correction."""
    say(book)
    labels = [str(label) for label in book.labels.tolist()]
    distances = book.distances()
    if len(labels) <= 16:  # a wider matrix is hard to read in a terminal
        say("\nColumns that separate two classes:")
        show_table(["", *labels], ([label, *map(str, row)] for label, row in zip(labels, distances.tolist())))
    corrected = book.pairwise_correction("direct")
    say(f"Wrong classifiers that are corrected: {book.correction} for any pair, {corrected.max()} for the farthest.")
    if len(labels) < 1000:  # up to half a million pairs
        pairs = ((int(distances[i, j]), labels[i], labels[j]) for i in range(len(labels)) for j in range(i))
        say("Nearest pairs: " + ", ".join(f"{b} | {a} ({h})" for h, a, b in sorted(pairs)[:5]))


def book_as_dict(book: Any) -> dict[str, Any]:
    """Return a code book for JSON."""
    return {
        "classes": book.labels.tolist(),
        "n_columns": book.n_columns,
        "min_distance": book.min_distance,
        "correction": book.correction,
        "matrix": book.matrix.tolist(),
        "distances": book.distances().tolist(),
        "pairwise_correction": book.pairwise_correction("direct").tolist(),
    }


def check_sources(sources: dict[str, Any]) -> None:
    """Raise an error unless one source of the design is given."""
    given = [name for name, value in sources.items() if value is not None]
    if len(given) != 1:
        raise ValueError(f"design from one of {', '.join(sources)}; got {' and '.join(given) or 'none of them'}.")


@dataclass(frozen=True)
class Wanted:
    """Options that all sources have in common."""

    protect: Sequence[str] | None
    columns: str
    allocation: str | None
    min_distance: int | None
    seed: int

    def coding(self, labels: Sequence[Any], allocation: str | None) -> Any:
        """Make ECF with these options."""
        protection = parse_protection(self.protect, labels)
        return make_coding("ecf", labels, self.columns, allocation, self.min_distance, protection, as_wishes=True)


def from_table(path: Path, target: str | None, drop: Collection[str], format: dict[str, Any], wanted: Wanted) -> Any:
    """Design from the distances between the classes of a table."""
    samples = read_samples(path, target, drop, **format)
    labels = classes_of(samples.y)
    coding = wanted.coding(labels, wanted.allocation)
    X = make_preparation(samples.is_text).fit_transform(samples.X)
    return coding.build(len(labels), X, samples.y, wanted.seed)


def from_names(labels: Sequence[str], wanted: Wanted) -> Any:
    """Design from wishes alone; all other pairs of classes are equally far apart."""
    if len(labels) < 2 or len(set(labels)) < len(labels):
        raise ValueError(f"--classes needs at least two different names; got {', '.join(labels) or 'none'}.")
    if wanted.allocation not in (None, "equidistant", "0"):
        raise ValueError("without a table or a matrix all classes are equidistant; leave out --allocation.")
    return _without_data(sorted(labels), None, wanted)


def from_matrix(distances: Path | None, confusion: Path | None, wanted: Wanted) -> Any:
    """Design from a matrix of distances or of confusions; classes that are often confused are close."""
    path = distances or confusion
    assert path is not None
    labels, matrix = read_matrix(path)
    if (matrix < 0).any():
        raise ValueError(f"{path.name} has a negative entry; distances and confusions are zero or more.")
    if confusion is not None:
        matrix = ecoc.class_distances(confusion=matrix)
    return _without_data(labels, matrix, wanted)


def _without_data(labels: Sequence[str], matrix: Any, wanted: Wanted) -> Any:
    if "auto" in (wanted.columns, wanted.allocation):
        raise ValueError("auto needs a table, on which lengths or allocations are tried; give a number, or rank.")
    coding = wanted.coding(labels, "equidistant" if matrix is None else None)
    if matrix is not None:
        allocation = "balanced" if wanted.allocation is None else parse_value(wanted.allocation)
        coding.set_params(design=ecoc.allocate(matrix, allocation, labels=list(labels)))
    return coding.build(len(labels), None, np.array(labels), wanted.seed)


def save_book(book: Any, path: Path) -> None:
    """Write a code book; an error of the disk says which file could not be written."""
    try:
        book.save(path)
    except OSError as error:
        raise ValueError(f"cannot write {path}: {error.strerror or error}.") from error
