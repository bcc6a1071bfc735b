"""Plot the accuracy of a model that is cut to its first columns."""

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecoc.inspection.drawing import PALETTE, count_ticks, marker, new_axes
from ecoc.inspection.fitted import Matrix, classifier_of, possible_lengths, predictions_at
from ecoc.utils.labels import class_indices


@dataclass(repr=False, eq=False)
class LengthDisplay:
    """Accuracy of a model that is cut to its first columns. No binary classifier is trained again.

    Parameters
    ----------
    lengths : ndarray of shape (n_lengths,)
        Numbers of columns.
    accuracy : ndarray of shape (n_lengths,)
        Share of samples classified correctly.
    n_samples : int
        Number of samples the accuracy was measured on.

    Attributes
    ----------
    standard_error : ndarray of shape (n_lengths,)
        Standard error of each accuracy.
    ax_, figure_ : matplotlib Axes and Figure
        The axes that hold the picture, and their figure.

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
        """Standard error of each accuracy."""
        return np.sqrt(self.accuracy * (1 - self.accuracy) / self.n_samples)

    @classmethod
    def from_estimator(
        cls, model: Any, X: Any, y: ArrayLike, *, lengths: ArrayLike | None = None, **options: Any
    ) -> Self:
        """Measure the accuracy at each length, and draw.

        Parameters
        ----------
        model : ECOCClassifier, or a Pipeline or search that ends in one
            A fitted model.
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples. Use samples that the model was not trained on.
        y : array-like of shape (n_samples,)
            Their labels.
        lengths : array-like of int, default=None
            Numbers of columns to try. None tries all that separate the classes, or 64 of them.
        **options : dict
            Options of `plot`.

        Returns
        -------
        LengthDisplay
            The display, with its picture.

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
        classifier, X = classifier_of(model, X)
        indices = class_indices(np.asarray(y), classifier.classes_)
        tried = np.ravel(possible_lengths(classifier.code_book_, most=64) if lengths is None else lengths)
        accuracy = (predictions_at(classifier, X, tried.tolist()) == indices).mean(axis=1)
        return cls(tried.astype(np.intp), accuracy, len(indices)).plot(**options)

    def plot(self, ax: Any = None, *, label: str | None = None, **line: Any) -> Self:
        """Draw the curve with a band of one standard error to either side.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw in, for example the `ax_` of another model's display. None makes a new figure.
        label : str, default=None
            Name of the curve in the legend.
        **line : dict
            Style of the curve, as matplotlib's ``plot`` takes it: ``color``, ``linestyle``, ``marker``, …

        Returns
        -------
        self
            The display, with its picture.
        """
        self.ax_ = new_axes(ax, (5.2, 3.4))
        from matplotlib.cbook import normalize_kwargs
        from matplotlib.lines import Line2D

        self.figure_ = self.ax_.figure
        accuracy, error = 100 * self.accuracy, 100 * self.standard_error
        style: dict[str, Any] = {"color": PALETTE[len(self.ax_.lines) % len(PALETTE)], "markersize": 4}
        style["marker"] = marker(len(self.lengths))
        style |= normalize_kwargs(line, Line2D)  # writes c as color
        (curve,) = self.ax_.plot(self.lengths, accuracy, label=label, **style)
        top = np.minimum(accuracy + error, 100)
        self.ax_.fill_between(self.lengths, accuracy - error, top, color=curve.get_color(), alpha=0.2, linewidth=0)
        self.ax_.set(xlabel="columns", ylabel="accuracy, %")
        self.ax_.grid(alpha=0.25)
        count_ticks(self.ax_.xaxis)
        if label is not None:
            self.ax_.legend(frameon=False)
        return self
