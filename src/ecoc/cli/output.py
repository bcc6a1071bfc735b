"""How is a result shown? As JSON for programs, as tables for people; narrow or wide, coloured or in a pipe."""

import json
import math
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from ecoc.cli.comparison import COSTS, Comparison, Outcome

_MOST_DISTANCES = 16  # classes whose distances are shown as a matrix


def show_json(value: Any) -> None:
    """Print one JSON document."""
    print(json.dumps(_plain(value), ensure_ascii=False))


def show_table(columns: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> None:
    """Print a table; the first columns are text, the others numbers."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    for place, name in enumerate(columns):
        table.add_column(name, justify="left" if place < left else "right", no_wrap=True)
    for row in rows:
        table.add_row(*(Text(cell, style="bold" if row[0].startswith("→") else "") for cell in row))
    console = Console(file=sys.stdout)
    if not console.is_terminal:
        console.width = max(console.width, 160)
    console.print(table)


def show_comparison(result: Comparison) -> None:
    """The table of candidates and what it says."""
    recommended, best = result.recommended, result.best
    protects = recommended.protected_errors is not None
    headers = ["coding", "decoding", "classi-\nfiers", "accuracy", "support\nvectors", "fit s", "predict\ns/1000", "kB"]
    forms = ("{:.4g}", "{:,.0f}", "{:.2f}", "{:.4f}", "{:,.0f}")
    rows = []
    for outcome in result.outcomes:
        arrow = "→" if outcome is recommended else " "
        classifiers, *others = (_cell(outcome, cost, form) for cost, form in zip(COSTS, forms))
        row = (f"{arrow} {outcome.candidate.name}", outcome.candidate.decoding, classifiers, f"{outcome.accuracy:.1%}")
        rows.append((*row, *others, *([str(outcome.protected_errors)] if protects else [])))
    show_table([*headers, *(["protected\nerrors"] if protects else [])], rows, left=2)
    print(f"* none is as accurate and as cheap in this column    standard error: {best.standard_error:.1%}")
    for candidate, reason in result.failures.items():
        print(f"  left out: {candidate.name}, {candidate.columns} columns, {candidate.decoding}: {reason}")
    print(f"\nMost accurate:  {_named(best)}")
    print(f"→ Recommended:  {_named(recommended)}: the fewest within a standard error")
    if recommended.candidate.protects:
        without = result.without_protection
        errors = (
            f"{without.protected_errors} confusions of the protected classes, with it {recommended.protected_errors}"
        )
        print(f"Without protection:  {_named(without)}, {errors}")
    pairs = ", ".join(f"{a} | {b} ({count})" for a, b, count in result.confused(recommended))
    print(f"Most confused by it:  {pairs or 'none'}")


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
