"""What is in a file? Tables as CSV, TSV, ARFF, Parquet or NPZ, plain or gzipped, to named columns."""

import csv
import gzip
import io
from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecoc.exceptions import DataError

FORMATS = (".csv", ".tsv", ".arff", ".parquet", ".npz")
ENDINGS = (*FORMATS, ".csv.gz", ".tsv.gz", ".arff.gz")
_USUAL_TARGETS = ("label", "class", "target", "y")
_SOME = 8
_WIDE = 200

Table = dict[str, NDArray[Any]]


def read_table(path: Path, index: str | None = None) -> Table:
    """Columns of a table by name; of an NPZ, its arrays.

    Parameters
    ----------
    path : Path
        A file whose name ends in one of `ENDINGS`.
    index : str, default=None
        Name for a first column of text that has none, as an index that pandas wrote. None: that is an error.

    Returns
    -------
    dict of str to ndarray
        Text columns are arrays of text, as they stand in the file.
    """
    if not path.is_file():
        raise DataError(f"{path} is {'a folder' if path.is_dir() else 'not there'}; give the path of a table.")
    suffixes = [suffix.lower() for suffix in path.suffixes]
    ending = suffixes[-2] if suffixes[-1:] == [".gz"] and len(suffixes) > 1 else "".join(suffixes[-1:])
    if ending not in FORMATS:
        raise DataError(f"{path.name} is of no format known here; {', '.join(ENDINGS)} are.")
    try:
        if ending == ".npz":
            with np.load(path, allow_pickle=False) as file:
                return {name: file[name] for name in file}
        if ending == ".parquet":
            return _parquet(path)
        content = gzip.decompress(path.read_bytes()) if suffixes[-1] == ".gz" else path.read_bytes()
        text = content.decode("utf-8-sig")
        if ending == ".arff":
            return parse_arff(text, path.name)
        rows = list(csv.reader(io.StringIO(text, newline=None), delimiter="\t" if ending == ".tsv" else ","))
    except (DataError, MemoryError):
        raise
    except Exception as error:  # zip, zlib, csv and Parquet each have errors of their own
        raise DataError(f"{path.name} cannot be read as {ending[1:]}: {error}") from error
    names = rows[0] if rows else []
    if index is not None and names and not names[0].strip():
        names = [index, *names[1:]]
    return _columns(names, rows[1:], path.name)


def parse_arff(text: str, where: str) -> Table:
    """Columns of a dense ARFF file, as OpenML and KEEL have them."""
    names: list[str] = []
    rows: list[str] | None = None
    for line in map(str.strip, text.splitlines()):
        if not line or line.startswith("%"):
            continue
        if rows is not None:
            rows.append(line)
        elif line.lower().startswith("@attribute"):
            rest = line[len("@attribute") :].strip()
            quote = rest[0] if rest[0] in "'\"" else None
            names.append(rest[1:].split(quote)[0] if quote else rest.replace("{", " {").split()[0])
        elif line.lower().startswith("@data"):
            rows = []
    if rows is None or any(row.startswith("{") for row in rows):
        raise DataError(f"{where} is no dense ARFF file: it needs @attribute lines, @data and a line of values a row.")
    quote = "'" if any("'" in row for row in rows) else '"'
    reader = csv.reader(rows, quotechar=quote, skipinitialspace=True)
    return _columns(names, [[cell.strip() for cell in row] for row in reader], where)


def features_and_target(
    table: Table, where: str, target: str | None = None, drop: Iterable[str] = ()
) -> tuple[NDArray[Any], NDArray[Any]]:
    """X and y of a table.

    Parameters
    ----------
    table : dict of str to ndarray
        Columns; of images, ``X`` has more than one dimension.
    where : str
        Where it comes from, for errors.
    target : str, default=None
        Column of the labels. None: the last of label, class, target, y that there is.
    drop : iterable of str, default=()
        Columns that are neither.

    Returns
    -------
    X, y : ndarray
        Features as numbers, of images one row each; labels as they are.
    """
    if target is None:
        target = next((name for usual in _USUAL_TARGETS for name in table if name.lower() == usual), None)
    if target is None or target not in table:
        raise DataError(f"{where} has no column {target or 'label'!r}; target= names it, one of {some_names(table)}.")
    names = [name for name in table if name != target and name not in set(drop)]
    y = table[target]
    if not names:
        raise DataError(f"{where} has no column besides {target!r}; a table needs features too.")
    if any(len(table[name]) != len(y) for name in names):
        if "X" not in names:
            raise DataError(f"the arrays of {where} have different lengths; X and y of as many rows are expected.")
        names = ["X"]
    if "X" in names and table["X"].ndim > 1:  # an array file: X is the table, others are about the rows
        X = table["X"].reshape(len(table["X"]), -1)
    else:
        X = np.column_stack([_numbers(table[name], name, where) for name in names])
    if X.dtype.kind not in "buif" or not np.isfinite(X).all():
        raise DataError(f"{where} has features that are missing, infinite or no numbers; impute or drop them first.")
    if len(X) != len(y):
        raise DataError(f"{where} has {len(X)} rows of features and {len(y)} labels.")
    missing = np.flatnonzero(np.isin(y.astype(str), ["", "?", "nan", "None"]))
    if len(y) == 0 or len(missing):
        what = f"no label in row {missing[0]}" if len(missing) else "no rows"
        raise DataError(f"{where} has {what}.")
    return X, y


def _columns(names: Sequence[str], rows: list[list[str]], where: str) -> Table:
    rows = [row for row in rows if row]
    if len(set(names)) < len(names) or not all(name.strip() for name in names):
        hint = "" if names[0].strip() else "; if the first is an index, pandas leaves it out with to_csv(index=False)"
        raise DataError(
            f"{where} must have a header with a different name for each column; it has {some_names(names)}{hint}."
        )
    wrong = next((i for i, row in enumerate(rows) if len(row) != len(names)), None)
    if not names or not rows or wrong is not None:
        what = "no rows" if wrong is None else f"{len(rows[wrong])} values in row {wrong + 1}"
        hint = "is it cut short, or delimited otherwise?"
        if len(names) == 1 and ";" in names[0]:
            hint = "it seems to be delimited by ';', and a .csv has commas, a .tsv tabs; and numbers have points."
        raise DataError(f"{where} has {len(names)} columns and {what}; {hint}")
    return {name.strip(): _text(column) for name, column in zip(names, zip(*rows))}


def _text(column: Sequence[str]) -> NDArray[Any]:
    """An array of text; of objects if one cell is so long that all would take its width."""
    return np.array(column, dtype=object if max(map(len, column)) > _WIDE else str)


def _numbers(column: NDArray[Any], name: str, where: str) -> NDArray[np.float64]:
    try:
        return np.asarray(column, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"column {name!r} of {where} is not all numbers; encode it first, or drop it.") from None


def _parquet(path: Path) -> Table:
    for module in ("polars", "pandas"):
        try:
            frame = import_module(module).read_parquet(path)
        except ImportError:
            continue
        return {str(name): frame[name].to_numpy() for name in frame.columns}
    raise DataError("Parquet is read with polars, or pandas with pyarrow: pip install polars")


def some_names(names: Iterable[str]) -> str:
    """The first few names, for errors."""
    listed = [repr(name) if len(name) < 50 else f"{name[:40]!r}…" for name in names]
    return ", ".join(listed[:_SOME]) + (", …" if len(listed) > _SOME else "")
