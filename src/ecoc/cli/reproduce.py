"""``ecoc reproduce``: the paper's experiments, or what is left of them after an interruption."""

import csv
from pathlib import Path
from typing import Annotated

import typer

from ecoc.cli.errors import one_line
from ecoc.cli.options import DataDir, Json, split


@one_line("the same command goes on from here")
def reproduce(
    preset: Annotated[
        str, typer.Option(help="quick (minutes), medium (half an hour) or paper (the whole protocol).")
    ] = "quick",
    data_dir: DataDir = None,
    out: Annotated[Path, typer.Option(help="Folder for results, figures and the page.")] = Path("reproduction"),
    datasets: Annotated[str | None, typer.Option(help="Data sets, with commas: names or files.")] = None,
    target: Annotated[str | None, typer.Option(help="Column of the labels, in files of your own.")] = None,
    methods: Annotated[str | None, typer.Option(help="Methods, with commas.")] = None,
    plugin: Annotated[list[Path] | None, typer.Option(help="Python file that registers methods or data sets.")] = None,
    jobs: Annotated[int, typer.Option(help="Cells at once. Numbers do not depend on it.")] = 1,
    backend: Annotated[str, typer.Option(help="loky, threading or dask.")] = "loky",
    scheduler: Annotated[str | None, typer.Option(help="Address of a Dask scheduler.")] = None,
    retry_failed: Annotated[bool, typer.Option("--retry-failed", help="Try failed cells again.")] = False,
    json: Json = False,
) -> None:
    """Run the paper's experiments, or what is left of them after an interruption."""
    from dataclasses import replace

    from ecoc import experiments

    for path in plugin or []:
        _execute(path)
    if preset not in experiments.PRESETS:
        raise ValueError(f"unknown preset {preset!r}; there are {', '.join(experiments.PRESETS)}.")
    protocol = experiments.PRESETS[preset]
    if datasets is not None:
        names = tuple(split(datasets))
        curves = tuple(name for name in protocol.curves if name in names)
        protocol = replace(protocol, datasets=names, curves=curves, boundaries="toy" in names, planted=())
    page = experiments.reproduce(
        protocol,
        out,
        data_dir=data_dir,
        target=target,
        methods=None if methods is None else split(methods),
        backend=experiments.Backend(jobs, backend, scheduler),
        retry_failed=retry_failed,
    )
    _tell(page, out / "failures.csv", json)


def _tell(page: Path, failures_file: Path, json: bool) -> None:
    """Print where the page is; failed cells end with code 1."""
    with failures_file.open(encoding="utf-8") as file:
        failures = list(csv.DictReader(file))
    if json:
        from ecoc.cli.printing import show_json

        show_json({"page": str(page), "failed_cells": len(failures)})
    else:
        typer.echo(page)
    if failures:
        hint = f"see {failures_file}; --retry-failed tries again"
        typer.echo(f"ecoc: {len(failures)} cells failed, {failures[0]['error']}; {hint}", err=True)
        raise typer.Exit(1)


def _execute(path: Path) -> None:
    """Run a plugin as a module of its own, so that what it defines can be sent to other processes."""
    import runpy

    if not path.is_file():
        raise ValueError(f"no plugin {path}; give the path of a Python file.")
    runpy.run_path(str(path), run_name="__main__")
