"""Which dichotomies are difficult, and how many of them are enough?"""

from dataclasses import dataclass, field
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecoc.inspection._drawing import MINUS, PALETTE, PLUS, axes, count_ticks
from ecoc.inspection._models import Indices, Matrix, chosen_at, classifier_of, possible_lengths

_MOST_LENGTHS = 64
_MOST_BARS = 60  # beyond, a line is easier to read


@dataclass(repr=False, eq=False)
class DichotomyDisplay:
    """How difficult each dichotomy is: its share of errors, or its margins.

    Parameters
    ----------
    margins : ndarray of shape (n_samples, n_columns)
        Output of each dichotomizer times the side that the sample is on, negative where it is wrong; NaN where the
        sample's class is left out.
    error : ndarray of shape (n_columns,)
        Share of samples on the wrong side; NaN for a column without samples.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it is drawn.
    order_ : ndarray of shape (n_columns,)
        Columns from left to right.

    See Also
    --------
    ecoc.confusion_report : What the errors did to each pair of classes.

    Examples
    --------
    >>> from ecoc import ECOCClassifier
    >>> from ecoc.inspection import DichotomyDisplay
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import Ridge
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ECOCClassifier(Ridge(), coding="ova").fit(X, y)
    >>> DichotomyDisplay.from_estimator(model, X, y).order_  # the second class is not linearly apart from the rest
    array([1, 2, 0])
    """

    margins: Matrix
    error: Matrix
    ax_: Any = field(init=False)
    figure_: Any = field(init=False)
    order_: Indices = field(init=False)

    @classmethod
    def from_estimator(cls, model: Any, X: Any, y: ArrayLike, **options: Any) -> Self:
        """Measure the dichotomizers on some samples and draw.

        Parameters
        ----------
        model : ECOCClassifier, or Pipeline that ends in one
            Fitted.
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, best ones that the model was not trained on.
        y : array-like of shape (n_samples,)
            Their labels.
        **options : dict
            Those of `plot`.

        Returns
        -------
        DichotomyDisplay
            The display, drawn.

        Examples
        --------
        >>> from ecoc import ECOCClassifier
        >>> from ecoc.inspection import DichotomyDisplay
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.linear_model import Ridge
        >>> X, y = load_iris(return_X_y=True)
        >>> model = ECOCClassifier(Ridge(), coding="ova").fit(X[::2], y[::2])
        >>> display = DichotomyDisplay.from_estimator(model, X[1::2], y[1::2], kind="margin")
        >>> display.margins.shape, display.ax_.get_ylabel()
        ((75, 3), 'margin')
        """
        from ecoc.confusion import _class_indices

        model, X = classifier_of(model, X)
        sides = model.code_book_.matrix[_class_indices(np.asarray(y), model.classes_)]
        # A margin of zero is on the −1 side.
        margins = model.fitted_.outputs(X, "margins")
        wrong = np.where(margins > 0, 1, -1) * sides < 0
        used = np.count_nonzero(sides, axis=0)
        error = np.divide(wrong.sum(axis=0), used, out=np.full(len(used), np.nan), where=used > 0)
        return cls(np.where(sides == 0, np.nan, margins * sides), error).plot(**options)

    def plot(self, ax: Any = None, *, kind: Literal["error", "margin"] = "error", sort: bool = True) -> Self:
        """Draw the errors or the margins.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where; None makes a figure.
        kind : {"error", "margin"}, default="error"
            The share of errors, or the margins: their median, the middle half and the middle 90 %.
        sort : bool, default=True
            Whether to have the dichotomies by falling error, not in the order of the code.

        Returns
        -------
        self
            The display, drawn.

        Examples
        --------
        >>> import numpy as np
        >>> from ecoc.inspection import DichotomyDisplay
        >>> from matplotlib.figure import Figure
        >>> margins = np.array([[1.0, -0.5], [2.0, 0.5]])
        >>> display = DichotomyDisplay(margins, (margins < 0).mean(axis=0))
        >>> display.plot(Figure().subplots()).order_
        array([1, 0])
        >>> display.plot(Figure().subplots(), kind="margin", sort=False).order_
        array([0, 1])
        """
        if kind not in ("error", "margin"):
            raise ValueError(f"kind must be 'error' or 'margin'; got {kind!r}")
        l = len(self.error)
        self.ax_ = axes(ax, (float(np.clip(2 + 0.18 * l, 4.5, 11)), 3.4))
        self.figure_ = self.ax_.figure
        self.order_ = np.argsort(-self.error, kind="stable") if sort else np.arange(l)
        places = np.arange(l)
        if kind == "error":
            error = 100 * self.error[self.order_]
            if l <= _MOST_BARS:
                self.ax_.bar(places, error, color=PLUS)
            else:
                self.ax_.fill_between(places, error, step="mid", color=PLUS)
            mean = 100 * float(np.nanmean(self.error))
            self.ax_.axhline(mean, color=MINUS, linewidth=2, label=f"mean {mean:.1f} %")
            self.ax_.legend(frameon=False, loc="lower right", bbox_to_anchor=(1, 1))
            self.ax_.set(ylabel="errors, %", ylim=(0, None))
        else:
            known = self.order_[~np.isnan(self.error[self.order_])]
            low, lower, middle, upper, high = np.nanquantile(
                self.margins[:, known], [0.05, 0.25, 0.5, 0.75, 0.95], axis=0
            )
            at = np.flatnonzero(np.isin(self.order_, known))
            self.ax_.axhline(0, color=MINUS, linewidth=2)
            if l <= _MOST_BARS:
                self.ax_.vlines(at, low, high, color=PLUS, linewidth=1, label="middle 90 %")
                self.ax_.vlines(at, lower, upper, color=PLUS, linewidth=5, alpha=0.6, label="middle half")
                self.ax_.plot(at, middle, "o", color="black", markersize=3, label="median")
            else:
                self.ax_.fill_between(at, low, high, color=PLUS, alpha=0.25, linewidth=0, label="middle 90 %")
                self.ax_.fill_between(at, lower, upper, color=PLUS, alpha=0.5, linewidth=0, label="middle half")
                self.ax_.plot(at, middle, color="black", linewidth=1, label="median")
            self.ax_.legend(frameon=False, ncols=3, loc="lower right", bbox_to_anchor=(1, 1))
            self.ax_.set_ylabel("margin")
        if sort and l <= 40:
            self.ax_.set_xticks(places, self.order_.tolist(), fontsize=8)
        elif sort:
            self.ax_.set_xticks([])
        else:
            count_ticks(self.ax_.xaxis)
        self.ax_.set_xlabel(f"dichotomy{', the most difficult first' if sort else ''}")
        self.ax_.set_xlim(-0.7, l - 0.3)
        return self


