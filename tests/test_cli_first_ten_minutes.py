"""What a newcomer types, from a table to a saved model, its predictions and a report."""

import csv
import gzip
import io
import re
import shlex
import shutil
import subprocess
import sys
import time

import pytest

pytest.importorskip("typer")
pytest.importorskip("skops")


@pytest.fixture
def table(tmp_path, data_dir):
    """Yeast where it is at hand, wine elsewhere."""
    path = tmp_path / "yeast.csv.gz"
    if data_dir is not None and (data_dir / path.name).exists():
        shutil.copyfile(data_dir / path.name, path)
        return path
    from sklearn.datasets import load_wine

    data = load_wine()
    rows = [[*row, f"kind{label}"] for row, label in zip(data.data.tolist(), data.target)]
    text = io.StringIO()
    csv.writer(text).writerows([[*data.feature_names, "label"], *rows])
    path.write_bytes(gzip.compress(text.getvalue().encode()))
    return path


def test_the_first_ten_minutes(tmp_path, table):
    def type_(line):
        words = shlex.split(line)
        assert words[0] == "ecoc"
        command = [sys.executable, "-m", "ecoc.cli", *words[1:]]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        return done.stdout

    assert "compare" in type_("ecoc --help")
    assert "--target" in type_("ecoc compare --help")
    start = time.perf_counter()
    shown = type_("ecoc compare yeast.csv.gz --target label --folds 2 --columns 0.5,1.0 --report report.html")
    assert time.perf_counter() - start < 120
    assert "→ Recommended:" in shown
    assert "Most confused by it:" in shown
    assert (tmp_path / "report.html").stat().st_size < 3e6
    (command,) = re.findall(r"^  (ecoc fit .*)$", shown, re.MULTILINE)
    fitted = type_(command)
    promised = re.search(r"→ Recommended:.*, ([\d.]+) classifiers, ([\d.]+)%", shown)
    assert f"{promised[1]} classifiers" in fitted
    assert "CodeBook" in type_("ecoc show model.skops")
    assert (
        float(re.search(r"accuracy ([\d.]+)%", type_("ecoc evaluate model.skops yeast.csv.gz"))[1])
        > float(promised[2]) - 3
    )
    type_("ecoc predict model.skops yeast.csv.gz -o out.csv")
    with gzip.open(table, "rt") as file:
        labels = [row["label"] for row in csv.DictReader(file)]
    with (tmp_path / "out.csv").open() as file:
        predictions = list(csv.DictReader(file))
    assert len(predictions) == len(labels)
    assert {f"probability_{label}" for label in labels} < set(predictions[0])
    right = sum(row["prediction"] == label for row, label in zip(predictions, labels))
    assert right / len(labels) > float(promised[2]) / 100 - 0.03
