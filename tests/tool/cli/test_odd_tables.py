"""The first hour with odd tables, in small: every command that is printed ends well, and pages can be read."""

import shlex

import pytest

pytest.importorskip("typer")
pytest.importorskip("skops")
from typer.testing import CliRunner

from benchmarks.odd_tables import tables, walk
from ecoc.tool.cli.app import app

FAST = shlex.split("--learner ridge --no-tune --codings ova --decodings hamming --folds 2 --budget 2")
TABLES = {name: rows for name, *rows in tables(lambda name: 400 if name == "large" else 75)}


@pytest.mark.parametrize("name", TABLES)
def test_every_printed_command_works(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)

    def type_(words):
        result = CliRunner().invoke(app, words[1:])
        assert result.exit_code == 0, (words, result.output)
        return result.stdout

    old, new = TABLES[name]
    found = walk(tmp_path, old, new, type_, FAST)
    assert found["rows"] == len([row for row in new if row["label"]])
    assert found["unknown_classes"] == ({"never": 3} if name == "unseen classes" else {})
    assert found["accuracy"] > 1.5 / len({row["label"] for row in old})
