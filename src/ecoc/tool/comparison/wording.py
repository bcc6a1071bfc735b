"""Put a comparison into words: the recommendation, the effect of protection, and a table as text."""

from typing import TYPE_CHECKING

from ecoc.tool.comparison.candidates import CodeCandidate
from ecoc.tool.comparison.results import CandidateResult
from ecoc.utils.messages import some

if TYPE_CHECKING:
    from ecoc.tool.comparison.verdict import Comparison

_EFFECTS = {1: "helps", 0: "makes no clear difference", -1: "does harm"}


def count_of(result: CandidateResult) -> str:
    """Return the number of models with its noun."""
    noun = "classifier" if isinstance(result.candidate, CodeCandidate) else "model"
    return f"{result.classifiers:,} {noun}{'' if result.classifiers == 1 else 's'}"


def described(result: CandidateResult) -> str:
    """Return what a candidate is, how many models it has, and its accuracy."""
    what = result.candidate
    decoding = f" with {what.decoding} decoding" if isinstance(what, CodeCandidate) else ""
    cost = "" if result.mean_cost is None else f"cost {result.mean_cost:.3f} a row, "
    return f"{what.name}{decoding}, {count_of(result)}, {cost}accuracy {result.accuracy:.1%}"


def recommendation(comparison: "Comparison") -> str:
    """Return what is recommended, and why, in one sentence."""
    chosen, best = comparison.recommended, comparison.best
    if chosen is best:
        why = "the most accurate" if best.mean_cost is None else "its errors cost least"
    elif chosen.candidate.protected:
        why = "it confuses the protected classes clearly less often"
    else:
        what, value, gain = "most accurate", f"{best.accuracy:.1%}", "at less cost"
        if best.mean_cost is not None:
            what, value, gain = "least cost", f"{best.mean_cost:.3f} a row", "and simpler"
        why = f"within one standard error of the {what} ({best.candidate.name}, {value}), {gain}"
    return f"{described(chosen)}: {why}."


def expectation(comparison: "Comparison") -> str:
    """Return the accuracy or the cost to expect on new samples, in one sentence."""
    error = comparison.merit_error(comparison.recommended)
    if comparison.expected_cost is not None:
        return f"On new rows expect a cost of {comparison.expected_cost:.3f} ± {error:.3f} a row."
    return (
        f"On new rows expect {comparison.expected_accuracy:.1%} ± {error:.1%}. "
        "This estimate is corrected for the choice, which these accuracies made."
    )


def plain_is_enough(comparison: "Comparison") -> str:
    """Return that plain scikit-learn is enough, and what the best code reaches; nothing if a code is recommended."""
    code, chosen = comparison.best_code, comparison.recommended
    if code is None or code is chosen:
        return ""
    return f"Plain scikit-learn is enough here. The best code is {described(code)}."


def floor_warning(comparison: "Comparison") -> str:
    """Return a warning if no candidate is clearly better than guessing the most frequent class."""
    floor = comparison.floor
    if floor is None or comparison.beats_the_floor:
        return ""
    return (
        f"No candidate is clearly better than always predicting the most frequent class ({floor.accuracy:.1%}); the "
        "columns may say little about the classes."
    )


def protection_effect(comparison: "Comparison") -> str:
    """Return what protection costs and buys, and what follows; nothing if no class is protected."""
    if not comparison.protected:
        return ""
    protecting, without = comparison.with_protection, comparison.without_protection
    if protecting is None:
        return "No protected candidate could be fitted; the reasons are given above."
    pairs = [" | ".join(sorted(map(str, pair))) for pair in comparison.protected]
    one = len(pairs) == 1
    effect = comparison.effect_of_protection(protecting, without)
    of = "the pair" if one else "these pairs"
    with_it, without_it = (
        f"{count_of(each)}, accuracy {each.accuracy:.1%}, {each.protected_errors} confusions of {of}"
        for each in (protecting, without)
    )
    classes = pairs[0] if one else f"{len(pairs)} pairs of classes"
    lost = comparison.lost_classes(protecting)
    follows = "" if effect == 1 and not lost else " The model without protection is recommended."
    if lost:
        follows = f" With it, {some(lost)} would never be predicted." + follows
    elif effect != 1:
        follows += " Costs of these errors (--costs, ECOCClassifier(costs=…)) can lower them with any model."
    return (
        f"Protecting {classes} {_EFFECTS[effect]}: with it ({protecting.candidate.name}) {with_it}; without it "
        f"({without.candidate.name}) {without_it}.{follows}"
    )


def table_text(comparison: "Comparison") -> str:
    """Return the recommendation and a table, as plain text."""
    headers = ("", "model", "decoding", "classifiers", "accuracy", "balanced", "fit s")
    rows = [
        (
            "→" if result is comparison.recommended else "",
            result.candidate.name,
            str(result.candidate.cells["decoding"] or ""),
            f"{result.classifiers:,}",
            f"{result.accuracy:.1%}",
            f"{result.balanced_accuracy:.1%}",
            "" if result.fit_seconds is None else f"{result.fit_seconds:.2f}",
        )
        for result in comparison.results
    ]
    widths = [max(len(row[j]) for row in (headers, *rows)) for j in range(len(headers))]
    lines = [
        "  ".join(cell.ljust(width) if j < 3 else cell.rjust(width) for j, (cell, width) in enumerate(zip(row, widths)))
        for row in (headers, *rows)
    ]
    sentences = (recommendation(comparison), expectation(comparison), floor_warning(comparison))
    told = [f"Recommended: {sentences[0]}", *filter(None, sentences[1:])]
    return "\n".join([*told, *(line.rstrip() for line in lines), *comparison.notes])
