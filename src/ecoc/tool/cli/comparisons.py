"""Run a comparison for ``ecoc compare``, and print it: the recommendation first, then a table of all candidates."""

import sys
from collections.abc import Sequence
from contextlib import nullcontext
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import typer
from numpy.typing import NDArray
from rich.console import Console, Group
from rich.live import Live
from rich.text import Text
from sklearn.base import clone

import ecoc
from ecoc.policy import trials
from ecoc.tool.cli.options import command_line, repeated, typed
from ecoc.tool.cli.parsing import classes_of
from ecoc.tool.cli.printing import make_table, say, show_json, show_table
from ecoc.tool.comparison import Comparison, showing
from ecoc.tool.comparison.candidates import Candidate, CodeCandidate
from ecoc.tool.comparison.learners import NumberedClasses, make_learner
from ecoc.tool.comparison.race import Step
from ecoc.tool.comparison.results import COSTS, CandidateResult
from ecoc.tool.tables.preparation import make_preparation
from ecoc.tool.tables.reading import Samples
from ecoc.utils.estimators import expression, last_step

_COLUMNS = {  # header and format of each column
    "classifiers": ("classi-\nfiers", "{:,}"),
    "support_vectors": ("support\nvectors", "{:,}"),
    "fit_seconds": ("fit s", "{:.2f}"),
    "predict_seconds": ("predict\ns/1000", "{:.4f}"),
    "model_bytes": ("kB", "{:,.0f}"),
    "mean_cost": ("cost\na row", "{:.3f}"),
    "balanced_accuracy": ("balanced\naccuracy", "{:.1%}"),
    "macro_f1": ("macro\nF1", "{:.1%}"),
    "log_loss": ("log-\nloss", "{:.3f}"),
}


def plan_of(result: Comparison, samples: Samples) -> Any:
    """Return the plan of a fit of the recommended code to these rows; None for a plain model, which needs no plan."""
    classifier = last_step(result.recommended.estimator)
    if not isinstance(classifier, ecoc.ECOCClassifier):
        return None
    try:
        return classifier.plan(make_preparation(samples.is_text).fit_transform(samples.X), samples.y)
    except Exception as error:  # a plan that fails must not lose the comparison
        result.notes.append(f"The plan of the fit is missing: {error}")
        return None


class _Name:
    """Stand for a value in the repr of an estimator."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name


def show_recommendation(result: Comparison, command: str, plan: Any, costs: Path | None = None) -> None:
    """Print the recommendation: its reason, its expected accuracy, the plan of its fit, and the command."""
    say("→ Recommended: " + "\n  ".join(showing.advice(result)))
    if plan is not None:
        say("  " + str(plan).replace("\n", "\n  "))
    say(f"  Fit it to all rows with:\n    {command}")
    classifier = clone(last_step(result.recommended.estimator))
    by_cost = costs is not None and hasattr(classifier, "costs")
    if by_cost:  # a cost for each pair of classes would fill the screen
        classifier.set_params(costs=_Name("costs"))
    if isinstance(classifier, NumberedClasses):  # what takes all labels in public
        classifier = ecoc.ECOCClassifier(classifier.estimator, coding="plain")
    with_costs = f", with costs as in {costs}" if by_cost else ""
    say(f"  In Python, on prepared columns{with_costs}:\n    {expression(classifier)}.fit(X, y)")


def show_candidates(result: Comparison, metrics: Sequence[str] = ()) -> None:
    """Print the table of candidates, and name those that are not in it."""
    headers, rows, least = _table(result, metrics)
    if show_table(headers, rows, left=2, least=least) < len(headers):
        say("A wider window shows more columns: support vectors, seconds, kB.")
    by_cost, error = result.judge.costs is not None, result.merit_error(result.best)
    merit, best = ("good", f"cost is {error:.3f}") if by_cost else ("accurate", f"accuracy is {error:.1%}")
    say(
        f"* on the front: no other row is at least as {merit} and at least as cheap in this column. One standard error "
        f"of the best {best}."
    )
    if any(one not in result.complete for one in result.results):
        say("~ tested in fewer folds than others, and not compared with them.")
    say(f"Tried: {showing.tried(result)}")
    left_out: dict[str, list[str]] = {}
    for candidate, reason in result.left_out.items():
        left_out.setdefault(reason, []).append(title_of(candidate))
    for reason, names in left_out.items():
        say(f"  left out: {', '.join(names)}: {reason}")
    for note in result.notes:
        say(f"  {note}")
    say(f"{'Least cost' if by_cost else 'Most accurate'}:  {showing.described(result.best)}")
    pairs = ", ".join(f"{a} | {b} ({count})" for a, b, count in result.confused())
    say(f"Most confused by the recommended model:  {pairs or 'none'}")


def title_of(candidate: Candidate) -> str:
    """Return a candidate's name with its length and decoding."""
    if not isinstance(candidate, CodeCandidate):
        return candidate.name
    columns = f" {candidate.columns}" if isinstance(candidate.columns, int) else ""
    return f"{candidate.name}{columns} {candidate.decoding}"


