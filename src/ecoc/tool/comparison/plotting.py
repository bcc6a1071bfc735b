"""Plot accuracy against a cost, one point per candidate, with the front."""

from typing import TYPE_CHECKING, Any

from ecoc.inspection.drawing import PALETTE, new_axes

if TYPE_CHECKING:
    from ecoc.tool.comparison.results import CandidateResult
    from ecoc.tool.comparison.verdict import Comparison


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
        ax.errorbar(
            [result.cost(cost) for result in points],
            [100 * result.accuracy for result in points],
            yerr=[100 * result.standard_error for result in points],
            fmt="o",
            color=colour,
            elinewidth=0.8,
            label=name,
        )
    ax.step(
        [result.cost(cost) for result in front],
        [100 * result.accuracy for result in front],
        where="post",
        color="black",
        linewidth=0.8,
        label="front",
    )
    chosen = comparison.recommended
    if chosen in shown:
        ax.plot(
            chosen.cost(cost),
            100 * chosen.accuracy,
            "o",
            markersize=13,
            markerfacecolor="none",
            markeredgecolor="black",
            label="recommended",
        )
    costs = [result.cost(cost) or 0 for result in shown]
    if min(costs) > 0 and max(costs) > 5 * min(costs):
        ax.set_xscale("log")
    ax.set(xlabel=cost.replace("_", " "), ylabel="accuracy, %")
    ax.legend(fontsize="small")
    return ax


def _group(result: "CandidateResult") -> str:
    """Return the coding; a baseline has a group of its own."""
    return str(result.candidate.cells["coding"] or result.candidate.name)
