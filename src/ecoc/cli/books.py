"""What is in a code book, or should be? Design and show."""

from pathlib import Path
from typing import Annotated, Any

import typer

from ecoc.cli.errors import one_line
from ecoc.cli.options import Allocation, Drop, Json, MinDistance, Protect, Seed, Target, Trust, split


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
    seed: Seed = 0,
    out: Annotated[Path | None, typer.Option("-o", "--out", help="Write the code book: .csv or .npz.")] = None,
    json: Json = False,
) -> None:
    """Design a code book from a table, a matrix, or wishes alone, and show what it corrects."""
    from ecoc.cli import designs, output
    from ecoc.cli.models import BOOK_ENDINGS
    from ecoc.tables import check_output

    if out is not None:
        check_output(out, BOOK_ENDINGS, filter(None, (data, distances, confusion)))
    sources = {"a table": data, "--distances": distances, "--confusion": confusion, "--classes": classes}
    given = [name for name, value in sources.items() if value is not None]
    if len(given) != 1:
        raise ValueError(f"design from one of {', '.join(sources)}; got {' and '.join(given) or 'none of them'}.")
    wanted = designs.Wanted(protect, columns, allocation, min_distance, seed)
    if data is not None:
        book = designs.from_table(data, target, drop or (), wanted)
    elif classes is not None:
        book = designs.from_names(split(classes), wanted)
    else:
        book = designs.from_matrix(distances, confusion, wanted)
    if out is not None:
        designs.save_book(book, out)
    if json:
        output.show_json({**output.book_as_dict(book), "codebook": None if out is None else str(out)})
        return
    output.show_book(book)
    if out is not None:
        typer.echo(f"\n{out} written; ecoc fit DATA --coding {out} -o model.skops trains with it")


@one_line()
def show(
    file: Annotated[Path, typer.Argument(help="A model, or a code book (.csv, .npz).")],
    trust: Trust = None,
    json: Json = False,
) -> None:
    """Show what is in a model or a code book."""
    from ecoc import CodeBook
    from ecoc.cli import models, output

    if not file.is_file():
        raise ValueError(f"{file} is {'a folder' if file.is_dir() else 'not there'}; give a model or a code book.")
    if file.suffix.lower() in models.BOOK_ENDINGS:
        loaded = CodeBook.load(file)
        output.show_json(output.book_as_dict(loaded)) if json else output.show_book(loaded)
        return
    model = models.load_model(file, trust)
    classifier = models.final(model)
    names, _, n_features = models.layout(model)
    facts: dict[str, Any] = {
        "model": type(classifier).__name__,
        "classes": getattr(model, "classes_", None),
        "target": getattr(model, "target_name_", None),
        "features": n_features,
        "columns": names,
        "learner": str(getattr(classifier, "estimator", None)),
        "coding": str(getattr(classifier, "coding_", None)),
        "decoding": str(getattr(classifier, "decoding_", None)),
        "support_vectors": getattr(classifier, "n_support_", None),
        "bytes": file.stat().st_size,
    }
    book = getattr(classifier, "code_book_", None)
    if json:
        output.show_json({**facts, "codebook": None if book is None else output.book_as_dict(book)})
        return
    for name, value in facts.items():
        if name != "classes" and value is not None:
            text = " ".join(str(value).split()) if not isinstance(value, list) else ", ".join(map(str, value))
            typer.echo(f"{name + ':':<17}{text if len(text) <= 100 else text[:99] + '…'}")
    if book is not None:
        typer.echo()
        output.show_book(book)
