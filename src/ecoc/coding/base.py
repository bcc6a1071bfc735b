"""What is a coding? Something that makes a code book for k classes, from their data if it needs them."""

from abc import ABCMeta
from collections.abc import Callable, Hashable, Iterable, Mapping
from math import ceil
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_X_y, column_or_1d

from ecoc.codebook import CodeBook
from ecoc.coding.context import Context
from ecoc.design import class_distances
from ecoc.exceptions import InfeasibleError
from ecoc.utils.folds import Folds
from ecoc.utils.scikit import Interval

Code = NDArray[np.int8]
Metric = str | Callable[[Any, NDArray[Any]], ArrayLike]

FREE_LENGTH = [None, Interval(Integral, 1, None, closed="left"), Interval(Real, 0, None, closed="neither")]

_SOME = 5  # labels an error names
_MOST_DENSE = 2**25  # entries of a sparse X that are worth a dense copy: 256 MB
_SVD_DIMENSIONS = 100


class Coding(BaseEstimator, metaclass=ABCMeta):  # type: ignore[misc]
    """A maker of code books.

    A coding is a set of parameters, like a scikit-learn estimator: the constructor stores them and does nothing else. A
    subclass writes `_build`, and sets `needs_data` if it looks at X and y. A subclass that also wants to know the
    binary classifier or the folds writes `_build_in` instead, which gets a :class:`~ecoc.coding.Context`.
    :func:`ecoc.testing.check_coding` checks a coding of your own.

    Attributes
    ----------
    needs_data : bool
        Whether `build` needs X and y.
    allows_duplicates : bool
        Whether the coding may repeat a column on purpose.

    See Also
    --------
    ecoc.coding.get_coding : A coding by its name.
    ecoc.testing.check_coding : Check a coding of your own.

    Examples
    --------
    >>> from ecoc.coding import Coding
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
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}
    _plain_if_binary: ClassVar[bool] = True

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
            A row a class, with the labels of `y` if there are any.

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
                    f"n_classes={k}, but y has {len(labels)} classes: {_some(labels.tolist())}; "
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
    """The items of a mapping, as the state of a coding has them."""


def resolve_length(n_columns: int | float | None, n_classes: int, default: int, most: int | None = None) -> int:
    """Number of columns from a parameter: a number, a share of n_classes (float), or None for the default.

    A number is a demand, and impossible ones are errors; a share or a default is a rule, cut to what is
    possible: at least ⌈log2 k⌉ columns, and at most all dichotomies, 2^(k−1) − 1 unless `most` says otherwise.
    """
    least, most = (n_classes - 1).bit_length(), 2 ** (n_classes - 1) - 1 if most is None else most
    if not isinstance(n_columns, Integral):
        wanted = default if n_columns is None else ceil(n_columns * n_classes)
        return min(max(wanted, least), most)
    length = int(n_columns)
    if length < least:
        raise InfeasibleError(
            f"n_columns={length} cannot tell {n_classes} classes apart; take {least} or more.",
            bound="log2",
            nearest_length=least,
        )
    if length > most:
        raise InfeasibleError(
            f"n_columns={length} is too many: {n_classes} classes have only {most} different columns of this kind.",
            bound="Columns",
            nearest_length=most,
        )
    return length


def data_distances(X: Any, y: NDArray[Any] | None, metric: Metric, folds: Folds | None = None) -> NDArray[np.float64]:
    """Return :func:`ecoc.class_distances`; "mahalanobis" also takes a sparse X, and "confusion" the user's folds."""
    name = metric if isinstance(metric, str) else ""
    options = {"cv": folds} if name == "confusion" and folds is not None else {}
    return class_distances(dense_features(X) if name == "mahalanobis" else X, y, metric, **options)  # type: ignore[arg-type]


def dense_features(X: Any) -> Any:
    """X as it is, but a sparse one, which centring would fill, dense: a large one by leading singular directions."""
    from scipy.sparse import issparse

    if not issparse(X):
        return X
    if X.shape[0] * X.shape[1] <= _MOST_DENSE:
        return X.toarray()
    from sklearn.decomposition import TruncatedSVD

    return TruncatedSVD(min(_SVD_DIMENSIONS, *X.shape), random_state=0).fit_transform(X)


def row_order(names: Iterable[Hashable], labels: NDArray[Any], what: str) -> list[int]:
    """For each label, the row that has its name; an error if the names are not those of the classes."""
    rows = {name: i for i, name in enumerate(names)}
    wanted = labels.tolist()
    if set(rows) != set(wanted):
        missing, foreign = [x for x in wanted if x not in rows], [x for x in rows if x not in set(wanted)]
        raise ValueError(
            f"{what} must name the classes of y; it lacks {_some(missing) or 'none'} and has {_some(foreign) or 'none'}"
            f" besides. The classes are {_some(wanted)}; without labels the rows are taken in this order."
        )
    return [rows[label] for label in wanted]


def _check_n_classes(n_classes: Any) -> int:
    if isinstance(n_classes, bool) or not isinstance(n_classes, Integral):
        raise TypeError(f"n_classes must be an integer; got {n_classes!r}.")
    if n_classes < 2:
        raise ValueError(f"A code book is for at least 2 classes; got n_classes={n_classes}.")
    return int(n_classes)


def _some(items: list[Any]) -> str:
    return ", ".join(map(repr, items[:_SOME])) + (", …" if len(items) > _SOME else "")
