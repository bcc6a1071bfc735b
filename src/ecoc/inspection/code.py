"""How does the code look, how far apart does it keep the classes, and how near is it to its design?"""

from dataclasses import dataclass, field
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecoc.codebook import CodeBook
from ecoc.inspection._drawing import MINUS, NEITHER, PLUS, axes, cell_lines, count_ticks, heat_map, name_ticks
from ecoc.inspection._models import Indices, Matrix, Order, class_order, codebook_of, unwrapped

_WRITTEN = 15  # classes up to which a cell has its number


@dataclass(repr=False, eq=False)
class CodeBookDisplay:
    """A code book: a row a class, a column a dichotomy, blue at +1 and orange at −1.

    Parameters
    ----------
    codebook : CodeBook
        The code.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it is drawn.
    image_ : matplotlib AxesImage
        The entries.
    order_ : ndarray of shape (n_classes,)
        Rows of the code book from top to bottom.

    See Also
    --------
    ecoc.inspection.DistanceDisplay : How far apart the code keeps the classes.
    ecoc.inspection.DesignDisplay : The design behind a code, beside it.

    Examples
    --------
    >>> from ecoc import Hadamard
    >>> from ecoc.inspection import CodeBookDisplay
    >>> display = CodeBookDisplay.from_codebook(Hadamard().build(6))
    >>> display.ax_.get_xlabel()
    'dichotomy'
    >>> display.image_.get_array().shape  # classes and dichotomies
    (6, 7)
    """

    codebook: CodeBook
    ax_: Any = field(init=False)
    figure_: Any = field(init=False)
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
            Those of `plot`.

        Returns
        -------
        CodeBookDisplay
            The display, drawn.

        Examples
        --------
        Near codewords side by side:

        >>> from ecoc.inspection import CodeBookDisplay
        >>> CodeBookDisplay.from_codebook([[1, 1, 1], [-1, -1, -1], [1, 1, -1]], order="clustered").order_
        array([1, 2, 0])
        """
        return cls(CodeBook(codebook)).plot(**options)

    @classmethod
    def from_estimator(cls, model: Any, **options: Any) -> Self:
        """Draw the code book of a fitted model.

        Parameters
        ----------
        model : ECOCClassifier or RelaxedHierarchyClassifier, or Pipeline that ends in one
            Fitted.
        **options : dict
            Those of `plot`.

        Returns
        -------
        CodeBookDisplay
            The display, drawn.

        Examples
        --------
        >>> from ecoc import ECOCClassifier
        >>> from ecoc.inspection import CodeBookDisplay
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.linear_model import Ridge
        >>> X, y = load_iris(return_X_y=True)
        >>> model = ECOCClassifier(Ridge(), coding="ovo").fit(X, y)
        >>> CodeBookDisplay.from_estimator(model).codebook.is_ternary  # grey where a class is left out
        True
        """
        return cls(codebook_of(model)).plot(**options)

    def plot(self, ax: Any = None, *, order: Order = "given", legend: bool = True) -> Self:
        """Draw the code book.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where; None makes a figure.
        order : {"given", "clustered"} or array-like, default="given"
            Of the classes; "clustered" has near codewords side by side.
        legend : bool, default=True
            Whether to say what the colours are.

        Returns
        -------
        self
            The display, drawn.

        Examples
        --------
        Two codes side by side, without a legend:

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
        size = float(np.clip(1.6 + 0.25 * l, 4, 11)), float(np.clip(1.1 + 0.22 * k, 2.6, 8.5))
        self.ax_ = axes(ax, size)
        from matplotlib.colors import ListedColormap
        from matplotlib.patches import Patch

        self.figure_ = self.ax_.figure
        self.order_ = class_order(order, self.codebook.distances() if order == "clustered" else np.empty((k, 0)))
        sides = {-1: MINUS, 0: NEITHER, 1: PLUS}
        look = {"cmap": ListedColormap(list(sides.values())), "vmin": -1, "vmax": 1, "interpolation": "nearest"}
        self.image_ = self.ax_.imshow(self.codebook.matrix[self.order_], aspect="auto", **look)
        name_ticks(self.ax_.yaxis, self.codebook.labels[self.order_])
        count_ticks(self.ax_.xaxis)
        cell_lines(self.ax_, (k, l))
        self.ax_.set_xlabel("dichotomy")
        if legend:
            names = {1: "+1", -1: "−1", 0: "0, left out"}
            used = [side for side in names if side or self.codebook.is_ternary]
            patches = [Patch(facecolor=sides[side], label=names[side]) for side in used]
            self.ax_.legend(handles=patches, loc="lower right", bbox_to_anchor=(1, 1), ncols=3, frameon=False)
        return self


