"""Plot a code book."""

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from ecoc.codes.codebook import CodeBook
from ecoc.inspection.drawing import MINUS, NEITHER, PLUS, Display, cell_lines, count_ticks, name_ticks
from ecoc.inspection.fitted import Indices, Order, class_order, codebook_of


@dataclass(repr=False, eq=False)
class CodeBookDisplay(Display):
    """Picture of a code book: one row per class, one column per binary classifier, blue for +1 and orange for −1.

    Parameters
    ----------
    codebook : CodeBook
        The code.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        The axes that hold the picture, and their figure.
    image_ : matplotlib AxesImage
        The entries.
    order_ : ndarray of shape (n_classes,)
        Rows of the code book from top to bottom.

    See Also
    --------
    ecoc.inspection.DistanceDisplay : Distances between the codewords.
    ecoc.inspection.DesignDisplay : The design matrix beside the code.

    Examples
    --------
    >>> from ecoc import Hadamard
    >>> from ecoc.inspection import CodeBookDisplay
    >>> display = CodeBookDisplay.from_codebook(Hadamard().build(6))
    >>> display.image_.get_array().shape  # classes and columns
    (6, 7)

    Near codewords side by side:

    >>> CodeBookDisplay.from_codebook([[1, 1, 1], [-1, -1, -1], [1, 1, -1]], order="clustered").order_
    array([1, 2, 0])
    """

    codebook: CodeBook
    image_: Any = field(init=False)
    order_: Indices = field(init=False)

    @classmethod
    def from_codebook(cls, codebook: CodeBook, **options: Any) -> Self:
        """Draw a code book.

        Parameters
        ----------
        codebook : CodeBook or array-like of shape (n_classes, n_columns)
            The code.
        **options : dict
            Options of `plot`.

        Returns
        -------
        CodeBookDisplay
            The display, with its picture.
        """
        return cls(CodeBook(codebook)).plot(**options)

    @classmethod
    def from_estimator(cls, model: Any, **options: Any) -> Self:
        """Draw the code book of a fitted model.

        Parameters
        ----------
        model : ECOCClassifier or another classifier with `code_book_`, or a Pipeline or search that ends in one
            A fitted model.
        **options : dict
            Options of `plot`.

        Returns
        -------
        CodeBookDisplay
            The display, with its picture.
        """
        return cls(codebook_of(model)).plot(**options)

    def plot(self, ax: Any = None, *, order: Order = "given", legend: bool = True) -> Self:
        """Draw the code book.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw in. None makes a new figure.
        order : {"given", "clustered"} or array-like, default="given"
            Order of the classes. "clustered" puts near codewords side by side.
        legend : bool, default=True
            Whether to add a legend of the colours.

        Returns
        -------
        self
            The display, with its picture.

        Examples
        --------
        Two code books side by side, without a legend:

        >>> from ecoc import Hadamard, OneVsAll
        >>> from ecoc.inspection import CodeBookDisplay
        >>> from matplotlib.figure import Figure
        >>> left, right = Figure().subplots(1, 2)
        >>> CodeBookDisplay(OneVsAll().build(6)).plot(left, legend=False).ax_ is left
        True
        >>> CodeBookDisplay(Hadamard().build(6)).plot(right, legend=False).ax_ is right
        True
        """
        k, l = self.codebook.shape
        self._open(ax, np.clip(1.6 + 0.25 * l, 4, 11), np.clip(1.1 + 0.22 * k, 2.6, 8.5))
        from matplotlib.colors import ListedColormap
        from matplotlib.patches import Patch

        self.order_ = class_order(order, self.codebook.distances() if order == "clustered" else np.empty((k, 0)))
        colours = {-1: MINUS, 0: NEITHER, 1: PLUS}
        self.image_ = self.ax_.imshow(
            self.codebook.matrix[self.order_],
            aspect="auto",
            cmap=ListedColormap(list(colours.values())),
            vmin=-1,
            vmax=1,
            interpolation="nearest",
        )
        name_ticks(self.ax_.yaxis, self.codebook.labels[self.order_])
        count_ticks(self.ax_.xaxis)
        cell_lines(self.ax_, (k, l))
        self.ax_.set_xlabel("column")
        if legend:
            names = {1: "+1", -1: "−1", 0: "0, left out"}
            used = [side for side in names if side or self.codebook.is_ternary]
            patches = [Patch(facecolor=colours[side], label=names[side]) for side in used]
            self.ax_.legend(handles=patches, loc="lower right", bbox_to_anchor=(1, 1), ncols=3, frameon=False)
        return self
