"""What does it look like? The paper's figures, and those one expects today, from plain numbers."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecoc.experiments.curves import GRID
from ecoc.experiments.summary import DECODINGS, Point, Ranking, Win

# Okabe and Ito's colours, safe for the colour-blind, and a marker besides.
_STYLES = {
    "OVA": ("#000000", "s"),
    "OVO": ("#7f7f7f", "D"),
    "DENSE": ("#56B4E9", "^"),
    "RAND": ("#CC79A7", "v"),
    "S-ECOC": ("#b8a000", "P"),
    "R-H": ("#8c5a2b", "X"),
    "ECF-H": ("#D55E00", "o"),
    "ECF-E": ("#E69F00", "o"),
    "ECF-balanced": ("#0072B2", "o"),
    "ECF-auto": ("#009E73", "o"),
}
_OTHERS = ("#5b3fa0", "#a03f5b", "#3fa05b", "#a0883f")
MEASURES = {"support": "relative number of support vectors", "columns": "number of dichotomizers"}


def style(method: str, methods: Sequence[str]) -> tuple[str, str]:
    """Colour and marker of a method; of one that is not the paper's nor ours, a further colour."""
    if method in _STYLES:
        return _STYLES[method]
    others = [name for name in methods if name not in _STYLES]
    return _OTHERS[others.index(method) % len(_OTHERS)], "h"


