"""An optional package that is missing is an error with the command that installs it."""

import json

import pytest

from ecoc.utils.optional import optional


def test_a_package_that_is_there():
    assert optional("json", "files need json", "json") is json


def test_a_package_that_is_not_there():
    with pytest.raises(ImportError, match=r"^addresses need zip_codes: pip install 'ecoc\[addresses\]'$"):
        optional("zip_codes", "addresses need zip_codes", "'ecoc[addresses]'")


def test_a_package_that_is_broken_raises_its_own_error(tmp_path, monkeypatch):
    (tmp_path / "broken_package.py").write_text("raise ImportError('no such symbol')")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ImportError, match=r"^no such symbol$"):
        optional("broken_package", "this needs it", "broken_package")
