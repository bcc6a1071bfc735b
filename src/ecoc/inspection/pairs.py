"""Plot matrices over pairs of classes: distances, correction, and the design beside what the code achieves."""

from dataclasses import dataclass, field
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecoc.codes.codebook import CodeBook
from ecoc.inspection.drawing import NEITHER, Display, count_ticks, heat_map
from ecoc.inspection.fitted import Indices, Matrix, Order, class_order, codebook_of
from ecoc.utils.estimators import unwrap

_NAMES = {
    "distance": "Hamming distance",
    "direct": "pair-wise correction",
    "paper": "pair-wise correction, as the paper defines it",
}


@dataclass(repr=False, eq=False)
class DistanceDisplay(Display):
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
        side = np.clip(2.6 + 0.2 * k, 4.4, 8.5)
        self._open(ax, side + 0.9, side)
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


@dataclass(repr=False, eq=False)
class DesignDisplay(Display):
    """The design matrix D beside XXᵀ/l, the similarities of the codewords.

    Parameters
    ----------
    design : ndarray of shape (n_classes, n_classes)
        How similar two codewords should be, from −1 to 1.
    codebook : CodeBook
        The code X.

    Attributes
    ----------
    products : ndarray of shape (n_classes, n_classes)
        How similar two codewords are, XXᵀ/l.
    relative_error : float
        ‖D − XXᵀ/l‖ / ‖D‖ in the Frobenius norm.
    ax_ : ndarray of two matplotlib Axes
        The axes that hold the pictures.
    figure_ : matplotlib Figure
        Their figure.
    order_ : ndarray of shape (n_classes,)
        Classes from top to bottom, and from left to right.

    See Also
    --------
    ecoc.allocate : Make a design matrix.
    ecoc.inspection.HistoryDisplay : Plot how the factorization approached the design.

    Examples
    --------
    >>> from ecoc import factorize
    >>> from ecoc.inspection import DesignDisplay
    >>> D = [[1, -1, 0, 0], [-1, 1, 0, 0], [0, 0, 1, -1], [0, 0, -1, 1]]
    >>> DesignDisplay.from_codebook(factorize(D, 2, random_state=0).codebook, D).relative_error
    0.0

    How near is one-vs-all to codewords that are all orthogonal?

    >>> import numpy as np
    >>> from ecoc import OneVsAll
    >>> display = DesignDisplay.from_codebook(OneVsAll().build(5), np.eye(5))
    >>> display.products[0].round(1), round(display.relative_error, 2)
    (array([1. , 0.2, 0.2, 0.2, 0.2]), 0.4)
    """

    design: Matrix
    codebook: CodeBook
    products: Matrix = field(init=False)
    relative_error: float = field(init=False)
    order_: Indices = field(init=False)

    def __post_init__(self) -> None:
        self.design = np.asarray(self.design, dtype=np.float64)
        k, l = self.codebook.shape
        if self.design.shape != (k, k):
            raise ValueError(
                f"design must have shape {(k, k)}, a row and a column for each class; got {self.design.shape}"
            )
        code = self.codebook.matrix.astype(np.float64)
        self.products = code @ code.T / l
        self.relative_error = float(np.linalg.norm(self.design - self.products) / np.linalg.norm(self.design))

    @classmethod
    def from_codebook(cls, codebook: CodeBook, design: ArrayLike, **options: Any) -> Self:
        """Draw a design matrix beside a code book.

        Parameters
        ----------
        codebook : CodeBook or array-like of shape (n_classes, n_columns)
            The code.
        design : array-like of shape (n_classes, n_classes)
            How similar two codewords should be, from −1 to 1.
        **options : dict
            Options of `plot`.

        Returns
        -------
        DesignDisplay
            The display, with its pictures.
        """
        return cls(np.asarray(design, dtype=np.float64), CodeBook(codebook)).plot(**options)

    @classmethod
    def from_estimator(cls, model: Any, **options: Any) -> Self:
        """Draw the design matrix of a fitted model beside its code book.

        Parameters
        ----------
        model : ECOCClassifier, or a Pipeline or search that ends in one
            A fitted model whose coding has a design matrix, such as ``ECF``.
        **options : dict
            Options of `plot`.

        Returns
        -------
        DesignDisplay
            The display, with its pictures.

        Raises
        ------
        ValueError
            If the model's coding has no design matrix.
        """
        design = getattr(unwrap(model)[0], "design_", None)
        if design is None:
            raise ValueError("this model's code has no design matrix; a model with coding='ecf' has one")
        return cls(design, codebook_of(model)).plot(**options)

    def plot(self, ax: Any = None, *, order: Order = "clustered", cmap: str = "PuOr_r") -> Self:
        """Draw both matrices.

        Parameters
        ----------
        ax : two matplotlib Axes, default=None
            Axes to draw in. None makes a new figure.
        order : {"clustered", "given"} or array-like, default="clustered"
            Order of the classes. "clustered" puts classes side by side whose codewords should be alike.
        cmap : str, default="PuOr_r"
            Colour map, from −1 to 1.

        Returns
        -------
        self
            The display, with its pictures.
        """
        k, l = self.codebook.shape
        side = np.clip(2.6 + 0.14 * k, 4.2, 6)
        self._open(ax, 2 * side + 1, side + 0.3, panels=2)
        self.order_ = class_order(order, 1 - self.design)
        titles = "design D", f"XXᵀ / l, l = {l}; relative error {self.relative_error:.2f}"
        for axis, values, title in zip(self.ax_, (self.design, self.products), titles):
            values = values[np.ix_(self.order_, self.order_)]
            image = heat_map(axis, values, self.codebook.labels[self.order_], cmap=cmap, vmin=-1, vmax=1)
            axis.set_title(title, fontsize=10)
        self.figure_.colorbar(image, ax=list(self.ax_), label="similarity of codewords", shrink=0.8)
        return self