def _table(result: Comparison, metrics: Sequence[str]) -> tuple[list[str], list[tuple[str, ...]], int]:
    """Return headers, rows, and how many columns always stay."""
    protects = bool(result.protected)
    shown = ["mean_cost"] if result.judge.costs is not None else []
    shown += ["balanced_accuracy", *(name for name in metrics if name not in ("accuracy", "balanced_accuracy"))]
    headers = ["model", "decoding", _COLUMNS["classifiers"][0], "accuracy", *(_COLUMNS[name][0] for name in shown)]
    headers += ["protected\nerrors"] if protects else []
    headers += [_COLUMNS[cost][0] for cost in COSTS[1:]]
    fronts = {cost: result.front(cost) for cost in COSTS}
    rows = []
    for one in result.results:
        costs = {cost: _cell(getattr(one, cost), cost, one in fronts[cost]) for cost in COSTS}
        accuracy = f"{one.accuracy:.1%}{'' if one in result.complete else '~'}"
        row = [_marked(one, result), str(one.candidate.cells["decoding"] or ""), costs.pop("classifiers"), accuracy]
        row += [_cell(getattr(one, name), name) for name in shown]
        row += [str(one.protected_errors)] if protects else []
        rows.append((*row, *costs.values()))
    return headers, rows, 4 + len(shown) + protects


def _marked(one: CandidateResult, result: Comparison) -> str:
    return f"{'→' if one is result.recommended else ' '} {one.candidate.name}"


def _cell(value: float | None, name: str, on_front: bool | None = None) -> str:
    if value is None:
        return "–" if on_front is None else "– "
    text = _COLUMNS[name][1].format(value / 1000 if name == "model_bytes" else value)
    return text if on_front is None else text + ("*" if on_front else " ")


def announce(data: Path, samples: Samples, most: int, folds: int, learners: list[str], tune: bool) -> None:
    """Print the size of the table and the settings of the comparison."""
    n = len(samples.y)
    size = f"{n:,} rows, {len(samples.names)} columns, {len(set(samples.y.tolist()))} classes"
    of = f" of {most:,} rows" if n > most else ""
    names = f"learner{'s' if len(learners) > 1 else ''} {', '.join(learners)}"
    say(f"{data.name}: {size}; {folds} folds{of}, {names}{', tuned' if tune else ''}.", flush=True)


def run(samples: Samples, seconds: float, options: dict[str, Any]) -> tuple[Comparison, bool]:
    """Compare; return the results so far after Ctrl-C, and whether it was pressed."""
    display = Display()
    shared = {"preparation": make_preparation(samples.is_text), "budget": max(seconds, 1.0), "callback": display}
    try:
        with display.live or nullcontext():
            return ecoc.compare(samples.X, samples.y, **options, **shared), False
    except KeyboardInterrupt:
        known = display.known()
        if known is None:
            raise
        known.notes.append("Stopped by Ctrl-C; these are the results so far.")
        return known, True


def show(context: typer.Context, result: Comparison, metrics: list[str]) -> None:
    """Print the candidates and the next steps."""
    show_candidates(result, metrics)
    if (protecting := _protecting_command(context, result)) is not None:
        say(f"To see what it costs to protect the first pair:\n  {protecting}")