@dataclass(repr=False, eq=False)
class DistanceDisplay:
    """How far apart each pair of classes is kept, or how many wrong dichotomizers it survives.

    Parameters
    ----------
    values : ndarray of shape (n_classes, n_classes)
        What is drawn.
    labels : ndarray of shape (n_classes,)
        Names of the classes.
    distances : ndarray of shape (n_classes, n_classes)
        Hamming distances, by which classes are clustered.
    kind : {"distance", "direct", "paper"}
        What the values are.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it is drawn.
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
    >>> from ecoc import OneVsAll
    >>> from ecoc.inspection import DistanceDisplay
    >>> DistanceDisplay.from_codebook(OneVsAll().build(3)).values.tolist()
    [[0, 2, 2], [2, 0, 2], [2, 2, 0]]
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
        """Draw the distances of a code book's codewords, or its pair-wise correction.

        Parameters
        ----------
        codebook : CodeBook
            The code.
        kind : {"distance", "direct", "paper"}, default="distance"
            Hamming distances, or pair-wise correction as :meth:`ecoc.CodeBook.pairwise_correction` defines it.
        **options : dict
            Those of `plot`.

        Returns
        -------
        DistanceDisplay
            The display, drawn.

        Examples
        --------
        >>> from ecoc import Hadamard
        >>> from ecoc.inspection import DistanceDisplay
        >>> DistanceDisplay.from_codebook(Hadamard().build(8), kind="direct").values[0]
        array([1, 1, 1, 1, 1, 1, 1, 1], dtype=int32)
        """
        if kind not in ("distance", "direct", "paper"):
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
        model : ECOCClassifier or RelaxedHierarchyClassifier, or Pipeline that ends in one
            Fitted.
        kind : {"distance", "direct", "paper"}, default="distance"
            As for `from_codebook`.
        **options : dict
            Those of `plot`.

        Returns
        -------
        DistanceDisplay
            The display, drawn.

        Examples
        --------
        >>> from ecoc import ECOCClassifier
        >>> from ecoc.inspection import DistanceDisplay
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.linear_model import Ridge
        >>> X, y = load_iris(return_X_y=True)
        >>> model = ECOCClassifier(Ridge(), coding="ova").fit(X, load_iris().target_names[y])
        >>> DistanceDisplay.from_estimator(model).labels
        array(['setosa', 'versicolor', 'virginica'], dtype='<U10')
        """
        return cls.from_codebook(codebook_of(model), kind=kind, **options)

    def plot(
        self, ax: Any = None, *, order: Order = "clustered", cmap: str = "cividis", numbers: bool | None = None
    ) -> Self:
        """Draw the matrix.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where; None makes a figure.
        order : {"clustered", "given"} or array-like, default="clustered"
            Of the classes; "clustered" has near codewords side by side.
        cmap : str, default="cividis"
            Colours.
        numbers : bool, default=None
            Whether to write the values into the cells; None does with at most 15 classes.

        Returns
        -------
        self
            The display, drawn.

        Examples
        --------
        >>> from ecoc import OneVsAll
        >>> from ecoc.inspection import DistanceDisplay
        >>> from matplotlib.figure import Figure
        >>> display = DistanceDisplay.from_codebook(OneVsAll().build(4), ax=Figure().subplots())
        >>> display = display.plot(Figure().subplots(), order="given", cmap="Greys", numbers=False)  # once more
        >>> display.order_, len(display.ax_.texts)
        (array([0, 1, 2, 3]), 0)
        """
        k = len(self.labels)
        side = float(np.clip(2.6 + 0.2 * k, 4.4, 8.5))
        self.ax_ = axes(ax, (side + 0.9, side))
        self.figure_ = self.ax_.figure
        self.order_ = class_order(order, self.distances)
        values = self.values[np.ix_(self.order_, self.order_)]
        shown = np.ma.masked_where(np.eye(k, dtype=bool), values)  # what a class is to itself says nothing
        self.ax_.set_facecolor(NEITHER)
        self.image_ = heat_map(self.ax_, shown, self.labels[self.order_], cmap=cmap)
        what = {"direct": "pair-wise correction", "paper": "pair-wise correction, the paper's"}
        bar = self.figure_.colorbar(self.image_, ax=self.ax_, label=what.get(self.kind, "Hamming distance"), shrink=0.8)
        count_ticks(bar.ax.yaxis)
        if numbers if numbers is not None else k <= _WRITTEN:
            low, high = self.image_.get_clim()
            for i, j in zip(*np.nonzero(~np.eye(k, dtype=bool))):
                colour = "black" if values[i, j] > (low + high) / 2 else "white"
                self.ax_.text(j, i, f"{values[i, j]:g}", ha="center", va="center", color=colour, fontsize=8)
        return self


