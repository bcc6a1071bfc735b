"""The archive of a model: its header with versions and a checksum, and checks of its members before skops reads them.

A small file can unpack to a very large one, name a member a hundred times, claim an array of terabytes, or show
different content to different readers. So the archive is copied, member by member and without compression, and skops
gets the copy.
"""

import hashlib
import json
import math
import os
import zipfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import IO, Any

from numpy.lib import format as npy

from ecoc.utils.exceptions import PersistenceError
from ecoc.utils.optional import optional

HEADER = "ecoc.json"  # a member of the archive; skops ignores members that it did not write
SCHEMA = "schema.json"  # the member in which skops describes the model
FORMAT = 2  # format 1, of versions that were never released, had no checksum
EXPECTED = "expected a zip archive that ecoc.save wrote"
_BOOSTERS = ("xgboost", "lightgbm", "catboost")
_LONGEST_NAME = 60  # characters of a package's name, which may be forged, in a message
_CHUNK = 2**20
_STARTS = {
    b"PK": "it is cut short or damaged",
    b"\x80": "it looks like a pickle, which could run any code and is never opened",
}


@dataclass(frozen=True)
class Defaults:
    """Limits of unpacking: a size and, for large files, a multiple of the size of the file.

    Models of floating-point numbers unpack to 1–10 times their file, and a file that was made to do harm to 1,000
    times. Loading takes up to three times the unpacked size: for the copy, for what skops reads of it, and for the
    arrays.
    """

    bytes: int = 2**29
    ratio: int = 16


@dataclass
class _Limit:
    """Number of bytes that an archive, with the archives inside it, may unpack to."""

    bytes: int
    nested: int = 0

    def check(self, needed: int, verb: str = "unpacks to") -> None:
        if needed > self.bytes:
            raise PersistenceError(
                f"it {verb} {_in_words(needed)}, and max_bytes allows {_in_words(self.bytes)}; if you trust whoever "
                f"made the file, load(path, max_bytes={needed})"
            )


def find_skops() -> Any:
    """Return skops.io, or raise an error that says how to install it."""
    return optional("skops.io", "models are kept in the format of skops", "'ecoc[save]'")


def installed_versions() -> dict[str, str]:
    """Return the versions of the packages that a model depends on."""
    modules = {"ecoc": "ecoc", "scikit-learn": "sklearn", "numpy": "numpy", "skops": "skops"}
    return {name: import_module(module).__version__ for name, module in modules.items()}


def add_header(content: bytes, model: Any) -> bytes:
    """Return an archive of skops with our header in it."""
    buffer = BytesIO(content)
    with zipfile.ZipFile(buffer, "a") as archive:
        digests = {name: hashlib.sha256(archive.read(name)).digest() for name in archive.namelist()}
        header = {
            "format": FORMAT,
            "model": type(model).__name__,
            "versions": installed_versions(),
            "sha256": checksum(digests),
        }
        archive.writestr(HEADER, json.dumps(header, indent=2))
    return buffer.getvalue()


def checksum(digests: dict[str, bytes]) -> str:
    """Return the SHA-256 of an archive's content, given the SHA-256 of each member by its name."""
    total = hashlib.sha256()
    for name in sorted(digests):
        total.update(hashlib.sha256(name.encode()).digest() + digests[name])
    return total.hexdigest()


def what_failed(versions: dict[str, str], error: Exception) -> str:
    """Return the reason for an error in an archive: a missing package, other versions, or damage."""
    if missing := _missing_package(error):
        extra = " with pip install 'ecoc[boosting]'" if missing in _BOOSTERS else ", if you trust whoever made the file"
        return f"it needs the package {missing}, which is not installed here; install it{extra}"
    different = [
        f"{name} {versions[name]} (here {version})"
        for name, version in installed_versions().items()
        if versions.get(name, version) != version
    ]
    if not different:
        return f"{EXPECTED}, but it is damaged ({_in_a_line(error)})"
    return (
        f"it was saved with {', '.join(different)}, or is damaged ({_in_a_line(error)}); load it with the versions it "
        "was saved with"
    )


def _missing_package(error: Exception) -> str | None:
    """Return the package that cannot be imported; None if the error is another, or a package has lost a module."""
    package = (getattr(error, "name", None) or "").partition(".")[0]
    missing = isinstance(error, ModuleNotFoundError) and package.isidentifier() and find_spec(package) is None
    return package[:_LONGEST_NAME] if missing else None


