"""Put data and files of the package into HTML pages."""

import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Any


def file_text(package: str, name: str) -> str:
    """Return the text of a file in a package."""
    return files(package).joinpath(name).read_text(encoding="utf-8")


def as_json(value: Any) -> str:
    """Return JSON that no label can break out of: without a "<", a script cannot end and a comment cannot begin."""
    return json.dumps(_plain(value), separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")


def _plain(value: Any) -> Any:
    """Replace NaN and infinities, which JSON does not have, by None."""
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not abs(value) < float("inf") else value
