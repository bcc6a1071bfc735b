"""Read files whose columns have types: NPZ, Parquet and Excel."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import date, datetime
from importlib import import_module
from pathlib import Path
from typing import Any
from warnings import warn
from zipfile import ZipFile

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from ecoc.tool.tables.cells import Table, check_names
from ecoc.tool.tables.opening import Options, check_archive, check_size
from ecoc.utils.exceptions import DataError

_HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}


def read_npz(path: Path, options: Options) -> Table:
    """Read the arrays of an NPZ file."""
    check_archive(path, options.limit)
    with ZipFile(path) as archive:
        for member in archive.infolist():
            with archive.open(member) as file:
                _check_array(file, member.filename, member.file_size, path.name)
    with np.load(path, allow_pickle=False) as arrays:
        return {name: arrays[name] for name in arrays}


def _check_array(file: Any, name: str, size: int, where: str) -> None:
    """Raise an error if an array claims to be larger than its file; numpy would reserve the memory first."""
    read_header = _HEADERS.get(npy.read_magic(file))
    if read_header is None:
        raise DataError(f"{where} has the array {name!r} in a format that is not supported; write numbers and text.")
    shape, _, dtype = read_header(file)
    claimed = int(np.prod([int(n) for n in shape], dtype=object)) * dtype.itemsize
    if claimed > size:
        raise DataError(
            f"{where} is damaged: its array {name!r} claims to have {claimed:,} bytes, but the file has {size:,}."
        )


def read_parquet(path: Path, options: Options) -> Table:
    """Read the columns of a Parquet file with polars, or with pandas and pyarrow."""
    for count, module in ((_cells_by_polars, "polars"), (_cells_by_pyarrow, "pandas")):
        try:
            with _silent():
                check_size(8 * count(path), path.name, options.limit)
                frame = import_module(module).read_parquet(path)
        except ImportError:
            continue
        except BaseException as error:
            if type(error).__name__ != "PanicException":  # of polars, which is no Exception
                raise
            raise DataError(f"{path.name} cannot be read as parquet: it is damaged ({error}).") from error
        return {str(name): frame[name].to_numpy() for name in frame.columns}
    raise DataError("Parquet is read with polars, or pandas with pyarrow: pip install polars")


@contextmanager
def _silent() -> Iterator[None]:
    """Keep standard error quiet: polars writes a stack trace there if a file is damaged, before it raises an error."""
    try:
        saved = os.dup(2)
    except OSError:  # there is no standard error
        yield
        return
    if sys.stderr is not None:
        sys.stderr.flush()
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(saved, 2)
        os.close(saved)
        os.close(nowhere)


def _cells_by_polars(path: Path) -> int:
    polars = import_module("polars")
    n_rows = polars.scan_parquet(path).select(polars.len()).collect().item()
    return int(n_rows) * len(polars.read_parquet_schema(path))


def _cells_by_pyarrow(path: Path) -> int:
    about = import_module("pyarrow.parquet").read_metadata(path)
    return int(about.num_rows) * int(about.num_columns)


def read_excel(path: Path, options: Options) -> Table:
    """Read the first sheet of an Excel file; its first row has the names."""
    try:
        load_workbook: Callable[..., Any] = import_module("openpyxl").load_workbook
    except ImportError:
        raise DataError("Excel files are read with openpyxl: pip install openpyxl, or 'ecoc[excel]'") from None
    check_archive(path, options.limit)
    book = load_workbook(path, read_only=True, data_only=True)
    try:
        sheet, *others = book.worksheets
        if others:
            warn(f"{path.name} has {len(others) + 1} sheets; the first, {sheet.title!r}, is read.", stacklevel=2)
        names, columns = _sheet(sheet.iter_rows(values_only=True), path.name)
    finally:
        book.close()
    text_columns = options.text_columns(names)
    return {name: _typed(cells, name in text_columns) for name, cells in zip(names, columns)}


def _sheet(rows: Iterable[tuple[Any, ...]], where: str) -> tuple[list[str], list[list[Any]]]:
    """Names and columns of a sheet; empty rows, and empty columns at the right, are left out."""
    rows = (row for row in rows if any(cell is not None for cell in row))
    header = list(next(iter(rows), ()))
    while header and header[-1] is None:
        header.pop()
    names = check_names(["" if cell is None else str(cell) for cell in header], where)
    columns: list[list[Any]] = [[] for _ in names]
    for number, row in enumerate(rows, 1):
        if any(cell is not None for cell in row[len(names) :]):
            raise DataError(f"{where} has {len(names)} names in its first row and more cells in row {number}.")
        for i, column in enumerate(columns):
            column.append(row[i] if i < len(row) else None)
    if not names or not columns[0]:
        raise DataError(f"{where} has {len(names)} columns and no rows.")
    return names, columns


def _typed(cells: list[Any], text: bool) -> NDArray[Any]:
    """Numbers, if all cells are; else text, with dates as 2024-12-31."""
    if not text and all(cell is None or type(cell) in (int, float) for cell in cells):
        return np.array([np.nan if cell is None else cell for cell in cells], dtype=np.float64)
    return np.array([_text(cell) for cell in cells], dtype=object)


def _text(cell: Any) -> str:
    if isinstance(cell, datetime) and cell.time() == datetime.min.time():
        cell = cell.date()
    if isinstance(cell, date | datetime):
        return cell.isoformat()
    return "" if cell is None else str(int(cell) if isinstance(cell, float) and cell.is_integer() else cell)
