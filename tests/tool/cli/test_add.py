"""``ecoc add``: new classes of a table go into a saved model."""

import csv
import json
import sys

import numpy as np
import pytest

pytest.importorskip("typer")
pytest.importorskip("skops")

import ecoc
from ecoc.tool.cli import main


def write(path, rows):
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["a", "b", "colour", "kind"])
        writer.writerows(rows)
    return path


def rows_of(classes, n, seed):
    rng = np.random.default_rng(seed)
    for i in range(n * len(classes)):
        c = classes[i % len(classes)]
        yield [f"{np.cos(c) * 4 + rng.normal() / 3:.3f}", f"{np.sin(c) * 4 + rng.normal() / 3:.3f}", "red", f"kind {c}"]


def test_rows_of_a_table_are_added(capsys, monkeypatch, tmp_path):
    """In place or to another file; show lists them, evaluate knows them, and the error for a plain model says why."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["ecoc", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        return ended.value.code or 0, out + err

    old = write(tmp_path / "old.csv", rows_of([0, 1, 2, 3, 4], 30, 0))
    new = write(tmp_path / "new.csv", rows_of([5, 4], 5, 1))
    test = write(tmp_path / "test.csv", rows_of([0, 1, 2, 3, 4, 5], 30, 2))
    model, other = tmp_path / "m.skops", tmp_path / "n.skops"
    assert run("fit", old, "--target", "kind", "--coding", "ovo", "-o", model)[0] == 0
    code, text = run("add", model, new, "-o", other)
    assert code == 0
    assert "kind 5 (5)" in text
    assert "5 rows of known classes refined these" in text
    assert len(ecoc.load(model).classes_) == 5
    code, text = run("add", model, new, "--json")
    assert json.loads(text)["added"] == {"kind 5": 5}
    assert len(ecoc.load(model).classes_) == 6
    assert "kind 5" in run("show", model)[1]
    found = json.loads(run("evaluate", other, test, "--json")[1])
    assert found["accuracy"] > 0.8
    assert not found["unknown_classes"]
    run("fit", old, "--target", "kind", "--model", "lda", "-o", model)
    code, text = run("add", model, new)
    assert code == 2
    assert "new_classes='add'" in text
