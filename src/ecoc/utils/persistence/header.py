"""The header of a model file: versions and a checksum of everything else."""

import hashlib
import json
import zipfile
from importlib import import_module
from io import BytesIO
from typing import Any

from ecoc.utils.exceptions import PersistenceError

HEADER = "ecoc.json"  # a member of the archive; skops ignores members that it did not write
FORMAT = 2  # format 1, of versions that were never released, had no checksum
EXPECTED = "expected a zip archive that ecoc.save wrote"


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


def check_header(header: Any) -> dict[str, str]:
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
