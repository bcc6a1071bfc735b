"""Guess how a delimited file is written: its delimiter, its decimal mark and its encoding."""

import codecs
import csv
import re
from dataclasses import dataclass
from typing import BinaryIO
from warnings import warn

from ecoc.tool.tables.cells import WITH_COMMA, is_missing, is_number
from ecoc.tool.tables.opening import Options
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


def find_dialect(file: BinaryIO, where: str, options: Options, usual: str) -> Dialect:
    """Take the dialect from the options, and guess the rest from the start of the file.

    Parameters
    ----------
    file : binary file
        The file, at its start.
    where : str
        Its name, for messages.
    options : Options
        What the user said.
    usual : str
        Delimiter that files with this ending have.

    Returns
    -------
    Dialect
        How to read it. A guess that is not the usual dialect is told in a warning.
    """
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
