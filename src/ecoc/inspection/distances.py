"""Plot the distances between codewords, or the pair-wise correction, as a matrix."""

from dataclasses import dataclass, field
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from ecoc.codes.codebook import CodeBook
from ecoc.inspection.drawing import NEITHER, count_ticks, heat_map, new_axes
from ecoc.inspection.fitted import Indices, Order, class_order, codebook_of

_NAMES = {
    "distance": "Hamming distance",
    "direct": "pair-wise correction",
    "paper": "pair-wise correction, as the paper defines it",
}


@dataclass(repr=False, eq=False)
class DistanceDisplay:
    """Distance of each pair of codewords, or the number of wrong binary classifiers that the pair tolerates.

    Parameters
    ----------
    values : ndarray of shape (n_classes, n_classes)
        The matrix to draw.
    labels : ndarray of shape (n_classes,)
        Names of the classes.
    distances : ndarray of shape (n_classes, n_classes)
        Hamming distances, which the clustered order of the classes is computed from.
    kind : {"distance", "direct", "paper"}
        What the values are.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        The axes that hold the picture, and their figure.
    image_ : matplotlib AxesImage
        The values.
    order_ : ndarray of shape (n_classes,)
        Classes from top to bottom, and from left to right.

    See Also
    --------
    ecoc.CodeBook.distances : The distances.
    ecoc.CodeBook.pairwise_correction : The correction.

    Examples
    --------
    >>> from ecoc import Hadamard, OneVsAll
    >>> from ecoc.inspection import DistanceDisplay
    >>> DistanceDisplay.from_codebook(OneVsAll().build(3)).values.tolist()
    [[0, 2, 2], [2, 0, 2], [2, 2, 0]]
    >>> DistanceDisplay.from_codebook(Hadamard().build(8), kind="direct").values[0]
    array([1, 1, 1, 1, 1, 1, 1, 1], dtype=int32)
    """

    values: NDArray[Any]
    labels: NDArray[Any]
    distances: NDArray[Any]
    kind: str = "distance"
    ax_: Any = field(init=False)
    figure_: Any = field(init=False)
    image_: Any = field(init=False)
    order_: Indices = field(init=False)

    @classmethod
    def from_codebook(
        cls, codebook: CodeBook, *, kind: Literal["distance", "direct", "paper"] = "distance", **options: Any
    ) -> Self:
        """Draw the distances between the codewords of a code book, or its pair-wise correction.

        Parameters
        ----------
        codebook : CodeBook
            The code.
        kind : {"distance", "direct", "paper"}, default="distance"
            Hamming distances, or pair-wise correction as :meth:`ecoc.CodeBook.pairwise_correction` defines it.
        **options : dict
            Options of `plot`.

        Returns
        -------
        DistanceDisplay
            The display, with its picture.
        """
        if kind not in _NAMES:
            raise ValueError(f"kind must be 'distance', 'direct' or 'paper'; got {kind!r}")
        distances = codebook.distances()
        values = distances if kind == "distance" else codebook.pairwise_correction(kind)
        return cls(values, codebook.labels, distances, kind).plot(**options)

    @classmethod
    def from_estimator(
        cls, model: Any, *, kind: Literal["distance", "direct", "paper"] = "distance", **options: Any
    ) -> Self:
        """Draw the distances or the pair-wise correction of a fitted model's code book.

        Parameters
        ----------
        model : ECOCClassifier or another classifier with `code_book_`, or a Pipeline or search that ends in one
            A fitted model.
        kind : {"distance", "direct", "paper"}, default="distance"
            As for `from_codebook`.
        **options : dict
            Options of `plot`.

        Returns
        -------
        DistanceDisplay
            The display, with its picture.
        """
        return cls.from_codebook(codebook_of(model), kind=kind, **options)

    def plot(
        self, ax: Any = None, *, order: Order = "clustered", cmap: str = "cividis", numbers: bool | None = None
    ) -> Self:
        """Draw the matrix.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw in. None makes a new figure.
        order : {"clustered", "given"} or array-like, default="clustered"
            Order of the classes. "clustered" puts near codewords side by side.
        cmap : str, default="cividis"
            Colour map.
        numbers : bool, default=None
            Whether to write the values into the cells. None does so for at most 15 classes.

        Returns
        -------
        self
            The display, with its picture.
        """
        k = len(self.labels)
        side = float(np.clip(2.6 + 0.2 * k, 4.4, 8.5))
        self.ax_ = new_axes(ax, (side + 0.9, side))
        self.figure_ = self.ax_.figure
        self.order_ = class_order(order, self.distances)
        values = self.values[np.ix_(self.order_, self.order_)]
        off_diagonal = ~np.eye(k, dtype=bool)
        self.ax_.set_facecolor(NEITHER)
        self.image_ = heat_map(self.ax_, np.ma.masked_where(~off_diagonal, values), self.labels[self.order_], cmap=cmap)
        bar = self.figure_.colorbar(self.image_, ax=self.ax_, label=_NAMES[self.kind], shrink=0.8)
        count_ticks(bar.ax.yaxis)
        if numbers if numbers is not None else k <= 15:  # cells are large enough
            low, high = self.image_.get_clim()
            for i, j in zip(*np.nonzero(off_diagonal)):
                colour = "black" if values[i, j] > (low + high) / 2 else "white"
                self.ax_.text(j, i, f"{values[i, j]:g}", ha="center", va="center", color=colour, fontsize=8)
        return self
