"""The commands for code books, ``ecoc design`` and ``ecoc show``, with their options."""

from pathlib import Path
from typing import Annotated

import typer

import ecoc
from ecoc.tool.cli import options as opts
from ecoc.tool.cli.options import command_line, split
from ecoc.tool.cli.printing import say, show_json


def design(
    data: Annotated[Path | None, typer.Argument(help="Table to take distances between classes from.")] = None,
    target: opts.Target = None,
    distances: Annotated[Path | None, typer.Option(help="Instead: matrix of distances between classes.")] = None,
    confusion: Annotated[Path | None, typer.Option(help="Instead: confusion matrix, one row per true class.")] = None,
    classes: Annotated[str | None, typer.Option(help="Instead: names of the classes, comma-separated.")] = None,
    protect: opts.Protect = None,
    columns: Annotated[str, typer.Option(help="auto (from a table only), rank, 12, or 0.5 of the classes.")] = "rank",
    allocation: opts.Allocation = None,
    min_distance: opts.MinDistance = None,
    drop: opts.Drop = None,
    sep: opts.Sep = None,
    decimal: opts.Decimal = None,
    encoding: opts.Encoding = None,
    seed: opts.Seed = 0,
    out: Annotated[Path | None, typer.Option("-o", "--out", help="Write the code book: .csv or .npz.")] = None,
    json: opts.Json = False,
) -> None:
    """Design a code book from a table, a matrix or class names, and show what it corrects."""
    from ecoc.tool.cli import books, parsing
    from ecoc.tool.tables.writing import check_output

    if out is not None:
        check_output(out, parsing.BOOK_ENDINGS, filter(None, (data, distances, confusion)))
    books.check_sources({"a table": data, "--distances": distances, "--confusion": confusion, "--classes": classes})
    wanted = books.Wanted(protect, columns, allocation, min_distance, seed)
    if data is not None:
        book = books.from_table(data, target, drop or (), parsing.format_options(sep, decimal, encoding), wanted)
    elif classes is not None:
        book = books.from_names(split(classes), wanted)
    else:
        book = books.from_matrix(distances, confusion, wanted)
    if out is not None:
        books.save_book(book, out)
    if json:
        show_json({**books.book_as_dict(book), "codebook": None if out is None else str(out)})
        return
    books.show_book(book)
    if out is not None:
        command = command_line(["ecoc", "fit", "DATA", "--coding", str(out), "-o", "model.skops"])
        say(f"\n{out} written. To train with it:\n  {command}")


def show(
    file: Annotated[Path, typer.Argument(help="A model (also .onnx), or a code book (.csv, .npz).")],
    trust: opts.Trust = None,
    json: opts.Json = False,
) -> None:
    """Show what is in a model or a code book."""
    from ecoc.tool.cli import books, models, parsing

    if not file.is_file():
        raise ValueError(f"{file} is {'a folder' if file.is_dir() else 'not there'}; give a model or a code book.")
    if file.suffix.lower() in parsing.BOOK_ENDINGS:
        loaded = ecoc.CodeBook.load(file)
        show_json(books.book_as_dict(loaded)) if json else books.show_book(loaded)
        return
    if file.suffix.lower() == ".onnx":
        from ecoc.tool.onnx.files import read_facts

        facts, book = read_facts(file)
    else:
        facts, book = models.saved_facts(models.load_model(file, trust), file)
    if json:
        show_json({**facts, "codebook": None if book is None else books.book_as_dict(book)})
        return
    models.show_facts(facts)
    if book is not None:
        say()
        books.show_book(book)
