"""The code book: a validated matrix with a codeword for each class, and the distances between codewords."""

import os
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NoReturn, Self

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from ecoc.codes.codebook.drawing import as_html, as_text
from ecoc.codes.codebook.serialization import format_of
from ecoc.utils.codewords import leading_signs
from ecoc.utils.exceptions import CodeBookError
from ecoc.utils.files import replace_file
from ecoc.utils.messages import SOME, nearest, some

_BLOCK_ENTRIES = 2**22  # pairs of codewords compared at once: 16 MB of float32


class CodeBook:
    """A validated, immutable code book. Row i is the codeword of class i, column j defines a binary problem.

    Entry (i, j) is the side of class i in column j: +1, -1, or 0 if the column leaves the class out. Any two codewords
    must differ in a column where neither is 0, and every column must have classes on both sides. Columns that are equal
    up to sign are allowed, because they may be repeated on purpose; `duplicate_columns` finds them.

    Parameters
    ----------
    matrix : array-like of shape (n_classes, n_columns)
        Entries -1, 0 and +1 of any numeric type. A sparse matrix, a DataFrame or another code book works, too.
    labels : iterable of n_classes distinct hashables, optional
        Names of the classes. By default, the labels of another code book or the index of a DataFrame, unless that is a
        RangeIndex. A code book without labels numbers its classes from 0.

    Attributes
    ----------
    matrix : int8 ndarray of shape (n_classes, n_columns)
        The code, read-only.
    n_classes, n_columns : int
        Number of classes k, and number of columns l.
    shape : tuple of int
        Both numbers.

    Raises
    ------
    CodeBookError
        If the matrix is not a valid code book. The message names the wrong rows or columns.

    See Also
    --------
    ecoc.factorize : Turn a design matrix into a code.
    ecoc.codes.coding : Codings, which make code books.
    ecoc.inspection.CodeBookDisplay : Plot a code book.

    Examples
    --------
    >>> from ecoc import CodeBook
    >>> book = CodeBook([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]], labels=["cat", "dog", "cow", "hen"])
    >>> book
    CodeBook 4 × 3 (classes × columns), min distance 2, correction 0
      cat  +++
      dog  +--
      cow  -+-
      hen  --+

    A code book can be used as an array and as the coding of a classifier:

    >>> import numpy as np
    >>> np.asarray(book)[0]
    array([1, 1, 1], dtype=int8)
    >>> from ecoc import ECOCClassifier
    >>> from sklearn.svm import SVC
    >>> model = ECOCClassifier(SVC(), coding=book)
    """

    matrix: NDArray[np.int8]
    n_classes: int
    n_columns: int
    shape: tuple[int, int]
    _labels: NDArray[Any] | None

    def __init__(self, matrix: ArrayLike, labels: Iterable[Hashable] | None = None) -> None:
        if isinstance(matrix, CodeBook):  # validated when it was made
            self.__dict__.update((matrix if labels is None else matrix.with_labels(labels)).__dict__)
            return
        if labels is None:
            labels = _index_of(matrix)
        array = as_array(matrix)
        # The labels come first, so that the errors below can name classes.
        self.__dict__["_labels"] = None if labels is None else frozen(as_labels(labels, len(array)))
        check_entries(array, self._name)
        matrix = frozen(array.astype(np.int8, copy=False))
        k, l = matrix.shape
        # Plain attributes, since every package reads them; `__setattr__` keeps them as they are.
        self.__dict__.update(matrix=matrix, n_classes=k, n_columns=l, shape=(k, l))
        self._check_columns()
        self._check_codewords()

    @property
    def labels(self) -> NDArray[Any]:
        """Names of the classes in the order of the rows, read-only; 0 to n_classes - 1 if none were given."""
        return frozen(np.arange(self.n_classes)) if self._labels is None else self._labels

    @property
    def is_labelled(self) -> bool:
        """Whether the classes were given names."""
        return self._labels is not None

    @cached_property
    def is_ternary(self) -> bool:
        """Whether some column leaves a class out."""
        return not self.matrix.all()

    def codeword(self, label: Hashable) -> NDArray[np.int8]:
        """Return the codeword of a class, read-only.

        Parameters
        ----------
        label : hashable
            Name of the class, or its row number if the code book has no labels.

        Returns
        -------
        int8 ndarray of shape (n_columns,)
            The row of the class.

        Raises
        ------
        KeyError
            If there is no such class; the message suggests similar names.
        """
        if label not in self._row_of:
            near = nearest(label, self._row_of, n=3) or list(self._row_of)
            raise KeyError(f"no class {label!r}; did you mean {some(near)}?")
        codeword: NDArray[np.int8] = self.matrix[self._row_of[label]]
        return codeword

    def with_labels(self, labels: Iterable[Hashable] | None) -> Self:
        """Return a code book with the same matrix and other labels.

        Parameters
        ----------
        labels : iterable of n_classes distinct hashables, or None
            Names of the classes, in the order of the rows; None for a code book without labels.

        Returns
        -------
        CodeBook
            A new code book.
        """
        book = object.__new__(type(self))
        known = {name: value for name, value in self.__dict__.items() if name != "_row_of"}
        checked = None if labels is None else frozen(as_labels(labels, self.n_classes))
        book.__dict__.update(known, _labels=checked)
        return book

    def distances(self, normalize: bool = False) -> NDArray[Any]:
        """Return the Hamming distances of all pairs of codewords.

        Parameters
        ----------
        normalize : bool, default=False
            Whether to divide by the number of columns in which both codewords are non-zero.

        Returns
        -------
        ndarray of shape (n_classes, n_classes)
            Number (int32) or share (float64) of columns in which one codeword is +1 and the other -1. A column in
            which a codeword is 0 does not count.

        Examples
        --------
        >>> from ecoc import CodeBook
        >>> CodeBook([[1, 1, 0], [-1, 0, 1], [0, -1, -1]]).distances()
        array([[0, 1, 1],
               [1, 0, 1],
               [1, 1, 0]], dtype=int32)
        """
        out = np.empty((self.n_classes,) * 2, dtype=np.float64 if normalize else np.int32)
        step = max(1, _BLOCK_ENTRIES // self.n_classes)
        for start in range(0, self.n_classes, step):
            rows = slice(start, start + step)
            differ, both = count_differences(self.matrix[rows], self.matrix, self.is_ternary)
            out[rows] = np.divide(differ, both, dtype=np.float64) if normalize else differ
        return out

    @cached_property
    def min_distance(self) -> int:
        """Smallest Hamming distance of two codewords."""
        return int(min(differ.min() for _, differ in pair_distances(self.matrix)))

    @property
    def correction(self) -> int:
        """Number of wrong binary predictions that decoding can always correct, ⌊(min_distance - 1) / 2⌋.

        See Also
        --------
        pairwise_correction : The same for each pair of classes.
        """
        return (self.min_distance - 1) // 2

    def pairwise_correction(self, method: Literal["paper", "direct"] = "paper") -> NDArray[np.int32]:
        """Return the number of wrong binary predictions that can be corrected for each pair of classes.

        Parameters
        ----------
        method : {"paper", "direct"}, default="paper"
            "direct" is ⌊(h_ij - 1) / 2⌋, where h_ij is the Hamming distance: with so many errors, class i is not
            predicted as class j. "paper" is ⌊(m - 1) / 2⌋, where m is the smallest distance of class i or class j to
            any other class: with so many errors, neither class is predicted as another one.

        Returns
        -------
        ndarray of shape (n_classes, n_classes)
            Number of errors for each pair. The diagonal is the same with both methods: the number of errors with which
            class i is not predicted as any other class.

        Examples
        --------
        >>> from ecoc import CodeBook
        >>> book = CodeBook([[1, 1, 1, 1], [-1, -1, -1, 1], [-1, -1, -1, -1]])
        >>> book.pairwise_correction()
        array([[1, 0, 0],
               [0, 0, 0],
               [0, 0, 0]], dtype=int32)
        >>> book.pairwise_correction("direct")
        array([[1, 1, 1],
               [1, 0, 0],
               [1, 0, 0]], dtype=int32)
        """
        if method not in ("paper", "direct"):
            raise ValueError(f"method must be 'paper' or 'direct', got {method!r}")
        h = self.distances()
        np.fill_diagonal(h, self.n_columns + 1)  # larger than any distance, so that the minimum ignores it
        nearest = h.min(axis=1)
        if method == "paper":
            np.minimum.outer(nearest, nearest, out=h)
        np.fill_diagonal(h, nearest)
        h -= 1  # in place, because a copy for 10,000 classes has 400 MB
        h //= 2
        return h

    def column_correlation(self) -> NDArray[np.float64]:
        """Return the cosine of each pair of columns, over the classes that neither column leaves out.

        Returns
        -------
        ndarray of shape (n_columns, n_columns)
            1 for equal columns, -1 for complementary ones, 0 for columns with no class in common.
        """
        differ, both = count_differences(self.matrix.T, self.matrix.T, self.is_ternary)
        # The entries are ±1, so both norms are the root of `both`, and the dot product is both - 2 differ.
        cosine: NDArray[np.float64] = np.divide(both - 2 * differ, np.maximum(both, 1), dtype=np.float64)
        return cosine

    def duplicate_columns(self) -> list[tuple[int, ...]]:
        """Return the groups of columns that are equal up to sign, so that they define the same binary problem.

        Returns
        -------
        list of tuple of int
            The columns of each group; empty if there are no duplicates.

        Examples
        --------
        >>> from ecoc import CodeBook
        >>> CodeBook([[1, 1, -1], [-1, 1, 1], [-1, -1, 1]]).duplicate_columns()
        [(0, 2)]
        """
        return equal_rows((self.matrix * leading_signs(self.matrix)).T)

    @property
    def n_distinct_columns(self) -> int:
        """Number of columns that are not equal up to sign to an earlier one."""
        return self.n_columns - sum(len(group) - 1 for group in self.duplicate_columns())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the code book to a `.npz` or `.csv` file.

        An existing file is replaced in one step, so that a failure does not damage it. A CSV file has a column `class`
        if the code book has labels. A label that is a string but looks like a number is written with extra quotes.

        Parameters
        ----------
        path : path-like
            Name of the file; its ending selects the format.

        See Also
        --------
        load : Read the file.
        ecoc.save : Save a whole model.

        Examples
        --------
        >>> import tempfile
        >>> from ecoc import CodeBook
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     CodeBook([[1, 1], [-1, 0], [1, -1]], labels=["cat", "7", "8"]).save(f"{folder}/book.csv")
        ...     print(open(f"{folder}/book.csv").read())
        class,0,1
        cat,1,1
        \"""7\""",-1,0
        \"""8\""",1,-1
        """
        path = Path(path)
        replace_file(path, format_of(path).write(self.matrix, self._labels))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a code book that `save` wrote.

        Parameters
        ----------
        path : path-like
            Name of the file, `.npz` or `.csv`.

        Returns
        -------
        CodeBook
            A code book equal to the one that was saved, with labels of the same type.

        Raises
        ------
        CodeBookError
            If the file does not hold a code book.
        """
        path = Path(path)
        file_format = format_of(path)
        content = path.read_bytes()
        try:
            return cls(*file_format.read(content))
        except Exception as error:  # a damaged file can fail anywhere in zip, npy or csv
            why = error if isinstance(error, CodeBookError) else f"expected {file_format.expected}"
            raise CodeBookError(f"cannot read a code book from {path}: {why}") from error

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.matrix, dtype=dtype, copy=copy)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CodeBook):
            return NotImplemented
        return np.array_equal(self.matrix, other.matrix) and self._names == other._names

    def __hash__(self) -> int:
        return hash((self.shape, self.matrix.tobytes(), self._names))

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"cannot set {name!r}: a code book is immutable; make a new one instead")

    def __reduce__(self) -> tuple[type[Self], tuple[NDArray[np.int8], NDArray[Any] | None]]:
        return type(self), (self.matrix, self._labels)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __repr__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        return as_html(self)

    @property
    def _names(self) -> tuple[Hashable, ...] | None:
        return None if self._labels is None else tuple(self._labels.tolist())

    @cached_property
    def _row_of(self) -> dict[Hashable, int]:
        return {label: i for i, label in enumerate(self.labels.tolist())}

    def _name(self, i: int) -> Hashable:
        """Return the name of row i for an error message; only needs the labels."""
        return int(i) if self._names is None else self._names[i]

    def _check_columns(self) -> None:
        has_plus, has_minus = (self.matrix == 1).any(axis=0), (self.matrix == -1).any(axis=0)
        for faulty, fault in (
            (~has_plus & ~has_minus, "every class is left out (0)"),
            (~has_plus, "no class is at +1"),
            (~has_minus, "no class is at -1"),
        ):
            if faulty.any():
                columns = np.flatnonzero(faulty).tolist()
                which, it = ("column", "it") if len(columns) == 1 else ("columns", "them")
                raise CodeBookError(
                    f"a column needs classes on both sides, but {fault} in {which} {some(columns)}; give {it} both "
                    f"signs, or drop {it} with np.delete(matrix, columns, axis=1)"
                )

    def _check_codewords(self) -> None:
        k, l = self.shape
        need = (k - 1).bit_length()
        remedy = (
            f"{k} classes need at least {need} columns, got {l}"
            if l < need
            else "change entries, or add a column in which one class is +1 and the other -1"
        )
        if groups := equal_rows(self.matrix):
            texts = [f"({some([self._name(i) for i in group])})" for group in groups[:SOME]]
            raise CodeBookError(f"classes with equal codewords: {some(texts, len(groups), str)}; {remedy}")
        # In a binary code, different rows are enough. In a ternary code, all pairs have to be compared.
        if self.is_ternary and self.min_distance == 0:
            texts, total = [], 0
            for start, differ in pair_distances(self.matrix):
                pairs = np.argwhere(np.triu(differ == 0)) + start
                texts += [f"{self._name(i)!r} and {self._name(j)!r}" for i, j in pairs[:SOME]]
                total += len(pairs)
            raise CodeBookError(
                "classes that no column tells apart, because wherever their codewords differ, one of them is 0: "
                f"{some(texts, total, str)}; {remedy}"
            )


def _index_of(matrix: ArrayLike) -> Iterable[Hashable] | None:
    index = getattr(matrix, "index", None) if hasattr(matrix, "iloc") else None  # list.index is a method
    return None if type(index).__name__ == "RangeIndex" else index


def equal_rows(rows: NDArray[np.int8]) -> list[tuple[int, ...]]:
    """Return the groups of two or more equal rows."""
    groups: dict[bytes, list[int]] = {}
    for i, row in enumerate(rows):
        groups.setdefault(row.tobytes(), []).append(i)
    return [tuple(group) for group in groups.values() if len(group) > 1]


def as_array(matrix: ArrayLike) -> NDArray[Any]:
    """Convert a matrix of any supported type to a two-dimensional array of numbers, without checking the entries."""
    if hasattr(matrix, "toarray"):
        matrix = matrix.toarray()
    try:
        array = np.asarray(matrix)
        if array.dtype == object:  # e.g. a DataFrame of mixed or nullable columns
            array = np.array(array.tolist())
    except ValueError as error:
        raise CodeBookError("all rows of a code book must have the same length") from error
    if array.ndim != 2:
        raise CodeBookError(f"a code book has 2 dimensions, classes × columns, got shape {array.shape}")
    if array.dtype.kind not in "biuf":
        raise CodeBookError(f"entries must be the numbers -1, 0 or +1, got an array of {array.dtype}")
    return array


def check_entries(array: NDArray[Any], name: Callable[[int], Hashable]) -> None:
    """Raise an error if an entry is not -1, 0 or +1; `name` returns the class of a row for the message."""
    if len(array) < 2:
        raise CodeBookError(f"a code book needs at least 2 classes (rows), got {len(array)}")
    if array.shape[1] < 1:
        raise CodeBookError("a code book needs at least 1 column, got none")
    outside = np.argwhere(~((array == 0) | (np.abs(array) == 1)))
    if len(outside):
        places = [f"{array[i, j]} at class {name(i)!r}, column {j}" for i, j in outside[:SOME]]
        raise CodeBookError(f"entries must be -1, 0 or +1, found {some(places, len(outside), str)}")
    if not (array == -1).any():
        raise CodeBookError(
            "no entry is -1: write -1 for the negative side of a column, and 0 only for a class that the column "
            "leaves out; convert a matrix of 0 and 1 with 2 * matrix - 1"
        )


def as_labels(labels: Iterable[Hashable], n_classes: int) -> NDArray[Any]:
    """Convert labels to an array that preserves their types; raise an error unless there is one for each class."""
    if isinstance(labels, np.ndarray) and labels.dtype.kind in "biufUS":
        array = labels
    else:
        items = list(labels)
        plain = all(isinstance(item, str | int | float | np.generic) for item in items)
        array = np.array(items if plain else [])
        if array.tolist() != items:  # NumPy turns [1, "a"] into strings, and tuples into rows
            array = np.fromiter(items, dtype=object, count=len(items))
    if array.shape != (n_classes,):
        raise CodeBookError(f"{n_classes} classes need a list of {n_classes} labels, got shape {array.shape}")
    counts = Counter(array.tolist())
    if repeated := [label for label, count in counts.items() if count > 1]:
        raise CodeBookError(f"labels must be distinct, but these are repeated: {some(repeated)}")
    if any(label != label for label in counts):
        raise CodeBookError("labels must not be NaN; use a name instead, e.g. 'missing'")
    return array


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only copy, as a view, because a view of a read-only array cannot be made writeable."""
    array = array.copy()
    array.setflags(write=False)
    return array.view()


_BLOCK_COLUMNS = 1024  # columns converted to float32 at once; one-vs-one has k(k-1)/2 of them


def pair_distances(
    code: NDArray[np.int8], block_entries: int = _BLOCK_ENTRIES
) -> Iterator[tuple[int, NDArray[np.float32]]]:
    """Yield blocks of the upper triangle of the Hamming distances, each with its first row and column.

    The distance of a codeword to itself is infinite.
    """
    step, is_ternary = max(1, block_entries // len(code)), not code.all()
    for start in range(0, len(code), step):
        differ, _ = count_differences(code[start : start + step], code[start:], is_ternary)
        np.fill_diagonal(differ, np.inf)
        yield start, differ


def count_differences(
    a: NDArray[np.int8], b: NDArray[np.int8], ternary: bool
) -> tuple[NDArray[np.float32], NDArray[np.float32] | np.float32]:
    """Count in how many places each row of a and each row of b differ, and in how many neither is zero.

    The counts are float32, which BLAS multiplies fast and which is exact up to 2**24.
    """
    product = np.zeros((len(a), len(b)), dtype=np.float32)
    both = np.zeros_like(product) if ternary else np.float32(a.shape[1])
    for start in range(0, a.shape[1], _BLOCK_COLUMNS):
        x, y = (m[:, start : start + _BLOCK_COLUMNS].astype(np.float32) for m in (a, b))
        product += x @ y.T
        if ternary:
            both += np.abs(x) @ np.abs(y).T
    np.subtract(both, product, out=product)
    product /= 2
    return product, both
