"""Import packages that only some users need."""

from importlib import import_module
from typing import Any


def optional(module: str, needed: str, install: str) -> Any:
    """Import a module of an optional package; without the package, the error says how to install it.

    Parameters
    ----------
    module : str
        Full name of the module.
    needed : str
        What needs the package, for the message.
    install : str
        Argument of ``pip install``.

    Examples
    --------
    >>> from ecoc.utils.optional import optional
    >>> optional("zip_codes", "addresses need zip_codes", "'ecoc[addresses]'")
    Traceback (most recent call last):
    ImportError: addresses need zip_codes: pip install 'ecoc[addresses]'
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise ImportError(f"{needed}: pip install {install}") from error
