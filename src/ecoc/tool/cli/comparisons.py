"""Print a comparison: the recommendation first, then a table of all candidates."""

from collections.abc import Sequence
from typing import Any

from ecoc.tool.cli.printing import make_table, show_table
from ecoc.tool.cli.saying import say
from ecoc.tool.comparison import COSTS, Candidate, CandidateResult, CodeCandidate, Comparison
from ecoc.tool.comparison.wording import (
    described,
    expectation,
    floor_warning,
    plain_is_enough,
    protection_effect,
    recommendation,
)

_HEADERS = {
    "classifiers": "classi-\nfiers",
    "support_vectors": "support\nvectors",
    "fit_seconds": "fit s",
    "predict_seconds": "predict\ns/1000",
    "model_bytes": "kB",
    "mean_cost": "cost\na row",
    "balanced_accuracy": "balanced\naccuracy",
    "macro_f1": "macro\nF1",
    "log_loss": "log-\nloss",
}
_FORMATS = {
    "classifiers": "{:,}",
    "support_vectors": "{:,}",
    "fit_seconds": "{:.2f}",
    "predict_seconds": "{:.4f}",
    "model_bytes": "{:,.0f}",
    "mean_cost": "{:.3f}",
    "balanced_accuracy": "{:.1%}",
    "macro_f1": "{:.1%}",
    "log_loss": "{:.3f}",
}


def show_recommendation(result: Comparison, command: str, classifier: Any) -> None:
    """Print what is recommended, why, what to expect of it, and how to fit it."""
    say(f"→ Recommended: {recommendation(result)}")
    for sentence in (expectation(result), plain_is_enough(result), protection_effect(result), floor_warning(result)):
        if sentence:
            say(f"  {sentence}")
    say(f"  Fit it to all rows with:\n    {command}")
    say(f"  In Python, on prepared columns:\n    {' '.join(repr(classifier).split())}.fit(X, y)")


def show_candidates(result: Comparison, metrics: Sequence[str] = ()) -> None:
    """Print the table of candidates, and what is not in it."""
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
    for reason, names in _reasons(result.left_out).items():
        say(f"  left out: {', '.join(names)}: {reason}")
    for note in result.notes:
        say(f"  {note}")
    say(f"{'Least cost' if by_cost else 'Most accurate'}:  {described(result.best)}")
    pairs = ", ".join(f"{a} | {b} ({count})" for a, b, count in result.confused())
    say(f"Most confused by the recommended model:  {pairs or 'none'}")


def live_table(result: Comparison, width: int) -> Any:
    """Return the table of candidates as far as it is known, for a terminal."""
    headers, rows, least = _table(result, ())
    return make_table(headers, rows, width, left=2, least=least)[0]


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
    headers = ["model", "decoding", _HEADERS["classifiers"], "accuracy", *(_HEADERS[name] for name in shown)]
    headers += ["protected\nerrors"] if protects else []
    headers += [_HEADERS[cost] for cost in COSTS[1:]]
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
    text = _FORMATS[name].format(value / 1000 if name == "model_bytes" else value)
    return text if on_front is None else text + ("*" if on_front else " ")


def _reasons(left_out: dict[Candidate, str]) -> dict[str, list[str]]:
    """Return the candidates that were left out, by reason."""
    found: dict[str, list[str]] = {}
    for candidate, reason in left_out.items():
        found.setdefault(reason, []).append(title_of(candidate))
    return found
