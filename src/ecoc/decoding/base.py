"""What does every decoding share? The interface, the checks of outputs, and one rule for ties."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, Literal, NamedTuple, NoReturn, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from scipy.special import softmax
from sklearn.base import BaseEstimator
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ecoc.codebook import CodeBook

Array = NDArray[np.float64]
Needs = Literal["signs", "margins", "probabilities"]

_TIE = 1e-12  # relative; sums of a few thousand outputs round to about 1e-14
_BLOCK_COLUMNS = 1024  # columns of a code book held as float at once; one-vs-one has k(k-1)/2 of them


class _Kind(NamedTuple):
    """What one kind of dichotomizer outputs may hold, and how to get it from another."""

    allows: Callable[[Array], NDArray[np.bool_]]
    values: str
    remedy: str


_KINDS: dict[Needs, _Kind] = {
    "signs": _Kind(lambda f: np.abs(f) == 1, "-1 or +1", "np.where(margins > 0, 1, -1) makes signs of margins"),
    "margins": _Kind(np.isfinite, "finite", "np.clip makes infinite ones finite"),
    "probabilities": _Kind(
        lambda f: (f >= 0) & (f <= 1), "in [0, 1]", "scipy.special.expit makes probabilities of log-odds"
    ),
}


def _gives_probabilities(decoding: "Decoding") -> Literal[True]:
    if not decoding.gives_probabilities:
        raise AttributeError(
            f"{type(decoding).__name__} gives scores but no probabilities; Probabilistic and Discriminant do."
        )
    return True


class Decoding(BaseEstimator, ABC):  # type: ignore[misc]
    """Base of all decodings: turns the outputs of l dichotomizers into scores of k classes.

    A decoding of your own writes `_scores`, and `_fit` if something is to be computed from the code book
    once. One that learns from the outputs of trained dichotomizers overrides `fit_on` and writes
    `_fit_outputs` too. `ecoc.testing.check_decoding` tells whether it is sound.

    Attributes
    ----------
    needs : {"signs", "margins", "probabilities"}
        Which outputs it decodes: ±1; real numbers whose sign is the side; or probabilities of the +1 side.
    gives_probabilities : bool
        Whether scores are logarithms of class probabilities, up to a constant of the sample.
    keeps_correction : bool
        Whether it corrects any ⌊(min_distance − 1) / 2⌋ wrong signs of a code book without zeros. One that
        learns promises it after learning from faultless outputs.
    codebook_ : CodeBook
        The code book it was fitted to.
    n_nonzero_ : ndarray of shape (n_classes,)
        Number of columns that do not leave a class out.

    See Also
    --------
    ecoc.decoding.get_decoding : A decoding by its name.
    ecoc.testing.check_decoding : Check a decoding of your own.

    Examples
    --------
    Hamming decoding, but of margins and in four lines:

    >>> from ecoc.decoding import Decoding
    >>> class Agreement(Decoding):
    ...     def _scores(self, outputs):
    ...         agree = outputs[:, None, :] * self.codebook_.matrix > 0
    ...         return agree.sum(axis=2) / self.n_nonzero_
    >>> Agreement().fit([[1, 1, 1], [-1, -1, 1], [1, -1, -1]]).scores([[0.5, -0.2, 2]]).round(2)
    array([[0.67, 0.67, 0.67]])
    """

    needs: ClassVar[Needs] = "margins"
    gives_probabilities: ClassVar[bool] = False
    keeps_correction: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}

    @property
    def fit_on(self) -> Literal["training", "out_of_fold"] | None:
        """Which outputs it learns from: None if the code book is all it needs.

        Examples
        --------
        >>> from ecoc.decoding import Discriminant, Hamming, LossWeighted
        >>> Hamming().fit_on, LossWeighted().fit_on, Discriminant().fit_on
        (None, 'training', 'out_of_fold')
        """
        return None

    def fit(
        self,
        codebook: CodeBook | ArrayLike,
        outputs: ArrayLike | None = None,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Fit to a code book and, if `fit_on` says so, to dichotomizer outputs.

        Parameters
        ----------
        codebook : CodeBook or array-like of shape (n_classes, n_columns)
            The code book whose outputs are to be decoded.
        outputs : array-like of shape (n_samples, n_columns), default=None
            Outputs of the kind `needs` names. Not looked at unless `fit_on` asks for them, nor are the others.
        y : array-like of shape (n_samples,), default=None
            The samples' classes as rows of the code book, 0 to n_classes − 1. Classes may be missing.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples, all 1 by default. Only their ratios matter.

        Returns
        -------
        self
            The fitted decoding.

        Raises
        ------
        ValueError
            If it learns from outputs and was given none, or if these are not of the kind it needs.

        Examples
        --------
        >>> from ecoc.decoding import Hamming
        >>> decoding = Hamming().fit([[1, 1, 0], [-1, 0, 1], [0, -1, -1]])
        >>> decoding.n_nonzero_
        array([2, 2, 2])
        """
        self._validate_params()
        self.codebook_ = codebook if isinstance(codebook, CodeBook) else CodeBook(codebook)
        self.n_nonzero_ = np.count_nonzero(self.codebook_.matrix, axis=1)
        self._fit()
        if self.fit_on is not None:
            if outputs is None or y is None:
                raise ValueError(
                    f"{type(self).__name__} learns from {self.fit_on} outputs of the dichotomizers: "
                    "call fit(codebook, outputs, y)."
                )
            checked = self._check_outputs(outputs)
            classes = _check_classes(y, len(checked), self.codebook_.n_classes)
            self._fit_outputs(checked, classes, _check_weight(sample_weight, len(checked)))
        return self

    def scores(self, outputs: ArrayLike) -> Array:
        """Score every class for every sample; the highest wins, and of equal ones the first class.

        Parameters
        ----------
        outputs : array-like of shape (n_samples, n_columns)
            Dichotomizer outputs of the kind `needs` names.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Scores equal to the highest up to rounding are made equal to it, see `decide`.

        Examples
        --------
        One wrong sign of three is corrected:

        >>> from ecoc.decoding import Hamming
        >>> decoding = Hamming().fit([[1, 1, 1], [-1, -1, -1]])
        >>> decoding.scores([[1, 1, -1], [-1, 1, -1]]).argmax(axis=1)
        array([0, 1])
        """
        check_is_fitted(self)
        return _level(np.asarray(self._scores(self._check_outputs(outputs)), dtype=np.float64))

    @available_if(_gives_probabilities)  # type: ignore[untyped-decorator]
    def probabilities(self, outputs: ArrayLike) -> Array:
        """Give the probability of every class for every sample.

        Parameters
        ----------
        outputs : array-like of shape (n_samples, n_columns)
            Dichotomizer outputs of the kind `needs` names.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Rows sum to 1, and the first of the largest entries is the class that `scores` decides on.

        Examples
        --------
        >>> from ecoc.decoding import Probabilistic
        >>> one_vs_all = [[1, -1, -1], [-1, 1, -1], [-1, -1, 1]]
        >>> Probabilistic().fit(one_vs_all).probabilities([[0.8, 0.1, 0.1]]).round(1)
        array([[0.8, 0.1, 0.1]])

        Other decodings have scores only:

        >>> from ecoc.decoding import Hamming
        >>> hasattr(Hamming(), "probabilities")
        False
        """
        probabilities: Array = softmax(self.scores(outputs), axis=1)
        return probabilities

    def _fit(self) -> None:
        """Compute what depends on the code book alone."""

    def _fit_outputs(self, outputs: Array, y: NDArray[np.intp], weight: Array) -> None:
        """Learn from checked outputs; weights have mean 1."""
        raise NotImplementedError(f"{type(self).__name__} declares fit_on but writes no _fit_outputs")

    @abstractmethod
    def _scores(self, outputs: Array) -> Array:
        """Scores of checked outputs, a new array."""

    def _check_outputs(self, outputs: ArrayLike) -> Array:
        array = np.asarray(outputs)
        if array.dtype.kind not in "biuf":
            raise TypeError(f"outputs must be real numbers, got an array of {array.dtype}.")
        l = self.codebook_.n_columns
        if array.ndim != 2 or array.shape[1] != l:
            hint = "; one sample is outputs.reshape(1, -1)" if array.shape == (l,) else ""
            raise ValueError(
                f"outputs must have shape (n_samples, {l}), a column for each of the code book's; "
                f"got {array.shape}{hint}."
            )
        array = array.astype(np.float64, copy=False)
        kind = _KINDS[self.needs]
        if not (allowed := kind.allows(array)).all():
            i, j = np.argwhere(~allowed)[0]
            raise ValueError(
                f"{type(self).__name__} decodes {self.needs}, which are {kind.values}, but "
                f"outputs[{i}, {j}] is {array[i, j]}; {kind.remedy}."
            )
        return array


