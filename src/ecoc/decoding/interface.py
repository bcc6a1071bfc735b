"""The interface of decodings: the base class, checks of its inputs, and the rule for ties."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from scipy.special import log_softmax, softmax
from sklearn.base import BaseEstimator
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ecoc.codes.codebook import CodeBook
from ecoc.decoding.limits import LIMITS, Limits
from ecoc.utils.codewords import Words
from ecoc.utils.folds import Folds

Array = NDArray[np.float64]
Needs = Literal["signs", "margins", "probabilities"]

TIE = 1e-12  # relative difference below which scores are equal; sums of a few thousand outputs are exact to 1e-14


class _Kind(NamedTuple):
    """One kind of outputs: which values are allowed, and how to compute them from another kind."""

    allows: Callable[[Array], NDArray[np.bool_]]
    values: str
    remedy: str


_KINDS: dict[Needs, _Kind] = {
    "signs": _Kind(lambda f: np.abs(f) == 1, "-1 or +1", "np.where(margins > 0, 1, -1) turns margins into signs"),
    "margins": _Kind(np.isfinite, "finite", "np.clip makes infinite margins finite"),
    "probabilities": _Kind(
        lambda f: (f >= 0) & (f <= 1), "in [0, 1]", "scipy.special.expit turns log-odds into probabilities"
    ),
}


def _gives_probabilities(decoding: "Decoding") -> Literal[True]:
    if not decoding.gives_probabilities:
        raise AttributeError(
            f"{type(decoding).__name__} gives scores but no probabilities; Probabilistic and Discriminant do."
        )
    return True


class Decoding(BaseEstimator, ABC):  # type: ignore[misc]
    """Base class of all decodings, which turn the outputs of l binary classifiers into scores of k classes.

    To write a decoding, implement `_scores`. To compute something once from the code book, also implement `_fit`. A
    decoding that learns from the outputs of trained binary classifiers also overrides `fit_on` and implements
    `_fit_outputs`. `ecoc.testing.check_decoding` checks the result.

    Attributes
    ----------
    needs : {"signs", "margins", "probabilities"}
        The outputs that are decoded: ±1; real numbers whose sign is the side; or probabilities of the +1 side.
    gives_probabilities : bool
        Whether scores are logarithms of class probabilities, up to a constant for each sample.
    keeps_correction : bool
        Whether any ⌊(min_distance − 1) / 2⌋ wrong signs are corrected, for code books without zeros. For a decoding
        that learns, this holds if it has learned from outputs without errors.
    normalizes : bool
        Whether `scores` turns what `_scores` returns into logarithms of probabilities; choosing a class does without.
    limits : Limits
        Bounds on memory and time.
    codebook_ : CodeBook
        The code book.
    n_nonzero_ : ndarray of shape (n_classes,)
        Number of columns in which the codeword of each class is not 0.

    See Also
    --------
    ecoc.decoding.get_decoding : Get a decoding by its name.
    ecoc.testing.check_decoding : Check a decoding of your own.

    Examples
    --------
    Hamming decoding of margins:

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
    normalizes: ClassVar[bool] = False
    limits: ClassVar[Limits] = LIMITS
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}

    @property
    def fit_on(self) -> Literal["training", "out_of_fold"] | None:
        """The outputs to learn from: those of the training samples, out-of-fold outputs, or None."""
        return None

    def fit(
        self,
        codebook: CodeBook | ArrayLike,
        outputs: ArrayLike | None = None,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Fit to a code book and, if `fit_on` is not None, to outputs of the binary classifiers.

        Parameters
        ----------
        codebook : CodeBook or array-like of shape (n_classes, n_columns)
            The code book.
        outputs : array-like of shape (n_samples, n_columns), default=None
            Outputs of the kind named by `needs`. They, `y` and `sample_weight` are ignored if `fit_on` is None.
        y : array-like of shape (n_samples,), default=None
            Class of each sample, as a row of the code book from 0 to n_classes − 1. Not every class needs to occur.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples. None gives all samples the weight 1. Only the ratios of the weights matter.

        Returns
        -------
        self
            The fitted decoding.

        Raises
        ------
        ValueError
            If outputs are needed and missing, or if they are not of the kind named by `needs`.
        """
        self._validate_params()
        self.codebook_ = codebook if isinstance(codebook, CodeBook) else CodeBook(codebook)
        self.n_nonzero_: NDArray[np.intp] = np.count_nonzero(self.codebook_.matrix, axis=1)
        self._fit()
        if self.fit_on is not None:
            if outputs is None or y is None:
                raise ValueError(
                    f"{type(self).__name__} learns from {self.fit_on} outputs of the binary classifiers: "
                    "call fit(codebook, outputs, y)."
                )
            checked = self.check_outputs(outputs)
            classes = _check_classes(y, len(checked), self.codebook_.n_classes)
            self._fit_outputs(checked, classes, _check_weight(sample_weight, len(checked)))
        return self

    def scores(self, outputs: ArrayLike) -> Array:
        """Compute the score of every class for every sample.

        The class with the highest score wins. If several classes have it, the first of them wins.

        Parameters
        ----------
        outputs : array-like of shape (n_samples, n_columns)
            Outputs of the kind named by `needs`.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            The scores. Scores that differ from the highest by rounding only are set to it, see `decide`.

        Examples
        --------
        One wrong sign of three is corrected:

        >>> from ecoc.decoding import Hamming
        >>> decoding = Hamming().fit([[1, 1, 1], [-1, -1, -1]])
        >>> decoding.scores([[1, 1, -1], [-1, 1, -1]]).argmax(axis=1)
        array([0, 1])
        """
        check_is_fitted(self)
        scores = np.asarray(self._scores(self.check_outputs(outputs)), dtype=np.float64)
        return _equalize_ties(log_softmax(scores, axis=1) if self.normalizes else scores)

    def ranking(self, outputs: Array) -> Array:
        """Return numbers for every class whose order is that of the scores, in less time where these are normalized.

        Parameters
        ----------
        outputs : ndarray of shape (n_samples, n_columns)
            Checked outputs.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Numbers that differ from the highest by rounding only are set to it.
        """
        return _equalize_ties(np.asarray(self._scores(outputs), dtype=np.float64))

    @available_if(_gives_probabilities)  # type: ignore[untyped-decorator]
    def probabilities(self, outputs: ArrayLike) -> Array:
        """Compute the probability of every class for every sample.

        Only decodings whose `gives_probabilities` is True have this method.

        Parameters
        ----------
        outputs : array-like of shape (n_samples, n_columns)
            Outputs of the kind named by `needs`.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Rows sum to 1. The class with the highest score has the largest entry.
        """
        return np.asarray(softmax(self.scores(outputs), axis=1))

    def cross_fit(
        self, codebook: CodeBook, outputs: Array, y: NDArray[np.intp], weight: Array | None, folds: Folds
    ) -> "CrossFitted":
        """Score the samples of each test fold by a decoding that learned from the other folds.

        A decoding that chooses parameters by held-out samples implements `_cross_fit` and returns the decoding with the
        chosen parameters. The others return themselves.

        Parameters
        ----------
        codebook : CodeBook
            The code.
        outputs : ndarray of shape (n_samples, n_columns)
            Outputs of the kind named by `needs`.
        y : ndarray of shape (n_samples,)
            Rows of the code book.
        weight : ndarray of shape (n_samples,) or None
            Weights of the samples.
        folds : list of pairs of rows
            Training and test rows.

        Returns
        -------
        CrossFitted
            The decoding, to be fitted to all samples, and the scores.
        """
        return self._cross_fit(codebook, outputs, y, np.ones(len(y)) if weight is None else weight, folds)

    def linear_form(self) -> tuple[Array, Array] | None:
        """Return weights and intercepts if scores are linear in the outputs, which makes many classes fast.

        Decodings with such scores implement `_linear_form`.

        Returns
        -------
        (ndarray of shape (n_classes, n_columns), ndarray of shape (n_classes,)) or None
            ``outputs @ weights.T + intercepts`` has the order of the scores.
        """
        return self._linear_form()

    def packed(self) -> Words | None:
        """Return packed codewords if the scores are in the order of Hamming distances, which makes many classes fast.

        Returns
        -------
        uint64 ndarray of shape (n_words, n_classes) or None
            64 columns in each word; a set bit is +1.
        """
        return None

    def _fit(self) -> None:
        """Compute what depends only on the code book."""

    def _fit_outputs(self, outputs: Array, y: NDArray[np.intp], weight: Array) -> None:
        """Learn from checked outputs; the weights have mean 1."""
        raise NotImplementedError(f"{type(self).__name__} declares fit_on but does not implement _fit_outputs")

    def _cross_fit(
        self, codebook: CodeBook, outputs: Array, y: NDArray[np.intp], weight: Array, folds: Folds
    ) -> "CrossFitted":
        if self.fit_on is None:
            return CrossFitted(self, self.fit(codebook).scores(outputs))
        scores = np.empty((len(outputs), codebook.n_classes))
        for train, test in folds:
            self.fit(codebook, outputs[train], y[train], weight[train])
            scores[test] = self.scores(outputs[test])
        return CrossFitted(self, scores)

    def _linear_form(self) -> tuple[Array, Array] | None:
        return None

    @abstractmethod
    def _scores(self, outputs: Array) -> Array:
        """Return the scores of checked outputs, as a new array."""

    def check_outputs(self, outputs: ArrayLike) -> Array:
        """Check the shape and the kind of outputs.

        Parameters
        ----------
        outputs : array-like of shape (n_samples, n_columns)
            Outputs of the kind named by `needs`.

        Returns
        -------
        ndarray of shape (n_samples, n_columns)
            The outputs as floating-point numbers.
        """
        array = np.asarray(outputs)
        if array.dtype.kind not in "biuf":
            raise TypeError(f"outputs must be real numbers, got an array of {array.dtype}.")
        l = self.codebook_.n_columns
        if array.ndim != 2 or array.shape[1] != l:
            hint = "; one sample is outputs.reshape(1, -1)" if array.shape == (l,) else ""
            raise ValueError(
                f"outputs must have shape (n_samples, {l}), one column for each column of the code book; "
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


class CrossFitted(NamedTuple):
    """A decoding whose parameters are settled, and the scores of held-out samples."""

    decoding: Decoding
    scores: Array


def decide(scores: ArrayLike) -> NDArray[np.intp]:
    """Return the class with the highest score for each row, and the first of them if several have it.

    Scores are equal if they differ by less than 1e-12 of the largest magnitude in their row. Without this rule,
    rounding would decide between two codewords at the same distance from the outputs.

    Parameters
    ----------
    scores : array-like of shape (n_samples, n_classes)
        Scores; a higher score is better.

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
    return np.asarray(_equalize_ties(np.array(scores, dtype=np.float64)).argmax(axis=1))


def sum_by_side(
    plus: NDArray[Any], minus: NDArray[Any], matrix: NDArray[np.int8], weights: Array | None = None
) -> Array:
    """Return, for all samples and classes i, the sum over j of plus_j where x_ij = +1 and minus_j where x_ij = −1.

    The two sides are two matrix products, so that there is no array of samples × classes × columns. They are not
    computed as (plus + minus) and (plus − minus), since a small term would be lost beside a large one: e^40 ± e^-40.
    `weights`, if given, multiply the terms. Of a code that leaves out most classes, only the other entries are read.
    """
    is_sparse = matrix.size >= LIMITS.large_code and np.count_nonzero(matrix) <= LIMITS.sparse_share * matrix.size
    if weights is None and is_sparse:
        on_plus, on_minus = (csr_array((matrix == side).astype(np.float64)) for side in (1, -1))
        return np.ascontiguousarray((on_plus @ plus.T + on_minus @ minus.T).T)
    total = np.zeros((len(plus), len(matrix)))
    for start in range(0, matrix.shape[1], LIMITS.block_columns):
        block = np.s_[:, start : start + LIMITS.block_columns]
        for side, terms in ((1, plus), (-1, minus)):
            share = matrix[block] == side if weights is None else weights[block] * (matrix[block] == side)
            total += terms[block].astype(np.float64, copy=False) @ share.astype(np.float64, copy=False).T
    return total


def class_sums(values: NDArray[Any], y: NDArray[np.intp], weight: Array, k: int) -> Array:
    """Return the weighted sum of the rows of each class, zero for a class without rows."""
    members = csr_array((weight, (y, np.arange(len(y)))), shape=(k, len(y)))
    return np.asarray(members @ values.astype(np.float64, copy=False))


def _equalize_ties(scores: Array) -> Array:
    """Set every score that differs from the best of its row by rounding only to that best, in place."""
    best, least = scores.max(axis=1, keepdims=True), scores.min(axis=1, keepdims=True)
    scale = np.maximum(np.abs(best), np.abs(least))
    if not np.isfinite(scale).all():  # a class excluded by a score of -inf says nothing about the scale of the others
        scale = np.abs(scores).max(axis=1, keepdims=True, where=np.isfinite(scores), initial=0)
    np.copyto(scores, best, where=scores >= best - TIE * scale)
    return scores


def _check_classes(y: ArrayLike, n: int, k: int) -> NDArray[np.intp]:
    classes = np.asarray(y)
    if n == 0:
        raise ValueError("outputs must have at least one sample to learn from, got none.")
    if classes.shape != (n,):
        raise ValueError(f"y must have shape ({n},), one class for each row of outputs; got {classes.shape}.")
    if classes.dtype.kind not in "iu" or classes.min() < 0 or classes.max() >= k:
        shown = ", ".join(map(repr, np.unique(classes)[:5].tolist()))
        raise ValueError(
            f"y must hold rows of the code book, integers from 0 to {k - 1}; got {shown}, ... as {classes.dtype}. "
            "np.unique(labels, return_inverse=True) numbers labels in sorted order."
        )
    return classes.astype(np.intp, copy=False)


def _check_weight(sample_weight: ArrayLike | None, n: int) -> Array:
    if sample_weight is None:
        return np.ones(n)
    weight = np.asarray(sample_weight, dtype=np.float64)
    if weight.shape != (n,):
        raise ValueError(f"sample_weight must have shape ({n},), got {weight.shape}.")
    if not np.isfinite(weight).all() or weight.min() < 0 or weight.sum() == 0:
        raise ValueError("sample_weight must be finite, not negative, and positive for at least one sample.")
    return np.asarray(weight * (n / weight.sum()))
