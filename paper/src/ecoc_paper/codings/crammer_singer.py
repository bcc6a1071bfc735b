"""Crammer and Singer's relaxed design for given binary classifiers, rounded and repeated."""

import warnings
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ecoc.codes.coding import Coding, DenseRandom, resolve_length
from ecoc.codes.refinement import proxy_outputs
from ecoc.utils.numerics import generator
from ecoc.utils.threads import one_blas_thread
from ecoc_paper._scikit import FREE_LENGTH, Interval
from ecoc_paper.codings.separation import Code, separated

Matrix = NDArray[np.float64]


class CrammerSinger(Coding):
    """A code learned by a multi-class support vector machine on the outputs of its own columns.

    Crammer and Singer allow real entries: for given binary classifiers, the code with the largest multi-class margin is
    a quadratic programme. A code book has entries ±1, and other columns need other classifiers. So the relaxed code is
    rounded to its signs, a cheap regression predicts the outputs of the new columns, and the two steps are repeated.
    The code with the fewest errors on held-out samples is kept.

    Length: as many columns as classes, unless another number is given.

    Parameters
    ----------
    n_columns : int or float, default=None
        Number of columns, or a float, the number divided by that of the classes. None: as many as classes.
    C : float, default=1.0
        Weight of the margin violations against the size of the relaxed code.
    max_iter : int, default=5
        Most rounds.

    Attributes
    ----------
    relaxed_ : ndarray of shape (n_classes, n_columns)
        The relaxed code that was rounded.
    errors_ : list of float
        Share of the held-out samples whose class is not the nearest codeword, for the first code and after each round.

    See Also
    --------
    ecoc.decoding.Discriminant : Learns from the outputs and leaves the code as it is.
    ecoc.DenseRandom : The kind of code that it begins with.

    References
    ----------
    K. Crammer and Y. Singer, "On the learnability and design of output codes for multiclass problems", Machine Learning
    47, 2002.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from ecoc_paper import CrammerSinger
    >>> X, y = load_digits(return_X_y=True)
    >>> coding = CrammerSinger(n_columns=8)
    >>> book = coding.build(10, X[:300], y[:300], random_state=0)
    >>> book.n_columns, min(coding.errors_) < coding.errors_[0]
    (8, True)
    """

    needs_data = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_columns": FREE_LENGTH,
        "C": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(self, n_columns: int | float | None = None, C: float = 1.0, max_iter: int = 5) -> None:
        self.n_columns = n_columns
        self.C = C
        self.max_iter = max_iter

    def _build(self, n_classes: int, X: Any, y: Any, random_state: Any) -> Code:
        rng = generator(random_state)
        length = resolve_length(self.n_columns, n_classes, n_classes)
        held_out = proxy_outputs(X, np.unique(y, return_inverse=True)[1], rng)
        outputs, classes = held_out.under(np.eye(n_classes)), held_out.y
        code = DenseRandom(length, n_draws=1).build(n_classes, random_state=rng).matrix
        best, self.relaxed_ = code, code.astype(np.float64)
        self.errors_ = [_error(outputs, classes, code)]
        for _ in range(self.max_iter):
            relaxed = self._relaxed(outputs @ code, classes, n_classes)
            new = separated(np.where(relaxed > 0, 1, -1).astype(np.int8), length, relaxed[:, 0], rng)
            if np.array_equal(new, code):
                break
            code = new
            self.errors_.append(_error(outputs, classes, code))
            if self.errors_[-1] < min(self.errors_[:-1]):
                best, self.relaxed_ = code, relaxed
        return best

    def _relaxed(self, outputs: Matrix, y: NDArray[np.intp], n_classes: int) -> Matrix:
        """Return the real code of the largest multi-class margin for these outputs."""
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.svm import LinearSVC

        machine = LinearSVC(multi_class="crammer_singer", C=self.C, fit_intercept=False, max_iter=200, random_state=0)
        with warnings.catch_warnings(), one_blas_thread():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the code is rounded: a rough solution is enough
            machine.fit(outputs, y)
        relaxed = np.zeros((n_classes, outputs.shape[1]))
        relaxed[machine.classes_] = machine.coef_  # a class that was not sampled has no codeword yet
        return relaxed


def _error(outputs: Matrix, y: NDArray[np.intp], code: Code) -> float:
    """Return the share of samples for which another codeword agrees better with the outputs than their own."""
    scores = np.clip(outputs @ code, -1, 1) @ code.T
    return float(np.mean(scores.argmax(axis=1) != y))
