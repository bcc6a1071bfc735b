"""The command ``ecoc studio`` with its options; another file, with slow imports, does the work."""

from pathlib import Path
from typing import Annotated

import typer

from ecoc.tool.cli import one_line
from ecoc.tool.cli import options as opts


@one_line("the studio is closed")
def studio(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="Table, as for ecoc fit; or a model (.skops) that ecoc fit wrote.")],
    target: opts.Target = None,
    learner: opts.Learner = "svc",
    data: Annotated[Path | None, typer.Option(help="With a model: table to measure and train with.")] = None,
    save: Annotated[Path | None, typer.Option(help="Where to save a model that is trained in the page.")] = None,
    page: Annotated[Path | None, typer.Option(help="Write a copy of the page to this file instead.")] = None,
    state: Annotated[Path | None, typer.Option(help="File that keeps the design, .json; opened if it exists.")] = None,
    browser: Annotated[bool, typer.Option(help="Open the browser.")] = True,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes a free one.")] = 0,
    drop: opts.Drop = None,
    drop_like_id: opts.DropLikeId = None,
    trust: opts.Trust = None,
    sep: opts.Sep = None,
    decimal: opts.Decimal = None,
    encoding: opts.Encoding = None,
    seed: opts.Seed = 0,
) -> None:
    """Open the studio in a browser: say which classes to protect, and watch the code and its certificate change."""
    from ecoc.tool.cli import parsing, studios

    wanted = studios.Wanted(save, page, state, browser, port)
    studios.check(file, data, wanted)
    format = parsing.format_options(sep, decimal, encoding)
    if studios.is_model(file):
        session = studios.from_model(context, file, data, target, trust, format=format, save=save)
    elif data is not None:
        raise ValueError(f"--data goes with a model, and {file} is a table; leave it out.")
    else:
        options = {"drop": drop, "drop_like_id": drop_like_id, "format": format, "seed": seed, "save": save}
        session = studios.from_table(context, file, target, learner, **options)
    studios.show(session, f"The studio: {file.name}", wanted)
