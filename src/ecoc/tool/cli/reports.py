"""Write the HTML report of a comparison, or of a model alone."""

import html
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ecoc.inspection.reporting import Section, model_sections, page, scatter, table
from ecoc.tool.cli.comparisons import title_of
from ecoc.tool.cli.models import columns_in_order, fit_pipeline
from ecoc.tool.cli.printing import status
from ecoc.tool.cli.scores import unknown_in_words
from ecoc.tool.comparison import Comparison, showing
from ecoc.tool.comparison.candidates import CodeCandidate
from ecoc.tool.comparison.results import CandidateResult
from ecoc.tool.tables.reading import Samples
from ecoc.tool.tables.writing import write_output
from ecoc.utils.estimators import last_step

_PERCENT = ("accuracy", "standard error", "balanced accuracy", "macro F1")


def write_report(path: Path, text: str) -> None:
    """Write a page."""
    write_output(path, text.encode("utf-8", "replace"))


def write_comparison(path: Path, name: str, result: Comparison, command: str, samples: Samples) -> str:
    """Write the report of a comparison, whose code is fitted to the first fold; return a note on missing sections."""
    missing, details = "", []
    with status("writing the report"):
        try:
            details = _details(result, samples if result.sample is None else samples.rows(result.sample))
        except Exception as error:  # what was compared must not be lost
            missing = f"the sections about the code are missing in it: {' '.join(str(error).split())}"
            details = [Section("missing", "Missing", missing)]
        write_report(path, comparison_page(f"{name}: which model?", result, command, details))
    return missing


def model_page(title: str, model: Any, X: Any, y: Any, saved_bytes: int, unknown: dict[str, int]) -> str:
    """Return the page of a model on the rows of a table; rows of unknown classes are named but not measured."""
    with columns_in_order():
        sections = model_sections(model, X, y, saved_bytes=saved_bytes)
    note = f"Measured on {len(y):,} rows."
    if unknown:
        rows = len(y) + sum(unknown.values())
        note += f" {unknown_in_words(unknown, rows)} The page is about the other rows."
    return page(title, sections, note)


def comparison_page(title: str, result: Comparison, command: str, details: list[Section]) -> str:
    """Return the page of a comparison; `details` are about the recommended code."""
    first = Section("recommended", "Recommended", " ".join(showing.advice(result)), _command_to_copy(command))
    n, folds = len(result.y), len(result.folds)
    notes = [f"{len(result.results)} candidates, cross-validated with {folds} folds on {n:,} rows.", *result.notes]
    return page(title, [first, *_candidates(result), *details], " ".join(notes))


def _details(result: Comparison, samples: Samples) -> list[Section]:
    """Return the sections about the recommended code, or the best if none is recommended, on the first fold."""
    code = result.best_code
    if code is None:
        return []
    train, test = result.folds[0]
    test = test[np.isin(samples.y[test], samples.y[train])]  # a rare class may be missing in the training rows
    model = fit_pipeline(samples.rows(train), last_step(code.estimator))
    with columns_in_order():
        summary, *others = model_sections(
            model, samples.X[test], samples.y[test], fit_seconds=code.fit_seconds, saved_bytes=code.model_bytes
        )
    lead = (
        f"{showing.described(code)}. Here and below it is trained on {len(train):,} rows and measured on "
        f"{len(test):,} others, the first of {len(result.folds)} folds. {summary.lead}"
    )
    title = "The recommended code" if code is result.recommended else "The most accurate code"
    return [replace(summary, title=title, lead=lead), *others]


def _command_to_copy(command: str) -> str:
    return f"<p>This fits it to all rows; a click selects the line:</p><pre>{html.escape(command)}</pre>"


def _candidates(result: Comparison) -> list[Section]:
    best = result.best
    drawn = [one for one in result.complete if one.classifiers > 0]  # the majority class has no model at all
    front = result.front()
    with_loss = any(one.log_loss is not None for one in result.results)
    marks: dict[int, str] = {}
    for one, name in ((result.recommended, "recommended"), (best, "most accurate")):
        if one in drawn:
            place = drawn.index(one)
            marks[place] = f"{marks[place]}, {name}" if place in marks else name
    parts: list[Section] = []
    if drawn:  # a short budget may leave the majority class alone
        parts.append(
            scatter(
                "candidates",
                "Candidates",
                [_row(one, front, with_loss) for one in drawn],
                "classifiers",
                "accuracy",
                group="kind",
                error="standard error",
                line=[place for place, one in enumerate(drawn) if one in front],
                marks=marks,
                band=(best.accuracy - best.standard_error, best.accuracy),
                notes={
                    "line": "the front: no other is as accurate with as few",
                    "band": "within a standard error of the most accurate",
                },
                lead="Up is more accurate, left is fewer models. Point at a candidate to see its row.",
                percent=_PERCENT,
            )
        )
    parts.append(
        table(
            "all-candidates",
            "",
            [_row(one, front, with_loss) for one in result.results],
            "All candidates, with the recommended one marked. Click on a heading to sort. Seconds to fit are for a "
            "separate fit; a candidate without them was only fitted together with others.",
            percent=_PERCENT,
            marked=[result.results.index(result.recommended)],
        )
    )
    if result.left_out:
        lost = [{"model": title_of(candidate), "why": reason} for candidate, reason in result.left_out.items()]
        parts.append(table("left-out", "", lost, "Left out:"))
    return parts


def _row(one: CandidateResult, front: list[CandidateResult], with_loss: bool) -> dict[str, Any]:
    cells = one.candidate.cells
    is_code = isinstance(one.candidate, CodeCandidate)
    asked = "" if not is_code else "all it has" if cells["columns"] is None else str(cells["columns"])
    loss = {"log-loss": _digits(one.log_loss, 3)} if with_loss else {}
    wished = {} if one.protected_errors is None else {"protected errors": one.protected_errors}
    return {
        "model": one.candidate.name,
        "kind": cells["coding"] if is_code else "plain",
        "columns": asked,
        "decoding": cells["decoding"] or "",
        "accuracy": one.accuracy,
        "standard error": one.standard_error,
        "balanced accuracy": one.balanced_accuracy,
        "macro F1": one.macro_f1,
        **loss,
        "classifiers": one.classifiers,
        "support vectors": one.support_vectors,
        "fit s": _digits(one.fit_seconds, 3),
        "predict s/1000": _digits(one.predict_seconds, 3),
        "bytes": one.model_bytes,
        **wished,
        "folds": one.n_folds,
        "on the front": "yes" if one in front else "no",
    }


def _digits(value: float | None, most: int) -> float | int | None:
    """Format a number for a table: with the given digits, or as an integer."""
    if value is None:
        return None
    value = float(f"{value:.{most}g}")
    return int(value) if value == int(value) else value
