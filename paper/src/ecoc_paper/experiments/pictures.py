"""Draw designs, convergence, regions of the Toy problem, and parts of the error."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecoc_paper.experiments.axes import legend, subplots
from ecoc_paper.experiments.curves import GRID

Runs = Mapping[tuple[str, str], NDArray[np.float64]]


def design(panels: Sequence[tuple[str, NDArray[np.float64], NDArray[np.float64]]]) -> Any:
    """Draw the design matrix, XXᵀ/l and X side by side, a row for each (title, D, X)."""
    figure, axes = subplots(len(panels), 3, (9.2, 2.9 * len(panels)))
    for row, (title, D, X) in zip(axes, panels):
        l = X.shape[1]
        for axis, matrix, what in zip(row, (D, X @ X.T / l, X), ("design D", "XXᵀ / l", f"code X, {l} columns")):
            image = axis.imshow(matrix, cmap="RdBu_r", vmin=-1, vmax=1, interpolation="nearest")
            axis.set_title(f"{title}: {what}", fontsize=9)
            axis.set(xticks=[], yticks=[], anchor="W")
            axis.grid(False)
        figure.colorbar(image, ax=list(row), shrink=0.8, pad=0.01)
    return figure


def convergence(runs: Runs) -> Any:
    """Draw the mean and standard deviation of the objective over cycles, cyclic against random updates."""
    datasets = list(dict.fromkeys(dataset for dataset, _ in runs))
    figure, axes = subplots(1, len(datasets), (4.2 * len(datasets), 3.3))
    for axis, dataset in zip(axes.flat, datasets):
        for order, colour in (("cyclic", "#0072B2"), ("random", "#D55E00")):
            if (dataset, order) in runs:
                _band(axis, runs[dataset, order], colour, order)
        axis.set(title=dataset, xlabel="cycles of updates", yscale="log")
    axes.flat[0].set_ylabel(r"$\Vert l\,D - XX^\top\Vert_F^2$ of the relaxation")
    legend(figure, axes)
    return figure


def planted(runs: Runs) -> Any:
    """Draw the objective of every run and its mean per cycle, where the optimum is 0."""
    datasets = sorted({dataset for dataset, _ in runs}, key=lambda name: [int(part) for part in name.split("×")])
    width = min(3, len(datasets))
    height = -(-len(datasets) // width)
    figure, axes = subplots(height, width, (3.6 * width, 3.1 * height))
    for axis, dataset in zip(axes.flat, datasets):
        values = np.maximum(runs[dataset, "cyclic"], 1e-16)
        shown = values[:: max(1, len(values) // 300)]
        axis.plot(shown.T, color="#0072B2", alpha=max(0.05, 0.4 / np.sqrt(len(shown))), linewidth=0.8)
        axis.plot(values.mean(axis=0), color="#D55E00", linewidth=2, label=f"mean of {len(values)} runs")
        axis.axhline(1e-10, color="#999999", linewidth=1, linestyle="--")
        axis.set(title=f"{dataset} (classes × columns)", xlabel="cycles", yscale="log", ylim=(3e-17, None))
        axis.legend(frameon=False, fontsize=8)
    for axis in axes[:, 0]:
        axis.set_ylabel(r"$\Vert l\,D - XX^\top\Vert_F^2$ of the relaxation")
    return figure


def boundaries(
    X: NDArray[np.float64], y: NDArray[Any], panels: Sequence[tuple[str, NDArray[np.intp], NDArray[np.int8]]]
) -> Any:
    """Draw the class that each method predicts all over the plane, with the points of the data, and its code below."""
    from matplotlib.colors import ListedColormap

    figure, axes = subplots(2, len(panels), (3.3 * len(panels), 5.6))
    _, labels = np.unique(y, return_inverse=True)
    colours = _class_colours(labels.max() + 1)
    low, high = X.min(axis=0) - 0.5, X.max(axis=0) + 0.5
    for axis, below, (title, regions, code) in zip(axes[0], axes[1], panels):
        below.imshow(code, cmap="RdBu_r", vmin=-1.3, vmax=1.3, interpolation="nearest")
        for i, colour in enumerate(colours):
            below.plot(-1.0, i, "s", color=colour, markersize=5, clip_on=False)
        below.set(
            xlabel=f"{code.shape[1]} columns", ylabel="classes", xticks=[], yticks=[], xlim=(-1.6, code.shape[1] - 0.5)
        )
        below.grid(False)
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


def _band(axis: Any, runs: NDArray[np.float64], colour: str, label: str) -> None:
    mean, deviation = runs.mean(axis=0), runs.std(axis=0)
    cycles = np.arange(len(mean))
    axis.plot(cycles, mean, color=colour, label=f"{label}, {len(runs)} trials")
    axis.fill_between(cycles, np.maximum(mean - deviation, mean.min() / 2), mean + deviation, color=colour, alpha=0.2)


def _class_colours(k: int) -> list[Any]:
    from matplotlib import colormaps

    base = [colour for name, n in (("tab10", 10), ("Dark2", 8), ("Set2", 8)) for colour in colormaps[name](range(n))]
    return [base[i % len(base)] for i in range(k)]


def decomposition(rows: Sequence[tuple[str, Mapping[str, float]]]) -> Any:
    """Draw the parts of the error as bars, relative to ‖l·D‖²; a group for each (name, parts)."""
    parts = {"optimisation": "#0072B2", "discretisation": "#D55E00", "trace": "#999999", "total": "#000000"}
    figure, axes = subplots(1, 1, (max(6.0, 0.75 * len(rows) + 1.5), 3.4))
    axis, places = axes.flat[0], np.arange(len(rows))
    for i, (part, colour) in enumerate(parts.items()):
        label = {"trace": "trace term", "total": "total"}.get(part, f"{part} error")
        axis.bar(places + 0.2 * (i - 1.5), [values[part] for _, values in rows], 0.2, color=colour, label=label)
    axis.axhline(0, color="#444444", linewidth=0.8)
    axis.set_xticks(places, [name for name, _ in rows], rotation=45, ha="right")
    axis.set_ylabel(r"share of $\Vert l\,D\Vert_F^2$")
    legend(figure, axes)
    return figure