@dataclass(repr=False, eq=False)
class LengthDisplay:
    """How accurate a model is when it is cut to its first columns; nothing is trained again.

    Parameters
    ----------
    lengths : ndarray of shape (n_lengths,)
        Numbers of columns.
    accuracy : ndarray of shape (n_lengths,)
        Share of samples classified right.
    n_samples : int
        How many samples it was measured on.

    Attributes
    ----------
    standard_error : ndarray of shape (n_lengths,)
        Of the accuracy.
    ax_, figure_ : matplotlib Axes and Figure
        Where it is drawn.

    See Also
    --------
    ecoc.ECOCClassifier.truncate : Cut a model to its first columns.

    Examples
    --------
    >>> from ecoc import ECOCClassifier
    >>> from ecoc.inspection import LengthDisplay
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.linear_model import Ridge
    >>> X, y = load_digits(return_X_y=True)
    >>> model = ECOCClassifier(Ridge(), coding="hadamard").fit(X[:900], y[:900])
    >>> LengthDisplay.from_estimator(model, X[900:], y[900:]).lengths
    array([ 5,  6,  7,  8,  9, 10, 11])
    """

    lengths: NDArray[np.intp]
    accuracy: Matrix
    n_samples: int
    ax_: Any = field(init=False)
    figure_: Any = field(init=False)

    @property
    def standard_error(self) -> Matrix:
        """Standard error of each accuracy.

        Examples
        --------
        >>> import numpy as np
        >>> from ecoc.inspection import LengthDisplay
        >>> LengthDisplay(np.array([4, 8]), np.array([0.5, 0.9]), n_samples=100).standard_error
        array([0.05, 0.03])
        """
        return np.sqrt(self.accuracy * (1 - self.accuracy) / self.n_samples)

    @classmethod
    def from_estimator(
        cls, model: Any, X: Any, y: ArrayLike, *, lengths: ArrayLike | None = None, **options: Any
    ) -> Self:
        """Measure the accuracy at each length and draw.

        Parameters
        ----------
        model : ECOCClassifier, or Pipeline that ends in one
            Fitted.
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, best ones that the model was not trained on.
        y : array-like of shape (n_samples,)
            Their labels.
        lengths : array-like of int, default=None
            Numbers of columns; None takes all that tell the classes apart, or 64 of them.
        **options : dict
            Those of `plot`.

        Returns
        -------
        LengthDisplay
            The display, drawn.

        Examples
        --------
        Two models in one picture:

        >>> from ecoc import DenseRandom, ECOCClassifier
        >>> from ecoc.inspection import LengthDisplay
        >>> from sklearn.datasets import load_digits
        >>> from sklearn.linear_model import Ridge
        >>> X, y = load_digits(return_X_y=True)
        >>> fixed = ECOCClassifier(Ridge(), coding="hadamard").fit(X[:300], y[:300])
        >>> drawn = ECOCClassifier(Ridge(), coding=DenseRandom(12), random_state=0).fit(X[:300], y[:300])
        >>> display = LengthDisplay.from_estimator(fixed, X[300:600], y[300:600], label="Hadamard", lengths=[6, 8, 11])
        >>> other = LengthDisplay.from_estimator(drawn, X[300:600], y[300:600], label="random", ax=display.ax_)
        >>> display.lengths, len(display.ax_.lines)
        (array([ 6,  8, 11]), 2)
        """
        from ecoc.confusion import _class_indices

        model, X = classifier_of(model, X)
        indices = _class_indices(np.asarray(y), model.classes_)
        tried = possible_lengths(model.code_book_, _MOST_LENGTHS) if lengths is None else np.ravel(lengths).tolist()
        accuracy = (chosen_at(model, X, tried) == indices).mean(axis=1)
        return cls(np.asarray(tried, dtype=np.intp), accuracy, len(indices)).plot(**options)

    def plot(self, ax: Any = None, *, label: str | None = None, **line: Any) -> Self:
        """Draw the curve, within one standard error up and down.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where, e.g. the `ax_` of another model's display; None makes a figure.
        label : str, default=None
            Name of the curve, for a legend.
        **line : dict
            Look of the curve, as matplotlib's ``plot`` takes it: ``color``, ``linestyle``, ``marker``, …

        Returns
        -------
        self
            The display, drawn.

        Examples
        --------
        >>> import numpy as np
        >>> from ecoc.inspection import LengthDisplay
        >>> from matplotlib.figure import Figure
        >>> display = LengthDisplay(np.array([4, 8]), np.array([0.5, 0.9]), n_samples=100)
        >>> display.plot(Figure().subplots(), label="mine").ax_.get_legend().get_texts()[0].get_text()
        'mine'
        """
        self.ax_ = axes(ax, (5.2, 3.4))
        from matplotlib.cbook import normalize_kwargs
        from matplotlib.lines import Line2D

        self.figure_ = self.ax_.figure
        accuracy, error = 100 * self.accuracy, 100 * self.standard_error
        look: dict[str, Any] = {"color": PALETTE[len(self.ax_.lines) % len(PALETTE)], "markersize": 4}
        look["marker"] = "o" if len(self.lengths) <= 40 else None
        look |= normalize_kwargs(line, Line2D)  # c is color, too
        (drawn,) = self.ax_.plot(self.lengths, accuracy, label=label, **look)
        top = np.minimum(accuracy + error, 100)
        self.ax_.fill_between(self.lengths, accuracy - error, top, color=drawn.get_color(), alpha=0.2, linewidth=0)
        self.ax_.set(xlabel="columns", ylabel="accuracy, %")
        self.ax_.grid(alpha=0.25)
        count_ticks(self.ax_.xaxis)
        if label is not None:
            self.ax_.legend(frameon=False)
        return self
