"""Do predictions come back from every format, and is a file refused before the work begins?"""

import csv
import gzip
import io
import json

import numpy as np
import pytest

from ecoc.tool.tables import read_table
from ecoc.tool.tables.writing import PREDICTION_ENDINGS, check_output, predictions_as, write_output
from ecoc.utils.exceptions import DataError

LABELS, CLASSES = np.array(["dog", "cat"]), np.array(["cat", "dog"])
SHARES = np.array([[0.25, 0.75], [1 / 3, 2 / 3]])


@pytest.mark.parametrize("ending", PREDICTION_ENDINGS)
def test_predictions_come_back(tmp_path, ending):
    if ending == ".parquet":
        pytest.importorskip("polars")
    path = tmp_path / f"out{ending}"
    write_output(path, predictions_as(ending, LABELS, SHARES, CLASSES))
    if ending == ".jsonl":
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        assert [row["prediction"] for row in rows] == LABELS.tolist()
        assert [row["probability"]["dog"] for row in rows] == SHARES[:, 1].tolist()
        return
    table = read_table(path)
    assert table["prediction"].tolist() == LABELS.tolist()
    dog = table["probability"][:, 1] if ending == ".npz" else table["probability_dog"].astype(float)
    assert np.allclose(dog, SHARES[:, 1], atol=1e-6)


def test_predictions_without_probabilities():
    assert predictions_as(".csv", LABELS, None, CLASSES) == b"prediction\ndog\ncat\n"
    assert json.loads(predictions_as(".jsonl", LABELS[:1], None, CLASSES)) == {"prediction": "dog", "probability": {}}


def test_gzip_is_the_same_at_any_time():
    first, second = (predictions_as(".csv.gz", LABELS, SHARES, CLASSES) for _ in range(2))
    assert first == second
    assert gzip.decompress(first) == predictions_as(".csv", LABELS, SHARES, CLASSES)


def test_labels_are_quoted_where_a_format_needs_it():
    labels = np.array(['a,"b"', "c\nd"])
    content = predictions_as(".csv", labels, None, labels).decode()
    assert [row[0] for row in csv.reader(io.StringIO(content))] == ["prediction", *labels]


def test_outputs_are_refused_before_the_work(tmp_path):
    for path, message in (
        (tmp_path, "is a folder"),
        (tmp_path / "none" / "out.csv", "there is no folder"),
        (tmp_path / "out.xls", "must end in one of .csv, .npz"),
    ):
        with pytest.raises(DataError, match=message):
            check_output(path, (".csv", ".npz"))
    source = tmp_path / "in.csv"
    source.write_text("a\n")
    with pytest.raises(DataError, match="would be lost"):
        check_output(source, (".csv",), [source])


@pytest.mark.parametrize("ending", PREDICTION_ENDINGS)
def test_kept_columns_come_first(tmp_path, ending):
    if ending == ".parquet":
        pytest.importorskip("polars")
    keep = {"id": np.array(["007", "008"], dtype=object), "file": np.array([1.5, 2.5])}
    path = tmp_path / f"out{ending}"
    write_output(path, predictions_as(ending, LABELS, SHARES, CLASSES, keep=keep))
    if ending == ".jsonl":
        assert json.loads(path.read_text().splitlines()[0])["id"] == "007"
    else:
        table = read_table(path, as_text=["id"])
        assert next(iter(table)) == "id"
        assert table["id"].tolist() == ["007", "008"]
        assert table["file"].tolist() == [1.5, 2.5]
    with pytest.raises(DataError, match="'prediction' cannot be kept"):
        predictions_as(ending, LABELS, SHARES, CLASSES, keep={"prediction": LABELS})


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".csv.gz"])
def test_spreadsheets_run_nothing(ending):
    labels = np.array(["=1+1", "+x", "-y", "@z", "\t=1", "-1.5", "plain", "a=b"])
    content = predictions_as(ending, labels, None, labels, keep={"=id": labels}, spreadsheet_safe=True)
    text = (gzip.decompress(content) if ending.endswith(".gz") else content).decode()
    rows = list(csv.reader(io.StringIO(text), delimiter="\t" if ending == ".tsv" else ","))
    safe = ["'=1+1", "'+x", "'-y", "'@z", "'\t=1", "-1.5", "plain", "a=b"]
    assert rows == [["'=id", "prediction"], *([cell, cell] for cell in safe)]
    assert predictions_as(".csv", labels, None, labels).decode().splitlines()[1] == "=1+1"  # only if asked for
