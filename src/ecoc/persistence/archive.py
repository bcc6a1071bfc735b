"""What is in a model's file? The archive that skops writes, and a header with versions."""

import json
import zipfile
from importlib import import_module
from io import BytesIO
from typing import Any

from ecoc.exceptions import PersistenceError

HEADER = "ecoc.json"  # a member of the archive; skops ignores members that it did not write
FORMAT = 1
EXPECTED = "expected a zip archive that ecoc.save wrote"
_STARTS = {
    b"PK": "it is cut short or damaged",
    b"\x80": "it looks like a pickle, which could run any code and is never opened",
}


def find_skops() -> Any:
    """Return skops.io, or raise an error that says how to install it."""
    try:
        return import_module("skops.io")
    except ModuleNotFoundError as error:
        raise ImportError("models are kept in the format of skops: pip install 'ecoc[save]'") from error


def installed_versions() -> dict[str, str]:
    """Return the versions of the packages that a model depends on."""
    modules = {"ecoc": "ecoc", "scikit-learn": "sklearn", "numpy": "numpy", "skops": "skops"}
    return {name: import_module(module).__version__ for name, module in modules.items()}


def add_header(content: bytes, model: Any) -> bytes:
    """Return an archive of skops with our header in it."""
    header = {"format": FORMAT, "model": type(model).__name__, "versions": installed_versions()}
    buffer = BytesIO(content)
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.writestr(HEADER, json.dumps(header, indent=2))
    return buffer.getvalue()


def read_versions(content: bytes) -> dict[str, str]:
    """Return the versions that a file was written with; a PersistenceError if `save` did not write it."""
    if not zipfile.is_zipfile(BytesIO(content)):
        found = next((kind for start, kind in _STARTS.items() if content.startswith(start)), "it is something else")
        raise PersistenceError(f"{EXPECTED}, but {found if content else 'it is empty'}")
    try:
        with zipfile.ZipFile(BytesIO(content)) as archive:
            members = set(archive.namelist())
            header = json.loads(archive.read(HEADER)) if HEADER in members else None
    except Exception as error:
        raise PersistenceError(f"{EXPECTED}, but it is damaged ({error})") from error
    if header is None:
        hint = "; this may be a model that skops wrote, for skops.io.load" if "schema.json" in members else ""
        raise PersistenceError(f"{EXPECTED}, but it lacks {HEADER}{hint}")
    if not (
        isinstance(header, dict)
        and isinstance(header.get("format"), int)
        and isinstance(header.get("versions"), dict)
        and isinstance(header["versions"].get("ecoc"), str)
    ):
        raise PersistenceError(f"{EXPECTED}, but its {HEADER} has no format and versions")
    versions: dict[str, str] = header["versions"]
    if header["format"] > FORMAT:
        raise PersistenceError(
            f"ecoc {versions['ecoc']} wrote it in format {header['format']}, and this version reads formats up to "
            f"{FORMAT}; pip install --upgrade ecoc"
        )
    return versions


def what_failed(versions: dict[str, str], error: Exception) -> str:
    """Return the reason for an error in an archive: other versions, or damage."""
    why = " ".join(f"{type(error).__name__}: {error}".split())
    different = [
        f"{name} {versions[name]} (here {version})"
        for name, version in installed_versions().items()
        if versions.get(name, version) != version
    ]
    if different:
        with_versions = f"it was saved with {', '.join(different)}"
        return f"{with_versions}, or is damaged ({why}); load it with the versions it was saved with"
    return f"{EXPECTED}, but it is damaged ({why})"
