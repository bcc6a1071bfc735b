"""Plot the decision regions of a classifier of two features."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.ndimage import distance_transform_edt

from ecoc.inspection.drawing import PALETTE, Display
from ecoc.utils.labels import class_indices, short_text


@dataclass(repr=False, eq=False)
class BoundaryDisplay(Display):
    """Predictions of a classifier of two features all over the plane, with some samples.

    Neighbouring regions have different colours. The name of a class stands inside its region.

    Parameters
    ----------
    regions : ndarray of shape (resolution, resolution)
        Position in `classes` of the predicted class. The first row has the smallest second feature.
    extent : tuple of float
        Smallest and largest first feature, smallest and largest second feature.
    classes : ndarray of shape (n_classes,)
        Labels.
    X : ndarray of shape (n_samples, 2)
        Samples.
    y : ndarray of shape (n_samples,), or None
        Their labels.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        The axes that hold the picture, and their figure.
    colours_ : list of str
        Colour of each class.

    See Also
    --------
    sklearn.inspection.DecisionBoundaryDisplay : Other responses than predictions, for a few classes.

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
    colours_: list[str] = field(init=False)

    @classmethod
    def from_estimator(
        cls, model: Any, X: Any, y: ArrayLike | None = None, *, resolution: int = 200, **options: Any
    ) -> Self:
        """Predict all over the plane, and draw.

        Parameters
        ----------
        model : fitted classifier
            Any classifier of two features.
        X : array-like of shape (n_samples, 2)
            Samples. The picture leaves some room around them.
        y : array-like of shape (n_samples,), default=None
            Their labels.
        resolution : int, default=200
            Number of points along each feature.
        **options : dict
            Options of `plot`.

        Returns
        -------
        BoundaryDisplay
            The display, with its picture.
        """
        names = getattr(X, "columns", None)
        points = np.asarray(X, dtype=np.float64)
        if points.ndim != 2 or points.shape[1] != 2:
            raise ValueError(f"a boundary display needs two features; X has shape {points.shape}")
        low, high = points.min(axis=0), points.max(axis=0)
        room = np.where(high > low, 0.06 * (high - low), 0.5)
        grids = np.meshgrid(*(np.linspace(a, b, resolution) for a, b in zip(low - room, high + room)))
        grid: Any = np.column_stack([g.ravel() for g in grids])
        if names is not None:
            grid = type(X)(grid, columns=names)
        predicted = np.asarray(model.predict(grid))
        regions = class_indices(predicted, np.asarray(model.classes_)).reshape(resolution, resolution)
        (left, bottom), (right, top) = (low - room).tolist(), (high + room).tolist()
        labels = None if y is None else np.asarray(y)
        return cls(regions, (left, right, bottom, top), np.asarray(model.classes_), points, labels).plot(**options)

    def plot(self, ax: Any = None, *, names: bool | None = None, colours: Sequence[str] | None = None) -> Self:
        """Draw the regions and the samples.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw in. None makes a new figure.
        names : bool, default=None
            Whether to write the names of the classes. None does so for at most 40 classes.
        colours : sequence of str, default=None
            A colour for each class, for example the `colours_` of another model's display. None chooses from a small
            palette so that regions that touch have different colours.

        Returns
        -------
        self
            The display, with its picture.

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
        self._open(ax, 5.6, 5)
        k = len(self.classes)
        if colours is not None and len(colours) != k:
            raise ValueError(f"colours must be {k}, one for each class; got {len(colours)}")
        self.colours_ = _map_colours(self.regions, k) if colours is None else list(colours)
        self._draw_regions()
        self._draw_samples()
        if names if names is not None else k <= 40:  # more names would cover the regions
            self._draw_names()
        self.ax_.axis(self.extent)
        return self

    def _draw_regions(self) -> None:
        from matplotlib.colors import ListedColormap

        self.ax_.imshow(
            self.regions,
            origin="lower",
            extent=self.extent,
            aspect="auto",
            interpolation="nearest",
            alpha=0.35,
            cmap=ListedColormap(self.colours_),
            vmin=-0.5,
            vmax=len(self.classes) - 0.5,
        )
        left, right, bottom, top = self.extent
        steps = [np.linspace(a, b, n) for a, b, n in zip((left, bottom), (right, top), self.regions.shape[::-1])]
        present = np.unique(self.regions)
        outlined = 1 < len(present) <= 100  # lines around more regions would cover the picture
        for c in present if outlined else ():
            self.ax_.contour(*steps, self.regions == c, levels=[0.5], colors="#444444", linewidths=0.6)

    def _draw_samples(self) -> None:
        colour: dict[str, Any] = {"color": "#444444"}
        if self.y is not None:
            colour = {"c": [self.colours_[i] for i in class_indices(self.y, self.classes)]}
        size = float(np.clip(4000 / len(self.X), 3, 18))
        self.ax_.scatter(*self.X.T, s=size, edgecolors="black", linewidths=0.2, **colour)

    def _draw_names(self) -> None:
        """Write the name of each class in the picture at the point of its region that is farthest from others."""
        from matplotlib.patheffects import withStroke

        left, right, bottom, top = self.extent
        height, width = self.regions.shape
        style = {"ha": "center", "va": "center", "fontsize": 9 if len(self.classes) <= 12 else 7, "fontweight": "bold"}
        outline = [withStroke(linewidth=2.5, foreground="white")]
        for c in np.unique(self.regions).tolist():
            inside = np.pad(self.regions == c, 1)
            row, column = np.unravel_index(distance_transform_edt(inside).argmax(), inside.shape)
            x = left + (right - left) * (column - 0.5) / width
            y = bottom + (top - bottom) * (row - 0.5) / height
            name = short_text(self.classes[c], 16)
            self.ax_.text(x, y, name, parse_math=False, path_effects=outline, **style)


def _map_colours(regions: NDArray[np.intp], k: int) -> list[str]:
    """Return a colour for each class: different ones if there are enough, else the least used that no neighbour has."""
    if k <= len(PALETTE):
        return list(PALETTE[:k])
    touching = np.zeros((k, k), dtype=bool)
    for a, b in ((regions[1:], regions[:-1]), (regions[:, 1:], regions[:, :-1])):
        touching[a, b] = touching[b, a] = True
    np.fill_diagonal(touching, False)
    chosen = np.full(k, -1)
    for i in np.argsort(-touching.sum(axis=1), kind="stable"):
        taken = set(chosen[touching[i]].tolist())
        uses = np.bincount(chosen[chosen >= 0], minlength=len(PALETTE))
        chosen[i] = min(range(len(PALETTE)), key=lambda c: (c in taken, uses[c]))
    return [PALETTE[c] for c in chosen]
