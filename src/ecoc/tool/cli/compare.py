"""``ecoc compare``: find the code that suits a table, or that plain scikit-learn is enough."""

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from ecoc.tool.cli.errors import one_line
from ecoc.tool.cli.options import (
    CODING_NAMES,
    Costs,
    Data,
    Decimal,
    Drop,
    DropLikeId,
    Encoding,
    Jobs,
    Json,
    Learner,
    Protect,
    Report,
    Seed,
    Sep,
    Target,
    split,
)
from ecoc.tool.cli.saying import say

_BUDGET = 60.0  # seconds
_COLUMNS = "Lengths, with commas: numbers, shares of the classes, auto, rank."
_METRICS = "Columns to add, with commas: macro_f1, log_loss."


@one_line()
def compare(
    context: typer.Context,
    data: Data,
    target: Target = None,
    learner: Learner = "svc",
    tune: Annotated[bool, typer.Option(help="Choose C, gamma, depth and the like on the training rows.")] = True,
    budget: Annotated[float, typer.Option(min=1, help="Seconds that the comparison may take.")] = _BUDGET,
    baselines: Annotated[bool, typer.Option(help="Compare with plain scikit-learn models.")] = True,
    codings: Annotated[str, typer.Option(help=f"Codings, with commas: {CODING_NAMES}.")] = "ova,ecf,dense",
    columns: Annotated[str | None, typer.Option(help=_COLUMNS)] = None,
    decodings: Annotated[str, typer.Option(help="Decodings, with commas.")] = "auto,loss_weighted",
    metrics: Annotated[str, typer.Option(help=_METRICS)] = "",
    folds: Annotated[int, typer.Option(help="Folds of the cross-validation.")] = 3,
    max_rows: Annotated[int, typer.Option(min=10, help="Of a larger table, compare on so many rows.")] = 3000,
    costs: Costs = None,
    protect: Protect = None,
    drop: Drop = None,
    drop_like_id: DropLikeId = False,
    sep: Sep = None,
    decimal: Decimal = None,
    encoding: Encoding = None,
    seed: Seed = 0,
    jobs: Jobs = 1,
    report: Report = None,
    json: Json = False,
) -> None:
    """Find out which code a table needs, of how few classifiers, or whether plain scikit-learn is enough."""
    start = time.perf_counter()
    from ecoc.tool.cli import parsing, reports
    from ecoc.tool.cli.reading import format_options, read_rows
    from ecoc.tool.comparison import make_learner

    reports.check_report(report)
    parsing.check_decodings(split(decodings))
    options: dict[str, Any] = {"learner": make_learner(learner), "tune": tune, "baselines": baselines}
    options |= {"codings": split(codings), "decodings": split(decodings), "metrics": split(metrics)}
    options |= {"cv": folds, "n_jobs": jobs, "random_state": seed}
    if columns is not None:
        options["columns"] = [parsing.parse_columns(length) for length in split(columns)]
    format = format_options(sep, decimal, encoding)
    table, dropped = read_rows(data, target, drop, drop_like_id, format)
    samples = _sample(table, max_rows, seed)
    labels = parsing.classes_of(samples.y)
    options["protect"] = parsing.parse_protection(protect, labels)
    options |= parsing.cost_options(costs, None, "", labels, format)
    _check_folds(folds, samples.y)
    if not json:
        _announce(data, len(table.y), samples, folds, learner, tune)
    result, stopped = _run(samples, budget - (time.perf_counter() - start), options)
    command = _fit_command(context, result, learner, protect, dropped, seed)
    if not stopped:
        reports.write_comparison(report, data.name, result, command, samples)
    if json:
        _show_json(context, result, data, command, report, stopped)
    else:
        _show(context, result, command, report, split(metrics), stopped)
    if stopped:
        raise typer.Exit(130)


def _announce(data: Path, n_rows: int, samples: Any, folds: int, learner: str, tune: bool) -> None:
    of = f" of {n_rows:,}" if len(samples.y) < n_rows else ""
    size = f"{len(samples.y):,}{of} rows, {len(samples.names)} columns, {len(set(samples.y.tolist()))} classes"
    say(f"{data.name}: {size}; {folds} folds, learner {learner}{', tuned' if tune else ''}.", flush=True)


