"""Is this matrix a usable code, and how far apart does it keep the classes?"""

import os
from collections.abc import Hashable, Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NoReturn, Self

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from ecoc.codebook.checks import as_array, as_labels, check_entries, frozen
from ecoc.codebook.comparing import count_differences
from ecoc.codebook.drawing import as_html, as_text
from ecoc.codebook.files import format_of
from ecoc.exceptions import CodeBookError
from ecoc.utils.files import replace_file
from ecoc.utils.suggest import SOME, nearest, some

_BLOCK_ENTRIES = 2**22  # pairs of codewords compared at once: 16 MB of float32


class CodeBook:
    """A validated, immutable code book: classes are rows, dichotomies are columns.

    Entry (i, j) is the side class i takes in dichotomy j: +1, -1, or 0 if it is left out. A matrix is refused
    if two classes cannot be told apart or a column lacks one of its sides. Columns that are equal up to sign
    are legal, for a dichotomizer may be repeated on purpose; `duplicate_columns` reports them.

    Parameters
    ----------
    matrix : array-like of shape (n_classes, n_columns)
        Entries -1, 0 and +1 of any numeric type; a sparse matrix, a DataFrame or another code book will do.
    labels : iterable of n_classes distinct hashables, optional
        Names of the classes. By default those of a code book, or a DataFrame's index unless it only counts
        the rows; otherwise the book has none, and `labels` counts from 0.

    Raises
    ------
    CodeBookError
        If the matrix is no code book; the message names the rows or columns at fault.

    See Also
    --------
    ecoc.factorize : The code book that a design matrix asks for.
    ecoc.coding : Makers of code books of every kind.
    ecoc.inspection.CodeBookDisplay : Draw one.

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

    It is an array wherever one is wanted, and a classifier's coding:

    >>> import numpy as np
    >>> np.asarray(book)[0]
    array([1, 1, 1], dtype=int8)
    >>> from ecoc import ECOCClassifier
    >>> from sklearn.svm import SVC
    >>> model = ECOCClassifier(SVC(), coding=book)
    """

    _matrix: NDArray[np.int8]
    _labels: NDArray[Any] | None

    def __init__(self, matrix: ArrayLike, labels: Iterable[Hashable] | None = None) -> None:
        if isinstance(matrix, CodeBook):  # validated when it was made
            self.__dict__.update((matrix if labels is None else matrix.with_labels(labels)).__dict__)
            return
        if labels is None:
            labels = _index_of(matrix)
        array = as_array(matrix)
        # Labels first, so that the errors below can name classes.
        self.__dict__["_labels"] = None if labels is None else frozen(as_labels(labels, len(array)))
        check_entries(array, self._name)
        self.__dict__["_matrix"] = frozen(array.astype(np.int8, copy=False))
        self._check_dichotomies()
        self._check_codewords()

    @property
    def matrix(self) -> NDArray[np.int8]:
        """The entries, a read-only int8 array of shape (n_classes, n_columns)."""
        return self._matrix

    @property
    def labels(self) -> NDArray[Any]:
        """Names of the classes in row order, read-only; 0 to n_classes - 1 if none were given.

        Examples
        --------
        >>> from ecoc import CodeBook
        >>> CodeBook([[1, 1], [1, -1], [-1, 1]]).labels
        array([0, 1, 2])
        """
        return frozen(np.arange(self.n_classes)) if self._labels is None else self._labels

    @property
    def is_labelled(self) -> bool:
        """Whether the classes were given names."""
        return self._labels is not None

    @property
    def shape(self) -> tuple[int, int]:
        """Number of classes and number of columns."""
        return self.n_classes, self.n_columns

    @property
    def n_classes(self) -> int:
        """Number of classes, k."""
        return len(self._matrix)

    @property
    def n_columns(self) -> int:
        """Number of columns, l."""
        return int(self._matrix.shape[1])

    @cached_property
    def is_ternary(self) -> bool:
        """Whether some column leaves a class out.

        Examples
        --------
        >>> from ecoc import CodeBook
        >>> CodeBook([[1, 1, 0], [-1, 0, 1], [0, -1, -1]]).is_ternary
        True
        """
        return not self._matrix.all()

    def codeword(self, label: Hashable) -> NDArray[np.int8]:
        """Return the codeword of a class, read-only.

        Parameters
        ----------
        label : hashable
            Name of the class, or its row if the book is not labelled.

        Returns
        -------
        int8 ndarray of shape (n_columns,)
            The row of the class.

        Raises
        ------
        KeyError
            If there is no such class; the message has the names that are near.

        Examples
        --------
        >>> from ecoc import CodeBook
        >>> CodeBook([[1, 1], [1, -1], [-1, 1]], labels=["cat", "dog", "cow"]).codeword("dog")
        array([ 1, -1], dtype=int8)
        """
        if label not in self._row_of:
            near = nearest(label, self._row_of, n=3) or list(self._row_of)
            raise KeyError(f"no class {label!r}; did you mean {some(near)}?")
        codeword: NDArray[np.int8] = self._matrix[self._row_of[label]]
        return codeword

    def with_labels(self, labels: Iterable[Hashable] | None) -> Self:
        """Return the same code with other class names; None takes them away.

        Parameters
        ----------
        labels : iterable of n_classes distinct hashables, or None
            The names, in the order of the rows.

        Returns
        -------
        CodeBook
            Another book; this one stays as it is.

        Examples
        --------
        >>> from ecoc import CodeBook
        >>> CodeBook([[1], [-1]]).with_labels(["yes", "no"]).labels
        array(['yes', 'no'], dtype='<U3')
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
            Divide by the number of columns in which both codewords are non-zero.

        Returns
        -------
        ndarray of shape (n_classes, n_classes)
            Number (int32) or share (float64) of columns in which one codeword is +1 and the other -1; a 0 is
            neither an error nor half of one.

        Examples
        --------
        >>> from ecoc import CodeBook
        >>> CodeBook([[1, 1, 0], [-1, 0, 1], [0, -1, -1]]).distances()
        array([[0, 1, 1],
               [1, 0, 1],
               [1, 1, 0]], dtype=int32)
        """
        out = np.empty((self.n_classes,) * 2, dtype=np.float64 if normalize else np.int32)
        for start in range(0, self.n_classes, self._block_rows):
            rows = slice(start, start + self._block_rows)
            differ, both = count_differences(self._matrix[rows], self._matrix, self.is_ternary)
            out[rows] = np.divide(differ, both, dtype=np.float64) if normalize else differ
        return out

    @cached_property
    def min_distance(self) -> int:
        """Smallest Hamming distance of two codewords; computed at first use.

        Examples
        --------
        >>> from ecoc import CodeBook
        >>> CodeBook([[1, 1, 1, 1], [-1, -1, -1, 1], [-1, -1, -1, -1]]).min_distance
        1
        """
        return int(min(differ.min() for _, differ in self._pair_blocks()))

    @property
    def correction(self) -> int:
        """Number of wrong dichotomizers that every class survives, ⌊(min_distance - 1) / 2⌋.

        See Also
        --------
        pairwise_correction : The same for each pair of classes.

        Examples
        --------
        >>> from ecoc import Hadamard
        >>> book = Hadamard().build(8)
        >>> book.min_distance, book.correction
        (4, 1)
        """
        return (self.min_distance - 1) // 2

    def pairwise_correction(self, method: Literal["paper", "direct"] = "paper") -> NDArray[np.int32]:
        """Return the number of wrong dichotomizers that each pair of classes survives.

        Parameters
        ----------
        method : {"paper", "direct"}, default="paper"
            "direct" is ⌊(h_ij - 1) / 2⌋ with h the Hamming distances: i is not taken for j. "paper" is
            ⌊(m - 1) / 2⌋ with m the smallest distance of i or j to any class: neither is taken for another.

        Returns
        -------
        ndarray of shape (n_classes, n_classes)
            The diagonal is the same in both: what class i survives against all the others.

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
        np.fill_diagonal(h, self.n_columns + 1)  # farther than any codeword: out of the minimum
        nearest = h.min(axis=1)
        if method == "paper":
            np.minimum.outer(nearest, nearest, out=h)
        np.fill_diagonal(h, nearest)
        h -= 1  # in place: at 10,000 classes a copy is 400 MB
        h //= 2
        return h

    def column_correlation(self) -> NDArray[np.float64]:
        """Return the cosine of each pair of columns over the classes that neither leaves out.

        Returns
        -------
        ndarray of shape (n_columns, n_columns)
            1 for equal columns, -1 for complementary ones, 0 for columns with no class in common.

        Examples
        --------
        >>> from ecoc import CodeBook
        >>> CodeBook([[1, 1], [1, -1], [-1, 1], [-1, -1]]).column_correlation()
        array([[1., 0.],
               [0., 1.]])
        """
        differ, both = count_differences(self._matrix.T, self._matrix.T, self.is_ternary)
        # What counts is ±1: either norm is the root of the overlap, and the dot product is both - 2 differ.
        cosine: NDArray[np.float64] = np.divide(both - 2 * differ, np.maximum(both, 1), dtype=np.float64)
        return cosine

    def duplicate_columns(self) -> list[tuple[int, ...]]:
        """Return the groups of columns that are the same dichotomy, i.e. equal up to sign.

        Returns
        -------
        list of tuple of int
            Columns of each group; empty if all dichotomies are different.

        Examples
        --------
        >>> from ecoc import CodeBook
        >>> CodeBook([[1, 1, -1], [-1, 1, 1], [-1, -1, 1]]).duplicate_columns()
        [(0, 2)]
        """
        first = (self._matrix != 0).argmax(axis=0)
        sign = self._matrix[first, np.arange(self.n_columns)]
        return _equal_rows((self._matrix * sign).T)

    @property
    def n_distinct_columns(self) -> int:
        """Number of columns that are different dichotomies.

        Examples
        --------
        >>> from ecoc import CodeBook
        >>> CodeBook([[1, 1, -1], [-1, 1, 1], [-1, -1, 1]]).n_distinct_columns
        2
        """
        return self.n_columns - sum(len(group) - 1 for group in self.duplicate_columns())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the book to a file: `.npz`, or `.csv` to be read by people.

        The file is replaced in one step: whatever fails, an earlier one stays as it was. A CSV file has a
        column `class` if the book is labelled; a string that would read as a number has quotes of its own.

        Parameters
        ----------
        path : path-like
            The file; its ending says the format.

        See Also
        --------
        load : Read it again.
        ecoc.save : Keep a whole model.

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
        replace_file(path, format_of(path).write(self._matrix, self._labels))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a book that `save` wrote; labels come back with the type they had.

        Parameters
        ----------
        path : path-like
            The file, `.npz` or `.csv`.

        Returns
        -------
        CodeBook
            The book, equal to the one that was saved.

        Raises
        ------
        CodeBookError
            If the file holds no code book.

        Examples
        --------
        >>> import tempfile
        >>> from ecoc import CodeBook
        >>> book = CodeBook([[1], [-1]], labels=["yes", "no"])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     book.save(f"{folder}/book.npz")
        ...     CodeBook.load(f"{folder}/book.npz") == book
        True
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
        return np.array(self._matrix, dtype=dtype, copy=copy)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CodeBook):
            return NotImplemented
        return np.array_equal(self._matrix, other._matrix) and self._names == other._names

    def __hash__(self) -> int:
        return hash((self.shape, self._matrix.tobytes(), self._names))

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"cannot set {name!r}: a code book is immutable; make another one instead")

    def __reduce__(self) -> tuple[type[Self], tuple[NDArray[np.int8], NDArray[Any] | None]]:
        return type(self), (self._matrix, self._labels)

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

    @property
    def _block_rows(self) -> int:
        return max(1, _BLOCK_ENTRIES // self.n_classes)

    def _pair_blocks(self) -> Iterator[tuple[int, NDArray[np.float32]]]:
        """Yield row blocks of the distances' upper triangle, each after the row and column it starts at.

        A class is infinitely far from itself.
        """
        for start in range(0, self.n_classes, self._block_rows):
            rows = self._matrix[start : start + self._block_rows]
            differ, _ = count_differences(rows, self._matrix[start:], self.is_ternary)
            np.fill_diagonal(differ, np.inf)
            yield start, differ

    def _name(self, i: int) -> Hashable:
        """Name of row i for an error message; works before the matrix is accepted."""
        return int(i) if self._names is None else self._names[i]

    def _check_dichotomies(self) -> None:
        has_plus, has_minus = (self._matrix == 1).any(axis=0), (self._matrix == -1).any(axis=0)
        for faulty, fault in (
            (~has_plus & ~has_minus, "every class is left out (0)"),
            (~has_plus, "no class is at +1"),
            (~has_minus, "no class is at -1"),
        ):
            if faulty.any():
                columns = np.flatnonzero(faulty).tolist()
                which = f"column{'s' * (len(columns) > 1)} {some(columns)}"
                raise CodeBookError(
                    f"a dichotomy needs classes on both sides, but {fault} in {which}; "
                    "give both signs, or drop with np.delete(matrix, columns, axis=1)"
                )

    def _check_codewords(self) -> None:
        k, l = self.shape
        need = (k - 1).bit_length()
        remedy = (
            f"{k} classes need at least {need} columns, here are {l}"
            if l < need
            else "flip or fill entries, or add a column in which one is +1 and the other -1"
        )
        if groups := _equal_rows(self._matrix):
            texts = [f"({some([self._name(i) for i in group])})" for group in groups[:SOME]]
            raise CodeBookError(f"classes with equal codewords: {some(texts, len(groups), str)}; {remedy}")
        # Different rows suffice in a binary code. Zeros can hide a difference, which takes all pairs to see.
        if self.is_ternary and self.min_distance == 0:
            texts, total = [], 0
            for start, differ in self._pair_blocks():
                pairs = np.argwhere(np.triu(differ == 0)) + start
                texts += [f"{self._name(i)!r} and {self._name(j)!r}" for i, j in pairs[:SOME]]
                total += len(pairs)
            raise CodeBookError(
                "classes that no column tells apart, since wherever their codewords differ one of them is 0: "
                f"{some(texts, total, str)}; {remedy}"
            )


def _index_of(matrix: ArrayLike) -> Iterable[Hashable] | None:
    index = getattr(matrix, "index", None) if hasattr(matrix, "iloc") else None  # list.index is a method
    return None if type(index).__name__ == "RangeIndex" else index


def _equal_rows(rows: NDArray[np.int8]) -> list[tuple[int, ...]]:
    """Groups of two and more equal rows; linear in the number of rows."""
    groups: dict[bytes, list[int]] = {}
    for i, row in enumerate(rows):
        groups.setdefault(row.tobytes(), []).append(i)
    return [tuple(group) for group in groups.values() if len(group) > 1]
