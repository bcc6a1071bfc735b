"""What does a report say? A comparison with the model it recommends, or a model alone."""

import html
from dataclasses import replace
from typing import Any

from ecoc.cli.models import quietly
from ecoc.cli.outcomes import Comparison, Outcome
from ecoc.cli.output import OPTIMISM, protection, recommendation
from ecoc.reporting import Section, model_sections, page, scatter, table


def model_page(title: str, model: Any, X: Any, y: Any, saved_bytes: int) -> str:
    """A model on the rows of a table."""
    sections = quietly(lambda X: model_sections(model, X, y, saved_bytes=saved_bytes), X)
    return page(title, sections, f"Measured on {len(y):,} rows.")


def comparison_page(title: str, result: Comparison, command: str, model: Any, X: Any, y: Any) -> str:
    """A comparison, and the recommended model on rows that it was not trained on.

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
    summary, *details = quietly(
        lambda X: model_sections(model, X, y, fit_seconds=chosen.fit_seconds, saved_bytes=chosen.model_bytes), X
    )
    n, folds = len(result.y), len(result.folds)
    lead = (
        f"{recommendation(result)} Here and in the sections after the candidates, it is trained on {n - len(y):,} rows "
        f"and measured on the other {len(y):,}, the first of {folds} folds. {summary.lead}"
    )
    note = f"{len(result.outcomes)} candidates, cross-validated with {folds} folds on {n:,} rows. {OPTIMISM}"
    first = replace(summary, title="Recommended", lead=lead, body=summary.body + _to_copy(command))
    return page(title, [first, *_candidates(result), *details], note)


def _to_copy(command: str) -> str:
    return f"<p>This fits it to all rows; a click selects the line:</p><pre>{html.escape(command)}</pre>"


def _candidates(result: Comparison) -> list[Section]:
    rows = [_row(outcome) for outcome in result.outcomes]
    percent = ("accuracy", "standard error")
    best = result.best
    marks: dict[int, str] = {}
    for outcome, name in ((result.recommended, "recommended"), (best, "most accurate")):
        place = result.outcomes.index(outcome)
        marks[place] = f"{marks[place]}, {name}" if place in marks else name
    front = [i for i, outcome in enumerate(result.outcomes) if "classifiers" in outcome.frontier]
    lead = "Up is more accurate, left is cheaper. Point at a candidate to see its row."
    if told := protection(result):
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
                "line": "the front: none is as accurate with as few",
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
    if result.failures:
        lost = [
            {**_name(candidate.coding, candidate.protects, candidate.columns, candidate.decoding), "why": reason}
            for candidate, reason in result.failures.items()
        ]
        parts.append(table("left-out", "", lost, "Left out:"))
    return parts


def _name(coding: str, protects: bool, columns: int | str | None, decoding: str) -> dict[str, Any]:
    asked = "all it has" if columns is None else str(columns)
    return {"coding": coding + (" protected" if protects else ""), "columns": asked, "decoding": decoding}


def _row(outcome: Outcome) -> dict[str, Any]:
    what = outcome.candidate
    support = outcome.cost("support_vectors")
    costs = {
        "classifiers": _digits(outcome.cost("classifiers"), 4),
        "support vectors": None if support is None else round(support),
        "fit s": _digits(outcome.fit_seconds, 3),
        "predict s/1000": _digits(outcome.cost("predict_seconds"), 3),
        "bytes": outcome.model_bytes,
    }
    wished = {} if outcome.protected_errors is None else {"protected errors": outcome.protected_errors}
    return {
        **_name(what.coding, what.protects, what.columns, what.decoding),
        "accuracy": outcome.accuracy,
        "standard error": outcome.standard_error,
        **costs,
        **wished,
        "on the front": "yes" if "classifiers" in outcome.frontier else "no",
    }


def _digits(value: float | None, most: int) -> float | int | None:
    """A number as a table shows it: with so many digits, and whole if it is."""
    if value is None:
        return None
    value = float(f"{value:.{most}g}")
    return int(value) if value == int(value) else value