@dataclass(repr=False, eq=False)
class DesignDisplay:
    """The design matrix beside what the code made of it, XXᵀ/l.

    Parameters
    ----------
    design : ndarray of shape (n_classes, n_classes)
        How alike codewords should be, from −1 to 1.
    codebook : CodeBook
        The code X.

    Attributes
    ----------
    products : ndarray of shape (n_classes, n_classes)
        How alike codewords are, XXᵀ/l.
    relative_error : float
        ‖D − XXᵀ/l‖ / ‖D‖ in the Frobenius norm.
    ax_ : ndarray of two matplotlib Axes
        Where it is drawn.
    figure_ : matplotlib Figure
        Their figure.
    order_ : ndarray of shape (n_classes,)
        Classes from top to bottom, and from left to right.

    See Also
    --------
    ecoc.allocate : Make a design.
    ecoc.inspection.HistoryDisplay : How the factorization got near it.

    Examples
    --------
    >>> from ecoc import factorize
    >>> from ecoc.inspection import DesignDisplay
    >>> D = [[1, -1, 0, 0], [-1, 1, 0, 0], [0, 0, 1, -1], [0, 0, -1, 1]]
    >>> DesignDisplay.from_codebook(factorize(D, 2, random_state=0).codebook, D).relative_error
    0.0
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
            raise ValueError(f"design must be of shape {(k, k)}, a row a class; got {self.design.shape}")
        code = self.codebook.matrix.astype(np.float64)
        self.products = code @ code.T / l
        self.relative_error = float(np.linalg.norm(self.design - self.products) / np.linalg.norm(self.design))

    @classmethod
    def from_codebook(cls, codebook: CodeBook, design: ArrayLike, **options: Any) -> Self:
        """Draw a code book beside a design.

        Parameters
        ----------
        codebook : CodeBook or array-like of shape (n_classes, n_columns)
            The code.
        design : array-like of shape (n_classes, n_classes)
            How alike codewords should be, from −1 to 1.
        **options : dict
            Those of `plot`.

        Returns
        -------
        DesignDisplay
            The display, drawn.

        Examples
        --------
        How near is one-vs-all to codewords that all have nothing in common?

        >>> import numpy as np
        >>> from ecoc import OneVsAll
        >>> from ecoc.inspection import DesignDisplay
        >>> display = DesignDisplay.from_codebook(OneVsAll().build(5), np.eye(5))
        >>> display.products[0].round(1), round(display.relative_error, 2)
        (array([1. , 0.2, 0.2, 0.2, 0.2]), 0.4)
        """
        return cls(np.asarray(design, dtype=np.float64), CodeBook(codebook)).plot(**options)

    @classmethod
    def from_estimator(cls, model: Any, **options: Any) -> Self:
        """Draw the design that a fitted model's code came from beside the code.

        Parameters
        ----------
        model : ECOCClassifier, or Pipeline that ends in one
            Fitted; its coding has a design, as ``ECF`` has.
        **options : dict
            Those of `plot`.

        Returns
        -------
        DesignDisplay
            The display, drawn.

        Raises
        ------
        ValueError
            If the model's code has no design.

        Examples
        --------
        >>> from ecoc import ECOCClassifier
        >>> from ecoc.inspection import DesignDisplay
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.linear_model import Ridge
        >>> X, y = load_iris(return_X_y=True)
        >>> model = ECOCClassifier(Ridge(), coding="ecf", random_state=0).fit(X, y)
        >>> display = DesignDisplay.from_estimator(model)
        >>> [axis.get_title()[:6] for axis in display.ax_]
        ['design', 'XXᵀ / ']
        """
        design = getattr(unwrapped(model)[0], "design_", None)
        if design is None:
            raise ValueError("this model's code has no design matrix; one with coding='ecf' has")
        return cls(design, codebook_of(model)).plot(**options)

    def plot(self, ax: Any = None, *, order: Order = "clustered", cmap: str = "PuOr_r") -> Self:
        """Draw both matrices.

        Parameters
        ----------
        ax : two matplotlib Axes, default=None
            Where; None makes a figure.
        order : {"clustered", "given"} or array-like, default="clustered"
            Of the classes; "clustered" has those side by side that are designed to be alike.
        cmap : str, default="PuOr_r"
            Colours, from −1 to 1.

        Returns
        -------
        self
            The display, drawn.

        Examples
        --------
        >>> import numpy as np
        >>> from ecoc import OneVsAll
        >>> from ecoc.inspection import DesignDisplay
        >>> from matplotlib.figure import Figure
        >>> DesignDisplay(np.eye(5), OneVsAll().build(5)).plot(Figure().subplots(1, 2), order="given").order_
        array([0, 1, 2, 3, 4])
        """
        k, l = self.codebook.shape
        side = float(np.clip(2.6 + 0.14 * k, 4.2, 6))
        self.ax_ = np.asarray(axes(ax, (2 * side + 1, side + 0.3), panels=2))
        self.figure_ = self.ax_[0].figure
        self.order_ = class_order(order, 1 - self.design)
        made = f"XXᵀ / l, l = {l}; relative error {self.relative_error:.2f}"
        for axis, values, title in zip(self.ax_, (self.design, self.products), ("design D", made)):
            values = values[np.ix_(self.order_, self.order_)]
            image = heat_map(axis, values, self.codebook.labels[self.order_], cmap=cmap, vmin=-1, vmax=1)
            axis.set_title(title, fontsize=10)
        self.figure_.colorbar(image, ax=list(self.ax_), label="likeness of codewords", shrink=0.8)
        return self
