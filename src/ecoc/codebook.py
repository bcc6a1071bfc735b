"""Is this matrix a usable code, and how far apart does it keep the classes?"""

import csv
import html
import io
import os
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple, NoReturn, Self

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from ecoc.exceptions import CodeBookError

_BLOCK_ENTRIES = 2**22  # pairs of codewords compared at once: 16 MB of float32
_BLOCK_COLUMNS = 1024  # columns turned into float32 at once; one-vs-one has k(k-1)/2 of them
_DRAWN_WORK = 2e10  # k²l, a second or two, above which a drawing leaves the distances out
_DRAWN_ROWS, _DRAWN_COLUMNS, _DRAWN_LABEL = 20, 60, 24
_SOME = 5  # offenders an error names


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

    Examples
    --------
    >>> from ecoc import CodeBook
    >>> CodeBook([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]], labels=["cat", "dog", "cow", "hen"])
    CodeBook 4 × 3 (classes × columns), min distance 2, correction 0
      cat  +++
      dog  +--
      cow  -+-
      hen  --+
    """

    _matrix: NDArray[np.int8]
    _labels: NDArray[Any] | None

    def __init__(self, matrix: ArrayLike, labels: Iterable[Hashable] | None = None) -> None:
        if labels is None:
            labels = _labels_of(matrix)
        array = _as_array(matrix)
        # Labels first, so that the errors below can name classes.
        self.__dict__["_labels"] = None if labels is None else _frozen(_as_labels(labels, len(array)))
        self._check_entries(array)
        self.__dict__["_matrix"] = _frozen(array.astype(np.int8, copy=False))
        self._check_dichotomies()
        self._check_codewords()

    @property
    def matrix(self) -> NDArray[np.int8]:
        """The entries, a read-only int8 array of shape (n_classes, n_columns)."""
        return self._matrix

    @property
    def labels(self) -> NDArray[Any]:
        """Names of the classes in row order, read-only; 0 to n_classes - 1 if none were given."""
        return _frozen(np.arange(self.n_classes)) if self._labels is None else self._labels

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
        """Whether some column leaves a class out."""
        return not self._matrix.all()

    def codeword(self, label: Hashable) -> NDArray[np.int8]:
        """Return the codeword of a class, read-only.

        Examples
        --------
        >>> CodeBook([[1, 1], [1, -1], [-1, 1]], labels=["cat", "dog", "cow"]).codeword("dog")
        array([ 1, -1], dtype=int8)
        """
        if label not in self._row_of:
            from difflib import get_close_matches  # only an error needs it

            known = {str(name): name for name in self._row_of}
            near = get_close_matches(str(label), known) or list(known)
            raise KeyError(f"no class {label!r}; did you mean {_some([known[name] for name in near])}?")
        codeword: NDArray[np.int8] = self._matrix[self._row_of[label]]
        return codeword

    def with_labels(self, labels: Iterable[Hashable] | None) -> Self:
        """Return the same code with other class names; None takes them away.

        Examples
        --------
        >>> CodeBook([[1], [-1]]).with_labels(["yes", "no"]).labels
        array(['yes', 'no'], dtype='<U3')
        """
        return type(self)(self._matrix, labels)

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
        >>> CodeBook([[1, 1, 0], [-1, 0, 1], [0, -1, -1]]).distances()
        array([[0, 1, 1],
               [1, 0, 1],
               [1, 1, 0]], dtype=int32)
        """
        out = np.empty((self.n_classes,) * 2, dtype=np.float64 if normalize else np.int32)
        for start in range(0, self.n_classes, self._block_rows):
            rows = slice(start, start + self._block_rows)
            differ, both = _compare(self._matrix[rows], self._matrix, self.is_ternary)
            out[rows] = np.divide(differ, both, dtype=np.float64) if normalize else differ
        return out

    @cached_property
    def min_distance(self) -> int:
        """Smallest Hamming distance of two codewords; computed at first use."""
        return int(min(differ.min() for _, differ in self._pair_blocks()))

    @property
    def correction(self) -> int:
        """Number of wrong dichotomizers that every class survives, ⌊(min_distance - 1) / 2⌋."""
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
        >>> CodeBook([[1, 1], [1, -1], [-1, 1], [-1, -1]]).column_correlation()
        array([[1., 0.],
               [0., 1.]])
        """
        differ, both = _compare(self._matrix.T, self._matrix.T, self.is_ternary)
        # What counts is ±1: either norm is the root of the overlap, and the dot product is both - 2 differ.
        cosine: NDArray[np.float64] = np.divide(both - 2 * differ, np.maximum(both, 1), dtype=np.float64)
        return cosine

    def duplicate_columns(self) -> list[tuple[int, ...]]:
        """Return the groups of columns that are the same dichotomy, i.e. equal up to sign.

        Examples
        --------
        >>> CodeBook([[1, 1, -1], [-1, 1, 1], [-1, -1, 1]]).duplicate_columns()
        [(0, 2)]
        """
        first = (self._matrix != 0).argmax(axis=0)
        sign = self._matrix[first, np.arange(self.n_columns)]
        return _equal_rows((self._matrix * sign).T)

    @property
    def n_distinct_columns(self) -> int:
        """Number of columns that are different dichotomies."""
        return self.n_columns - sum(len(group) - 1 for group in self.duplicate_columns())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the book to a file: `.npz`, or `.csv` to be read by people.

        The file is replaced in one step: whatever fails, an earlier one stays as it was. A CSV file has a
        column `class` if the book is labelled; a string that would read as a number has quotes of its own.

        Examples
        --------
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     CodeBook([[1, 1], [-1, 0], [1, -1]], labels=["cat", "7", "8"]).save(f"{folder}/book.csv")
        ...     print(open(f"{folder}/book.csv").read())
        class,0,1
        cat,1,1
        \"""7\""",-1,0
        \"""8\""",1,-1
        """
        path = Path(path)
        content = _format_of(path).write(self._matrix, self._labels)
        # A name of our own, not tempfile's: its files are private to the user, and so would be the book.
        scratch = path.with_name(f".{path.name}.{os.urandom(4).hex()}.tmp")
        try:
            scratch.write_bytes(content)
            os.replace(scratch, path)
        finally:
            scratch.unlink(missing_ok=True)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a book that `save` wrote; labels come back with the type they had.

        Examples
        --------
        >>> import tempfile
        >>> book = CodeBook([[1], [-1]], labels=["yes", "no"])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     book.save(f"{folder}/book.npz")
        ...     CodeBook.load(f"{folder}/book.npz") == book
        True
        """
        path = Path(path)
        file_format = _format_of(path)
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
        rows = self._drawn()
        width = max(len(name) for name, _ in rows)
        lines = [f"  {name:<{width}}  {codeword}".rstrip() for name, codeword in rows]
        return "\n".join([self._summary(), *lines])

    def _repr_html_(self) -> str:
        # Okabe and Ito's blue and orange, which every eye tells apart; the rest suits a light or dark page.
        style = {"+": "background:#0072b2;color:#fff", "-": "background:#e69f00;color:#000"}
        cell = "padding:0 .4em;text-align:center"
        body = "".join(
            f'<tr><th style="text-align:left">{html.escape(name)}</th>'
            + "".join(f'<td style="{cell};{style.get(symbol, "")}">{symbol}</td>' for symbol in codeword)
            + "</tr>"
            for name, codeword in self._drawn()
        )
        caption = f'<caption style="text-align:left">{self._summary()}</caption>'
        return f'<table style="border-collapse:collapse;font-family:monospace">{caption}{body}</table>'

    def _summary(self) -> str:
        text = f"CodeBook {self.n_classes} × {self.n_columns} (classes × columns)"
        if self.is_ternary:
            text += f", {np.mean(self._matrix == 0):.0%} zeros"
        if self.n_classes**2 * self.n_columns <= _DRAWN_WORK:
            text += f", min distance {self.min_distance}, correction {self.correction}"
        return text

    def _drawn(self) -> list[tuple[str, str]]:
        """Name and codeword of each class as short texts, the middle of a large book left out."""
        labels, columns = self.labels, _ends(self.n_columns, _DRAWN_COLUMNS)
        rows = []
        for i in _ends(self.n_classes, _DRAWN_ROWS):
            if i is None:
                rows.append(("⋮", ""))
                continue
            name = " ".join(str(labels[i]).split())
            if len(name) > _DRAWN_LABEL:
                name = name[: _DRAWN_LABEL - 1] + "…"
            rows.append((name, "".join("…" if j is None else "·+-"[self._matrix[i, j]] for j in columns)))
        return rows

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
            differ, _ = _compare(rows, self._matrix[start:], self.is_ternary)
            np.fill_diagonal(differ, np.inf)
            yield start, differ

    def _name(self, i: int) -> Hashable:
        """Name of row i for an error message; works before the matrix is accepted."""
        return int(i) if self._names is None else self._names[i]

    def _check_entries(self, array: NDArray[Any]) -> None:
        if len(array) < 2:
            raise CodeBookError(f"a code book needs at least 2 classes (rows), got {len(array)}")
        if array.shape[1] < 1:
            raise CodeBookError("a code book needs at least 1 column, got none")
        outside = np.argwhere(~((array == 0) | (np.abs(array) == 1)))
        if len(outside):
            places = [f"{array[i, j]} at class {self._name(i)!r}, column {j}" for i, j in outside[:_SOME]]
            raise CodeBookError(f"entries must be -1, 0 or +1, found {_some(places, len(outside), str)}")
        if not (array == -1).any():
            raise CodeBookError(
                "no entry is -1: write -1 for the negative side of a dichotomy, and 0 only for a class it "
                "leaves out; a matrix of 0 and 1 becomes 2 * matrix - 1"
            )

    def _check_dichotomies(self) -> None:
        has_plus, has_minus = (self._matrix == 1).any(axis=0), (self._matrix == -1).any(axis=0)
        for faulty, fault in (
            (~has_plus & ~has_minus, "every class is left out (0)"),
            (~has_plus, "no class is at +1"),
            (~has_minus, "no class is at -1"),
        ):
            if faulty.any():
                columns = np.flatnonzero(faulty).tolist()
                which = f"column{'s' * (len(columns) > 1)} {_some(columns)}"
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
            texts = [f"({_some([self._name(i) for i in group])})" for group in groups[:_SOME]]
            raise CodeBookError(f"classes with equal codewords: {_some(texts, len(groups), str)}; {remedy}")
        # Different rows suffice in a binary code. Zeros can hide a difference, which takes all pairs to see.
        if self.is_ternary and self.min_distance == 0:
            texts, total = [], 0
            for start, differ in self._pair_blocks():
                pairs = np.argwhere(np.triu(differ == 0)) + start
                texts += [f"{self._name(i)!r} and {self._name(j)!r}" for i, j in pairs[:_SOME]]
                total += len(pairs)
            raise CodeBookError(
                "classes that no column tells apart, since wherever their codewords differ one of them is 0: "
                f"{_some(texts, total, str)}; {remedy}"
            )


def _some(items: Sequence[Any], total: int | None = None, show: Callable[[Any], str] = repr) -> str:
    """The first few items, and how many more of the total there are."""
    more = (len(items) if total is None else total) - _SOME
    return ", ".join(map(show, items[:_SOME])) + (f" ... and {more} more" if more > 0 else "")


def _ends(n: int, limit: int) -> list[int | None]:
    """All of 0, ..., n-1, or both ends of it around a None."""
    half = limit // 2
    return list(range(n)) if n <= limit else [*range(half), None, *range(n - half, n)]


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    """A copy that nobody can write to: a view of a read-only array cannot be made writeable again."""
    array = array.copy()
    array.setflags(write=False)
    return array.view()


def _labels_of(matrix: ArrayLike) -> Iterable[Hashable] | None:
    if isinstance(matrix, CodeBook):
        return matrix._labels
    index = getattr(matrix, "index", None) if hasattr(matrix, "iloc") else None  # list.index is a method
    return None if type(index).__name__ == "RangeIndex" else index


def _as_array(matrix: ArrayLike) -> NDArray[Any]:
    if hasattr(matrix, "toarray"):
        matrix = matrix.toarray()
    try:
        array = np.asarray(matrix)
        if array.dtype == object:  # e.g. a DataFrame of mixed or nullable columns
            array = np.array(array.tolist())
    except ValueError as error:
        raise CodeBookError("rows of a code book must have equally many entries") from error
    if array.ndim != 2:
        raise CodeBookError(f"a code book has 2 dimensions, classes × columns, got shape {array.shape}")
    if array.dtype.kind not in "biuf":
        raise CodeBookError(f"entries must be the numbers -1, 0 or +1, got an array of {array.dtype}")
    return array


def _as_labels(labels: Iterable[Hashable], n_classes: int) -> NDArray[Any]:
    if isinstance(labels, np.ndarray) and labels.dtype.kind in "biufUS":
        array = labels
    else:
        items = list(labels)
        plain = all(isinstance(item, str | int | float | np.generic) for item in items)
        array = np.array(items if plain else [])
        if array.tolist() != items:  # numpy would make [1, "a"] two strings, and rows of tuples
            array = np.fromiter(items, dtype=object, count=len(items))
    if array.shape != (n_classes,):
        raise CodeBookError(f"{n_classes} classes need as many labels in one list, got shape {array.shape}")
    counts = Counter(array.tolist())
    if repeated := [label for label, count in counts.items() if count > 1]:
        raise CodeBookError(f"labels must be distinct, repeated: {_some(repeated)}")
    if any(label != label for label in counts):
        raise CodeBookError("labels must not be NaN, which differs from itself; use a name, e.g. 'missing'")
    return array


def _equal_rows(rows: NDArray[np.int8]) -> list[tuple[int, ...]]:
    """Groups of two and more equal rows; linear in the number of rows."""
    groups: dict[bytes, list[int]] = {}
    for i, row in enumerate(rows):
        groups.setdefault(row.tobytes(), []).append(i)
    return [tuple(group) for group in groups.values() if len(group) > 1]


def _compare(
    a: NDArray[np.int8], b: NDArray[np.int8], ternary: bool
) -> tuple[NDArray[np.float32], NDArray[np.float32] | np.float32]:
    """In how many places each row of a and each of b differ, and in how many both are non-zero.

    float32 runs on BLAS and counts exactly to 2**24.
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


