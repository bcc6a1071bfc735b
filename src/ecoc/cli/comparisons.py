"""How is a comparison told? A table of candidates, and sentences about the recommended one."""

from ecoc.cli.printing import show_table
from ecoc.comparison import COSTS, CandidateResult, Comparison

OPTIMISM = "These accuracies also made the choice, so expect a little less on new rows."
_FORMATS = ("{:.4g}", "{:,.0f}", "{:.2f}", "{:.4f}", "{:,.0f}")  # of COSTS
_VERDICTS = {1: "helps", 0: "makes no clear difference", -1: "does harm"}


def show_comparison(result: Comparison) -> None:
    """Print the table of candidates and what it says."""
    recommended, best = result.recommended, result.best
    protects = recommended.protected_errors is not None
    headers = ["coding", "decoding", "classi-\nfiers", "accuracy", *(["protected\nerrors"] if protects else [])]
    headers += ["support\nvectors", "fit s", "predict\ns/1000", "kB"]
    rows = [_row(one, one is recommended, protects) for one in result.results]
    if show_table(headers, rows, left=2, least=4 + protects) < len(headers):
        print("A wider window shows more columns: support vectors, seconds, kB.")
    print(
        "* on the front: no other row is at least as accurate and at least as cheap in this column. "
        f"One standard error is {best.standard_error:.1%}."
    )
    for candidate, reason in result.left_out.items():
        columns = "" if candidate.columns is None else f", {candidate.columns} columns"
        print(f"  left out: {candidate.name}{columns}, {candidate.decoding}: {reason}")
    print(f"\nMost accurate:  {_described(best)}")
    print(f"→ Recommended:  {recommendation(result)}")
    print(f"                {OPTIMISM}")
    if told := protection_sentence(result):
        print(told)
    pairs = ", ".join(f"{a} | {b} ({count})" for a, b, count in result.confused(recommended))
    print(f"Most confused by it:  {pairs or 'none'}")


def recommendation(result: Comparison) -> str:
    """Return what is recommended, and why."""
    chosen = result.recommended
    why = "the fewest classifiers within one standard error of the most accurate"
    if chosen.candidate.protected:
        why = "the fewest confusions of protected classes, within one standard error of the most accurate that protects"
    return f"{_described(chosen)}: {why}."


def protection_sentence(result: Comparison) -> str:
    """Return what protection costs and buys; nothing if no class is protected."""
    chosen = result.recommended
    if not chosen.candidate.protected:
        return "No protected candidate could be fitted; the reasons are given above." if result.protected else ""
    without = result.without_protection
    pairs = [" | ".join(sorted(map(str, pair))) for pair in result.protected]
    one = len(pairs) == 1
    verdict = _VERDICTS[result.effect_of_protection(chosen, without)]
    facts = "{:.4g} classifiers, accuracy {:.1%}, {} confusions of " + ("the pair" if one else "these pairs")
    with_it, without_it = (
        facts.format(each.cost("classifiers"), each.accuracy, each.protected_errors) for each in (chosen, without)
    )
    classes = pairs[0] if one else f"{len(pairs)} pairs of classes"
    return f"Protecting {classes} {verdict}: with it {with_it}; without it ({without.candidate.name}) {without_it}."


def _row(one: CandidateResult, is_recommended: bool, protects: bool) -> tuple[str, ...]:
    arrow = "→" if is_recommended else " "
    classifiers, *others = (_cell(one, cost, form) for cost, form in zip(COSTS, _FORMATS))
    row = (f"{arrow} {one.candidate.name}", one.candidate.decoding, classifiers, f"{one.accuracy:.1%}")
    return (*row, *([str(one.protected_errors)] if protects else []), *others)


def _cell(one: CandidateResult, cost: str, form: str) -> str:
    value = one.cost(cost)
    if value is not None and cost == "model_bytes":
        value /= 1000
    mark = "*" if cost in one.front else " "
    return "–" if value is None else form.format(value) + mark


def _described(one: CandidateResult) -> str:
    what, count = one.candidate, one.cost("classifiers")
    return f"{what.name}, {what.decoding} decoding, {count:.4g} classifiers, {one.accuracy:.1%}"
