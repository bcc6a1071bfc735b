"""How is a result shown? As JSON for programs, as tables for people; narrow or wide, coloured or in a pipe."""

import json
import math
import sys
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ecoc.cli.outcomes import COSTS, Comparison, Outcome

OPTIMISM = "These accuracies also made the choice, so expect a little less on new rows."
_MOST_DISTANCES = 16  # classes whose distances are shown as a matrix


def show_json(value: Any) -> None:
    """Print one JSON document."""
    print(json.dumps(_plain(value), ensure_ascii=False))


def show_table(columns: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1, least: int | None = None) -> int:
    """Print a table; the first columns are text, the others numbers. Gives how many are shown: a terminal that is too
    narrow has the first ones only, but `least` at least; None: all."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    rows = list(rows)
    console = Console(file=sys.stdout)
    if not console.is_terminal:
        console.width = max(console.width, 160)
    words = [[*name.split("\n"), *(row[j] for row in rows)] for j, name in enumerate(columns)]
    ends = np.cumsum([2 + max(map(len, cells)) for cells in words])
    count = len(columns) if least is None else max(least, int(np.searchsorted(ends, console.width, "right")))
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    for place, name in enumerate(columns[:count]):
        table.add_column(name, justify="left" if place < left else "right", no_wrap=True)
    for row in rows:
        table.add_row(*(Text(cell, style="bold" if row[0].startswith("→") else "") for cell in row[:count]))
    console.print(table)
    return min(count, len(columns))


def show_comparison(result: Comparison) -> None:
    """The table of candidates and what it says."""
    recommended, best = result.recommended, result.best
    protects = recommended.protected_errors is not None
    headers = ["coding", "decoding", "classi-\nfiers", "accuracy", *(["protected\nerrors"] if protects else [])]
    headers += ["support\nvectors", "fit s", "predict\ns/1000", "kB"]
    forms = ("{:.4g}", "{:,.0f}", "{:.2f}", "{:.4f}", "{:,.0f}")
    rows = []
    for outcome in result.outcomes:
        arrow = "→" if outcome is recommended else " "
        classifiers, *others = (_cell(outcome, cost, form) for cost, form in zip(COSTS, forms))
        row = (f"{arrow} {outcome.candidate.name}", outcome.candidate.decoding, classifiers, f"{outcome.accuracy:.1%}")
        rows.append((*row, *([str(outcome.protected_errors)] if protects else []), *others))
    if show_table(headers, rows, left=2, least=4 + protects) < len(headers):
        print("In a wider window, more columns are shown: support vectors, seconds, kB.")
    print(f"* none is as accurate and as cheap in this column    standard error: {best.standard_error:.1%}")
    for candidate, reason in result.failures.items():
        columns = "" if candidate.columns is None else f", {candidate.columns} columns"
        print(f"  left out: {candidate.name}{columns}, {candidate.decoding}: {reason}")
    print(f"\nMost accurate:  {_named(best)}")
    print(f"→ Recommended:  {recommendation(result)}")
    print(f"                {OPTIMISM}")
    if told := protection(result):
        print(told)
    pairs = ", ".join(f"{a} | {b} ({count})" for a, b, count in result.confused(recommended))
    print(f"Most confused by it:  {pairs or 'none'}")


def recommendation(result: Comparison) -> str:
    """What is recommended, and why."""
    chosen = result.recommended
    why = "the fewest classifiers within a standard error of the most accurate"
    if chosen.candidate.protects:
        why = (
            "of those that protect and are within a standard error of the best such, the one with the fewest confusions"
        )
    return f"{_named(chosen)}: {why}."


def protection(result: Comparison) -> str:
    """What protection costs and buys, in one sentence; nothing, if none was wished for."""
    chosen = result.recommended
    if not chosen.candidate.protects:
        return "No candidate that protects could be fitted; see those left out." if result.protected else ""
    without = result.without_protection
    pairs = [" | ".join(sorted(map(str, pair))) for pair in result.protected]
    one = len(pairs) == 1
    verdict = {1: "helps", 0: "makes no clear difference", -1: "does harm"}[result.verdict(chosen, without)]
    facts = "{:.4g} classifiers, accuracy {:.1%}, {} confusions of " + ("the pair" if one else "these pairs")
    with_it, without_it = (
        facts.format(outcome.cost("classifiers"), outcome.accuracy, outcome.protected_errors)
        for outcome in (chosen, without)
    )
    classes = pairs[0] if one else f"{len(pairs)} pairs of classes"
    return f"Protecting {classes} {verdict}: with it {with_it}; without it ({without.candidate.name}) {without_it}."


def show_book(book: Any) -> None:
    """A code book, its distances and what it corrects."""
    print(book)
    labels = [str(label) for label in book.labels.tolist()]
    distances = book.distances()
    if len(labels) <= _MOST_DISTANCES:
        print("\nColumns that separate two classes:")
        show_table(["", *labels], ([label, *map(str, row)] for label, row in zip(labels, distances.tolist())))
    corrected = book.pairwise_correction("direct")
    nearest = sorted(
        (int(distances[i, j]), labels[i], labels[j]) for i in range(len(labels)) for j in range(i) if len(labels) < 1000
    )[:5]
    print(f"Wrong classifiers that are corrected: {book.correction} for any pair, {corrected.max()} for the farthest.")
    if nearest:
        print("Nearest pairs: " + ", ".join(f"{b} | {a} ({h})" for h, a, b in nearest))


def show_confusion(report: Any) -> None:
    """What the code promised the pairs that were confused most, and what happened."""
    rows = [
        (
            f"{p.first} | {p.second}",
            *(f"{n:,}" for n in (p.n_samples, p.distance, p.promised, p.errors, p.corrected, p.made)),
        )
        for p in report.pairs(10)
        if p.made
    ]
    if rows:
        print("Pairs that were confused most, with what the code has for them:")
        headers = ("rows", "columns between", "corrects", "rows with errors", "corrected", "confused")
        show_table(("classes", *headers), rows)
    text = f"{report.bit_errors:.2f} of {len(report.column_error_rate)} classifiers are wrong on average"
    if report.n_faulty:
        text += f"; {report.share_corrected:.1%} of the {report.n_faulty:,} rows with any are right nevertheless"
    print(f"{text}.")


def book_as_dict(book: Any) -> dict[str, Any]:
    """A code book for JSON."""
    return {
        "classes": book.labels.tolist(),
        "n_columns": book.n_columns,
        "min_distance": book.min_distance,
        "correction": book.correction,
        "matrix": book.matrix.tolist(),
        "distances": book.distances().tolist(),
        "pairwise_correction": book.pairwise_correction("direct").tolist(),
    }


def _cell(outcome: Outcome, cost: str, form: str) -> str:
    value = outcome.cost(cost)
    if value is not None and cost == "model_bytes":
        value /= 1000
    mark = "*" if cost in outcome.frontier else " "
    return "–" if value is None else form.format(value) + mark


def _named(outcome: Outcome) -> str:
    what = outcome.candidate
    count = outcome.cost("classifiers")
    return f"{what.name}, {what.decoding} decoding, {count:.4g} classifiers, {outcome.accuracy:.1%}"


def _plain(value: Any) -> Any:
    """What JSON can hold: no NumPy, and null for what is not a number."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    return None if isinstance(value, float) and not math.isfinite(value) else value
