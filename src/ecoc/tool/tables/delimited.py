"""Guess how CSV and TSV files are written, and parse them a block at a time, into columns of numbers or text.

As Python strings, numbers take ten times the memory of an array. The file is therefore never held as a whole: each
block of lines becomes an array of numbers and lists of text before the next block is read.
"""

import codecs
import csv
import io
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO, TextIO
from warnings import warn

import numpy as np

from ecoc.tool.tables.cells import (
    WITH_COMMA,
    Table,
    as_number,
    as_numbers,
    check_names,
    check_widths,
    is_missing,
    is_number,
)
from ecoc.tool.tables.opening import Options, check_size, is_packed, open_bytes
from ecoc.utils.exceptions import DataError

_DELIMITERS = (",", ";", "\t", "|")
_WORDS = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "space": " "}
_SAMPLE = 2**16  # characters at the start of a file from which its dialect is guessed
# Three digits after a mark may be thousands: 1,234.
_SURELY_DECIMAL = {mark: re.compile(rf".*\d[{mark}](\d{{1,2}}|\d{{4,}})([eE].*)?") for mark in ".,"}
_BYTE_ORDER_MARKS = {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}


@dataclass(frozen=True)
class Dialect:
    """Delimiter, decimal mark and encoding of a file."""

    sep: str
    decimal: str
    encoding: str


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
        lines = _lines(text, path.name, options.longest_line)
        names = next((row for row in csv.reader(lines, delimiter=dialect.sep) if row), [])
        if options.index is not None and names and not names[0].strip():
            names[0] = options.index
        names = check_names(names, path.name)
        text_columns = options.text_columns(names).union(late)
        columns = _Columns(names, [name in text_columns for name in names], dialect, path.name)
        for block in _blocks(lines, dialect.sep, options.block_rows or _block_rows(len(names))):
            columns.add(block)
            if is_packed(path):
                check_size(columns.n_rows * len(names) * 8, path.name, options.limit)
    if columns.n_rows == 0:
        raise DataError(f"{path.name} has {len(names)} columns and no rows.")
    return columns


def _block_rows(n_columns: int) -> int:
    """Return the rows of a block.

    A block has 100,000 cells; tuned on 20 million numbers: half or double takes the same time, ten times as many a
    fifth more. With many columns it has up to ten times more, because each column of a block takes time.
    """
    return max(1, min(max(100_000, 100 * n_columns), 1_000_000) // max(1, n_columns))


def _lines(text: TextIO, where: str, longest: int) -> Iterator[str]:
    while line := text.readline(longest):
        if len(line) == longest:
            raise DataError(f"{where} has a line of more than {longest:,} characters; is it a table?")
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


def find_dialect(file: BinaryIO, where: str, options: Options, usual: str) -> Dialect:
    """Take the dialect from the options, and guess the rest from the start of the file; tell an unusual guess."""
    sep, decimal = _given(options)
    start = file.read(4 * _SAMPLE)
    encoding = _encoding(start, options.encoding)
    text = codecs.getincrementaldecoder(encoding)().decode(start)  # not final: the last character may be cut
    sample = text[:_SAMPLE]
    is_cut = len(text) > _SAMPLE or len(start) == 4 * _SAMPLE
    found = sep or _sniff_delimiter(sample, is_cut, usual)
    mark = decimal or _sniff_decimal(_rows(sample, found, is_cut))
    guessed = [f"{found!r} between cells"] if sep is None and found != usual else []
    guessed += ["',' as the decimal mark"] if decimal is None and mark == "," else []
    if guessed:
        warn(
            f"{where} is read with {' and '.join(guessed)}; if that is wrong, say so with sep= and decimal= (--sep and "
            "--decimal on the command line).",
            stacklevel=2,
        )
    return Dialect(found, mark, encoding)


def _given(options: Options) -> tuple[str | None, str | None]:
    sep = None if options.sep is None else _WORDS.get(options.sep.lower(), options.sep)
    if sep is not None and (len(sep) != 1 or sep in '"\r\n'):
        raise DataError(f"sep must be one character, such as ',' or ';', or 'tab'; got {options.sep!r}.")
    if options.decimal not in (None, ".", ","):
        raise DataError(f"decimal must be '.' or ','; got {options.decimal!r}.")
    return sep, options.decimal


def _encoding(start: bytes, given: str | None) -> str:
    if given is None:
        return next((name for mark, name in _BYTE_ORDER_MARKS.items() if start.startswith(mark)), "utf-8-sig")
    try:
        name = codecs.lookup(given).name
    except LookupError:
        raise DataError(f"unknown encoding {given!r}; usual ones are utf-8, cp1252, latin-1 and utf-16.") from None
    return "utf-8-sig" if name == "utf-8" else name


def _rows(sample: str, sep: str, is_cut: bool) -> list[list[str]]:
    try:
        rows = list(csv.reader(sample.splitlines(keepends=True), delimiter=sep))
    except csv.Error:
        return []
    return [row for row in (rows[:-1] if is_cut else rows) if row]


def _sniff_delimiter(sample: str, is_cut: bool, usual: str) -> str:
    """The usual delimiter, unless it does not give rows of one length and another one does."""

    def n_columns(sep: str) -> int:
        widths = {len(row) for row in _rows(sample, sep, is_cut)}
        return widths.pop() if len(widths) == 1 else 0

    if n_columns(usual) > 1:
        return usual
    best = max(_DELIMITERS, key=n_columns)
    return best if n_columns(best) > 1 else usual


def _sniff_decimal(rows: list[list[str]]) -> str:
    """A comma, if a column has numbers with a decimal comma for sure, and none has numbers with a decimal point."""
    found = "."
    for column in zip(*rows[1:]):
        cells = [cell.strip() for cell in column if not is_missing(cell)]
        if all(map(is_number, cells)):
            if any(map(_SURELY_DECIMAL["."].fullmatch, cells)):
                return "."
        elif all(map(WITH_COMMA.fullmatch, cells)) and any(map(_SURELY_DECIMAL[","].fullmatch, cells)):
            found = ","
    return found
