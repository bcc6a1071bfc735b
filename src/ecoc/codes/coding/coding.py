"""The base class of codings, which make a code book for k classes, and the context that a coding gets."""

from abc import ABCMeta
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_X_y, column_or_1d

from ecoc.codes.codebook import CodeBook
from ecoc.utils.folds import Folds
from ecoc.utils.messages import some
from ecoc.utils.scikit import Interval


@dataclass(frozen=True)
class Context:
    """Context that a coding gets besides X and y.

    Parameters
    ----------
    random_state : int, RandomState, Generator or None, default=None
        Seed of a coding that draws.
    is_linear : bool, default=False
        Whether the binary classifiers will be linear models.
    folds : list of pairs of rows, default=None
        The user's own training and test rows, for a coding that compares held-out outputs. None: the coding chooses.
    estimator : estimator, default=None
        The binary classifier, for a coding that tries it on a few columns; of a Pipeline, the last step.
    most_refined : int, default=None
        Number of columns up to which a code is fitted to the data. None: no limit.

    Examples
    --------
    >>> from ecoc import ECF
    >>> from ecoc.codes.coding import Context
    >>> from sklearn.datasets import load_digits
    >>> ECF(n_columns=5).build(10, *load_digits(return_X_y=True), context=Context(random_state=0, most_refined=0)).shape
    (10, 5)
    """

    random_state: Any = None
    is_linear: bool = False
    folds: Folds | None = None
    estimator: Any = None
    most_refined: int | None = None


Code = NDArray[np.int8]

FREE_LENGTH = [None, Interval(Integral, 1, None, closed="left"), Interval(Real, 0, None, closed="neither")]


class Coding(BaseEstimator, metaclass=ABCMeta):  # type: ignore[misc]
    """A maker of code books.

    A coding is a set of parameters, like a scikit-learn estimator: the constructor stores them and does nothing else. A
    subclass writes `_build`, and sets `needs_data` if it looks at X and y. A subclass that also wants to know the
    binary classifier or the folds writes `_build_in` instead, which gets a :class:`~ecoc.codes.coding.Context`.
    :func:`ecoc.testing.check_coding` checks a coding of your own.

    Attributes
    ----------
    needs_data : bool
        Whether `build` needs X and y.
    tries_estimator : bool
        Whether `build` may train the binary classifier, so that the code depends on its parameters.
    allows_duplicates : bool
        Whether the coding may repeat a column on purpose.
    trains_one_model : bool
        Whether one multi-class model gives the outputs of all columns, instead of a binary classifier for each.
    usual_decoding : str or None
        Name of the decoding that ``decoding="auto"`` takes for this coding without trying others. None: held-out
        samples choose.

    See Also
    --------
    ecoc.codes.coding.get_coding : Get a coding by its name.
    ecoc.testing.check_coding : Check a coding of your own.

    Examples
    --------
    >>> from ecoc.codes.coding import Coding
    >>> class Cyclic(Coding):
    ...     def _build(self, n_classes, X, y, random_state):
    ...         classes = range(n_classes)
    ...         return [[1 if (i - j) % n_classes < 2 else -1 for j in classes] for i in classes]
    >>> Cyclic().build(5)
    CodeBook 5 × 5 (classes × columns), min distance 2, correction 0
      0  +---+
      1  ++---
      2  -++--
      3  --++-
      4  ---++
    """

    needs_data: bool = False
    allows_duplicates: bool = False
    trains_one_model: bool = False
    usual_decoding: str | None = None
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}
    _plain_if_binary: ClassVar[bool] = True

    @property
    def tries_estimator(self) -> bool:
        """Whether `build` may train the binary classifier, so that the code depends on its parameters."""
        return False

    def build(
        self,
        n_classes: int,
        X: Any = None,
        y: ArrayLike | None = None,
        random_state: Any = None,
        *,
        context: Context | None = None,
    ) -> CodeBook:
        """Make a code book.

        Parameters
        ----------
        n_classes : int
            Number of classes, at least 2. Two classes get one column, whatever the coding.
        X : {array-like, sparse matrix} of shape (n_samples, n_features), default=None
            Training data, for a coding that needs it.
        y : array-like of shape (n_samples,), default=None
            Labels of `n_classes` classes. The book's rows are in the order of ``np.unique(y)``, and carry
            these labels.
        random_state : int, RandomState, Generator or None, default=None
            Seed, for a coding that draws.
        context : Context, default=None
            Seed, kind of binary classifier and folds together; the seed in it replaces `random_state`.

        Returns
        -------
        CodeBook
            One row for each class, with the labels of `y` if there are any.

        Raises
        ------
        ValueError
            If the coding needs data and has none, or `y` has another number of classes.
        InfeasibleError
            If there is no code of the length asked for.

        Examples
        --------
        >>> from ecoc import Ordinal
        >>> Ordinal().build(4)
        CodeBook 4 × 3 (classes × columns), min distance 1, correction 0
          0  ---
          1  +--
          2  ++-
          3  +++

        Labels are those of `y`, in sorted order:

        >>> Ordinal().build(3, y=["c", "a", "b", "a"]).labels
        array(['a', 'b', 'c'], dtype='<U1')
        """
        self._validate_params()
        k = _check_n_classes(n_classes)
        if self.needs_data:
            if X is None or y is None:
                raise ValueError(
                    f"{type(self).__name__} makes its code from data; call build(n_classes, X, y), or take a coding "
                    "that needs none, e.g. OneVsAll() or DenseRandom()."
                )
            X, y = check_X_y(X, y, accept_sparse="csr")
        labels = target = None
        if y is not None:
            target = column_or_1d(y)
            labels = np.unique(target)
            if len(labels) != k:
                raise ValueError(
                    f"n_classes={k}, but y has {len(labels)} classes: {some(labels.tolist())}; "
                    f"pass n_classes={len(labels)}, or data of all {k} classes."
                )
        if k == 2 and self._plain_if_binary:
            return CodeBook([[-1], [1]], labels)
        context = Context(random_state) if context is None else context
        return CodeBook(self._build_in(k, X, target, context), labels)

    def __getstate__(self) -> dict[str, Any]:
        # As lists of pairs, mappings can have pairs of labels for keys in a file too.
        state: dict[str, Any] = super().__getstate__()
        return {name: _Items(value.items()) if isinstance(value, Mapping) else value for name, value in state.items()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__({name: dict(v) if isinstance(v, _Items) else v for name, v in state.items()})

    def _build_in(self, n_classes: int, X: Any, y: NDArray[Any] | None, context: Context) -> ArrayLike:
        """Return the matrix of the code, knowing the context; by default, what `_build` returns."""
        return self._build(n_classes, X, y, context.random_state)

    def _build(self, n_classes: int, X: Any, y: NDArray[Any] | None, random_state: Any) -> ArrayLike:
        """Return the matrix of the code: entries −1, 0 and 1, one row per class in the order of np.unique(y).

        Parameters are checked, and so are X and y if the coding needs data. There are at least three classes.
        """
        raise NotImplementedError(f"{type(self).__name__} must write _build(n_classes, X, y, random_state).")


class _Items(list[Any]):
    """The items of a mapping, as they are saved in the state of a coding."""


def _check_n_classes(n_classes: Any) -> int:
    if isinstance(n_classes, bool) or not isinstance(n_classes, Integral):
        raise TypeError(f"n_classes must be an integer; got {n_classes!r}.")
    if n_classes < 2:
        raise ValueError(f"A code book is for at least 2 classes; got n_classes={n_classes}.")
    return int(n_classes)
