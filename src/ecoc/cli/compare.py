"""``ecoc compare``: how few classifiers does a table need?"""

from pathlib import Path
from typing import Annotated, Any

import typer

from ecoc.cli.errors import one_line
from ecoc.cli.options import Data, Drop, Jobs, Json, Learner, Protect, Report, Seed, Target, split


@one_line()
def compare(
    context: typer.Context,
    data: Data,
    target: Target = None,
    learner: Learner = "svc",
    codings: Annotated[str, typer.Option(help="Codings, with commas.")] = "ecf,ova,ovo,dense",
    columns: Annotated[str, typer.Option(help="Lengths, with commas: numbers, shares of the classes, auto, rank.")] = (
        "auto,0.25,0.5,1.0"
    ),
    decodings: Annotated[str, typer.Option(help="Decodings, with commas.")] = "discriminant,loss_weighted",
    folds: Annotated[int, typer.Option(help="Folds of the cross-validation.")] = 3,
    max_rows: Annotated[int, typer.Option(min=10, help="Of a larger table, compare on so many rows.")] = 3000,
    protect: Protect = None,
    drop: Drop = None,
    seed: Seed = 0,
    jobs: Jobs = 1,
    report: Report = None,
    json: Json = False,
) -> None:
    """Find out how few classifiers a table needs: codings, lengths and decodings by cross-validation."""
    import ecoc
    from ecoc.cli import parsing, reports
    from ecoc.cli.commands import source_of
    from ecoc.comparison import make_learner
    from ecoc.tables import make_preparation, read_samples
    from ecoc.utils.progress import Progress

    reports.check_report(report)
    estimator = make_learner(learner)
    everything = read_samples(data, target, drop or ())
    samples = _sample(everything, max_rows, seed)
    labels = parsing.classes_of(samples.y)
    protection = parsing.parse_protection(protect, labels)
    parsing.check_decodings(split(decodings))
    _check_folds(folds, samples.y)
    if not json:
        of = f" of {len(everything.y):,}" if len(samples.y) < len(everything.y) else ""
        size = f"{len(samples.y):,}{of} rows, {len(samples.names)} columns, {len(labels)} classes"
        print(f"{data.name}: {size}; {folds} folds, learner {learner}.", flush=True)
    with Progress("comparing") as bar:
        result = ecoc.compare(
            samples.X,
            samples.y,
            estimator,
            codings=split(codings) if source_of(context, "codings") == "COMMANDLINE" else None,
            columns=[length for length in map(parsing.parse_columns, split(columns)) if length is not None],
            decodings=split(decodings),
            protect=protection,
            preparation=make_preparation(samples.is_text),
            cv=folds,
            n_jobs=jobs,
            random_state=seed,
            callback=bar.update,
        )
    protecting = None if protect or len(labels) == 2 else _protecting_command(context, result.confused(n=1))
    command = _fit_command(data, target, learner, result.recommended.candidate, protect, drop, seed)
    reports.write_comparison(report, data.name, result, command, samples)
    if json:
        _show_json(result, data, labels, command, protecting, report)
    else:
        _show(result, command, protecting, report)


def _show(result: Any, command: str, protecting: str | None, report: Path | None) -> None:
    from ecoc.cli.comparisons import show_comparison

    show_comparison(result)
    if protecting is not None:
        typer.echo(f"What would it cost to protect the first pair?\n  {protecting}")
    typer.echo(f"\nFit it to all rows with:\n  {command}")
    if report is not None:
        typer.echo(f"Report, to open in a browser:  {report}")


def _show_json(
    result: Any, data: Path, labels: list[Any], command: str, protecting: str | None, report: Path | None
) -> None:
    from ecoc.cli.comparisons import protection_sentence
    from ecoc.cli.printing import show_json

    left_out = [
        {"coding": c.coding, "columns": c.columns, "decoding": c.decoding, "reason": reason}
        for c, reason in result.left_out.items()
    ]
    show_json(
        {
            "data": str(data),
            "rows": len(result.y),
            "classes": labels,
            "candidates": [one.to_dict() for one in result.results],
            "left_out": left_out,
            "best": result.best.to_dict(),
            "recommended": result.recommended.to_dict(),
            "confused": [{"first": a, "second": b, "errors": n} for a, b, n in result.confused()],
            "protection": protection_sentence(result) or None,
            "command": command,
            "command_to_protect": protecting,
            "report": None if report is None else str(report),
        }
    )


def _sample(samples: Any, most: int, seed: int) -> Any:
    """Return at most so many rows: of each class its share, but at least two."""
    import numpy as np

    n = len(samples.y)
    if n <= most:
        return samples
    rng = np.random.default_rng(seed)
    drawn = []
    for label in np.unique(samples.y):
        members = rng.permutation(np.flatnonzero(samples.y == label))
        drawn.append(members[: max(2, round(len(members) * most / n))])
    return samples.rows(np.sort(np.concatenate(drawn)))


def _check_folds(folds: int, y: Any) -> None:
    import numpy as np

    largest = int(np.unique(y, return_counts=True)[1].max())
    if largest < 2:
        raise ValueError("every class has a single row; a comparison needs rows to learn from and rows to test on.")
    if not 2 <= folds <= largest:
        raise ValueError(f"--folds {folds} is not possible: the largest class has {largest} rows; give 2 to {largest}.")


def _protecting_command(context: typer.Context, confused: list[tuple[Any, Any, int]]) -> str | None:
    """Return the command that was typed, with an option that protects the pair that is confused most."""
    from ecoc.cli.commands import repeated

    return (
        repeated(context, "--protect", "{}:{}".format(*confused[0]), without=("report", "json")) if confused else None
    )


def _fit_command(
    data: Path,
    target: str | None,
    learner: str,
    candidate: Any,
    protect: list[str] | None,
    drop: list[str] | None,
    seed: int,
) -> str:
    """Return the command that fits a candidate to all rows."""
    from ecoc.cli.commands import command_line

    words = ["ecoc", "fit", str(data)]
    words += [] if target is None else ["--target", target]
    words += ["--coding", candidate.coding]
    words += [] if candidate.columns is None else ["--columns", str(candidate.columns)]
    words += ["--decoding", candidate.decoding, "--learner", learner]
    words += [word for pair in (protect or []) if candidate.protected for word in ("--protect", pair)]
    words += [word for name in drop or [] for word in ("--drop", name)]
    words += [] if seed == 0 else ["--seed", str(seed)]
    return command_line([*words, "-o", "model.skops"])
