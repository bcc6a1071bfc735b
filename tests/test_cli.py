"""Each command on small data, in this process."""

import csv
import gzip
import io
import json
import re
import shlex
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("typer")
pytest.importorskip("skops")

from ecoc.cli import main

FAST = ("--learner", "ridge", "--coding", "ova")


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    """Run a command in a folder of its own; gives exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["ecoc", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        return ended.value.code or 0, out, err

    return run


def rows_of(n=90, seed=0):
    """Rows of a table with numbers, text, missing cells and three classes."""
    rng = np.random.default_rng(seed)
    for i in range(n):
        kind = ("cat", "dog", "cow")[i % 3]
        size = "" if i == 7 else f"{i % 3 + rng.normal() / 5:.3f}"
        colour = "" if i == 8 else ("red", "blue", "red")[i % 3]
        yield {"size": size, "colour": colour, "weight": f"{rng.normal():.3f}", "kind": kind}


def write_table(path, rows, columns=None, delimiter=","):
    rows = list(rows)
    text = io.StringIO()
    writer = csv.DictWriter(text, columns or list(rows[0]), delimiter=delimiter, extrasaction="ignore")
    writer.writeheader()
    writer.writerows(rows)
    content = text.getvalue().encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


@pytest.fixture
def table(tmp_path):
    return write_table(tmp_path / "pets.csv", rows_of())


@pytest.fixture
def model(run, table):
    code, out, err = run("fit", table, "--target", "kind", *FAST, "-o", "model.skops")
    assert (code, err) == (0, ""), err
    assert "3 classes, 3 classifiers" in out
    return "model.skops"


def test_compare_marks_and_recommends(run, table):
    arguments = ("compare", table, "--target", "kind", "--learner", "ridge")
    code, out, err = run(*arguments)
    assert (code, err) == (0, "")
    assert "→ Recommended" in out
    code, out, _ = run(*arguments, "--json", "--seed", 3, "--drop", "weight")
    found = json.loads(out)
    assert found["command"].endswith("--drop weight --seed 3 -o model.skops")
    best, chosen = found["best"], found["recommended"]
    assert chosen["accuracy"] >= best["accuracy"] - best["standard_error"]
    for row in found["candidates"]:
        if row["accuracy"] >= best["accuracy"] - best["standard_error"]:
            assert chosen["classifiers"] <= row["classifiers"]
        dominated = any(
            other["accuracy"] >= row["accuracy"]
            and other["classifiers"] <= row["classifiers"]
            and (other["accuracy"], other["classifiers"]) != (row["accuracy"], row["classifiers"])
            for other in found["candidates"]
        )
        assert ("classifiers" in row["pareto"]) == (not dominated)


def test_the_command_that_compare_prints_works(run, table):
    found = json.loads(run("compare", table, "--target", "kind", "--learner", "ridge", "--json")[1])
    words = found["command"].split()
    assert words[0] == "ecoc"
    assert run(*words[1:])[0] == 0


def test_compare_with_protection_says_what_it_costs(run, table):
    options = ("--target", "kind", "--learner", "ridge", "--codings", "ecf,ova", "--columns", "2")
    code, out, _ = run("compare", table, *options, "--protect", "cat:cow")
    assert code == 0
    facts = r"2 classifiers, accuracy [\d.]+%, \d+ confusions of the pair"
    assert re.search(rf"Protecting cat \| cow [a-z ]+: with it {facts}; without it", out)
    assert "--protect cat:cow -o model.skops" in out
    assert "What would it cost" not in out
    found = json.loads(run("compare", table, *options, "--protect", "cat:cow", "--protect", "dog", "--json")[1])
    assert "Protecting 3 pairs of classes" in found["protection"]
    protecting = [row for row in found["candidates"] if row["protected"]]
    best = max(protecting, key=lambda row: row["accuracy"])
    good = [row for row in protecting if row["accuracy"] >= best["accuracy"] - best["standard_error"]]
    assert found["recommended"]["protected_errors"] == min(row["protected_errors"] for row in good)


def test_compare_prints_the_command_that_protects(run, tmp_path):
    rng = np.random.default_rng(0)
    rows = [{"size": rng.normal() + 5 * (i % 4 > 1), "kind": f"kind {i % 4}"} for i in range(80)]
    path = write_table(tmp_path / "alike.csv", rows)
    options = ("--target", "kind", "--learner", "ridge", "--codings", "ecf", "--columns", "3", "--drop", "none")
    write_table(path, [{**row, "none": 1} for row in rows])
    _, out, _ = run("compare", path, *options, "--report", "r.html")
    assert "expect a little less on new rows" in out
    (command,) = re.findall(r"What would it cost to protect the first pair\?\n  (.*)", out)
    words = shlex.split(command)
    assert words[1:-2] == ["compare", str(path), *options[:6], *options[6:8], *options[8:]]
    assert words[-2] == "--protect"
    first, second = words[-1].split(":")
    assert f"Most confused by it:  {first} | {second} (" in out
    assert "Protecting" in run(*words[1:])[1]


def test_compare_samples_large_tables_and_knows_two_classes(run, tmp_path):
    rows = [row for row in rows_of(200) if row["kind"] != "cow"]
    path = write_table(tmp_path / "two.csv", rows)
    found = json.loads(run("compare", path, "--target", "kind", "--max-rows", 60, "--json")[1])
    assert len(found["candidates"]) == 1
    assert found["rows"] == 60


def test_compare_says_why_one_vs_one_is_left_out(run, tmp_path):
    rng = np.random.default_rng(0)
    rows = [{"size": i % 51 + rng.normal() / 9, "weight": rng.normal(), "label": f"c{i % 51}"} for i in range(153)]
    path = write_table(tmp_path / "many.csv", rows)
    code, out, _ = run("compare", path, "--learner", "ridge", "--columns", "0.25", "--folds", "2")
    assert code == 0
    assert "left out: ovo, discriminant: 1,275 classifiers; name ovo among the codings to try it" in out


def test_a_narrow_window_shows_what_matters(capsys, monkeypatch):
    from ecoc.cli import printing

    monkeypatch.setenv("FORCE_COLOR", "1")
    for width, count in ((200, 3), (16, 2), (5, 2)):
        monkeypatch.setenv("COLUMNS", str(width))
        assert printing.show_table(["name", "accuracy", "seconds"], [["ecf", "90.0%", "1.00"]], least=2) == count
    assert printing.show_table(["name", "accuracy"], [["ecf", "90.0%"]]) == 2
    capsys.readouterr()


def test_a_candidate_that_cannot_be_is_left_out(run, table):
    options = ("--target", "kind", "--learner", "ridge", "--codings", "ova,spectral", "--columns", "3")
    found = json.loads(run("compare", table, *options, "--json")[1])
    assert [row["coding"] for row in found["left_out"]] == ["spectral"] * 2


def test_predict_in_any_order_and_format(run, model, tmp_path):
    import polars

    reordered = write_table(tmp_path / "new.csv", rows_of(seed=1), ["weight", "colour", "size"])
    code, out, err = run("predict", model, reordered)
    assert (code, err) == (0, "")
    rows = list(csv.DictReader(io.StringIO(out)))
    labels = [row["prediction"] for row in rows]
    assert np.mean([label == row["kind"] for label, row in zip(labels, rows_of(seed=1))]) > 0.9
    shares = np.array([[float(row[f"probability_{c}"]) for c in ("cat", "cow", "dog")] for row in rows])
    np.testing.assert_allclose(shares.sum(axis=1), 1, atol=1e-4)
    for name in ("o.csv", "o.csv.gz", "o.tsv", "o.jsonl", "o.parquet", "o.npz"):
        assert run("predict", model, reordered, "-o", name)[0] == 0
    assert (tmp_path / "o.csv").read_text() == out == gzip.decompress((tmp_path / "o.csv.gz").read_bytes()).decode()
    assert (tmp_path / "o.tsv").read_text() == out.replace(",", "\t")
    lines = [json.loads(line) for line in (tmp_path / "o.jsonl").read_text().splitlines()]
    assert [line["prediction"] for line in lines] == labels
    assert polars.read_parquet(tmp_path / "o.parquet")["prediction"].to_list() == labels
    with np.load(tmp_path / "o.npz") as arrays:
        assert arrays["prediction"].tolist() == labels
        np.testing.assert_allclose(arrays["probability"], shares, atol=1e-5)
    assert run("predict", model, reordered, "--json")[1].splitlines()[0].startswith('{"prediction"')


def test_unknown_categories_and_missing_cells_are_predicted(run, model, tmp_path):
    rows = [{"size": "", "colour": "green", "weight": "?"}, {"size": "NA", "colour": "", "weight": "1"}]
    code, out, _ = run("predict", model, write_table(tmp_path / "odd.csv", rows))
    assert (code, len(out.splitlines())) == (0, 3)


def test_evaluate(run, model, tmp_path):
    test = write_table(tmp_path / "test.csv", rows_of(seed=2))
    code, out, _ = run("evaluate", model, test)
    assert code == 0
    found = json.loads(run("evaluate", model, test, "--json")[1])
    assert f"accuracy {found['accuracy']:.1%}" in out
    assert sum(row["recall"] * row["rows"] for row in found["per_class"]) == pytest.approx(90 * found["accuracy"])


def test_a_report_is_written(run, model, table, tmp_path):
    assert run("evaluate", model, table, "--report", "r.html")[0] == 0
    assert (tmp_path / "r.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_the_report_of_a_comparison_has_all_candidates(run, table, tmp_path):
    options = ("--target", "kind", "--learner", "ridge", "--codings", "ecf,ova,ovo,spectral", "--columns", "2,3")
    arguments = ("compare", table, *options, "--protect", "cat:dog", "--report", "r.html", "--json")
    code, out, _ = run(*arguments)
    found, text = json.loads(out), (tmp_path / "r.html").read_text(encoding="utf-8")
    assert (code, found["report"]) == (0, "r.html")
    assert re.findall('<section id="(.*?)"', text)[:5] == [
        "summary",
        "candidates",
        "all-candidates",
        "left-out",
        "model",
    ]
    assert f"<pre>{found['command']}</pre>" in text
    assert found["protection"] in text
    data = json.loads(re.search(r'id="data">(.*?)</script>', text)[1])
    for name in ("candidates", "all-candidates"):
        columns = [column["name"] for column in data[name]["columns"]]
        shown = [dict(zip(columns, row)) for row in data[name]["rows"]]
        assert [row["accuracy"] for row in shown] == [row["accuracy"] for row in found["candidates"]]
        assert [row["protected errors"] for row in shown] == [row["protected_errors"] for row in found["candidates"]]
        front = ["yes" if "classifiers" in row["pareto"] else "no" for row in found["candidates"]]
        assert [row["on the front"] for row in shown] == front
    named = {text: found["candidates"][place] for place, text in data["candidates"]["marks"]}
    assert next(row for text, row in named.items() if "recommended" in text) == found["recommended"]
    assert next(row for text, row in named.items() if "most accurate" in text) == found["best"]
    assert [row[-1] for row in data["left-out"]["rows"]] == [row["reason"] for row in found["left_out"]]


def test_bundled_tables_are_known_by_name(run, tmp_path):
    found = json.loads(run("fit", "sklearn:iris", *FAST, "-o", "iris.skops", "--json")[1])
    assert found["classes"] == ["setosa", "versicolor", "virginica"]
    assert json.loads(run("evaluate", "iris.skops", "sklearn:iris", "--json")[1])["accuracy"] > 0.8
    code, _, err = run("fit", "sklearn:iriss", *FAST, "-o", "m.skops")
    assert code == 2
    assert "sklearn:digits, sklearn:iris" in err
    code, _, err = run("fit", "iris", *FAST, "-o", "m.skops")
    assert code == 2
    assert "sklearn:iris is the table" in err
    write_table(tmp_path / "sklearn:wine.csv", rows_of())
    found = json.loads(run("fit", "sklearn:wine.csv", "--target", "kind", *FAST, "-o", "m.skops", "--json")[1])
    assert found["classes"] == ["cat", "cow", "dog"]


def test_fit_says_how_to_predict(run, table):
    for learner, trust in (("ridge", ""), ("tree:max_depth=2", " --trust sklearn.tree._tree.Tree")):
        _, out, _ = run(
            "fit", table, "--target", "kind", "--learner", learner, "--coding", "ova", "-o", "a model.skops"
        )
        (command,) = re.findall(r"Predict with:\n  (.*)", out)
        assert command == f'ecoc predict "a model.skops" NEW.csv -o predicted.csv{trust}'
        words = [str(table) if word == "NEW.csv" else word for word in shlex.split(command)]
        assert run(*words[1:])[0] == 0
    code, _, err = run("predict", "a model.skops", table)
    assert code == 2
    assert err.endswith("add --trust sklearn.tree._tree.Tree\n")


@pytest.mark.filterwarnings("error")
def test_the_model_works_in_python(model, tmp_path):
    import pandas as pd

    import ecoc

    loaded = ecoc.load(tmp_path / model)
    rows = [{**row, "size": float(row["size"] or "nan"), "weight": float(row["weight"])} for row in rows_of(9)]
    frame = pd.DataFrame(rows)[["weight", "kind", "colour", "size"]]
    assert loaded.predict(frame).tolist() == [row["kind"] for row in rows]
    assert loaded.predict_proba(frame).shape == (9, 3)


@pytest.mark.parametrize("ending", [".csv.gz", ".tsv", ".parquet", ".npz", ".arff"])
def test_all_formats_are_learned_from(run, tmp_path, ending):
    import polars

    path = tmp_path / f"pets{ending}"
    rows = list(rows_of(30))
    numbers = {name: [float(row[name] or "nan") for row in rows] for name in ("size", "weight")}
    kinds = [row["kind"] for row in rows]
    if ending == ".npz":
        np.savez(path, X=np.column_stack(list(numbers.values())), kind=np.arange(30) % 3)
    elif ending == ".parquet":
        polars.DataFrame({**numbers, "kind": kinds}).write_parquet(path)
    elif ending == ".arff":
        lines = [f"{row['size'] or '?'},{row['weight']},{row['kind']}" for row in rows]
        head = [
            "@relation pets",
            "@attribute size numeric",
            "@attribute weight numeric",
            "@attribute kind {cat,dog,cow}",
        ]
        path.write_text("\n".join([*head, "@data", *lines]))
    else:
        write_table(path, rows, delimiter="\t" if ending == ".tsv" else ",")
    assert run("fit", path, "--target", "kind", *FAST, "-o", "m.skops")[0] == 0
    found = json.loads(run("evaluate", "m.skops", path, "--json")[1])
    assert found["accuracy"] > 0.8


def test_trees_are_read_by_those_who_trust_them(run, table):
    assert (
        run("fit", table, "--target", "kind", "--learner", "tree:max_depth=3", "--coding", "ova", "-o", "t.skops")[0]
        == 0
    )
    code, _, err = run("predict", "t.skops", table)
    assert code == 2
    assert "sklearn.tree._tree.Tree" in err
    assert "--trust" in err
    assert run("predict", "t.skops", table, "--trust", "sklearn.tree._tree.Tree")[0] == 0


def test_fit_protects(run, table):
    options = ("--target", "kind", "--learner", "ridge", "--columns", "3", "--protect", "cat:dog=2")
    assert "may not protect" not in run("fit", table, *options, "--decoding", "linear", "-o", "linear.skops")[1]
    code, out, _ = run("fit", table, *options, "-o", "m.skops")
    assert code == 0
    assert "may not protect these classes. ecoc compare --protect measures whether it does" in out
    assert "--decoding" not in out
    book = json.loads(run("show", "m.skops", "--json")[1])["codebook"]
    assert book["distances"][book["classes"].index("cat")][book["classes"].index("dog")] >= 2


def test_design_from_everything(run, table, tmp_path):
    (tmp_path / "d.csv").write_text("class,cat,dog,cow,hen\ncat,0,1,5,6\ndog,1,0,5,6\ncow,5,5,0,3\nhen,6,6,3,0\n")
    (tmp_path / "pandas.csv").write_text((tmp_path / "d.csv").read_text().replace("class,", ","))
    (tmp_path / "c.csv").write_text("cat,dog,cow\n8,2,0\n3,7,0\n0,1,9\n")
    for source in (
        (table, "--target", "kind"),
        ("--distances", "d.csv"),
        ("--distances", "pandas.csv"),
        ("--confusion", "c.csv", "--columns", "3"),
        ("--classes", "cat,dog,cow,hen"),
    ):
        code, out, err = run("design", *source, "--protect", "cat:dog", "-o", "book.csv")
        assert (code, err) == (0, ""), err
        assert "book.csv written" in out
        shown = json.loads(run("show", "book.csv", "--json")[1])
        designed = json.loads(run("design", *source, "--protect", "cat:dog", "--json")[1])
        assert shown["matrix"] == designed["matrix"]
        at = [shown["classes"].index(name) for name in ("cat", "dog")]
        assert shown["distances"][at[0]][at[1]] == max(map(max, shown["distances"]))
    code, out, _ = run("design", table, "--target", "kind", "-o", "own.csv")
    assert run("fit", table, "--target", "kind", "--coding", "own.csv", "--learner", "ridge", "-o", "m.skops")[0] == 0


def test_show_a_model(run, model):
    code, out, _ = run("show", model)
    assert code == 0
    assert "size, colour, weight" in out
    assert "CodeBook 3 × 3" in out


def test_datasets_as_json(run):
    assert {"name": "glass"}.items() <= json.loads(run("datasets", "--json")[1])[0].items()
    assert json.loads(run("datasets", "toy", "--json")[1])["classes"] == 14


def test_labels_with_colons_can_be_protected():
    from ecoc.cli.parsing import parse_protection

    protection = parse_protection(["a:b:c", "a"], ["a:b", "c", "a"])
    assert protection.apart == (("a:b", "c"), "a")
    assert protection.pairs(["a:b", "c", "a"]) == [("a:b", "c"), ("a", "a:b"), ("a", "c")]
    protection = parse_protection(["x=1:x=2", "x=1:x=3=4"], ["x=1", "x=2", "x=3"])
    assert protection.apart == (("x=1", "x=2"), ("x=1", "x=3"))
    assert protection.distances == {("x=1", "x=3"): 4}


def test_completion_knows_names(run, monkeypatch, tmp_path):
    environment = {"_ECOC_COMPLETE": "complete_bash", "COMP_WORDS": "ecoc fit --coding e", "COMP_CWORD": "3"}
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert set(run()[1].split()) >= {"ecf", "exhaustive"}


def test_help_imports_nothing_heavy():
    program = (
        "import sys; from ecoc.cli.app import app; "
        "print({'numpy', 'scipy', 'sklearn', 'numba', 'pandas'} & {name.partition('.')[0] for name in sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_a_pipe_that_closes_is_no_error(model, table, tmp_path):
    command = [sys.executable, "-m", "ecoc.cli", "predict", model, str(table)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path)
    process.stdout.close()
    assert b"Traceback" not in process.stderr.read()
    process.wait()
