"""How are figures begun? Axes with one look, without pyplot: no window, no state."""

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
