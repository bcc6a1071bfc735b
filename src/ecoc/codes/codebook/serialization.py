"""Read and write code books as NPZ or CSV; both preserve the type of the labels."""

import csv
import io
from collections.abc import Callable, Hashable, Iterable
from pathlib import Path
from typing import Any, NamedTuple, NoReturn
from zipfile import ZipFile

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecoc.utils.exceptions import CodeBookError

_MOST_BYTES = 2**29  # 100,000 classes with 5,000 columns; a file that was made to do harm has a thousandth of this size


class Format(NamedTuple):
    """A file format: how to write and read it, and what a file should contain, for error messages."""

    write: Callable[[NDArray[np.int8], NDArray[Any] | None], bytes]
    read: Callable[[bytes], tuple[ArrayLike, Iterable[Hashable] | None]]
    expected: str


def format_of(path: Path) -> Format:
    """Return the format for a file name."""
    try:
        return _FORMATS[path.suffix.lower()]
    except KeyError:
        raise ValueError(f"the name of a code book's file must end in .npz or .csv, got {path.name!r}") from None


def _write_npz(matrix: NDArray[np.int8], labels: NDArray[Any] | None) -> bytes:
    if labels is not None and labels.dtype.hasobject:
        _refuse_labels(labels)
    arrays: dict[str, Any] = {"matrix": matrix} if labels is None else {"matrix": matrix, "labels": labels}
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    return buffer.getvalue()


def _read_npz(content: bytes) -> tuple[ArrayLike, Iterable[Hashable] | None]:
    with ZipFile(io.BytesIO(content)) as packed:
        size = sum(member.file_size for member in packed.infolist())
    if size > _MOST_BYTES:
        raise CodeBookError(f"it unpacks to {size / 1e9:,.1f} GB, more than any code book needs")
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
        f"labels of type {', '.join(kinds)} cannot be written to this file: .npz takes labels of one NumPy type, .csv "
        "strings or numbers; rename the classes first, e.g. book.with_labels(map(str, book.labels))"
    )


_FORMATS = {
    ".npz": Format(_write_npz, _read_npz, "an NPZ archive of an array 'matrix' and, if labelled, 'labels'"),
    ".csv": Format(
        _write_csv,
        _read_csv,
        "UTF-8 text headed 'class,0,1,...' ('0,1,...' if not labelled), then a row of -1, 0, 1 per class",
    ),
}
