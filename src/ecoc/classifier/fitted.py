"""The fitted model: a code book, trained binary classifiers and a decision."""

from numbers import Integral, Real
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from ecoc.classifier.decision import Decision
from ecoc.codes.codebook import CodeBook
from ecoc.decoding.evidence import Classes
from ecoc.training import Dichotomizers
from ecoc.training.base import Kind
from ecoc.utils.codewords import shortest_prefix
from ecoc.utils.interrupts import interruptible

Array = NDArray[np.float64]


class FittedModel:
    """Code book, binary classifiers and decision of a fitted :class:`~ecoc.ECOCClassifier`.

    Its methods take X as the binary classifiers do, that is as :meth:`ecoc.ECOCClassifier.validate` returns it.

    Parameters
    ----------
    codebook : CodeBook
        The code, with class labels.
    dichotomizers : Dichotomizers
        The trained binary classifiers, one for each column.
    decision : Decision
        The fitted decoding and its temperature.

    Examples
    --------
    >>> from ecoc import ECOCClassifier
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.svm import SVC
    >>> X, y = load_iris(return_X_y=True)
    >>> fitted = ECOCClassifier(SVC(), coding="ova").fit(X, y).fitted_
    >>> fitted.codebook.shape, fitted.outputs(X[:2], "signs").shape
    ((3, 3), (2, 3))
    """

    def __init__(self, codebook: CodeBook, dichotomizers: Dichotomizers, decision: Decision) -> None:
        self.codebook = codebook
        self.dichotomizers = dichotomizers
        self.decision = decision

    @interruptible()
    def outputs(self, X: Any, kind: Kind = "margins") -> Array:
        """Return an output for each sample and column.

        Parameters
        ----------
        X : object
            Validated samples.
        kind : {"margins", "signs", "probabilities"}, default="margins"
            Which outputs.

        Returns
        -------
        ndarray of shape (n_samples, n_columns)
            The outputs.
        """
        if kind not in get_args(Kind):
            raise ValueError(f"kind must be {', '.join(map(repr, get_args(Kind)))}; got {kind!r}.")
        return self.dichotomizers.outputs(X, kind)

    def outputs_to_decode(self, X: Any) -> Array:
        """Return outputs of the kind that the decoding needs.

        Parameters
        ----------
        X : object
            Validated samples.

        Returns
        -------
        ndarray of shape (n_samples, n_columns)
            The outputs.
        """
        return self.outputs(X, self.decision.decoding.needs)

    @interruptible()
    def scores(self, X: Any) -> Array:
        """Return a score for each sample and class.

        Parameters
        ----------
        X : object
            Validated samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            The scores; the highest wins.
        """
        return self.decision.scores(self.outputs_to_decode(X))

    @interruptible()
    def probabilities(self, X: Any) -> Array:
        """Return a probability for each sample and class.

        Parameters
        ----------
        X : object
            Validated samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Rows sum to one.
        """
        return self.decision.probabilities(self.outputs_to_decode(X))

    @interruptible()
    def choose(self, X: Any) -> Classes:
        """Return the class of each sample, as a row of the code book.

        Parameters
        ----------
        X : object
            Validated samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Rows of the code book.
        """
        return self.decision.choose(self.outputs_to_decode(X))

    @interruptible()
    def top(self, X: Any, n_best: int, probabilities: bool) -> tuple[Classes, Array]:
        """Return the best classes of each sample, with their scores or probabilities.

        Parameters
        ----------
        X : object
            Validated samples.
        n_best : int
            Number of classes for each sample; an error says so if it is not possible.
        probabilities : bool
            Whether to return probabilities instead of scores.

        Returns
        -------
        classes, values : ndarray of shape (n_samples, n_best)
            Rows of the code book, the best first, and their scores or probabilities.
        """
        k = self.codebook.n_classes
        if isinstance(n_best, bool) or not isinstance(n_best, Integral) or not 1 <= n_best <= k:
            raise ValueError(f"n_best must be an integer from 1 to {k}, the number of classes; got {n_best!r}.")
        return self.decision.top(self.outputs_to_decode(X), int(n_best), probabilities)

    def set_members(self, X: Any, confidence: float, classes: Any = ()) -> NDArray[np.bool_]:
        """Tell which classes belong to the set of each sample.

        Parameters
        ----------
        X : object
            Validated samples.
        confidence : float
            Promised share of sets that hold the true class.
        classes : sequence of int, default=()
            Rows of the code book that have this promise for themselves.

        Returns
        -------
        bool ndarray of shape (n_samples, n_classes)
            Members of the sets.
        """
        if isinstance(confidence, bool) or not isinstance(confidence, Real) or not 0 < confidence < 1:
            raise ValueError(f"confidence must be a number between 0 and 1; got {confidence!r}.")
        thresholds = self.decision.set_predictor().thresholds(float(confidence), classes)
        return np.asarray(1.0 - self.probabilities(X) <= thresholds)

    def disagreements(self, X: Any) -> NDArray[np.int64]:
        """Count the columns whose output disagrees with the codeword of the chosen class.

        Parameters
        ----------
        X : object
            Validated samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Numbers of columns; a column that leaves the class out does not count.
        """
        codewords = self.codebook.matrix[self.choose(X)]
        return np.asarray((self.outputs(X, "signs") * codewords < 0).sum(axis=1))

    def first(self, n_columns: int) -> "FittedModel":
        """Return the model of the first columns; its decision is fitted to the outputs of these columns.

        Parameters
        ----------
        n_columns : int
            Number of columns that stay.

        Returns
        -------
        FittedModel
            A new model that shares the trained binary classifiers.

        Raises
        ------
        ValueError
            If the first columns do not tell all classes apart, or there are fewer columns.
        """
        if isinstance(n_columns, bool) or not isinstance(n_columns, Integral) or n_columns < 1:
            raise ValueError(f"n_columns must be a positive integer; got {n_columns!r}.")
        n_columns, matrix = int(n_columns), self.codebook.matrix
        least = shortest_prefix(matrix)
        if least is None or not least <= n_columns <= matrix.shape[1]:
            raise ValueError(
                f"n_columns={n_columns} is not possible: of this code's {matrix.shape[1]} columns, the first {least} "
                "are needed to tell the classes apart."
            )
        codebook = CodeBook(matrix[:, :n_columns], self.codebook.labels)
        return FittedModel(codebook, self.dichotomizers.first(n_columns), self.decision.first(codebook))
