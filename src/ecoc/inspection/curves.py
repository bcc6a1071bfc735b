"""Plot curves: accuracy against code length and coverage, and the objective of a factorization after each round."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecoc.inspection.drawing import MINUS, PLUS, Display, count_ticks, marker
from ecoc.inspection.fitted import Matrix, classifier_of, possible_lengths, predictions_at
from ecoc.utils.estimators import unwrap
from ecoc.utils.labels import class_indices
from ecoc.utils.scikit import n_samples


@dataclass(repr=False, eq=False)
class LengthDisplay(Display):
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
        self._open(ax, 5.2, 3.4)
        default = {"marker": marker(len(self.lengths)), "markersize": 4}
        colour = self._draw_curve(self.lengths, self.accuracy, label, line, **default).get_color()
        accuracy, error = 100 * self.accuracy, 100 * self.standard_error
        top = np.minimum(accuracy + error, 100)
        self.ax_.fill_between(self.lengths, accuracy - error, top, color=colour, alpha=0.2, linewidth=0)
        self.ax_.set(xlabel="columns", ylabel="accuracy, %")
        count_ticks(self.ax_.xaxis)
        return self


@dataclass(repr=False, eq=False)
class CoverageDisplay(Display):
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
        self._open(ax, 5.2, 3.4)
        self._draw_curve(100 * self.coverage, self.accuracy, label, line)
        self.ax_.set(xlabel="samples that are answered, %", ylabel="accuracy of the answers, %")
        return self


@dataclass(repr=False, eq=False)
class HistoryDisplay(Display):
    """Objective ‖l·D − XXᵀ‖² of a factorization after each round, and a lower bound of it.

    Parameters
    ----------
    history : ndarray of shape (n_cycles,)
        The objective after each round. For the paper's method it is that of the relaxation, before rounding.
    objective : float
        The objective of the code.
    lower_bound : float
        No code of this length has a smaller objective.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        The axes that hold the picture, and their figure.

    See Also
    --------
    ecoc.Factorization : The result that is drawn.
    ecoc.inspection.DesignDisplay : The design matrix beside the code.

    Examples
    --------
    >>> import numpy as np
    >>> from ecoc import factorize
    >>> from ecoc.inspection import HistoryDisplay
    >>> display = HistoryDisplay.from_factorization(factorize(np.eye(4), 3, random_state=0))
    >>> display.objective  # not 0, for two codewords of three columns cannot be orthogonal
    12.0
    """

    history: Matrix
    objective: float
    lower_bound: float

    @classmethod
    def from_factorization(cls, factorization: Any, **options: Any) -> Self:
        """Draw the history of a factorization.

        Parameters
        ----------
        factorization : Factorization
            A factorization of either method.
        **options : dict
            Options of `plot`.

        Returns
        -------
        HistoryDisplay
            The display, with its picture.
        """
        history = np.asarray(factorization.history, dtype=np.float64)
        return cls(history, float(factorization.objective), float(factorization.lower_bound)).plot(**options)

    @classmethod
    def from_estimator(cls, model: Any, **options: Any) -> Self:
        """Draw the history of the factorization behind a fitted model's code.

        Parameters
        ----------
        model : ECOCClassifier, or a Pipeline or search that ends in one
            A fitted model whose code comes from a factorization, such as one with ``coding="ecf"``.
        **options : dict
            Options of `plot`.

        Returns
        -------
        HistoryDisplay
            The display, with its picture.

        Raises
        ------
        ValueError
            If the model's code does not come from a factorization.
        """
        factorization = getattr(unwrap(model)[0], "factorization_", None)
        if factorization is None:
            raise ValueError("this model's code does not come from a factorization; a model with coding='ecf' has one")
        return cls.from_factorization(factorization, **options)

    def plot(self, ax: Any = None) -> Self:
        """Draw the curve, the code's objective and the lower bound.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw in. None makes a new figure.

        Returns
        -------
        self
            The display, with its picture.
        """
        self._open(ax, 5.2, 3.4)
        rounds = np.arange(len(self.history))
        style = {"color": PLUS, "marker": marker(len(rounds)), "markersize": 4}
        self.ax_.step(rounds, self.history, where="post", label="after each round", **style)
        self.ax_.axhline(self.objective, color="black", linewidth=1, label=f"code: {self.objective:.4g}")
        self.ax_.axhline(self.lower_bound, color=MINUS, linestyle="--", label=f"lower bound: {self.lower_bound:.4g}")
        positive = self.history[self.history > 0]
        if len(positive) and positive.max() > 100 * max(self.objective, positive.min(), 1e-300):
            self.ax_.set_yscale("log" if min(self.objective, self.lower_bound) > 0 else "symlog")
        self.ax_.set(xlabel="round", ylabel="‖l·D − XXᵀ‖²")
        self.ax_.legend(frameon=False, fontsize=8)
        count_ticks(self.ax_.xaxis)
        return self


def by_coverage(confidence: Matrix, right: NDArray[np.bool_], most: int = 200) -> tuple[Matrix, Matrix, Matrix]:
    """Return at most so many coverages, the accuracy of the answers at each, and the smallest confidence of an answer.

    Coverages ascend. Samples of equal confidence are answered together.
    """
    order = np.argsort(-confidence, kind="stable")
    sorted_confidence = confidence[order]
    ends = np.flatnonzero(np.append(np.diff(sorted_confidence) != 0, True)) + 1  # number of answers at each threshold
    ends = ends[ends >= min(20, len(order))]  # the accuracy of fewer answers is left to chance
    if len(ends) > most:
        ends = ends[np.unique(np.linspace(0, len(ends) - 1, most).astype(int))]
    return ends / len(order), np.cumsum(right[order])[ends - 1] / ends, sorted_confidence[ends - 1]
