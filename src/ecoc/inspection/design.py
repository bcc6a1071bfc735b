"""Plot the design matrix beside XXᵀ/l, the matrix that the code achieves."""

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from ecoc.codes.codebook import CodeBook
from ecoc.inspection.drawing import heat_map, new_axes
from ecoc.inspection.fitted import Indices, Matrix, Order, class_order, codebook_of
from ecoc.utils.estimators import unwrap


@dataclass(repr=False, eq=False)
class DesignDisplay:
    """The design matrix D beside XXᵀ/l, which is what the code made of it.

    Parameters
    ----------
    design : ndarray of shape (n_classes, n_classes)
        How alike two codewords should be, from −1 to 1.
    codebook : CodeBook
        The code X.

    Attributes
    ----------
    products : ndarray of shape (n_classes, n_classes)
        How alike two codewords are, XXᵀ/l.
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
    ecoc.inspection.HistoryDisplay : How the factorization approached it.

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
    ax_: Any = field(init=False)
    figure_: Any = field(init=False)
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
            How alike two codewords should be, from −1 to 1.
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
        side = float(np.clip(2.6 + 0.14 * k, 4.2, 6))
        self.ax_ = np.asarray(new_axes(ax, (2 * side + 1, side + 0.3), panels=2))
        self.figure_ = self.ax_[0].figure
        self.order_ = class_order(order, 1 - self.design)
        titles = "design D", f"XXᵀ / l, l = {l}; relative error {self.relative_error:.2f}"
        for axis, values, title in zip(self.ax_, (self.design, self.products), titles):
            values = values[np.ix_(self.order_, self.order_)]
            image = heat_map(axis, values, self.codebook.labels[self.order_], cmap=cmap, vmin=-1, vmax=1)
            axis.set_title(title, fontsize=10)
        self.figure_.colorbar(image, ax=list(self.ax_), label="similarity of codewords", shrink=0.8)
        return self
