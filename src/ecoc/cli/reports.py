"""What does a report say? A comparison with the model it recommends, or a model alone."""

import html
from dataclasses import replace
from pathlib import Path
from typing import Any

from ecoc.cli.comparisons import OPTIMISM, protection_sentence, recommendation
from ecoc.cli.models import columns_in_order, fit_pipeline
from ecoc.cli.printing import status
from ecoc.comparison import CandidateResult, Comparison
from ecoc.reporting import Section, model_sections, page, scatter, table
from ecoc.tables import Samples, check_output, write_output


def check_report(path: Path | None) -> None:
    """Refuse a report that cannot be written, before the work begins."""
    if path is not None:
        check_output(path, (".html",))


def write_report(path: Path, text: str) -> None:
    """Write a page."""
    write_output(path, text.encode("utf-8", "replace"))


def write_comparison(path: Path | None, name: str, result: Comparison, command: str, samples: Samples) -> None:
    """Fit the recommended candidate to the first fold, and write the report of a comparison, if one is wanted."""
    if path is None:
        return
    train, test = result.folds[0]
    with status("writing the report"):
        chosen = result.recommended.estimator
        classifier = chosen.steps[-1][1] if hasattr(chosen, "steps") else chosen
        model = fit_pipeline(samples.rows(train), classifier)
        title = f"{name}: how few classifiers?"
        write_report(path, comparison_page(title, result, command, model, samples.X[test], samples.y[test]))


def model_page(title: str, model: Any, X: Any, y: Any, saved_bytes: int) -> str:
    """Return the page of a model on the rows of a table."""
    with columns_in_order():
        sections = model_sections(model, X, y, saved_bytes=saved_bytes)
    return page(title, sections, f"Measured on {len(y):,} rows.")


def comparison_page(title: str, result: Comparison, command: str, model: Any, X: Any, y: Any) -> str:
    """Return the page of a comparison, with the recommended model on rows that it was not trained on.

    Parameters
    ----------
    title : str
        Heading.
    result : Comparison
        All candidates.
    command : str
        Fits the recommended one.
    model : estimator
        The recommended one, fitted to the training rows of the first fold.
    X, y : ndarray
        The other rows of that fold.

    Returns
    -------
    str
    """
    chosen = result.recommended
    with columns_in_order():
        summary, *details = model_sections(model, X, y, fit_seconds=chosen.fit_seconds, saved_bytes=chosen.model_bytes)
    n, folds = len(result.y), len(result.folds)
    lead = (
        f"{recommendation(result)} Here and in the sections after the candidates, it is trained on {n - len(y):,} rows "
        f"and measured on the other {len(y):,}, the first of {folds} folds. {summary.lead}"
    )
    note = f"{len(result.results)} candidates, cross-validated with {folds} folds on {n:,} rows. {OPTIMISM}"
    first = replace(summary, title="Recommended", lead=lead, body=summary.body + _command_to_copy(command))
    return page(title, [first, *_candidates(result), *details], note)


def _command_to_copy(command: str) -> str:
    return f"<p>This fits it to all rows; a click selects the line:</p><pre>{html.escape(command)}</pre>"


def _candidates(result: Comparison) -> list[Section]:
    rows = [_row(one) for one in result.results]
    percent = ("accuracy", "standard error")
    best = result.best
    marks: dict[int, str] = {}
    for one, name in ((result.recommended, "recommended"), (best, "most accurate")):
        place = result.results.index(one)
        marks[place] = f"{marks[place]}, {name}" if place in marks else name
    front = [i for i, one in enumerate(result.results) if "classifiers" in one.front]
    lead = "Up is more accurate, left is cheaper. Point at a candidate to see its row."
    if told := protection_sentence(result):
        lead = f"{told} {lead}"
    parts = [
        scatter(
            "candidates",
            "Candidates",
            rows,
            "classifiers",
            "accuracy",
            group="coding",
            error="standard error",
            line=front,
            marks=marks,
            band=(best.accuracy - best.standard_error, best.accuracy),
            notes={
                "line": "the front: no other is as accurate with as few",
                "band": "within a standard error of the most accurate",
            },
            lead=lead,
            percent=percent,
        ),
        table(
            "all-candidates",
            "",
            rows,
            "All of them; a click on a head sorts. Times and bytes are of the last fold, where nothing is shared.",
            percent=percent,
        ),
    ]
    if result.left_out:
        lost = [
            {**_name(candidate.coding, candidate.protected, candidate.columns, candidate.decoding), "why": reason}
            for candidate, reason in result.left_out.items()
        ]
        parts.append(table("left-out", "", lost, "Left out:"))
    return parts


def _name(coding: str, protects: bool, columns: int | str | None, decoding: str) -> dict[str, Any]:
    asked = "all it has" if columns is None else str(columns)
    return {"coding": coding + (" protected" if protects else ""), "columns": asked, "decoding": decoding}


def _row(one: CandidateResult) -> dict[str, Any]:
    what = one.candidate
    support = one.cost("support_vectors")
    costs = {
        "classifiers": _digits(one.cost("classifiers"), 4),
        "support vectors": None if support is None else round(support),
        "fit s": _digits(one.fit_seconds, 3),
        "predict s/1000": _digits(one.cost("predict_seconds"), 3),
        "bytes": one.model_bytes,
    }
    wished = {} if one.protected_errors is None else {"protected errors": one.protected_errors}
    return {
        **_name(what.coding, what.protected, what.columns, what.decoding),
        "accuracy": one.accuracy,
        "standard error": one.standard_error,
        **costs,
        **wished,
        "on the front": "yes" if "classifiers" in one.front else "no",
    }


def _digits(value: float | None, most: int) -> float | int | None:
    """A number as a table shows it: with so many digits, and whole if it is."""
    if value is None:
        return None
    value = float(f"{value:.{most}g}")
    return int(value) if value == int(value) else value
