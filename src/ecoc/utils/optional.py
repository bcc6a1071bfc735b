"""Import optional packages."""

from importlib import import_module
from typing import Any


def optional(module: str, needed: str, install: str) -> Any:
    """Import a module of an optional package; if it is missing, the error is ``{needed}: pip install {install}``."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise ImportError(f"{needed}: pip install {install}") from error
