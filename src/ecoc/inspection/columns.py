"""Plot the errors and margins of every binary classifier."""

from dataclasses import dataclass, field
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from ecoc.inspection.drawing import MINUS, PLUS, Display, count_ticks
from ecoc.inspection.fitted import Indices, Matrix, classifier_of
from ecoc.utils.labels import class_indices

_MOST_BARS = 60  # columns up to which bars are drawn; a line is easier to read beyond


@dataclass(repr=False, eq=False)
class ColumnDisplay(Display):
    """How difficult each column is: the error rate of its binary classifier, or its margins.

    Parameters
    ----------
    margins : ndarray of shape (n_samples, n_columns)
        Output of each binary classifier times the side of the sample's class: negative where the output is wrong, NaN
        where the column leaves the class out.
    error : ndarray of shape (n_columns,)
        Share of samples on the wrong side. NaN for a column without samples.

    Attributes
    ----------
    disagreement, q_statistic : ndarray of shape (n_columns, n_columns)
        How differently each pair of columns errs: the share of samples on which exactly one is right, and Yule's Q.
    ax_, figure_ : matplotlib Axes and Figure
        The axes that hold the picture, and their figure.
    order_ : ndarray of shape (n_columns,)
        Columns from left to right.

    See Also
    --------
    ecoc.confusion_report : Show the effect of the errors on each pair of classes.

    Examples
    --------
    >>> from ecoc import ECOCClassifier
    >>> from ecoc.inspection import ColumnDisplay
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import Ridge
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ECOCClassifier(Ridge(), coding="ova").fit(X, y)
    >>> ColumnDisplay.from_estimator(model, X, y).order_  # no hyperplane separates the second class from the others
    array([1, 2, 0])
    """

    margins: Matrix
    error: Matrix
    order_: Indices = field(init=False)

    @classmethod
    def from_estimator(cls, model: Any, X: Any, y: ArrayLike, **options: Any) -> Self:
        """Measure the binary classifiers on some samples, and draw.

        Parameters
        ----------
        model : ECOCClassifier, or a Pipeline or search that ends in one
            A fitted model.
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples. Use samples that the model was not trained on.
        y : array-like of shape (n_samples,)
            Their labels.
        **options : dict
            Options of `plot`.

        Returns
        -------
        ColumnDisplay
            The display, with its picture.
        """
        classifier, X = classifier_of(model, X)
        sides = classifier.code_book_.matrix[class_indices(np.asarray(y), classifier.classes_)]
        margins = classifier.fitted_.outputs(X, "margins")
        wrong = np.where(margins > 0, 1, -1) * sides < 0  # a margin of zero is on the −1 side
        used = np.count_nonzero(sides, axis=0)
        error = np.divide(wrong.sum(axis=0), used, out=np.full(len(used), np.nan), where=used > 0)
        return cls(np.where(sides == 0, np.nan, margins * sides), error).plot(**options)

    @property
    def disagreement(self) -> Matrix:
        """Share of the samples on which exactly one of two binary classifiers is right, for each pair of columns.

        Columns are diverse if they err on different samples. Only samples count that both columns use; NaN if there
        are none.
        """
        both, one, other, neither = self._joint()
        return np.asarray((one + other) / _positive(both + one + other + neither))

    @property
    def q_statistic(self) -> Matrix:
        """Yule's Q of each pair of columns: 1 if they are right on the same samples, 0 if independent, −1 if opposite.

        Only samples count that both columns use; NaN if Q is undefined, e.g. if a column is always right.
        """
        both, one, other, neither = self._joint()
        return np.asarray((both * neither - one * other) / _positive(both * neither + one * other))

    def _joint(self) -> tuple[Matrix, Matrix, Matrix, Matrix]:
        """Count the samples on which both columns of a pair are right, only the first, only the second, or neither."""
        right = (self.margins > 0).astype(np.float64)
        wrong = (self.margins <= 0).astype(np.float64)
        return right.T @ right, right.T @ wrong, wrong.T @ right, wrong.T @ wrong

    def plot(self, ax: Any = None, *, kind: Literal["error", "margin"] = "error", sort: bool = True) -> Self:
        """Draw the error rates or the margins.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw in. None makes a new figure.
        kind : {"error", "margin"}, default="error"
            Error rates; or margins, by their median, their middle half and their middle 90 %.
        sort : bool, default=True
            Whether to draw the most difficult column first. Otherwise columns have the order of the code.

        Returns
        -------
        self
            The display, with its picture.

        Examples
        --------
        >>> import numpy as np
        >>> from ecoc.inspection import ColumnDisplay
        >>> from matplotlib.figure import Figure
        >>> margins = np.array([[1.0, -0.5], [2.0, 0.5]])
        >>> display = ColumnDisplay(margins, (margins < 0).mean(axis=0))
        >>> display.plot(Figure().subplots()).order_
        array([1, 0])
        >>> display.plot(Figure().subplots(), kind="margin", sort=False).order_
        array([0, 1])
        """
        if kind not in ("error", "margin"):
            raise ValueError(f"kind must be 'error' or 'margin'; got {kind!r}")
        l = len(self.error)
        self._open(ax, np.clip(2 + 0.18 * l, 4.5, 11), 3.4)
        self.order_ = np.argsort(-self.error, kind="stable") if sort else np.arange(l)
        if kind == "error":
            self._draw_errors()
        else:
            self._draw_margins()
        if sort and l <= 40:  # each column has its number below it
            self.ax_.set_xticks(np.arange(l), self.order_.tolist(), fontsize=8)
        elif sort:
            self.ax_.set_xticks([])
        else:
            count_ticks(self.ax_.xaxis)
        self.ax_.set_xlabel(f"column{', the most difficult first' if sort else ''}")
        self.ax_.set_xlim(-0.7, l - 0.3)
        return self

    def _draw_errors(self) -> None:
        error = 100 * self.error[self.order_]
        positions = np.arange(len(error))
        if len(error) <= _MOST_BARS:
            self.ax_.bar(positions, error, color=PLUS)
        else:
            self.ax_.fill_between(positions, error, step="mid", color=PLUS)
        mean = 100 * float(np.nanmean(self.error))
        self.ax_.axhline(mean, color=MINUS, linewidth=2, label=f"mean {mean:.1f} %")
        self.ax_.legend(frameon=False, loc="lower right", bbox_to_anchor=(1, 1))
        self.ax_.set(ylabel="errors, %", ylim=(0, None))

    def _draw_margins(self) -> None:
        positions = np.flatnonzero(~np.isnan(self.error[self.order_]))
        margins = self.margins[:, self.order_[positions]]
        low, lower, middle, upper, high = np.nanquantile(margins, [0.05, 0.25, 0.5, 0.75, 0.95], axis=0)
        self.ax_.axhline(0, color=MINUS, linewidth=2)
        if len(self.error) <= _MOST_BARS:
            self.ax_.vlines(positions, low, high, color=PLUS, linewidth=1, label="middle 90 %")
            self.ax_.vlines(positions, lower, upper, color=PLUS, linewidth=5, alpha=0.6, label="middle half")
            self.ax_.plot(positions, middle, "o", color="black", markersize=3, label="median")
        else:
            self.ax_.fill_between(positions, low, high, color=PLUS, alpha=0.25, linewidth=0, label="middle 90 %")
            self.ax_.fill_between(positions, lower, upper, color=PLUS, alpha=0.5, linewidth=0, label="middle half")
            self.ax_.plot(positions, middle, color="black", linewidth=1, label="median")
        self.ax_.legend(frameon=False, ncols=3, loc="lower right", bbox_to_anchor=(1, 1))
        self.ax_.set_ylabel("margin")


def _positive(values: Matrix) -> Matrix:
    return np.asarray(np.where(values > 0, values, np.nan))