def decide(scores: ArrayLike) -> NDArray[np.intp]:
    """Decide on a class for each row of scores: the highest, and of equal ones the first.

    Scores count as equal if they differ by less than 1e-12 of the largest magnitude in their row. Two
    codewords equally far from an output would otherwise be told apart by the order in which a processor adds.

    Parameters
    ----------
    scores : array-like of shape (n_samples, n_classes)
        Finite scores, higher is better.

    Returns
    -------
    ndarray of shape (n_samples,)
        Rows of the code book.

    Examples
    --------
    >>> from ecoc.decoding import decide
    >>> decide([[0.1, 0.3, 0.1 + 0.2], [0, 1, 2]])
    array([1, 2])
    """
    chosen: NDArray[np.intp] = _level(np.array(scores, dtype=np.float64)).argmax(axis=1)
    return chosen


def sum_by_side(
    plus: NDArray[Any], minus: NDArray[Any], matrix: NDArray[np.int8], weights: Array | None = None
) -> Array:
    """Σ_j of plus_j where x_ij = +1 and minus_j where x_ij = −1, for all samples and classes i.

    The two sides are summed apart, since terms that should cancel may not: e^40 has no room for e^-40. As matrix
    products they need no array of samples × classes × columns. `weights`, if given, multiply the terms.
    """
    total = np.zeros((len(plus), len(matrix)))
    for start in range(0, matrix.shape[1], _BLOCK_COLUMNS):
        block = np.s_[:, start : start + _BLOCK_COLUMNS]
        for side, terms in ((1, plus), (-1, minus)):
            share = matrix[block] == side if weights is None else weights[block] * (matrix[block] == side)
            total += terms[block].astype(np.float64, copy=False) @ share.astype(np.float64, copy=False).T
    return total


