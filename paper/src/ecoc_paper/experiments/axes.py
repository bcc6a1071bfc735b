"""Axes with one look, without pyplot: no window, no state."""

from typing import Any

from numpy.typing import NDArray


def subplots(rows: int, columns: int, size: tuple[float, float]) -> tuple[Any, NDArray[Any]]:
    """Return a figure and its axes, rows × columns."""
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    look = {"axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "grid.alpha": 0.25, "font.size": 9}
    with rc_context(look):  # type: ignore[arg-type]
        figure = Figure(figsize=size, layout="constrained")
        FigureCanvasAgg(figure)
        return figure, figure.subplots(rows, columns, squeeze=False)


def legend(figure: Any, axes: Any) -> None:
    """Put one legend above all panels, of what some panel shows, with as many columns as fit."""
    found = {label: handle for axis in axes.flat for handle, label in zip(*axis.get_legend_handles_labels())}
    inches = 0.6 + 0.075 * max(map(len, found), default=0)
    rows = -(-len(found) // max(1, int(figure.get_figwidth() / inches)))
    columns = max(1, -(-len(found) // max(1, rows)))  # the rows are equally long
    figure.legend(found.values(), found.keys(), loc="outside upper center", ncols=columns, frameon=False)