def _run(samples: Any, seconds: float, options: dict[str, Any]) -> tuple[Any, bool]:
    """Compare; return what is known after Ctrl-C, too, and whether it was pressed."""
    import ecoc
    from ecoc.tool.cli.live import Display
    from ecoc.tool.tables import make_preparation

    display = Display()
    try:
        with display:
            preparation = make_preparation(samples.is_text)
            shared = {"preparation": preparation, "budget": max(seconds, 1.0), "callback": display}
            return ecoc.compare(samples.X, samples.y, **options, **shared), False
    except KeyboardInterrupt:
        known = display.known()
        if known is None:
            raise
        known.notes.append("Stopped by Ctrl-C; this is what was known.")
        return known, True


def _show(
    context: typer.Context, result: Any, command: str, report: Path | None, metrics: list[str], stopped: bool
) -> None:
    from ecoc.tool.cli.comparisons import show_candidates, show_recommendation
    from ecoc.tool.cli.models import final_step

    show_recommendation(result, command, final_step(result.recommended.estimator))
    show_candidates(result, metrics)
    if (protecting := _protecting_command(context, result)) is not None:
        say(f"What would it cost to protect the first pair?\n  {protecting}")
    if report is not None and not stopped:
        say(f"Report, to open in a browser:  {report}")


def _show_json(
    context: typer.Context, result: Any, data: Path, command: str, report: Path | None, stopped: bool
) -> None:
    from ecoc.tool.cli.parsing import classes_of
    from ecoc.tool.cli.printing import show_json
    from ecoc.tool.comparison.wording import protection_effect

    rows = dict(zip(result.results, result.rows()))
    show_json(
        {
            "data": str(data),
            "rows": len(result.y),
            "classes": classes_of(result.y),
            "candidates": list(rows.values()),
            "left_out": [{**candidate.cells, "reason": reason} for candidate, reason in result.left_out.items()],
            "best": rows[result.best],
            "recommended": rows[result.recommended],
            "expected_accuracy": result.expected_accuracy,
            "expected_cost": result.expected_cost,
            "tuned": result.tuned,
            "notes": result.notes,
            "seconds": result.seconds,
            "stopped": stopped,
            "confused": [{"first": a, "second": b, "errors": n} for a, b, n in result.confused()],
            "protection": protection_effect(result) or None,
            "command": command,
            "command_to_protect": _protecting_command(context, result),
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


def _protecting_command(context: typer.Context, result: Any) -> str | None:
    """Return the command that was typed, with an option that protects the pair that is confused most."""
    from ecoc.tool.cli.commands import repeated

    confused = result.confused(n=1)
    if not confused or result.protected or len(set(result.y.tolist())) == 2:
        return None
    return repeated(context, "--protect", "{}:{}".format(*confused[0]), without=("report", "json"))


def _fit_command(
    context: typer.Context, result: Any, learner: str, protect: list[str] | None, dropped: list[str], seed: int
) -> str:
    """Return the command that fits the recommended candidate to all rows."""
    from ecoc.tool.cli.commands import command_line, typed
    from ecoc.tool.cli.models import final_step
    from ecoc.tool.comparison import CodeCandidate

    candidate = result.recommended.candidate
    words = ["ecoc", "fit", *typed(context, only=("data", "target", "sep", "decimal", "encoding"))]
    settings = ",".join(f"{name}={value}" for name, value in result.recommended.tuned.items())
    with_learner = ["--learner", learner + (f"{',' if ':' in learner else ':'}{settings}" if settings else "")]
    if isinstance(candidate, CodeCandidate):
        words += ["--coding", candidate.coding]
        words += [] if candidate.columns is None else ["--columns", str(candidate.columns)]
        words += ["--decoding", candidate.decoding, *with_learner]
    elif candidate.uses_learner:
        words += ["--model", candidate.baseline, *with_learner]
    else:
        words += ["--model", candidate.baseline + (f":{settings}" if settings else "")]
    words += [word for pair in (protect or []) if candidate.protected for word in ("--protect", pair)]
    words += [word for name in dropped for word in ("--drop", name)]
    words += typed(context, only=("costs",)) if hasattr(final_step(result.recommended.estimator), "costs") else []
    words += [] if seed == 0 else ["--seed", str(seed)]
    return command_line([*words, "-o", "model.skops"])