class _Format(NamedTuple):
    """How a code book is kept in a file."""

    write: Callable[[NDArray[np.int8], NDArray[Any] | None], bytes]
    read: Callable[[bytes], tuple[ArrayLike, Iterable[Hashable] | None]]
    expected: str


def _format_of(path: Path) -> _Format:
    try:
        return _FORMATS[path.suffix.lower()]
    except KeyError:
        raise ValueError(f"a code book is kept in a .npz or .csv file, got {path.name!r}") from None


def _write_npz(matrix: NDArray[np.int8], labels: NDArray[Any] | None) -> bytes:
    if labels is not None and labels.dtype.hasobject:
        _refuse_labels(labels)
    arrays: dict[str, Any] = {"matrix": matrix} if labels is None else {"matrix": matrix, "labels": labels}
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    return buffer.getvalue()


def _read_npz(content: bytes) -> tuple[ArrayLike, Iterable[Hashable] | None]:
    with np.load(io.BytesIO(content), allow_pickle=False) as archive:
        if not {"matrix"} <= set(archive) <= {"matrix", "labels"}:
            raise ValueError(set(archive))
        return archive["matrix"], archive.get("labels")


def _write_csv(matrix: NDArray[np.int8], labels: NDArray[Any] | None) -> bytes:
    if labels is not None and labels.dtype.kind not in "iufU":
        _refuse_labels(labels)
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer)
    writer.writerow([*(() if labels is None else ("class",)), *range(matrix.shape[1])])
    names = [[]] * len(matrix) if labels is None else [[_to_field(label)] for label in labels.tolist()]
    writer.writerows(name + row for name, row in zip(names, matrix.tolist()))
    return buffer.getvalue().encode()


