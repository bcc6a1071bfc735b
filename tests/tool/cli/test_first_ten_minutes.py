"""What a newcomer types, from a table to a saved model, its predictions and a report."""

import csv
import gzip
import io
import re
import shlex
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ecoc.tool.tables import letters
from tools import demo

pytest.importorskip("typer")
pytest.importorskip("skops")

PROGRESS = re.compile(r"ecoc: \d+ s")  # of a comparison, on stderr


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


@pytest.fixture
def type_(tmp_path):
    """Type a line; gives what is printed."""

    def type_(line):
        words = shlex.split(line)
        assert words[0] == "ecoc"
        script = shutil.which("ecoc", path=Path(sys.executable).parent)  # installed, or from the source
        command = [*([script] if script else [sys.executable, "-m", "ecoc"]), *words[1:]]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
        told = [line for line in done.stderr.splitlines() if not PROGRESS.match(line)]
        assert (done.returncode, told) == (0, []), done.stderr
        return done.stdout

    return type_


def test_the_first_ten_minutes(tmp_path, table, type_):
    assert "compare" in type_("ecoc --help")
    assert "--target" in type_("ecoc compare --help")
    shown = type_("ecoc compare yeast.csv.gz --target label --budget 5 --report report.html")
    promised = re.search(r"→ Recommended: .*?, ([\d,]+ (?:model|classifier)s?), accuracy ([\d.]+)%", shown)
    assert "On new rows expect" in shown
    assert "Most confused by the recommended model:" in shown
    assert (tmp_path / "report.html").stat().st_size < 3e6
    (command,) = re.findall(r"^ +(ecoc fit .*)$", shown, re.MULTILINE)
    assert ("--model" in command) == ("model" in promised[1])
    assert "classes" in type_(command)
    # Files with trees are opened only by those who say that they trust them.
    model = "model.skops --trust sklearn.tree._tree.Tree" if "forest" in command else "model.skops"
    assert "features:" in type_(f"ecoc show {model}")
    evaluated = type_(f"ecoc evaluate {model} yeast.csv.gz")
    assert float(re.search(r"accuracy ([\d.]+)%", evaluated)[1]) > float(promised[2]) - 3
    protecting = re.search(r"^  ecoc compare .* --protect (\S+)$", shown, re.MULTILINE)[1]  # the pair confused most
    designed = type_(f"ecoc design yeast.csv.gz --target label --protect {protecting} -o book.csv")
    assert "book.csv written" in designed
    assert (tmp_path / "book.csv").exists()
    type_(f"ecoc predict {model} yeast.csv.gz -o out.csv")
    with gzip.open(table, "rt") as file:
        labels = [row["label"] for row in csv.DictReader(file)]
    with (tmp_path / "out.csv").open() as file:
        predictions = list(csv.DictReader(file))
    assert len(predictions) == len(labels)
    assert {f"probability_{label}" for label in labels} < set(predictions[0])
    right = sum(row["prediction"] == label for row, label in zip(predictions, labels))
    assert right / len(labels) > float(promised[2]) / 100 - 0.03


def test_make_demo(tmp_path, monkeypatch, capsys):
    """With eleven letters, which take less time."""
    pytest.importorskip("matplotlib")
    lines = (Path(__file__).parents[3] / "Makefile").read_text(encoding="utf-8").splitlines()
    start = next(place for place, line in enumerate(lines) if line.startswith("demo:"))
    assert lines[start + 1] == "\t$(BIN)/python tools/demo.py demo"
    monkeypatch.setattr(letters, "LETTERS", "acCdef" + "".join(demo.NEW))
    monkeypatch.setattr(demo, "find_spec", lambda name: None)
    with ThreadPoolExecutor(1) as same_process:
        demo.main(tmp_path, same_process)
    told = capsys.readouterr().out
    assert sorted(path.name for path in tmp_path.iterdir()) == ["gain.png", "model.skops", "report.html", "studio.html"]
    assert all(f"/{name}" in told for name in ("gain.png", "report.html", "studio.html"))
    assert "the five new letters" in told
    assert re.search(r"confuses these letters most in\nDejaVu Serif: \S and \S, ", told)
    assert re.search(r"'\S' and '\S': \d+ → \d+ confusions", told)
