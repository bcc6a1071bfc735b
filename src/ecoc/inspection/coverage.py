"""Plot the accuracy of the answers of a model that may abstain, against the share of samples answered."""

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecoc.inspection.drawing import PALETTE, new_axes
from ecoc.inspection.fitted import Matrix
from ecoc.utils.labels import class_indices
from ecoc.utils.scikit import n_samples


@dataclass(repr=False, eq=False)
class CoverageDisplay:
    """Accuracy of a model that answers only the samples it is most confident about.

    Parameters
    ----------
    coverage : ndarray of shape (n_points,)
        Share of samples that are answered, ascending.
    accuracy : ndarray of shape (n_points,)
        Share of the answers that are right.
    threshold : ndarray of shape (n_points,)
        Smallest probability of the predicted class among the answers; 1 − threshold is the `reject_cost` that gives
        this coverage.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        The axes that hold the picture, and their figure.

    See Also
    --------
    ecoc.ECOCClassifier : Its `reject_cost` lets a model answer "don't know".

    Examples
    --------
    >>> from ecoc import ECOCClassifier
    >>> from ecoc.inspection import CoverageDisplay
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.linear_model import RidgeClassifier
    >>> X, y = load_digits(return_X_y=True)
    >>> model = ECOCClassifier(RidgeClassifier(), random_state=0).fit(X[:900], y[:900])
    >>> display = CoverageDisplay.from_estimator(model, X[900:], y[900:])
    >>> bool(display.accuracy[0] > display.accuracy[-1])
    True
    """

    coverage: Matrix
    accuracy: Matrix
    threshold: Matrix
    ax_: Any = field(init=False)
    figure_: Any = field(init=False)

    @classmethod
    def from_estimator(cls, model: Any, X: Any, y: ArrayLike, **options: Any) -> Self:
        """Measure the accuracy at each coverage, and draw.

        Parameters
        ----------
        model : classifier
            Any fitted classifier with `predict_proba`.
        X : object
            Samples, as the model takes them. Use samples that it was not trained on.
        y : array-like of shape (n_samples,)
            Their labels.
        **options : dict
            Options of `plot`.

        Returns
        -------
        CoverageDisplay
            The display, with its picture.
        """
        if not hasattr(model, "predict_proba"):
            raise TypeError(f"{type(model).__name__} has no predict_proba, which says how confident it is.")
        if n_samples(X) != n_samples(y):
            raise ValueError(f"X has {n_samples(X)} samples and y has {n_samples(y)}.")
        probabilities = model.predict_proba(X)
        right = probabilities.argmax(axis=1) == class_indices(np.asarray(y), model.classes_)
        return cls(*by_coverage(probabilities.max(axis=1), right)).plot(**options)

    def plot(self, ax: Any = None, *, label: str | None = None, **line: Any) -> Self:
        """Draw the curve.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw in, for example the `ax_` of another model's display. None makes a new figure.
        label : str, default=None
            Name of the curve in the legend.
        **line : dict
            Style of the curve, as matplotlib's ``plot`` takes it.

        Returns
        -------
        self
            The display, with its picture.
        """
        self.ax_ = new_axes(ax, (5.2, 3.4))
        self.figure_ = self.ax_.figure
        style: dict[str, Any] = {"color": PALETTE[len(self.ax_.lines) % len(PALETTE)]} | line
        self.ax_.plot(100 * self.coverage, 100 * self.accuracy, label=label, **style)
        self.ax_.set(xlabel="samples that are answered, %", ylabel="accuracy of the answers, %")
        self.ax_.grid(alpha=0.25)
        if label is not None:
            self.ax_.legend(frameon=False)
        return self


def by_coverage(confidence: Matrix, right: NDArray[np.bool_], most: int = 200) -> tuple[Matrix, Matrix, Matrix]:
    """Return coverages, the accuracy of the answers at each, and the smallest confidence of an answer.

    Parameters
    ----------
    confidence : ndarray of shape (n_samples,)
        Probability of the predicted class.
    right : bool ndarray of shape (n_samples,)
        Whether the prediction is right.
    most : int, default=200
        Number of points at most.

    Returns
    -------
    coverage, accuracy, threshold : ndarray of shape (n_points,)
        Ascending in coverage. Samples of equal confidence are answered together.
    """
    order = np.argsort(-confidence, kind="stable")
    sorted_confidence = confidence[order]
    ends = np.flatnonzero(np.append(np.diff(sorted_confidence) != 0, True)) + 1  # number of answers at each threshold
    ends = ends[ends >= min(20, len(order))]  # the accuracy of fewer answers is left to chance
    if len(ends) > most:
        ends = ends[np.unique(np.linspace(0, len(ends) - 1, most).astype(int))]
    return ends / len(order), np.cumsum(right[order])[ends - 1] / ends, sorted_confidence[ends - 1]
