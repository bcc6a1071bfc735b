"""``ecoc design``: make a code book from a table, a matrix, or wishes alone."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from ecoc.tool.cli.errors import one_line
from ecoc.tool.cli.options import (
    Allocation,
    Decimal,
    Drop,
    Encoding,
    Json,
    MinDistance,
    Protect,
    Seed,
    Sep,
    Target,
    split,
)
from ecoc.tool.cli.saying import say


@one_line()
def design(
    data: Annotated[Path | None, typer.Argument(help="Table to take distances between classes from.")] = None,
    target: Target = None,
    distances: Annotated[Path | None, typer.Option(help="Instead: matrix of distances between classes.")] = None,
    confusion: Annotated[Path | None, typer.Option(help="Instead: confusion matrix, a row a true class.")] = None,
    classes: Annotated[str | None, typer.Option(help="Instead: names of the classes, with commas.")] = None,
    protect: Protect = None,
    columns: Annotated[str, typer.Option(help="auto (from a table only), rank, 12, or 0.5 of the classes.")] = "rank",
    allocation: Allocation = None,
    min_distance: MinDistance = None,
    drop: Drop = None,
    sep: Sep = None,
    decimal: Decimal = None,
    encoding: Encoding = None,
    seed: Seed = 0,
    out: Annotated[Path | None, typer.Option("-o", "--out", help="Write the code book: .csv or .npz.")] = None,
    json: Json = False,
) -> None:
    """Design a code book from a table, a matrix, or wishes alone, and show what it corrects."""
    from ecoc.tool.cli.books import book_as_dict, show_book
    from ecoc.tool.cli.commands import command_line
    from ecoc.tool.cli.parsing import BOOK_ENDINGS
    from ecoc.tool.cli.printing import show_json
    from ecoc.tool.cli.reading import format_options
    from ecoc.tool.tables import check_output

    if out is not None:
        check_output(out, BOOK_ENDINGS, filter(None, (data, distances, confusion)))
    sources = {"a table": data, "--distances": distances, "--confusion": confusion, "--classes": classes}
    given = [name for name, value in sources.items() if value is not None]
    if len(given) != 1:
        raise ValueError(f"design from one of {', '.join(sources)}; got {' and '.join(given) or 'none of them'}.")
    wanted = _Wanted(protect, columns, allocation, min_distance, seed)
    if data is not None:
        book = _from_table(data, target, drop or (), format_options(sep, decimal, encoding), wanted)
    elif classes is not None:
        book = _from_names(split(classes), wanted)
    else:
        book = _from_matrix(distances, confusion, wanted)
    if out is not None:
        _save(book, out)
    if json:
        show_json({**book_as_dict(book), "codebook": None if out is None else str(out)})
        return
    show_book(book)
    if out is not None:
        command = command_line(["ecoc", "fit", "DATA", "--coding", str(out), "-o", "model.skops"])
        say(f"\n{out} written. To train with it:\n  {command}")


@dataclass(frozen=True)
class _Wanted:
    """Options that all sources have in common."""

    protect: Sequence[str] | None
    columns: str
    allocation: str | None
    min_distance: int | None
    seed: int

    def coding(self, labels: Sequence[Any], allocation: str | None) -> Any:
        """Make ECF with these options."""
        from ecoc.tool.cli.parsing import make_coding, parse_protection

        protection = parse_protection(self.protect, labels)
        return make_coding("ecf", labels, self.columns, allocation, self.min_distance, protection, as_wishes=True)


def _from_table(path: Path, target: str | None, drop: Collection[str], format: dict[str, Any], wanted: _Wanted) -> Any:
    """Design from the distances between the classes of a table."""
    from ecoc.tool.cli.parsing import classes_of
    from ecoc.tool.tables import make_preparation, read_samples

    samples = read_samples(path, target, drop, **format)
    labels = classes_of(samples.y)
    coding = wanted.coding(labels, wanted.allocation)
    X = make_preparation(samples.is_text).fit_transform(samples.X)
    return coding.build(len(labels), X, samples.y, wanted.seed)


def _from_names(labels: Sequence[str], wanted: _Wanted) -> Any:
    """Design from wishes alone: all other pairs of classes are equally far apart."""
    if len(labels) < 2 or len(set(labels)) < len(labels):
        raise ValueError(f"--classes needs at least two different names; got {', '.join(labels) or 'none'}.")
    if wanted.allocation not in (None, "equidistant", "0"):
        raise ValueError("without a table or a matrix all classes are equidistant; leave out --allocation.")
    return _without_data(sorted(labels), None, wanted)


def _from_matrix(distances: Path | None, confusion: Path | None, wanted: _Wanted) -> Any:
    """Design from a matrix of distances, or of confusions: classes that are confused are near."""
    import numpy as np

    from ecoc.tool.tables import read_matrix

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


def _without_data(labels: Sequence[str], matrix: Any, wanted: _Wanted) -> Any:
    import numpy as np

    from ecoc import allocate
    from ecoc.tool.comparison.learners import parse_value

    if "auto" in (wanted.columns, wanted.allocation):
        raise ValueError("auto needs a table, on which lengths or allocations are tried; give a number, or rank.")
    coding = wanted.coding(labels, "equidistant" if matrix is None else None)
    if matrix is not None:
        allocation = "balanced" if wanted.allocation is None else parse_value(wanted.allocation)
        coding.set_params(design=allocate(matrix, allocation, labels=list(labels)))
    return coding.build(len(labels), None, np.array(labels), wanted.seed)


def _save(book: Any, path: Path) -> None:
    """Write a code book; an error of the disk says which file could not be written."""
    try:
        book.save(path)
    except OSError as error:
        raise ValueError(f"cannot write {path}: {error.strerror or error}.") from error
