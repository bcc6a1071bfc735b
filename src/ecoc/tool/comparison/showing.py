"""Show a comparison in words, as a text table, and as a plot."""

from math import inf
from typing import TYPE_CHECKING, Any

from ecoc.inspection.drawing import PALETTE, new_axes
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
    """Return the recommendation and its reason in one sentence."""
    chosen, best = comparison.recommended, comparison.best
    if chosen is comparison.floor:
        why = "nothing that was tried is clearly better than always predicting the most frequent class"
    elif comparison.sample is not None and comparison.growth is not None:
        why = f"the best with {comparison.growth.curves[chosen.candidate][-1].rows:,} rows"
    elif chosen is best:
        why = "the most accurate" if best.mean_cost is None else "its errors cost least"
    elif chosen.candidate.protected:
        why = "it confuses the protected classes clearly less often"
    else:
        what, value = ("most accurate", f"{best.accuracy:.1%}")
        if best.mean_cost is not None:
            what, value = "least cost", f"{best.mean_cost:.3f} a row"
        why = f"ties with the {what} ({best.candidate.name}, {value}), {_advantage(chosen, best)}"
    return f"{described(chosen)}: {why}."


def _advantage(chosen: CandidateResult, best: CandidateResult) -> str:
    """Return the advantages of the first of two results over the second, and the disadvantages."""
    less = "with fewer models" if chosen.classifiers < best.classifiers else "and is less work to train"
    slower = chosen.predict_seconds / best.predict_seconds if best.predict_seconds else 0.0
    larger = (chosen.model_bytes or 0) / (best.model_bytes or inf)
    dearer = [f"{times:.0f} × {what}" for times, what in ((slower, "slower"), (larger, "larger")) if times >= 2]
    return less + (f", though {' and '.join(dearer)} than it" if dearer else "")


def expectation(comparison: "Comparison") -> str:
    """Return the accuracy or cost to expect on new samples, and how it changed with the number of rows."""
    error, growth = comparison.expected_error, comparison.growth
    if comparison.expected_cost is None:
        value = f"{comparison.expected_accuracy:.1%} ± {error:.1%}"
    else:
        value = f"a cost of {comparison.expected_cost:.3f} ± {error:.3f} a row"
    if comparison.recommended is comparison.floor:
        return f"On new rows expect {value}."
    if growth is None:
        return f"On new rows expect {value}. This estimate is corrected for the choice, which these accuracies made."
    show = "{:.1%}".format if comparison.expected_cost is None else (lambda merit: f"{-merit:.3f}")
    points = growth.curves[growth.chosen]
    grew = ", ".join(f"{show(point.merit)} with {point.rows:,} rows" for point in points)
    return f"On new rows expect {value} after a fit to all {comparison.n_rows:,} rows; it was {grew}."


def plain_is_enough(comparison: "Comparison") -> str:
    """Say that plain scikit-learn is enough, with the best code's accuracy; "" if a code is recommended."""
    code, chosen = comparison.best_code, comparison.recommended
    if code is None or code is chosen or chosen is comparison.floor:
        return ""
    return f"Plain scikit-learn is enough here. The most accurate code is {described(code)}."


def tried(comparison: "Comparison") -> str:
    """Say which models and codes were tried, and why, in one or two sentences."""
    candidates = [result.candidate for result in comparison.results] + list(comparison.left_out)
    plain = [candidate.name for candidate in candidates if not isinstance(candidate, CodeCandidate)]
    codes: dict[str, dict[str, None]] = {}
    decodings: dict[str, None] = {}
    for candidate in candidates:
        if isinstance(candidate, CodeCandidate):
            length = () if candidate.columns is None else (str(candidate.columns),)
            learner = f" ({candidate.learner})" if candidate.learner else ""
            codes.setdefault(candidate.coding + learner, {}).update(dict.fromkeys(length))
            decodings[candidate.decoding] = None
    listed = [f"{coding} of {', '.join(lengths)} columns" if lengths else coding for coding, lengths in codes.items()]
    sentences = [f"Plain models: {', '.join(plain)}."] if plain else []
    if codes:
        reasons = dict.fromkeys(one.trials.reason for one in comparison.contenders.values())
        why = f" ({'; '.join(reasons)})" if reasons else ""
        sentences.append(f"Codes: {'; '.join(listed)}{why}; each with {' and '.join(decodings)} decoding.")
    return " ".join(sentences)


def floor_warning(comparison: "Comparison") -> str:
    """Warn if no candidate is clearly better than guessing the most frequent class."""
    floor = comparison.floor
    if floor is None or comparison.beats_the_floor:
        return ""
    if comparison.recommended is floor:
        untried = sum("budget" in reason for reason in comparison.left_out.values())
        hurried = f"There was no time for {untried} other candidates; give a larger budget. " if untried else ""
        return (
            f"{hurried}The columns may say little about the classes; compare balanced accuracies, or say what errors "
            "cost."
        )
    return (
        f"No candidate is clearly better than always predicting the most frequent class ({floor.accuracy:.1%}); the "
        "columns may say little about the classes."
    )


def protection_effect(comparison: "Comparison") -> str:
    """Return the costs and effects of protection, and the conclusion; "" if no class is protected."""
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


def advice(comparison: "Comparison") -> list[str]:
    """Return the recommendation, the expected accuracy and further notes, one sentence each."""
    parts = (recommendation, expectation, plain_is_enough, protection_effect, floor_warning)
    return [sentence for part in parts if (sentence := part(comparison))]


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


def draw(comparison: "Comparison", cost: str, ax: Any) -> Any:
    """Draw a comparison; see :meth:`ecoc.Comparison.plot`."""
    front = comparison.front(cost)
    shown = [result for result in comparison.results if result.cost(cost) is not None]
    if not shown:
        raise ValueError(f"no candidate has {cost}; choose another cost.")
    ax = new_axes(ax, (7, 4.5))
    names = list(dict.fromkeys(_group(result) for result in shown))
    for name, colour in zip(names, PALETTE * len(names)):
        points = [result for result in shown if _group(result) == name]
        x, accuracies, errors = zip(*((one.cost(cost), 100 * one.accuracy, 100 * one.standard_error) for one in points))
        ax.errorbar(x, accuracies, yerr=errors, fmt="o", color=colour, elinewidth=0.8, label=name)
    steps = [one.cost(cost) for one in front], [100 * one.accuracy for one in front]
    ax.step(*steps, where="post", color="black", linewidth=0.8, label="front")
    chosen = comparison.recommended
    if chosen in shown:
        ring = {"markersize": 13, "markerfacecolor": "none", "markeredgecolor": "black"}
        ax.plot(chosen.cost(cost), 100 * chosen.accuracy, "o", label="recommended", **ring)
    costs = [result.cost(cost) or 0 for result in shown]
    if min(costs) > 0 and max(costs) > 5 * min(costs):
        ax.set_xscale("log")
    ax.set(xlabel=cost.replace("_", " "), ylabel="accuracy, %")
    ax.legend(fontsize="small")
    return ax


def _group(result: CandidateResult) -> str:
    """Return the coding; a baseline has a group of its own."""
    return str(result.candidate.cells["coding"] or result.candidate.name)
