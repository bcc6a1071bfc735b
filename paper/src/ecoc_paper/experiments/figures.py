"""Draw accuracy against complexity and length, wins, and ranks."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ecoc_paper.experiments.axes import legend, subplots
from ecoc_paper.experiments.equal_lengths import ALLOCATIONS, at_length, difference
from ecoc_paper.experiments.points import DECODINGS, MEASURES, Point
from ecoc_paper.experiments.ranks import Ranking
from ecoc_paper.experiments.wins import Duel, by_seed

# Okabe and Ito's colours are safe for the colour-blind; every method has a marker besides.
_STYLES = {
    "OVA": ("#000000", "s"),
    "OVO": ("#7f7f7f", "D"),
    "DENSE": ("#56B4E9", "^"),
    "RAND": ("#CC79A7", "v"),
    "S-ECOC": ("#b8a000", "P"),
    "R-H": ("#8c5a2b", "X"),
    "R-H held out": ("#c08a5b", "X"),
    "ECF-H": ("#D55E00", "o"),
    "ECF-E": ("#E69F00", "o"),
    "ECF-H Alg. 1": ("#D55E00", "*"),
    "ECF-E Alg. 1": ("#E69F00", "*"),
    "ECF-balanced": ("#0072B2", "o"),
    "ECF-auto": ("#009E73", "o"),
}
_OTHERS = ("#5b3fa0", "#a03f5b", "#3fa05b", "#a0883f", "#3f88a0", "#7a7a3f")
_RED_TO_BLUE = ("#ca0020", "#f4a582", "#8c8c8c", "#92c5de", "#0571b0")  # from hard to easy


def style(method: str, methods: Sequence[str]) -> tuple[str, str]:
    """Return the colour and the marker of a method."""
    if method in _STYLES:
        return _STYLES[method]
    others = [name for name in methods if name not in _STYLES]
    return _OTHERS[others.index(method) % len(_OTHERS)], "h"


def accuracy(points: Sequence[Point], measure: str) -> Any:
    """Draw accuracy against complexity, a panel for each data set: the paper's results_svs and results_correction."""
    from matplotlib.ticker import LogLocator, MaxNLocator

    points = [point for point in points if np.isfinite(point.complexity[measure])]
    datasets = list(dict.fromkeys(point.dataset for point in points))
    methods = list(dict.fromkeys(point.method for point in points))
    width = min(4, len(datasets))
    height = -(-len(datasets) // width)
    figure, axes = subplots(height, width, (max(3.1 * width, 4.5), 2.7 * height + 0.9))
    for axis, dataset in zip(axes.flat, datasets):
        for method in methods:
            own = [point for point in points if (point.dataset, point.method) == (dataset, method)]
            own.sort(key=lambda point: _x(point, measure))
            if not own:
                continue
            colour, marker = style(method, methods)
            x, y = [_x(point, measure) for point in own], [100 * point.accuracy for point in own]
            axis.plot(x, y, marker=marker, color=colour, markersize=5, linewidth=1.2, alpha=0.85, label=method)
        axis.set_title(dataset)
        if measure == "columns":
            axis.set_xscale("log", subs=[])
            axis.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            axis.xaxis.set_major_formatter("{x:g}")
        else:  # the paper's axis
            axis.set_xscale("function", functions=(np.exp, lambda x: np.log(np.maximum(x, 1e-9))))
            least = min((point.complexity["support"] for point in points if point.dataset == dataset), default=0.9)
            margin = max(0.06 * (1 - least), 1e-3)
            axis.set_xlim(ends := (least - margin, 1 + margin))
            ticks = MaxNLocator(4, steps=[1, 2, 5, 10]).tick_values(*ends)
            axis.set_xticks([tick for tick in ticks if ends[0] <= tick <= ends[1]])
    for axis in axes.flat[len(datasets) :]:
        axis.set_visible(False)
    figure.supylabel("accuracy, %", fontsize=10)
    figure.supxlabel(
        "number of classifiers" if measure == "columns" else "relative number of support vectors, exponential scale",
        fontsize=10,
    )
    legend(figure, axes)
    return figure


def allocations(by_decoding: Mapping[str, Sequence[Point]], lengths: Sequence[str]) -> Any:
    """Draw how much better each allocation is than equidistant codewords, against l / k; a panel for each decoding."""
    figure, axes = subplots(1, len(by_decoding), (4.2 * len(by_decoding), 3.6))
    for axis, (decoding, points) in zip(axes.flat, by_decoding.items()):
        for colour, (method, a) in zip(reversed(_RED_TO_BLUE), ALLOCATIONS.items()):
            found = {
                _ratio(points, l): d for l in lengths if (d := difference(points, l, method, "ECF a=0")) is not None
            }
            x = sorted(found)
            label = f"a = {a:g}".replace("-", "−") + {-1.0: " (easy)", 1.0: " (hard)", -0.5: " (balanced)"}.get(a, "")
            axis.plot(x, [found[r].mean for r in x], marker="o", color=colour, label=label, linewidth=1.6)
            if a in (-1.0, 1.0):
                axis.fill_between(x, [found[r].low for r in x], [found[r].high for r in x], color=colour, alpha=0.15)
        axis.axvline(1, color="#999999", linestyle=":", linewidth=1)
        axis.set_xscale("log", base=2)
        axis.xaxis.set_major_formatter("{x:g}")
        axis.set(title=DECODINGS.get(decoding, decoding), xlabel="columns per class, l / k")
    axes.flat[0].set_ylabel("accuracy minus that of\nequidistant codewords, points")
    legend(figure, axes)
    return figure


def lengths(points: Sequence[Point], labels: Sequence[str]) -> Any:
    """Draw accuracy against l / k at equal lengths, a panel for each data set."""
    datasets = list(dict.fromkeys(point.dataset for point in points))
    methods = list(dict.fromkeys(point.method for point in points))
    width = min(4, len(datasets))
    height = -(-len(datasets) // width)
    figure, axes = subplots(height, width, (max(3.1 * width, 4.5), 2.7 * height + 0.9))
    for axis, dataset in zip(axes.flat, datasets):
        there = {label: at_length(points, label) for label in labels}
        for method in methods:
            own = sorted(
                (found[dataset, method] for found in there.values() if (dataset, method) in found),
                key=lambda p: p.columns,
            )
            colour, marker = style(method, methods)
            x, y = [point.columns for point in own], [100 * point.accuracy for point in own]
            axis.plot(x, y, marker=marker, color=colour, markersize=4, linewidth=1.2, alpha=0.85, label=method)
        axis.set_title(dataset)
    for axis in axes.flat[len(datasets) :]:
        axis.set_visible(False)
    figure.supylabel("accuracy, %", fontsize=10)
    figure.supxlabel("number of classifiers", fontsize=10)
    legend(figure, axes)
    return figure


def wins(found: Mapping[str, Sequence[Duel]], methods: Sequence[str]) -> Any:
    """Draw each point of a method against its best rival of equal complexity; above the line it wins."""
    from matplotlib.ticker import MaxNLocator

    figure, axes = subplots(len(found), len(methods), (2.6 * len(methods), 2.7 * len(found)))
    for row, (measure, each) in zip(axes, found.items()):
        for axis, method in zip(row, methods):
            own = [duel for duel in each if duel.point["method"] == method]
            axis.axline((0.5, 0.5), slope=1, color="#999999", linewidth=1, zorder=0)
            for decoding, marker in zip(DECODINGS, "os^"):
                some = [duel for duel in own if duel.point["decoding"] == decoding]
                if not some:
                    continue
                axis.scatter(
                    [100 * duel.rival["accuracy"] for duel in some],
                    [100 * duel.point["accuracy"] for duel in some],
                    s=16,
                    marker=marker,
                    color=style(method, methods)[0],
                    alpha=0.65,
                    linewidths=0,
                    label=DECODINGS[decoding],
                )
            share = f"{np.mean(by_seed(own)):.0f} % wins" if own else "no points"
            axis.set_title(f"{method}: {share}", fontsize=9)
            values = [100 * a for duel in own for a in (duel.rival["accuracy"], duel.point["accuracy"])] or [0, 100]
            ends = min(values) - 3, max(values) + 3
            axis.set(xlim=ends, ylim=ends, aspect="equal")
            for scale in (axis.xaxis, axis.yaxis):
                scale.set_major_locator(MaxNLocator(4))
        row[0].set_ylabel(f"by {MEASURES[measure]}\naccuracy, %")
    figure.supxlabel("accuracy of the best rival within ±5 % of the complexity, %", fontsize=10)
    legend(figure, axes)
    return figure


def exchanged(table: Sequence[Mapping[str, Any]]) -> Any:
    """Draw our wins against the paper's for each method, with ECF-H and ECF-E under both names."""
    figure, axes = subplots(1, len(MEASURES), (4.0 * len(MEASURES), 3.9))
    own = {row["method"]: row for row in table}
    other = {"ECF-H": "ECF-E", "ECF-E": "ECF-H"}
    for axis, what in zip(axes.flat, MEASURES.values()):
        axis.axline((0, 0), slope=1, color="#999999", linewidth=1, zorder=0)
        for method in own:
            wins_here, theirs = own[method][f"wins by {what}"], own[method][f"paper: wins by {what}"]
            if wins_here is None:
                continue
            colour, marker = style(method, list(own))
            axis.plot(theirs, wins_here, marker, color=colour, label=method)
            if method in other and other[method] in own:
                there = own[other[method]][f"paper: wins by {what}"]
                axis.plot([theirs, there], [wins_here] * 2, ":", color=colour, linewidth=0.9)
                axis.plot(there, wins_here, marker, color=colour, markerfacecolor="none")
        axis.set(title=f"by {what}", xlabel="wins in the paper, %", xlim=(-5, 105), ylim=(-5, 105))
    axes.flat[0].set_ylabel("wins here, %; open: names exchanged")
    legend(figure, axes)
    return figure


def critical_difference(found: Ranking) -> Any:
    """Draw average ranks on a line. Nemenyi's test does not tell methods under one bar apart."""
    order = np.argsort(found.ranks, kind="stable")
    ranks, names = found.ranks[order], [found.methods[i] for i in order]
    k = len(names)
    half = (k + 1) // 2
    figure, axes = subplots(1, 1, (8.2, 1.5 + 0.27 * half))
    axis = axes.flat[0]
    axis.axis("off")
    axis.set(xlim=(0.1, k + 0.9), ylim=(-half - 0.6, 2.1))
    axis.hlines(0, 1, k, color="black", linewidth=1)
    for tick in range(1, k + 1):
        axis.vlines(tick, 0, 0.12, color="black", linewidth=1)
        if (tick - 1) % (1 + k // 16) == 0:  # so many numbers as fit
            axis.text(tick, 0.22, str(tick), ha="center", va="bottom", fontsize=8)
    end = min(1 + found.critical_difference, k)
    longer = ", more than the axis" if found.critical_difference > k - 1 else ""
    axis.hlines(1.4, 1, end, color="#D55E00", linewidth=3)
    axis.text((1 + end) / 2, 1.55, f"critical difference {found.critical_difference:.2f}{longer}", ha="center")
    bars = [(i, int(np.flatnonzero(ranks - ranks[i] <= found.critical_difference)[-1])) for i in range(k)]
    bars = [(i, j) for i, j in bars if j > i and not any(a < i and b >= j for a, b in bars)]
    for place, (i, j) in enumerate(bars):
        axis.hlines(-0.28 - 0.22 * place, ranks[i] - 0.04, ranks[j] + 0.04, color="#444444", linewidth=3)
    drop = 0.22 * len(bars)
    for i, (rank, name) in enumerate(zip(ranks, names)):
        left = i < half
        depth = -(i + 1 if left else k - i) - drop * 0.6
        edge = 0.9 if left else k + 0.1
        axis.plot([rank, rank, edge], [0, depth, depth], color="#888888", linewidth=0.8, zorder=0)
        colour = style(name, names)[0]
        text = f"{name}  {rank:.2f}" if left else f"{rank:.2f}  {name}"
        axis.text(
            edge + (-0.05 if left else 0.05), depth, text, ha="right" if left else "left", va="center", color=colour
        )
    axis.set(xlim=(-1.6, k + 2.6), ylim=(-half - 0.6 - drop * 0.6, 2.2))
    return figure


def _x(point: Point, measure: str) -> float:
    return point.columns if measure == "columns" else point.complexity["support"]


def _ratio(points: Sequence[Point], length: str) -> float:
    """Return l / k of a length; of "log2", the mean over the data sets."""
    if length != "log2":
        over, _, under = length.partition("/")
        return int(over) / int(under or 1)
    shares = [p.columns / _classes(points, p.dataset) for p in at_length(points, length).values()]
    return float(np.mean(shares))


def _classes(points: Sequence[Point], dataset: str) -> float:
    """Return the number of classes of a data set, from its points at l = k."""
    return next(p.columns for (d, _), p in at_length(points, "1").items() if d == dataset)
