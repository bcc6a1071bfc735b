"""Download a data set from OpenML into a cache, and compare OpenML's checksum."""

import hashlib
import json
import os
import time
from collections.abc import Callable
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from ecoc import DataError
from ecoc.tool.tables import parse_arff
from ecoc.utils.files import replace_file
from ecoc_paper.datasets.wheels import Table

SERVER = "https://www.openml.org"
_TIMEOUT = 30.0
_TRIES = 3
_PATIENCE = (429, 500, 502, 503, 504)  # HTTP codes for which another try may help


def cache_folder() -> Path:
    """Folder for downloads: ``ECOC_CACHE``, else the user's cache folder."""
    if folder := os.environ.get("ECOC_CACHE"):
        return Path(folder)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ecoc"


def fetch(
    number: int, *, server: str | None = None, cache: Path | None = None, wait: float = 1.0
) -> tuple[Table, str, tuple[str, ...]]:
    """Download a data set, or take it from the cache.

    Parameters
    ----------
    number : int
        Its number at OpenML.
    server : str, default=None
        Address of the server. None: ``ECOC_OPENML``, else OpenML itself.
    cache : Path, default=None
        Folder for downloads. None: :func:`cache_folder`.
    wait : float, default=1.0
        Seconds before the second try, doubled before each further one.

    Returns
    -------
    table : dict of str to ndarray
        Columns by name.
    target : str
        Column of the labels.
    ignored : tuple of str
        Columns that are not features.
    """
    server = (server or os.environ.get("ECOC_OPENML") or SERVER).rstrip("/")
    folder = (cache or cache_folder()) / "openml" / str(number)
    about = json.loads(
        _cached(folder / "description.json", f"{server}/api/v1/json/data/{number}", wait, _is_description)
    )
    about = about["data_set_description"]
    if about.get("format", "ARFF").lower() not in ("arff", "sparse_arff"):
        raise DataError(f"OpenML has data set {number} as {about['format']}, which is not supported.")
    expected = about.get("md5_checksum")

    def is_whole(content: bytes) -> bool:
        return expected is None or hashlib.md5(content, usedforsecurity=False).hexdigest() == expected

    content = _cached(folder / "data.arff", about["url"], wait, is_whole)
    return parse_arff(content.decode("utf-8"), f"OpenML data set {number}"), *_columns(about)


def _columns(about: dict[str, Any]) -> tuple[str, tuple[str, ...]]:
    ignored: list[str] = []
    for key in ("ignore_attribute", "row_id_attribute"):
        value = about.get(key) or []
        ignored += value if isinstance(value, list) else [value]
    return about["default_target_attribute"], tuple(ignored)


def _is_description(content: bytes) -> bool:
    try:
        about = json.loads(content)["data_set_description"]
    except (ValueError, KeyError, TypeError):
        return False
    return isinstance(about, dict) and {"url", "default_target_attribute"} <= about.keys()


def _cached(path: Path, url: str, wait: float, is_good: Callable[[bytes], bool]) -> bytes:
    """Content of a file in the cache, downloaded first if it is missing or damaged."""
    if path.is_file() and is_good(content := path.read_bytes()):
        return content
    content = _download(url, wait, is_good)
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, content)
    return content


def _download(url: str, wait: float, is_good: Callable[[bytes], bool]) -> bytes:
    reason = ""
    for attempt in range(_TRIES):
        if attempt:
            time.sleep(wait * 2 ** (attempt - 1))
        try:
            with urlopen(Request(url, headers={"User-Agent": "ecoc"}), timeout=_TIMEOUT) as answer:
                content: bytes = answer.read()
            if is_good(content):
                return content
            reason = "the answer is cut short or damaged"
        except HTTPError as error:
            reason = f"it answers {error.code}"
            if error.code not in _PATIENCE:
                break
        except (URLError, HTTPException, TimeoutError, OSError) as error:
            reason = str(getattr(error, "reason", error))
    raise DataError(f"cannot download {url}: {reason}")
