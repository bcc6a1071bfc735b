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


def test_a_model_with_numbers_as_classes_gets_numbers(monkeypatch, tmp_path):
    """A table has texts; labels that are no numbers are refused, as in Python."""
    from sklearn.svm import SVC

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["ecoc", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        return ended.value.code or 0

    rows = [(*map(float, row[:2]), int(row[3][-1])) for row in rows_of([0, 1, 2, 3], 30, 0)]
    table = np.array(rows)
    model = ecoc.ECOCClassifier(SVC(), coding="ovo", random_state=0).fit(table[:, :2], table[:, 2].astype(int))
    ecoc.save(model, tmp_path / "m.skops")
    new = tmp_path / "new.csv"
    new.write_text("a,b,label\n" + "\n".join(f"{a},{b},{c}" for a, b, c in [(9, 9, 7), (9, 8, 7), (*rows[0][:2], 0)]))
    assert run("add", tmp_path / "m.skops", new) == 0
    assert ecoc.load(tmp_path / "m.skops").classes_.tolist() == [0, 1, 2, 3, 7]
    new.write_text("a,b,label\n9,9,seven\n9,8,seven\n")
    assert run("add", tmp_path / "m.skops", new) == 2
