"""Costs on the command line: fit, evaluate, predict and compare decide by what errors cost."""

import csv
import io
import json

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.naive_bayes import GaussianNB
from typer.testing import CliRunner

import ecoc
from ecoc.tool.cli.app import app
from ecoc.tool.tables.matrices import read_costs
from ecoc.utils.exceptions import DataError

CLASSES = np.array(["healthy", "urgent", "watch"])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("costs")
    X, y = make_classification(240, 5, n_informative=4, n_redundant=0, n_classes=3, class_sep=0.7, random_state=0)
    rows = ["a,b,c,d,e,label"] + [",".join([*(f"{x:.4f}" for x in row), CLASSES[c]]) for row, c in zip(X, y)]
    (folder / "table.csv").write_text("\n".join(rows))
    (folder / "matrix.csv").write_text(",healthy,watch,urgent\nhealthy,0,1,2\nwatch,2,0,1\nurgent,20,5,0\n")
    (folder / "list.csv").write_text("true,predicted,cost\nurgent,healthy,20\nurgent,watch,5\n")
    return folder


def run(*words, code=0):
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert result.exit_code == code, result.output
    return result.output if code else result.stdout


def test_both_forms_are_read(folder):
    matrix = read_costs(folder / "matrix.csv", CLASSES.tolist())
    assert matrix["urgent", "healthy"] == 20
    assert len(matrix) == 9
    assert read_costs(folder / "list.csv", CLASSES.tolist()) == {("urgent", "healthy"): 20, ("urgent", "watch"): 5}


def test_numbers_as_classes(tmp_path):
    (tmp_path / "costs.csv").write_text(",1,2\n1,0,7\n2,3,0\n")
    assert read_costs(tmp_path / "costs.csv", [1, 2]) == {(1, 1): 0, (1, 2): 7, (2, 1): 3, (2, 2): 0}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("true,predicted,cost\nurgnt,healthy,20\n", "Did you mean 'urgent'"),
        ("true,predicted,cost\nurgent,healthy,much\n", "must have a number in each cell"),
        (",healthy,watch\nhealthy,0,1\nwatch,2,0\n", "4 of 9 pairs"),
        (",healthy,watch,urgent\nhealthy,0,,2\nwatch,2,0,1\nurgent,20,5,0\n", "must have a number in each cell"),
    ],
)
def test_broken_files(tmp_path, text, message):
    (tmp_path / "costs.csv").write_text(text)
    with pytest.raises(DataError, match=message):
        read_costs(tmp_path / "costs.csv", CLASSES.tolist())


def test_costs_lower_the_cost_of_saved_models(folder):
    costs = {}
    for name, options in {
        "plain": ["--learner", "logistic"],
        "careful": ["--learner", "logistic", "--costs", folder / "matrix.csv"],
        "lda": ["--model", "lda", "--costs", folder / "matrix.csv"],
    }.items():
        run("fit", folder / "table.csv", "-o", folder / f"{name}.skops", *options)
        words = ("evaluate", folder / f"{name}.skops", folder / "table.csv", "--json")
        costs[name] = json.loads(run(*words, "--costs", folder / "matrix.csv"))["cost"]
        if name != "plain":
            assert json.loads(run(*words))["cost"] == costs[name]  # the model knows its costs
    assert costs["careful"] < costs["plain"]
    assert costs["lda"] < costs["plain"]
    assert "The errors cost" in run("evaluate", folder / "careful.skops", folder / "table.csv")


def test_do_not_know(folder):
    model = folder / "unsure.skops"
    run("fit", folder / "table.csv", "-o", model, "--reject-cost", 0.3)
    found = json.loads(run("evaluate", model, folder / "table.csv", "--json"))
    assert 0 < found["coverage"] < 1
    assert found["accuracy_of_answers"] > found["accuracy"]
    rows = list(csv.DictReader(io.StringIO(run("predict", model, folder / "table.csv"))))
    unsure = [row["prediction"] == "unknown" for row in rows]
    assert np.mean(unsure) == pytest.approx(1 - found["coverage"])
    words = ("fit", folder / "table.csv", "-o", model, "--reject-cost", 0.3, "--reject-label", "watch")
    assert "a word that is no class" in run(*words, code=2)


def test_sets(folder):
    model = folder / "sets.skops"
    run("fit", folder / "table.csv", "-o", model, "--learner", "logistic")
    rows = list(
        csv.DictReader(io.StringIO(run("predict", model, folder / "table.csv", "--sets", 0.9, "--keep", "label")))
    )
    assert np.mean([row["label"] in row["set"].split("|") for row in rows]) > 0.85
    lines = run("predict", model, folder / "table.csv", "--sets", 0.9, "--json").splitlines()
    assert [json.loads(line)["set"] for line in lines] == [row["set"].split("|") for row in rows]
    for ending in (".npz", ".parquet"):
        run("predict", model, folder / "table.csv", "--sets", 0.9, "-o", folder / f"sets{ending}")
    with np.load(folder / "sets.npz") as file:
        assert file["set"].shape == (240, 3)
    X = np.loadtxt(folder / "table.csv", delimiter=",", skiprows=1, usecols=range(5))
    ecoc.save(GaussianNB().fit(X, [row["label"] for row in rows]), folder / "own.skops")
    assert 'coding="plain") gives sets to any' in run(
        "predict", folder / "own.skops", folder / "table.csv", "--sets", 0.9, code=2
    )


def test_comparison_by_cost(folder):
    words = ["compare", folder / "table.csv", "--learner", "logistic", "--no-tune", "--codings", "ova"]
    found = json.loads(run(*words, "--costs", folder / "matrix.csv", "--json"))
    by_cost = {row["model"]: row["mean_cost"] for row in found["candidates"]}
    assert found["best"]["mean_cost"] == min(by_cost.values())
    assert found["expected_accuracy"] is None
    assert found["expected_cost"] > 0
    assert "--costs" in found["command"]
    out = run(*words, "--costs", folder / "matrix.csv")
    assert "cost" in out.splitlines()[1]
    assert "costs=costs" in out
    assert "('healthy'" not in out  # no dictionary of all pairs
