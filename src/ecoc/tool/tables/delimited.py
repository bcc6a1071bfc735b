"""Parse CSV and TSV files a block at a time, into columns of numbers or text.

As Python strings, numbers take ten times the memory of an array. The file is therefore never held as a whole: each
block of lines becomes an array of numbers and lists of text before the next block is read.
"""

import csv
import io
from collections.abc import Collection, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from ecoc.tool.tables.cells import as_number, as_numbers
from ecoc.tool.tables.dialect import Dialect, find_dialect
from ecoc.tool.tables.names import Table, check_names, check_widths
from ecoc.tool.tables.opening import Options, check_size, is_packed, open_bytes
from ecoc.utils.exceptions import DataError

# Cells of a block. Tuned on 20 million numbers: half or double takes the same time, ten times as many a fifth more.
# With many columns a block has up to ten times more cells, because each column of a block takes time.
_BLOCK, _LEAST_ROWS = 100_000, 100
_LONGEST_LINE = 2**26  # characters


def read_delimited(path: Path, options: Options, usual: str) -> Table:
    """Read the columns of a delimited file; `usual` is the delimiter that its ending promises."""
    with open_bytes(path, options.limit) as file:
        dialect = find_dialect(file, path.name, options, usual)
    columns = _parse(path, options, dialect, ())
    if columns.late:  # these columns began with numbers and went on with text, so their numbers must be read as text
        columns = _parse(path, options, dialect, columns.late)
    return columns.table()


def _parse(path: Path, options: Options, dialect: Dialect, late: Collection[str]) -> "_Columns":
    with io.TextIOWrapper(open_bytes(path, options.limit), dialect.encoding, newline=None) as text:
        lines = _lines(text, path.name)
        names = next((row for row in csv.reader(lines, delimiter=dialect.sep) if row), [])
        if options.index is not None and names and not names[0].strip():
            names[0] = options.index
        names = check_names(names, path.name)
        text_columns = options.text_columns(names).union(late)
        columns = _Columns(names, [name in text_columns for name in names], dialect, path.name)
        cells = min(max(_BLOCK, _LEAST_ROWS * len(names)), 10 * _BLOCK)
        for block in _blocks(lines, dialect.sep, max(1, cells // max(1, len(names)))):
            columns.add(block)
            if is_packed(path):
                check_size(columns.n_rows * len(names) * 8, path.name, options.limit)
    if columns.n_rows == 0:
        raise DataError(f"{path.name} has {len(names)} columns and no rows.")
    return columns


def _lines(text: TextIO, where: str) -> Iterator[str]:
    while line := text.readline(_LONGEST_LINE):
        if len(line) == _LONGEST_LINE:
            raise DataError(f"{where} has a line of more than {_LONGEST_LINE:,} characters; is it a table?")
        yield line


def _blocks(lines: Iterator[str], sep: str, size: int) -> Iterator[list[str] | list[list[str]]]:
    """Lists of lines, or lists of rows from where a quoted cell goes on in the next line."""
    while block := list(islice(lines, size)):
        if any(line.count('"') % 2 for line in block):
            rows = csv.reader(chain(block, lines), delimiter=sep)
            while some := list(islice(rows, size)):
                yield some
        else:
            yield block


class _Columns:
    """Columns that grow by blocks; each is numbers until a block holds text."""

    def __init__(self, names: Sequence[str], is_text: list[bool], dialect: Dialect, where: str) -> None:
        self.names, self.is_text, self.dialect, self.where = names, is_text, dialect, where
        self.n_rows = 0
        self.late: set[str] = set()  # columns with text after the first block
        self._holes: set[int] = set()  # columns of numbers with missing cells
        self._numbers = np.empty((0, 0))  # has more rows than were read, so that it need not grow with each block
        self._texts: list[list[str]] = [[] for _ in names]
        self._known: list[dict[str, str]] = [{} for _ in names]  # equal texts of a column share their memory

    def add(self, block: list[str] | list[list[str]]) -> None:
        """Parse a block, of lines or of rows."""
        parts = self._load(block) if isinstance(block[0], str) and self.n_rows and self.dialect.decimal == "." else None
        if parts is None:
            rows = list(csv.reader(block, delimiter=self.dialect.sep)) if isinstance(block[0], str) else block
            parts = self._convert([row for row in rows if row])
        start, self.n_rows = self.n_rows, self.n_rows + (len(parts[0]) if parts else 0)
        if self.late or self.n_rows == start:
            return
        if self.n_rows > len(self._numbers):
            self._resize(max(self.n_rows, len(self._numbers) * 5 // 4))
        for column, part in zip(self._numbers.T, [part for part, text in zip(parts, self.is_text) if not text]):
            column[start : self.n_rows] = part
        for texts, known, part, text in zip(self._texts, self._known, parts, self.is_text):
            if text:
                texts.extend(known.setdefault(cell, cell) for cell in part)

    def _load(self, lines: Any) -> list[Any] | None:
        """Parse lines by numpy, which takes half the time of csv; None if a column is not as in earlier blocks."""
        if not (lines := [line for line in lines if line != "\n"]):
            return []
        dtype = [(f"f{i}", object if text else np.float64) for i, text in enumerate(self.is_text)]
        try:
            loaded = np.loadtxt(
                lines,
                dtype,
                comments=None,
                delimiter=self.dialect.sep,
                converters=dict.fromkeys(self._holes, as_number),
                quotechar='"',
                ndmin=1,
            )
        except ValueError:
            return None
        return [loaded[name].tolist() if kind is object else loaded[name] for name, kind in dtype]

    def _convert(self, rows: Any) -> list[Any]:
        check_widths(rows, len(self.names), self.where, self.n_rows)
        parts: list[Any] = []
        for i, cells in enumerate(zip(*rows)):
            numbers = None if self.is_text[i] else as_numbers(cells, self.dialect.decimal)
            if numbers is None and not self.is_text[i]:
                if self.n_rows:
                    self.late.add(self.names[i])
                else:
                    self.is_text[i] = True
            if numbers is not None and np.isnan(numbers).any():
                self._holes.add(i)
            parts.append(cells if numbers is None else numbers)
        return parts

    def _resize(self, n_rows: int) -> None:
        """Grow or shrink in place: a second array of this size would double the memory."""
        self._numbers.resize((n_rows, self.is_text.count(False)), refcheck=False)

    def table(self) -> Table:
        """The columns by name. Columns of numbers are views of one matrix, so that it need not be made again."""
        self._resize(self.n_rows)
        views = iter(self._numbers.T)
        return {
            name: np.array(texts, dtype=object) if text else next(views)
            for name, texts, text in zip(self.names, self._texts, self.is_text)
        }