def accuracy(points: Sequence[Point], decoding: str, measure: str) -> Any:
    """Accuracy against complexity, a panel a data set: the paper's figures results_svs and results_correction."""
    from matplotlib.ticker import LogLocator

    mine = [point for point in points if point.decoding == decoding]
    datasets = list(dict.fromkeys(point.dataset for point in mine))
    methods = list(dict.fromkeys(point.method for point in mine))
    width = min(4, len(datasets))
    height = -(-len(datasets) // width)
    figure, axes = _subplots(height, width, (3.1 * width, 2.7 * height + 0.7))
    for axis, dataset in zip(axes.flat, datasets):
        for method in methods:
            own = [point for point in mine if (point.dataset, point.method) == (dataset, method)]
            own.sort(key=lambda point: _x(point, measure))
            colour, marker = style(method, methods)
            x, y = [_x(point, measure) for point in own], [100 * point.accuracy for point in own]
            axis.plot(x, y, marker=marker, color=colour, markersize=5, linewidth=1.2, alpha=0.85, label=method)
        axis.set_title(dataset)
        if measure == "columns":
            axis.set_xscale("log", subs=[])
            axis.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            axis.xaxis.set_major_formatter("{x:g}")
    for axis in axes.flat[len(datasets) :]:
        axis.set_visible(False)
    figure.supylabel("accuracy, %", fontsize=10)
    figure.supxlabel(MEASURES[measure], fontsize=10)
    handles, labels = axes.flat[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=min(len(labels), 6), frameon=False)
    return figure


def summary(found: Mapping[str, Sequence[Win]], methods: Sequence[str]) -> Any:
    """Each point of a method against the best rival at its complexity; above the diagonal it wins."""
    figure, axes = _subplots(len(found), len(methods), (2.6 * len(methods), 2.7 * len(found)))
    for row, (measure, each) in zip(axes, found.items()):
        for axis, method in zip(row, methods):
            own = [win for win in each if win.point.method == method]
            axis.axline((0.5, 0.5), slope=1, color="#999999", linewidth=1, zorder=0)
            for decoding, marker in zip(DECODINGS, "os^"):
                some = [win for win in own if win.point.decoding == decoding]
                axis.scatter(
                    [100 * win.rival.accuracy for win in some],
                    [100 * win.point.accuracy for win in some],
                    s=16,
                    marker=marker,
                    color=style(method, methods)[0],
                    alpha=0.65,
                    linewidths=0,
                    label=DECODINGS[decoding],
                )
            share = f"{100 * np.mean([win.won for win in own]):.0f} % won" if own else "no points"
            axis.set_title(f"{method}: {share}", fontsize=9)
            values = [100 * a for win in own for a in (win.rival.accuracy, win.point.accuracy)] or [0, 100]
            ends = min(values) - 3, max(values) + 3
            axis.set(xlim=ends, ylim=ends, aspect="equal")
        row[0].set_ylabel(f"by {'support vectors' if measure == 'support' else 'dichotomizers'}\naccuracy, %")
    figure.supxlabel("accuracy of the best rival within ±5 % of the complexity, %", fontsize=10)
    axes.flat[0].legend(frameon=False, fontsize=7, loc="upper left", handletextpad=0.1)
    return figure


def design(panels: Sequence[tuple[str, NDArray[np.float64], NDArray[np.float64]]]) -> Any:
    """Design matrix, XXᵀ/l and X side by side, a row for each (title, D, X)."""
    figure, axes = _subplots(len(panels), 3, (9.2, 2.9 * len(panels)))
    for row, (title, D, X) in zip(axes, panels):
        l = X.shape[1]
        for axis, matrix, what in zip(row, (D, X @ X.T / l, X), ("design D", "XXᵀ / l", f"code X, {l} columns")):
            image = axis.imshow(matrix, cmap="RdBu_r", vmin=-1, vmax=1, interpolation="nearest")
            axis.set_title(f"{title}: {what}", fontsize=9)
            axis.set(xticks=[], yticks=[], anchor="W")
            axis.grid(False)
        figure.colorbar(image, ax=list(row), shrink=0.8, pad=0.01)
    return figure


def convergence(runs: dict[tuple[str, str], NDArray[np.float64]]) -> Any:
    """Mean and standard deviation of the objective over cycles, cyclic against random updates."""
    datasets = list(dict.fromkeys(dataset for dataset, _ in runs))
    figure, axes = _subplots(1, len(datasets), (4.2 * len(datasets), 3.3))
    for axis, dataset in zip(axes.flat, datasets):
        for order, colour in (("cyclic", "#0072B2"), ("random", "#D55E00")):
            if (dataset, order) in runs:
                _band(axis, runs[dataset, order], colour, order)
        axis.set(title=dataset, xlabel="cycles of updates", yscale="log")
    axes.flat[0].set_ylabel("‖l·D − XXᵀ‖²")
    axes.flat[0].legend(frameon=False)
    return figure


def planted(runs: dict[tuple[str, str], NDArray[np.float64]]) -> Any:
    """Mean objective per cycle where the optimum is 0."""
    datasets = sorted({dataset for dataset, _ in runs}, key=lambda name: int(name.split("×")[0]))
    figure, axes = _subplots(1, len(datasets), (3.6 * len(datasets), 3.3))
    for axis, dataset in zip(axes.flat, datasets):
        values = np.maximum(runs[dataset, "cyclic"], 1e-16)
        axis.plot(values.T, color="#0072B2", alpha=max(0.05, 0.4 / np.sqrt(len(values))), linewidth=0.8)
        axis.plot(values.mean(axis=0), color="#D55E00", linewidth=2, label=f"mean of {len(values)} runs")
        axis.axhline(1e-10, color="#999999", linewidth=1, linestyle="--")
        axis.set(title=f"{dataset} (classes × columns)", xlabel="cycles", yscale="log", ylim=(3e-17, None))
        axis.legend(frameon=False, fontsize=8)
    axes.flat[0].set_ylabel("‖l·D − XXᵀ‖² of the relaxation")
    return figure


def boundaries(X: NDArray[np.float64], y: NDArray[Any], panels: Sequence[tuple[str, NDArray[np.intp]]]) -> Any:
    """What each method predicts all over the plane, with the points of the data."""
    from matplotlib.colors import ListedColormap

    figure, axes = _subplots(1, len(panels), (3.3 * len(panels), 3.5))
    _, labels = np.unique(y, return_inverse=True)
    colours = _class_colours(labels.max() + 1)
    low, high = X.min(axis=0) - 0.5, X.max(axis=0) + 0.5
    for axis, (title, regions) in zip(axes.flat, panels):
        axis.imshow(
            regions.reshape(GRID, GRID),
            origin="lower",
            extent=(low[0], high[0], low[1], high[1]),
            cmap=ListedColormap(colours),
            vmin=-0.5,
            vmax=len(colours) - 0.5,
            alpha=0.45,
            interpolation="nearest",
            aspect="auto",
        )
        axis.scatter(*X.T, c=[colours[i] for i in labels], s=3, linewidths=0)
        axis.set_title(title, fontsize=9)
        axis.set(xticks=[], yticks=[])
        axis.grid(False)
    return figure


def critical_difference(found: Ranking) -> Any:
    """Average ranks on a line; methods under one bar are not told apart by Nemenyi's test."""
    order = np.argsort(found.ranks, kind="stable")
    ranks, names = found.ranks[order], [found.methods[i] for i in order]
    k = len(names)
    half = (k + 1) // 2
    figure, axes = _subplots(1, 1, (8.2, 1.5 + 0.27 * half))
    axis = axes.flat[0]
    axis.axis("off")
    axis.set(xlim=(0.1, k + 0.9), ylim=(-half - 0.6, 2.1))
    axis.hlines(0, 1, k, color="black", linewidth=1)
    for tick in range(1, k + 1):
        axis.vlines(tick, 0, 0.12, color="black", linewidth=1)
        axis.text(tick, 0.22, str(tick), ha="center", va="bottom", fontsize=8)
    axis.hlines(1.4, 1, 1 + found.critical_difference, color="#D55E00", linewidth=3)
    axis.text(
        1 + found.critical_difference / 2, 1.55, f"critical difference {found.critical_difference:.2f}", ha="center"
    )
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


def _subplots(rows: int, columns: int, size: tuple[float, float]) -> tuple[Any, NDArray[Any]]:
    """Axes in one look, without pyplot: no window, no state."""
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    look: dict[Any, Any] = {"axes.spines.top": False, "axes.spines.right": False, "axes.grid": True}
    look |= {"grid.alpha": 0.25, "font.size": 9}
    with rc_context(look):
        figure = Figure(figsize=size, layout="constrained")
        FigureCanvasAgg(figure)
        return figure, figure.subplots(rows, columns, squeeze=False)


def _x(point: Point, measure: str) -> float:
    return point.columns if measure == "columns" else point.complexity["support"]


def _band(axis: Any, runs: NDArray[np.float64], colour: str, label: str) -> None:
    mean, deviation = runs.mean(axis=0), runs.std(axis=0)
    cycles = np.arange(len(mean))
    axis.plot(cycles, mean, color=colour, label=f"{label}, {len(runs)} trials")
    axis.fill_between(cycles, np.maximum(mean - deviation, mean.min() / 2), mean + deviation, color=colour, alpha=0.2)


def _class_colours(k: int) -> list[Any]:
    from matplotlib import colormaps

    base = [colour for name, n in (("tab10", 10), ("Dark2", 8), ("Set2", 8)) for colour in colormaps[name](range(n))]
    return [base[i % len(base)] for i in range(k)]
