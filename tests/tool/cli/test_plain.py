"""Plain models have what codes have: probabilities, sets, costs, rejection and a report; unknown classes are errors."""

import csv
import io
import json

import numpy as np
import pytest
from sklearn.datasets import make_classification

pytest.importorskip("typer")
pytest.importorskip("skops")
from typer.testing import CliRunner

from ecoc.tool.cli.app import app

CLASSES = np.array(["healthy", "urgent", "watch"])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("plain")
    X, y = make_classification(240, 5, n_informative=4, n_redundant=0, n_classes=3, class_sep=0.7, random_state=0)
    rows = [",".join([*(f"{x:.4f}" for x in row), CLASSES[c]]) for row, c in zip(X, y)]
    head = "a,b,c,d,e,label"
    (folder / "table.csv").write_text("\n".join([head, *rows[:160]]))
    (folder / "new.csv").write_text("\n".join([head, *rows[160:]]))
    (folder / "strange.csv").write_text("\n".join([head, *rows[160:], "0,0,0,0,0,dead", "1,1,1,1,1,dead"]))
    (folder / "costs.csv").write_text("true,predicted,cost\nurgent,healthy,20\nurgent,watch,5\n")
    return folder


def run(*words, code=0):
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert result.exit_code == code, result.output
    return result.output if code else result.stdout


@pytest.mark.parametrize("model", ["lda", "native", "one-vs-one"])
def test_a_plain_model_has_everything(folder, model):
    path, page = folder / f"{model}.skops", folder / f"{model}.html"
    words = ("fit", folder / "table.csv", "--model", model, "--learner", "linear_svc", "-o", path)
    run(*words, "--costs", folder / "costs.csv", "--reject-cost", 0.5)
    rows = list(csv.DictReader(io.StringIO(run("predict", path, folder / "new.csv", "--sets", 0.9, "--keep", "label"))))
    assert np.mean([row["label"] in row["set"].split("|") for row in rows]) > 0.8
    assert all(sum(float(row[f"probability_{c}"]) for c in CLASSES) == pytest.approx(1, abs=1e-3) for row in rows)
    found = json.loads(run("evaluate", path, folder / "new.csv", "--report", page, "--json"))
    assert 0 < found["coverage"] < 1
    assert found["accuracy_of_answers"] > found["accuracy"]
    told = page.read_text()
    assert f"<b>{found['coverage']:.1%}</b><span>of the samples are answered" in told
    assert "Code book" not in told
    assert "Don't know" in told or "Don&#x27;t know" in told


def test_rows_of_unknown_classes_are_errors_that_are_named(folder):
    path, page = folder / "some.skops", folder / "some.html"
    run("fit", folder / "table.csv", "--model", "lda", "-o", path)
    known = json.loads(run("evaluate", path, folder / "new.csv", "--json"))
    found = json.loads(run("evaluate", path, folder / "strange.csv", "--json", "--report", page))
    assert found["unknown_classes"] == {"dead": 2}
    assert found["rows"] == known["rows"] + 2
    assert found["accuracy"] == pytest.approx(known["accuracy"] * 80 / 82)
    assert found["balanced_accuracy"] == pytest.approx(known["balanced_accuracy"] * 3 / 4)
    assert found["log_loss"] == known["log_loss"]
    sentence = "2 of the 82 rows have classes that the model was not trained on, and count as errors: dead (2)."
    told = run("evaluate", path, folder / "strange.csv")
    assert sentence in told
    assert f"took them for {', '.join(f'{c} ({n})' for c, n in found['unknown_taken_for'].items())}." in told
    assert sum(found["unknown_taken_for"].values()) == 2
    for row, other in zip(found["per_class"][:3], known["per_class"]):  # what is taken for a class lowers its precision
        hits = row["recall"] * row["rows"]
        guessed = other["recall"] * other["rows"] / other["precision"] + found["unknown_taken_for"].get(row["class"], 0)
        assert row["precision"] == pytest.approx(hits / guessed)
    assert sentence in page.read_text()


def test_the_pairs_of_evaluate_know_rejection(folder):
    words = ("fit", folder / "table.csv", "--learner", "linear_svc", "--coding", "ova")
    tables = {}
    for name, options in {"sure": (), "unsure": ("--reject-cost", 0.3)}.items():
        run(*words, *options, "-o", folder / "pairs.skops")
        tables[name] = json.loads(run("evaluate", folder / "pairs.skops", folder / "new.csv", "--json"))
        matrix = np.array(tables[name]["confusion"]["matrix"])
        for pair in tables[name]["worst_pairs"]:
            i, j = (CLASSES.tolist().index(pair[side]) for side in ("first", "second"))
            assert pair["made"] == matrix[i, j] + matrix[j, i]
    assert all(pair["rejected"] == 0 for pair in tables["sure"]["worst_pairs"])
    unanswered = round(80 * (1 - tables["unsure"]["coverage"]))
    assert sum(pair["rejected"] for pair in tables["unsure"]["worst_pairs"]) == 2 * unanswered > 0
    told = run("evaluate", folder / "pairs.skops", folder / "new.csv")
    assert told.count("  don't know") == 2  # headers of the confusion matrix and of the pairs


def test_a_model_can_be_cut_if_its_outputs_are_kept(folder):
    words = ("fit", folder / "table.csv", "--learner", "ridge", "--coding", "ova", "--decoding", "discriminant")
    for option, promised in (((), False), (("--keep-outputs",), True)):
        run(*words, *option, "-o", folder / "cut.skops")
        run("evaluate", folder / "cut.skops", folder / "new.csv", "--report", folder / "cut.html")
        told = (folder / "cut.html").read_text()
        assert ("The slider cuts all sections below" in told) == promised
        assert ("ecoc fit --keep-outputs" in told) != promised