def read_archive(path: Path, max_bytes: int | None, defaults: Defaults = Defaults()) -> tuple[bytes, dict[str, str]]:
    """Return a checked copy of a model's archive, and the versions it was written with.

    A PersistenceError if the file is not such an archive, or takes more than `max_bytes`.
    """
    most_header = 2**16
    node_bytes = 1536  # memory that skops takes for a node of the schema, about; a list or a number takes at most 64
    content = _read(path, max_bytes, defaults)
    limit = _Limit(max(defaults.bytes, defaults.ratio * len(content)) if max_bytes is None else max_bytes)
    with _opened(content) as source:
        members = _members(source)
        if HEADER not in members:
            hint = "; this may be a model that skops wrote, for skops.io.load" if SCHEMA in members else ""
            raise PersistenceError(f"{EXPECTED}, but it lacks {HEADER}{hint}")
        header = json.loads(source.open(members.pop(HEADER)).read(most_header))
        versions = _check_header(header)
        if SCHEMA not in members:
            raise PersistenceError(f"{EXPECTED}, but it lacks {SCHEMA}")
        sizes = {name: member.file_size for name, member in members.items()}
        limit.check(sum(sizes.values()))
        schema = source.open(members[SCHEMA]).read(sizes[SCHEMA])
        limit.check(len(schema) + schema.count(b"{") * node_bytes + (schema.count(b"[") + schema.count(b",")) * 64)
        needed, reads = _count_reads(json.loads(schema), sizes)
        limit.check(needed)
        copy, digests = _copy(source, members, limit, reads)
    if checksum(digests) != header.get("sha256"):
        raise PersistenceError(f"{EXPECTED}, but its content does not match its checksum: it is damaged or was changed")
    return copy, versions


def _check_header(header: Any) -> dict[str, str]:
    """Return the versions in a header; a PersistenceError if it is not one, or of another format."""
    if not (
        isinstance(header, dict)
        and isinstance(header.get("format"), int)
        and isinstance(header.get("versions"), dict)
        and all(isinstance(version, str) for version in header["versions"].values())
        and "ecoc" in header["versions"]
    ):
        raise PersistenceError(f"{EXPECTED}, but its {HEADER} has no format and versions")
    versions: dict[str, str] = header["versions"]
    if header["format"] != FORMAT:
        newer = header["format"] > FORMAT
        advice = "pip install --upgrade ecoc" if newer else "fit the model again and save it"
        raise PersistenceError(
            f"ecoc {versions['ecoc']} wrote it in format {header['format']}, and this version reads format {FORMAT}; "
            f"{advice}"
        )
    return versions


def _in_words(size: int) -> str:
    return f"{size / 1e9:,.1f} GB" if size >= 1e9 else f"{size / 1e6:,.1f} MB" if size >= 1e5 else f"{size:,.0f} bytes"


def _in_a_line(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())


def _read(path: Path, max_bytes: int | None, defaults: Defaults) -> bytes:
    """Return the content of a file or pipe; a PersistenceError if it is larger than allowed, or has no end."""
    chunks, size = [], 0
    try:
        with path.open("rb") as file:
            own_size = os.fstat(file.fileno()).st_size
            limit = _Limit(max(own_size, defaults.bytes) if max_bytes is None else max_bytes)
            while chunk := file.read(_CHUNK):
                chunks.append(chunk)
                size += len(chunk)
                limit.check(size, "has at least")
    except OSError as error:
        reason = f"{error.strerror}, where a model that ecoc.save wrote was expected"
        raise type(error)(error.errno, reason, str(path)) from None
    return b"".join(chunks)


@contextmanager
def _opened(content: bytes) -> Iterator[zipfile.ZipFile]:
    """Open an archive; whatever is wrong with it becomes a PersistenceError."""
    if not zipfile.is_zipfile(BytesIO(content)):
        found = next((kind for start, kind in _STARTS.items() if content.startswith(start)), "it is something else")
        raise PersistenceError(f"{EXPECTED}, but {found if content else 'it is empty'}")
    try:
        with zipfile.ZipFile(BytesIO(content)) as archive:
            yield archive
    except (PersistenceError, MemoryError):
        raise
    except Exception as error:  # zipfile, zlib, json and numpy have many ways to fail
        raise PersistenceError(f"{EXPECTED}, but it is damaged ({_in_a_line(error)})") from error