def class_sums(values: NDArray[Any], y: NDArray[np.intp], weight: Array, k: int) -> Array:
    """Weighted sum of the rows of each class, zero for a class that has none."""
    members = csr_array((weight, (y, np.arange(len(y)))), shape=(k, len(y)))
    sums: Array = members @ values.astype(np.float64, copy=False)
    return sums


def _level(scores: Array) -> Array:
    """Raise, in place, every score within rounding of its row's best to that best."""
    best = scores.max(axis=1, keepdims=True)
    # A class ruled out by -inf says nothing about the scale of the others.
    scale = np.abs(scores).max(axis=1, keepdims=True, where=np.isfinite(scores), initial=0)
    np.copyto(scores, best, where=scores >= best - _TIE * scale)
    return scores


def _check_classes(y: ArrayLike, n: int, k: int) -> NDArray[np.intp]:
    classes = np.asarray(y)
    if n == 0:
        raise ValueError("outputs must hold at least one sample to learn from, got none.")
    if classes.shape != (n,):
        raise ValueError(f"y must have shape ({n},), a class for each row of outputs; got {classes.shape}.")
    if classes.dtype.kind not in "iu" or classes.min() < 0 or classes.max() >= k:
        _refuse_classes(classes, k)
    return classes.astype(np.intp, copy=False)


def _refuse_classes(classes: NDArray[Any], k: int) -> NoReturn:
    shown = ", ".join(map(repr, np.unique(classes)[:5].tolist()))
    raise ValueError(
        f"y must hold rows of the code book, integers from 0 to {k - 1}; got {shown}, ... as {classes.dtype}. "
        "np.unique(labels, return_inverse=True) numbers labels in sorted order."
    )


def _check_weight(sample_weight: ArrayLike | None, n: int) -> Array:
    if sample_weight is None:
        return np.ones(n)
    weight = np.asarray(sample_weight, dtype=np.float64)
    if weight.shape != (n,):
        raise ValueError(f"sample_weight must have shape ({n},), got {weight.shape}.")
    if not np.isfinite(weight).all() or weight.min() < 0 or weight.sum() == 0:
        raise ValueError("sample_weight must be finite, not negative, and positive for at least one sample.")
    scaled: Array = weight * (n / weight.sum())
    return scaled