def _read_csv(content: bytes) -> tuple[ArrayLike, Iterable[Hashable] | None]:
    header, *rows = filter(None, csv.reader(io.StringIO(content.decode("utf-8-sig"), newline="")))
    labelled = header[0] == "class"
    columns = [str(j) for j in range(len(header) - labelled)]
    if header[labelled:] != columns or any(len(row) != len(header) for row in rows):
        raise ValueError(header)
    matrix = np.array([row[labelled:] for row in rows], dtype=float)
    if not labelled:
        return matrix, None
    labels = [_from_field(row[0]) for row in rows]
    if any(isinstance(label, str) for label in labels):  # written by hand: 1, 2, other
        labels = [label if isinstance(label, str) else row[0] for label, row in zip(labels, rows)]
    return matrix, labels


def _to_field(label: str | int | float) -> str:
    field = str(label)
    return f'"{field}"' if isinstance(label, str) and _from_field(field) != label else field


def _from_field(field: str) -> str | int | float:
    if len(field) > 1 and field[0] == field[-1] == '"':
        return field[1:-1]
    for number in (int, float):
        try:
            return number(field)
        except ValueError:
            pass
    return field


def _refuse_labels(labels: NDArray[Any]) -> NoReturn:
    kinds = sorted({type(label).__name__ for label in labels.tolist()})
    raise TypeError(
        f"labels of type {', '.join(kinds)} cannot be kept in this file: .npz takes any one numpy type, .csv "
        "strings or numbers; rename the classes first, e.g. book.with_labels(map(str, book.labels))"
    )


_FORMATS = {
    ".npz": _Format(_write_npz, _read_npz, "an NPZ archive of an array 'matrix' and, if labelled, 'labels'"),
    ".csv": _Format(
        _write_csv,
        _read_csv,
        "UTF-8 text headed 'class,0,1,...' ('0,1,...' if not labelled), then a row of -1, 0, 1 per class",
    ),
}
