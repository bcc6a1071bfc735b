"""Where in the plane does one class end and another begin?"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecoc.inspection._drawing import PALETTE, axes
from ecoc.inspection._models import short

_NAMED = 40  # classes up to which each has its name in the picture
_OUTLINED = 100  # and up to which regions have a line around them; beyond, there would be little else


@dataclass(repr=False, eq=False)
class BoundaryDisplay:
    """What a classifier of two features says all over the plane, with some samples.

    No two classes side by side have the same colour, and every class has its name where it is at home.

    Parameters
    ----------
    regions : ndarray of shape (resolution, resolution)
        Place in `classes` of the class predicted, rows from the smallest second feature up.
    extent : tuple of float
        Smallest and largest first feature, smallest and largest second one.
    classes : ndarray of shape (n_classes,)
        Labels.
    X : ndarray of shape (n_samples, 2)
        Samples.
    y : ndarray of shape (n_samples,), or None
        Their labels.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it is drawn.
    colours_ : list of str
        Colour of each class.

    See Also
    --------
    sklearn.inspection.DecisionBoundaryDisplay : The same of any response, for a few classes.

    Examples
    --------
    >>> from ecoc import ECOCClassifier
    >>> from ecoc.inspection import BoundaryDisplay
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.svm import SVC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ECOCClassifier(SVC(), random_state=0).fit(X[:, 2:], y)
    >>> BoundaryDisplay.from_estimator(model, X[:, 2:], y, resolution=50).regions.shape
    (50, 50)
    """

    regions: NDArray[np.intp]
    extent: tuple[float, float, float, float]
    classes: NDArray[Any]
    X: NDArray[np.float64]
    y: NDArray[Any] | None = None
    ax_: Any = field(init=False)
    figure_: Any = field(init=False)
    colours_: list[str] = field(init=False)

    @classmethod
    def from_estimator(
        cls, model: Any, X: Any, y: ArrayLike | None = None, *, resolution: int = 200, **options: Any
    ) -> Self:
        """Predict all over the plane and draw.

        Parameters
        ----------
        model : fitted classifier
            Of two features, whatever it is.
        X : array-like of shape (n_samples, 2)
            Samples; the picture has some room around them.
        y : array-like of shape (n_samples,), default=None
            Their labels.
        resolution : int, default=200
            Points along either feature.
        **options : dict
            Those of `plot`.

        Returns
        -------
        BoundaryDisplay
            The display, drawn.

        Examples
        --------
        >>> from ecoc import ECOCClassifier
        >>> from ecoc.inspection import BoundaryDisplay
        >>> from sklearn.datasets import make_blobs
        >>> from sklearn.linear_model import Ridge
        >>> X, y = make_blobs(60, centers=4, random_state=0)
        >>> display = BoundaryDisplay.from_estimator(ECOCClassifier(Ridge()).fit(X, y), X, y, resolution=20)
        >>> display.classes[display.regions[0, 0]] in y, len(display.colours_)
        (True, 4)
        """
        names = getattr(X, "columns", None)
        points = np.asarray(X, dtype=np.float64)
        if points.ndim != 2 or points.shape[1] != 2:
            raise ValueError(f"boundaries are drawn of two features; X is of shape {points.shape}")
        low, high = points.min(axis=0), points.max(axis=0)
        room = np.where(high > low, 0.06 * (high - low), 0.5)
        grids = np.meshgrid(*(np.linspace(a, b, resolution) for a, b in zip(low - room, high + room)))
        grid: Any = np.column_stack([g.ravel() for g in grids])
        if names is not None:
            grid = type(X)(grid, columns=names)
        predicted = np.asarray(model.predict(grid))
        regions = np.searchsorted(model.classes_, predicted).reshape(resolution, resolution)
        (left, bottom), (right, top) = (low - room).tolist(), (high + room).tolist()
        labels = None if y is None else np.asarray(y)
        return cls(regions, (left, right, bottom, top), np.asarray(model.classes_), points, labels).plot(**options)

    def plot(self, ax: Any = None, *, names: bool | None = None, colours: Sequence[str] | None = None) -> Self:
        """Draw the regions and the samples.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where; None makes a figure.
        names : bool, default=None
            Whether to write the classes' names; None does with at most 40 classes.
        colours : sequence of str, default=None
            A colour for each class, e.g. the `colours_` of another model's display; None takes few that differ where
            regions meet.

        Returns
        -------
        self
            The display, drawn.

        Examples
        --------
        >>> import numpy as np
        >>> from ecoc.inspection import BoundaryDisplay
        >>> from matplotlib.figure import Figure
        >>> regions = np.repeat([[0, 1]], 2, axis=0)  # left and right
        >>> display = BoundaryDisplay(regions, (0, 2, 0, 2), np.array(["cat", "dog"]), X=np.array([[0.5, 1], [1.5, 1]]))
        >>> [text.get_text() for text in display.plot(Figure().subplots(), names=True).ax_.texts]
        ['cat', 'dog']
        """
        self.ax_ = axes(ax, (5.6, 5))
        from matplotlib.colors import ListedColormap
        from matplotlib.patheffects import withStroke

        self.figure_ = self.ax_.figure
        k = len(self.classes)
        if colours is not None and len(colours) != k:
            raise ValueError(f"colours must be {k}, one for each class; got {len(colours)}")
        self.colours_ = _map_colours(self.regions, k) if colours is None else list(colours)
        look = {"cmap": ListedColormap(self.colours_), "vmin": -0.5, "vmax": k - 0.5}
        self.ax_.imshow(
            self.regions,
            origin="lower",
            extent=self.extent,
            aspect="auto",
            interpolation="nearest",
            alpha=0.35,
            **look,
        )
        left, right, bottom, top = self.extent
        steps = [np.linspace(a, b, n) for a, b, n in zip((left, bottom), (right, top), self.regions.shape[::-1])]
        present = np.unique(self.regions)
        for c in present if 1 < len(present) <= _OUTLINED else ():
            self.ax_.contour(*steps, self.regions == c, levels=[0.5], colors="#444444", linewidths=0.6)
        colour: dict[str, Any] = {"color": "#444444"}
        if self.y is not None:
            place = {label: i for i, label in enumerate(self.classes.tolist())}
            colour = {"c": [self.colours_[place[label]] for label in self.y.tolist()]}
        size = float(np.clip(4000 / len(self.X), 3, 18))
        self.ax_.scatter(*self.X.T, s=size, edgecolors="black", linewidths=0.2, **colour)
        if names if names is not None else k <= _NAMED:
            for i, (x, y) in self._homes().items():
                self.ax_.text(
                    x,
                    y,
                    short(self.classes[i], 16),
                    ha="center",
                    va="center",
                    fontsize=9 if k <= 12 else 7,
                    fontweight="bold",
                    parse_math=False,
                    path_effects=[withStroke(linewidth=2.5, foreground="white")],
                )
        self.ax_.set(xlim=(left, right), ylim=(bottom, top))
        return self

    def _homes(self) -> dict[int, tuple[float, float]]:
        """For each class in the picture, the point of its region that is deepest inside."""
        from scipy.ndimage import distance_transform_edt

        left, right, bottom, top = self.extent
        homes = {}
        for c in np.unique(self.regions).tolist():
            inside = np.pad(self.regions == c, 1)
            row, column = np.unravel_index(distance_transform_edt(inside).argmax(), inside.shape)
            height, width = self.regions.shape
            homes[c] = (
                left + (right - left) * (column - 0.5) / width,
                bottom + (top - bottom) * (row - 0.5) / height,
            )
        return homes


def _map_colours(regions: NDArray[np.intp], k: int) -> list[str]:
    """A colour a class: its own if there are enough, else the least used one that no neighbour has."""
    if k <= len(PALETTE):
        return list(PALETTE[:k])
    beside = np.zeros((k, k), dtype=bool)
    for a, b in ((regions[1:], regions[:-1]), (regions[:, 1:], regions[:, :-1])):
        beside[a, b] = beside[b, a] = True
    np.fill_diagonal(beside, False)
    chosen = np.full(k, -1)
    for i in np.argsort(-beside.sum(axis=1), kind="stable"):
        taken = set(chosen[beside[i]].tolist())
        uses = np.bincount(chosen[chosen >= 0], minlength=len(PALETTE))
        chosen[i] = min(range(len(PALETTE)), key=lambda c: (c in taken, uses[c]))
    return [PALETTE[c] for c in chosen]
