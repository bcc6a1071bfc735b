"""Drawing helpers for all displays: axes, colours for the colour-blind, and class names where they fit."""

from dataclasses import dataclass, field
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecoc.utils.labels import distinct_names
from ecoc.utils.optional import optional

# The colours of Okabe and Ito, which people with colour blindness can tell apart.
MINUS, PLUS, NEITHER = "#E69F00", "#0072B2", "#ECECEC"
PALETTE = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#7F7F7F")
_SMALLEST, _LARGEST = 6.5, 9.0  # font size of a class name, in points


def new_axes(ax: Any, size: tuple[float, float], panels: int = 1) -> Any:
    """Return the given axes, or new ones with a size in inches; several panels are an array of axes."""
    plt = optional("matplotlib.pyplot", "plots need matplotlib", "'ecoc[plots]'")
    if ax is None:
        return plt.subplots(1, panels, figsize=size, layout="constrained")[1]
    if panels > 1 and np.shape(ax) != (panels,):
        raise ValueError(f"ax must be {panels} axes, side by side")
    return ax


@dataclass(repr=False, eq=False)
class Display:
    """What all displays have: axes, and their figure."""

    ax_: Any = field(init=False)
    figure_: Any = field(init=False)

    def _open(self, ax: Any, width: float, height: float, panels: int = 1) -> None:
        """Draw in the given axes, or in new ones."""
        axes = new_axes(ax, (width, height), panels)
        self.ax_ = axes if panels == 1 else np.asarray(axes)
        self.figure_ = np.ravel(axes)[0].figure

    def _draw_curve(
        self, x: NDArray[Any], y: NDArray[np.float64], label: str | None, line: dict[str, Any], **default: Any
    ) -> Any:
        """Draw and return a curve in percent; its colour differs from those of the curves that the axes have."""
        from matplotlib.cbook import normalize_kwargs
        from matplotlib.lines import Line2D

        default["color"] = PALETTE[len(self.ax_.lines) % len(PALETTE)]
        (curve,) = self.ax_.plot(x, 100 * y, label=label, **default | normalize_kwargs(line, Line2D))  # c is color
        self.ax_.grid(alpha=0.25)
        if label is not None:
            self.ax_.legend(frameon=False)
        return curve


def name_ticks(axis: Any, names: NDArray[Any]) -> None:
    """Write class names along an axis: all, or every second, third or fourth one, or none if even that is too many."""
    extent, vertical = axis.axes.get_window_extent(), axis.axis_name == "y"
    points = 72 / axis.axes.figure.dpi * (extent.height if vertical else extent.width)
    every = ceil(1.01 * len(names) * _SMALLEST / points)
    if every > 4:  # not even every fourth class has room for its name
        axis.set_ticks([])
        axis.set_label_text(f"{len(names)} classes")
        return
    size = float(np.clip(0.8 * points * every / len(names), _SMALLEST, _LARGEST))
    texts = distinct_names(names.tolist(), 24 if vertical else 18)[::every]
    flat = vertical or 0.7 * size * max(map(len, texts)) < points / len(texts)
    axis.set_ticks(range(0, len(names), every), texts, fontsize=size, rotation=0 if flat else 90, parse_math=False)


def marker(n: int) -> str | None:
    """Return the marker of each of n points along a line; None for many points."""
    return "o" if n <= 40 else None


def count_ticks(axis: Any) -> None:
    """Write whole numbers along an axis."""
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))


def heat_map(ax: Any, values: NDArray[Any], names: NDArray[Any], **options: Any) -> Any:
    """Draw a matrix over pairs of classes, with class names along both axes; `options` are those of ``imshow``."""
    image = ax.imshow(values, **options)
    for axis in (ax.xaxis, ax.yaxis):
        name_ticks(axis, names)
        axis.set_tick_params(length=0)
    return image


def cell_lines(ax: Any, shape: tuple[int, int]) -> None:
    """Draw thin lines between the cells of a small matrix."""
    if max(shape) > 40:
        return
    ax.set_xticks(np.arange(shape[1] + 1) - 0.5, minor=True)
    ax.set_yticks(np.arange(shape[0] + 1) - 0.5, minor=True)
    ax.grid(which="minor", color="white", linewidth=1)
    ax.tick_params(which="both", length=0)
