"""Which code book do a table, a matrix or wishes ask for?"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecoc.cli.models import classes_of, make_coding, parse_value, parse_wishes
from ecoc.tables import make_preparation, read_matrix, read_samples


@dataclass(frozen=True)
class Wanted:
    """Options that all ways have in common."""

    protect: Sequence[str] | None
    columns: str
    allocation: str | None
    min_distance: int | None
    seed: int

    def coding(self, labels: Sequence[Any], allocation: str | None) -> Any:
        """ECF with these options."""
        wishes = parse_wishes(self.protect, labels)
        return make_coding("ecf", labels, self.columns, allocation, self.min_distance, wishes)


def from_table(path: Path, target: str | None, drop: Collection[str], wanted: Wanted) -> Any:
    """A code book from the distances between the classes of a table."""
    samples = read_samples(path, target, drop)
    labels = classes_of(samples.y)
    coding = wanted.coding(labels, wanted.allocation)
    X = make_preparation(samples.is_text).fit_transform(samples.X)
    return coding.build(len(labels), X, samples.y, wanted.seed)


def from_names(labels: Sequence[str], wanted: Wanted) -> Any:
    """A code book from wishes alone: all classes equally far apart, but for these."""
    if len(labels) < 2 or len(set(labels)) < len(labels):
        raise ValueError(
            f"--classes needs two different names at least, with commas; got {', '.join(labels) or 'none'}."
        )
    if wanted.allocation not in (None, "equidistant", "0"):
        raise ValueError("without a table or a matrix all classes are equidistant; leave out --allocation.")
    return _without_data(sorted(labels), None, wanted)


def from_matrix(distances: Path | None, confusion: Path | None, wanted: Wanted) -> Any:
    """A code book from a matrix of distances, or of confusions: what is confused is near."""
    path = distances or confusion
    assert path is not None
    labels, matrix = read_matrix(path)
    if (matrix < 0).any():
        raise ValueError(f"{path.name} has a negative entry; distances and confusions are zero or more.")
    if confusion is not None:
        rates = matrix / np.maximum(matrix.sum(axis=1, keepdims=True), 1e-300)
        matrix = 1 - np.sqrt((rates + rates.T) / 2)
        np.fill_diagonal(matrix, 0)
    return _without_data(labels, matrix, wanted)


def save_book(book: Any, path: Path) -> None:
    """Write a code book; an error of the disk says which file could not be written."""
    try:
        book.save(path)
    except OSError as error:
        raise ValueError(f"cannot write {path}: {error.strerror or error}.") from error


def _without_data(labels: Sequence[str], matrix: NDArray[np.float64] | None, wanted: Wanted) -> Any:
    from ecoc import allocate

    if "auto" in (wanted.columns, wanted.allocation):
        raise ValueError("auto needs a table, on which lengths or allocations are tried; give a number, or rank.")
    coding = wanted.coding(labels, "equidistant" if matrix is None else None)
    if matrix is not None:
        allocation = "balanced" if wanted.allocation is None else parse_value(wanted.allocation)
        coding.set_params(design=allocate(matrix, allocation, labels=list(labels)))
    return coding.build(len(labels), None, np.array(labels), wanted.seed)
