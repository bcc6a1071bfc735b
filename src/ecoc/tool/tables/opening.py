"""Open plain and gzipped files, up to a size at which unpacking cannot fill the memory."""

import gzip
import io
import os
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast
from zipfile import ZipFile

from ecoc.utils.exceptions import DataError

MOST_BYTES = 4 * 2**30  # of an unpacked file, unless the user says otherwise


@dataclass(frozen=True)
class Options:
    """How a table is to be read, see :func:`~ecoc.tool.tables.read_table`."""

    index: str | None = None
    labels: Collection[str] = ()
    as_text: Collection[str] = ()
    sep: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    max_bytes: int | None = None
    block_rows: int | None = None  # of a delimited file, parsed at once; None: by the number of columns
    longest_line: int = 2**26  # characters

    def text_columns(self, names: Collection[str]) -> set[str]:
        """Columns that must stay text: those in `as_text`, and the first of `labels` that there is."""
        target = next((name for label in self.labels for name in names if label in (name, name.lower())), None)
        return {name for name in names if name in self.as_text or name == target}

    @property
    def limit(self) -> int:
        """Largest number of bytes that a file may have when it is unpacked."""
        if self.max_bytes is not None:
            return self.max_bytes
        given = os.environ.get("ECOC_MAX_BYTES", str(MOST_BYTES))
        if not given.isdigit():
            raise DataError(f"ECOC_MAX_BYTES must be a whole number of bytes, not {given!r}.")
        return int(given)


def is_packed(path: Path) -> bool:
    """Whether a file is gzipped, by its name."""
    return path.suffix.lower() == ".gz"


def open_bytes(path: Path, limit: int) -> BinaryIO:
    """Open a file, plain or gzipped; reading more than `limit` bytes from a gzipped one is an error."""
    if not is_packed(path):
        return path.open("rb")
    return io.BufferedReader(cast(io.RawIOBase, _Limited(path, limit)))


def check_packed(path: Path, limit: int) -> None:
    """Raise an error if a gzipped file is too large when it is unpacked; it is never held in memory."""
    if is_packed(path) and path.stat().st_size * 1032 > limit:  # by the format, a byte unpacks to at most 1032
        with open_bytes(path, limit) as file:
            while file.read(2**20):
                pass


def check_archive(path: Path, limit: int) -> None:
    """Raise an error if the members of a zip file are too large together, or if two have the same name."""
    with ZipFile(path) as archive:
        members = archive.infolist()
    check_size(sum(member.file_size for member in members), path.name, limit)
    if len({member.filename for member in members}) < len(members):
        raise DataError(f"{path.name} is damaged: two of its members have the same name.")


def check_size(size: int, where: str, limit: int) -> None:
    """Raise an error if a file takes too much memory when it is unpacked."""
    if size > limit:
        raise DataError(
            f"{where} unpacks to more than {limit / 1e9:.3g} GB; if you trust the file, allow more with max_bytes= or "
            "the environment variable ECOC_MAX_BYTES."
        )


class _Limited(io.RawIOBase):
    """A gzipped file that counts the bytes that it unpacks."""

    def __init__(self, path: Path, limit: int) -> None:
        self._file = gzip.open(path)  # noqa: SIM115, closed below
        self._where, self._limit, self._size = path.name, limit, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count = self._file.readinto(buffer)
        self._size += count
        check_size(self._size, self._where, self._limit)
        return count

    def close(self) -> None:
        self._file.close()
        super().close()