def show_as_json(
    context: typer.Context,
    result: Comparison,
    data: Path,
    command: str,
    plan: Any,
    report: Path | None,
    missing: str,
    stopped: bool,
) -> None:
    """Print a comparison as JSON."""
    rows = dict(zip(result.results, result.rows()))
    show_json(
        {
            "data": str(data),
            "rows": len(result.y),
            "table_rows": result.n_rows,
            "classes": classes_of(result.y),
            "candidates": list(rows.values()),
            "left_out": [{**candidate.cells, "reason": reason} for candidate, reason in result.left_out.items()],
            "best": rows[result.best],
            "recommended": rows[result.recommended],
            "expected_accuracy": result.expected_accuracy,
            "expected_cost": result.expected_cost,
            "expected_error": result.expected_error,
            "plan": None if plan is None else plan.reasons,
            "tuned": result.tuned,
            "notes": result.notes,
            "seconds": result.seconds,
            "stopped": stopped,
            "confused": [{"first": a, "second": b, "errors": n} for a, b, n in result.confused()],
            "protection": showing.protection_effect(result) or None,
            "command": command,
            "command_to_protect": _protecting_command(context, result),
            "report": None if report is None else str(report),
            "missing_in_report": missing or None,
        }
    )


def check_learners(names: list[str] | None) -> list[str]:
    """Return the names of the learners to compare, the short list if none are given; refuse one that is not known."""
    names = names or list(trials.short_list())
    for name in names:
        make_learner(name)
    return names


def check_folds(folds: int, y: NDArray[Any]) -> None:
    """Refuse a number of folds that the largest class does not allow."""
    largest = int(np.unique(y, return_counts=True)[1].max())
    if largest < 2:
        raise ValueError("every class has a single row; a comparison needs rows to learn from and rows to test on.")
    if not 2 <= folds <= largest:
        raise ValueError(f"--folds {folds} is not possible: the largest class has {largest} rows; give 2 to {largest}.")


def _protecting_command(context: typer.Context, result: Comparison) -> str | None:
    """Return the typed command with an option that protects the pair confused most."""
    confused = result.confused(n=1)
    if not confused or result.protected or len(set(result.y.tolist())) == 2:
        return None
    return repeated(context, "--protect", "{}:{}".format(*confused[0]), without=("report", "json"))


def fit_command(
    context: typer.Context,
    result: Comparison,
    learners: list[str],
    protect: list[str] | None,
    dropped: list[str],
    seed: int,
) -> str:
    """Return the command that fits the recommended candidate to all rows."""
    candidate: Any = result.recommended.candidate
    learner = candidate.learner or learners[0]
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
    words += typed(context, only=("costs",)) if hasattr(last_step(result.recommended.estimator), "costs") else []
    words += [] if seed == 0 else ["--seed", str(seed)]
    return command_line([*words, "-o", "model.skops"])


class Display:
    """Show each step of a comparison: an updated table in a terminal, a line every few seconds in a pipe."""

    first = 5.0  # seconds until the first table, or line
    every = 5.0  # seconds between two of them
    redraw = 0.5  # seconds between two updates of the line below the table

    def __init__(self) -> None:
        console = Console(stderr=True)
        can_redraw = console.is_terminal and not console.is_dumb_terminal
        self.live = Live(console=console, transient=True, auto_refresh=False) if can_redraw else None
        self._step: Step | None = None
        self._told = self.first - self.every
        self._drawn = 0.0
        self._table: Any = None

    def __call__(self, step: Step) -> None:
        """Record a step, and show it if it is time."""
        self._step = step
        is_time = step.seconds >= self._told + self.every
        if self.live is None:
            if is_time:
                self._told = step.seconds
                print(f"ecoc: {_line(step, step.comparison())}", file=sys.stderr, flush=True)
        elif step.seconds >= self._drawn + self.redraw:
            self._drawn = step.seconds
            if is_time and (known := step.comparison()) is not None:
                self._told = step.seconds
                headers, rows, least = _table(known, ())
                self._table = make_table(headers, rows, self.live.console.width, left=2, least=least)[0]
            line = Text(_line(step))
            self.live.update(line if self._table is None else Group(self._table, line), refresh=True)

    def known(self) -> Comparison | None:
        """Return the comparison so far; None if it has no result."""
        return None if self._step is None else self._step.comparison()


def _line(step: Step, known: Comparison | None = None) -> str:
    """Return one line about a step."""
    left = f" of at most {step.budget:.0f} s" if step.budget < inf else ""
    if step.seconds_left is not None:
        left = f", about {step.seconds_left:.0f} s left"
    best = ""
    if known is not None:
        best = f"; so far {known.recommended.candidate.name}, {known.recommended.accuracy:.1%}"
    return f"{step.seconds:.0f} s{left}, {step.done} of {step.total} fits; now {step.note}{best}"