def _members(archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """Return the members by their names, which must differ; other readers might take the other of two."""
    infos = archive.infolist()
    twice = [name for name, count in Counter(info.filename for info in infos).items() if count > 1]
    if twice:
        raise PersistenceError(f"{EXPECTED}, but it has two members with the name {twice[0]!r}")
    foreign = [info.filename for info in infos if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)]
    if foreign:  # zipfile unpacks other methods without a bound
        raise PersistenceError(f"{EXPECTED}, but {foreign[0]!r} is compressed by another method")
    return {info.filename: info for info in infos}


def _count_reads(schema: Any, sizes: dict[str, int]) -> tuple[int, Counter[str]]:
    """Return how many bytes skops reads from the members, and how often it reads each of them.

    It reads a member for each node that names it, but only once for all nodes with the same `__id__`. In a file that
    skops wrote, these nodes have the same content. Otherwise, a few nodes could stand for an exponential number.
    """
    reads: Counter[str] = Counter()
    n_nodes_of: dict[Any, int] = {}
    bytes_of: dict[Any, int] = {}  # by id, or by a number of its own for a node without id

    def visit(value: Any) -> int:
        bytearray_cost = 9  # skops makes a bytearray from a list of its bytes
        if isinstance(value, list):
            return sum(map(visit, value))
        if not isinstance(value, dict):
            return 0
        n_nodes = 1 + sum(map(visit, value.values()))
        key = value.get("__id__")
        if key is not None and n_nodes_of.setdefault(key, n_nodes) != n_nodes:
            raise PersistenceError(f"{EXPECTED}, but its {SCHEMA} has two different parts with the same __id__")
        if isinstance(file := value.get("file"), str):
            cost = bytearray_cost if value.get("__loader__") == "BytearrayNode" else 1
            key = ("no id", len(bytes_of)) if key is None else key
            reads[file] += key not in bytes_of
            bytes_of[key] = max(cost * sizes.get(file, 0), bytes_of.get(key, 0))
        return n_nodes

    visit(schema)
    return sum(bytes_of.values()), reads


def _copy(
    source: zipfile.ZipFile, members: dict[str, zipfile.ZipInfo], limit: _Limit, reads: Counter[str]
) -> tuple[bytes, dict[str, bytes]]:
    """Return a copy of an archive without compression, and the SHA-256 of each member."""
    buffer, digests = BytesIO(), {}
    with zipfile.ZipFile(buffer, "w") as target:
        for name, member in members.items():
            digest = hashlib.sha256()
            with source.open(member) as reader, target.open(name, "w", force_zip64=True) as writer:
                if name.endswith(".npz"):
                    content = reader.read(member.file_size)
                    digest.update(content)
                    writer.write(_copy_nested(content, limit, max(reads[name], 1)))
                else:
                    _copy_member(reader, writer, member, digest)
            digests[name] = digest.digest()
    return buffer.getvalue(), digests


def _copy_member(reader: IO[bytes], writer: IO[bytes], member: zipfile.ZipInfo, digest: Any) -> None:
    size = 0
    while chunk := reader.read(_CHUNK):
        if size == 0 and member.filename.endswith(".npy"):
            _check_array(chunk, member.file_size)
        size += len(chunk)
        digest.update(chunk)
        writer.write(chunk)
    if size != member.file_size:
        raise ValueError(f"{member.filename} has {size} bytes, not {member.file_size}")


def _copy_nested(content: bytes, limit: _Limit, count: int) -> bytes:
    """Return a checked copy of an archive of arrays, in which scipy keeps a sparse matrix."""
    with _opened(content) as source:
        members = _members(source)
        limit.nested += count * sum(member.file_size for member in members.values())
        limit.check(limit.nested)
        strange = [name for name in members if not name.endswith(".npy")]
        if strange:
            raise ValueError(f"{strange[0]!r} in a sparse matrix")
        return _copy(source, members, limit, Counter())[0]


def _check_array(start: bytes, size: int) -> None:
    """Raise an error if the header of an .npy file does not fit its size; numpy would allocate what it claims."""
    stream = BytesIO(start)
    read_header = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
    shape, _, dtype = read_header[npy.read_magic(stream)](stream)
    count = math.prod(shape)
    if dtype.hasobject or min(shape, default=0) < 0 or (count and not dtype.itemsize):
        raise ValueError(f"an array of shape {shape} and type {dtype}")
    if count * dtype.itemsize != size - stream.tell():
        raise ValueError(f"an array of shape {shape} and type {dtype} in {size} bytes")
