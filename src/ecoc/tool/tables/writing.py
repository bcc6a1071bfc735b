"""Write predictions as CSV, TSV, JSON lines, Parquet or NPZ, each file in one step."""

import csv
import gzip
import io
import json
import os
from collections.abc import Iterable, Mapping
from importlib import import_module
from itertools import repeat
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
from numpy.lib.format import write_array
from numpy.typing import NDArray

from ecoc.tool.tables.cells import is_number
from ecoc.utils.exceptions import DataError
from ecoc.utils.files import replace_file

PREDICTION_ENDINGS = (".csv", ".csv.gz", ".tsv", ".jsonl", ".parquet", ".npz")
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")  # a spreadsheet skips the last three


def check_output(path: Path, endings: tuple[str, ...] = (), sources: Iterable[Path] = ()) -> None:
    """Raise an error now if a file cannot be written later: by its ending, its folder, or because it is a source."""
    if path.is_dir():
        raise DataError(f"cannot write {path}: it is a folder; give the name of a file in it.")
    if endings and not path.name.lower().endswith(endings):
        raise DataError(f"cannot write {path.name}: its name must end in one of {', '.join(endings)}.")
    if any(path.exists() and source.exists() and path.samefile(source) for source in sources):
        raise DataError(f"cannot write {path}: this command reads it, and it would be lost; choose another name.")
    if not path.parent.is_dir():
        raise DataError(f"cannot write {path}: there is no folder {path.parent}; make it first.")
    if not os.access(path.parent, os.W_OK):
        raise DataError(f"cannot write {path}: the folder {path.parent} is read-only; choose another.")


def write_output(path: Path, content: bytes) -> None:
    """Write a file in one step; a failure leaves nothing behind."""
    check_output(path)
    try:
        replace_file(path, content)
    except OSError as error:
        raise DataError(f"cannot write {path}: {error.strerror or error}.") from error


def predictions_as(
    ending: str,
    labels: NDArray[Any],
    probabilities: NDArray[np.float64] | None,
    classes: NDArray[Any],
    *,
    keep: Mapping[str, NDArray[Any]] | None = None,
    sets: NDArray[np.bool_] | None = None,
    spreadsheet_safe: bool = False,
) -> bytes:
    """Turn predictions into the content of a file whose name has this ending, one of `PREDICTION_ENDINGS`.

    The columns to `keep`, such as identifiers, come first. Sets of plausible classes are written with ``|`` between
    their members in text files. With `spreadsheet_safe`, an apostrophe goes before text that a spreadsheet would run as
    a formula because it begins with ``=``, ``+``, ``-`` or ``@``; only CSV and TSV files need it.
    """
    shares = np.empty((len(labels), 0)) if probabilities is None else probabilities
    names = [] if probabilities is None else [str(label) for label in classes.tolist()]
    written = ("prediction", "set", "probability", "classes") if ending in (".npz", ".jsonl") else _header(names)
    keep = dict(keep or {})
    if twice := [name for name in keep if name in written]:
        raise DataError(
            f"column {twice[0]!r} cannot be kept: a column of the predictions has the same name; rename it."
        )
    members = [] if sets is None else [classes[row].tolist() for row in sets]
    if ending == ".npz":
        found = {"prediction": labels} if sets is None else {"prediction": labels, "set": sets}
        return _npz({**keep, **found, "probability": shares, "classes": classes})
    if ending == ".jsonl":
        kept = [dict(zip(keep, row)) for row in zip(*(column.tolist() for column in keep.values()))]
        rows = (
            {**about, "prediction": label, **one, "probability": dict(zip(names, row))}
            for about, label, one, row in zip(
                kept or repeat({}),
                labels.tolist(),
                repeat({}) if sets is None else ({"set": each} for each in members),
                shares.tolist(),
            )
        )
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()
    said = {"prediction": labels}
    if sets is not None:
        said["set"] = np.array(["|".join(map(str, each)) for each in members], dtype=object)
    probabilities_of = _header(names)[2:]
    if ending == ".parquet":
        return _parquet({**keep, **said, **dict(zip(probabilities_of, shares.T))})
    columns = {**keep, **said}
    return _delimited(ending, [*columns, *probabilities_of], list(columns.values()), shares, spreadsheet_safe)


def _header(names: list[str]) -> list[str]:
    return ["prediction", "set", *(f"probability_{name}" for name in names)]


def _delimited(
    ending: str, header: list[str], columns: list[NDArray[Any]], shares: NDArray[np.float64], safe: bool
) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter="\t" if ending == ".tsv" else ",", lineterminator="\n")
    cells = [[_safe(cell) for cell in column.tolist()] if safe else column.tolist() for column in columns]
    writer.writerow(map(_safe, header) if safe else header)
    writer.writerows([*row, *(f"{share:.6g}" for share in rest)] for *row, rest in zip(*cells, shares.tolist()))
    content = text.getvalue().encode()
    return gzip.compress(content, mtime=0) if ending.endswith(".gz") else content


def _safe(cell: Any) -> Any:
    """A cell that no spreadsheet runs as a formula; numbers stay as they are."""
    if not isinstance(cell, str) or not cell.startswith(_FORMULA) or is_number(cell):
        return cell
    return f"'{cell}"


def _npz(arrays: dict[str, NDArray[Any]]) -> bytes:
    """Content of an NPZ file; numpy.savez takes names as keywords, and a column may be called ``file``."""
    buffer = io.BytesIO()
    with ZipFile(buffer, "w", ZIP_DEFLATED) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
                write_array(file, array.astype(str) if array.dtype == object else array, allow_pickle=False)
    return buffer.getvalue()


def _parquet(columns: dict[str, NDArray[Any]]) -> bytes:
    buffer = io.BytesIO()
    for module, write in (("polars", "write_parquet"), ("pandas", "to_parquet")):
        try:
            getattr(import_module(module).DataFrame(columns), write)(buffer)
        except ImportError:
            continue
        return buffer.getvalue()
    raise DataError("Parquet is written with polars, or pandas with pyarrow: pip install polars")
