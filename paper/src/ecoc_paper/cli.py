"""The command ``ecoc-paper``: run the paper's experiments, and find the data sets."""

import csv
import json
import sys
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from ecoc.utils.interrupts import interruptible

DataDir = Annotated[Path | None, typer.Option("--data-dir", help="Folder with data sets.", envvar="ECOC_DATA")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]

app = typer.Typer(
    help="The experiments of the paper on Error-Correcting Factorization.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def main() -> None:
    """Run the command line. A user error is one line, and the exit code is 2."""
    try:
        with interruptible():
            sys.exit(app(prog_name="ecoc-paper", standalone_mode=False))
    except KeyboardInterrupt:
        _fail("stopped; the same command goes on from here", 130)
    except (ValueError, TypeError, ImportError, OSError, MemoryError) as error:
        _fail(error)
    except Exception as error:
        if not hasattr(error, "format_message"):  # only typer's errors about wrong arguments have it
            raise
        if type(error).__name__ == "NoArgsIsHelpError":
            print(error.format_message())
            sys.exit(0)
        _fail(f"{error.format_message().rstrip('.')}; see ecoc-paper --help")


@app.command()
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

    from ecoc_paper import experiments

    for path in plugin or []:
        _execute(path)
    if preset not in experiments.PRESETS:
        raise ValueError(f"unknown preset {preset!r}; there are {', '.join(experiments.PRESETS)}.")
    protocol = experiments.PRESETS[preset]
    if datasets is not None:
        names = tuple(_split(datasets))
        curves = tuple(name for name in protocol.curves if name in names)
        protocol = replace(protocol, datasets=names, curves=curves, boundaries="toy" in names, planted=())
    page = experiments.reproduce(
        protocol,
        out,
        data_dir=data_dir,
        target=target,
        methods=None if methods is None else _split(methods),
        backend=experiments.Backend(jobs, backend, scheduler),
        retry_failed=retry_failed,
    )
    _tell(page, out / "failures.csv", json)


@app.command()
def datasets(
    name: Annotated[str | None, typer.Argument(help="One of them, to be found and checked.")] = None,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """List the data sets by name, or tell where one is found and whether its content is the expected one."""
    from ecoc_paper import datasets as known

    if name is not None:
        _show_one(known.load(name, data_dir=data_dir), json)
        return
    columns = ("name", "source", "licence", "samples", "features", "classes")
    cards = [known.card(name) for name in known.names()]
    rows = [(c.name, c.source, c.licence, c.n_samples, c.n_features, c.n_classes) for c in cards]
    if json:
        _show_json([dict(zip(columns, row)) for row in rows])
        return
    texts = [columns, *((*row[:3], *("" if size is None else f"{size:,}" for size in row[3:])) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*texts)]
    for row in texts:
        left = [text.ljust(width) for text, width in zip(row[:3], widths)]
        print("  ".join([*left, *(text.rjust(width) for text, width in zip(row[3:], widths[3:]))]))


def _show_one(found: Any, json: bool) -> None:
    about, n, d, k = found.card, len(found.X), found.n_features, len(set(found.y.tolist()))
    if json:
        facts = {"name": about.name, "title": about.title, "samples": n, "features": d, "classes": k}
        _show_json({**facts, "found": found.source, "sha256": found.digest})
        return
    print(f"{about.name}: {about.title}\nsource: {about.source}\nlicence: {about.licence}")
    print(f"{n:,} {'texts' if d is None else f'samples, {d:,} features'}, {k} classes")
    print(f"found: {found.source}\nSHA-256: {found.digest}" + (f"\nnote: {about.note}" if about.note else ""))


def _tell(page: Path, failures_file: Path, json: bool) -> None:
    """Print where the page is; failed cells end with code 1."""
    with failures_file.open(encoding="utf-8") as file:
        failures = list(csv.DictReader(file))
    if json:
        _show_json({"page": str(page), "failed_cells": len(failures)})
    else:
        print(page)
    if failures:
        hint = f"see {failures_file}; --retry-failed tries again"
        _fail(f"{len(failures)} cells failed, {failures[0]['error']}; {hint}", 1)


def _execute(path: Path) -> None:
    """Run a plugin as a module of its own, so that what it defines can be sent to other processes."""
    import runpy

    if not path.is_file():
        raise ValueError(f"no plugin {path}; give the path of a Python file.")
    runpy.run_path(str(path), run_name="__main__")


def _split(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _show_json(value: Any) -> None:
    print(json.dumps(value, ensure_ascii=False))


def _fail(message: object, code: int = 2) -> NoReturn:
    print("ecoc-paper:", " ".join(str(message).split()), file=sys.stderr)
    sys.exit(code)
