"""Each command on small data, in this process."""

import csv
import gzip
import html
import io
import json
import os
import re
import shlex
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("typer")
pytest.importorskip("skops")

from ecoc.tool.cli import main
from ecoc.tool.comparison.learners import BASELINES

FAST = ("--learner", "ridge", "--coding", "ova")


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    """Run a command in a folder of its own; gives exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("ecoc.tool.cli.comparisons.Display.first", 1e9)  # no progress, however slow the machine is

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


def compare(run, path, *options):
    """Compare without a time limit that a busy machine could reach."""
    return run("compare", path, "--learner", "ridge", "--budget", 1000, *options)


def test_compare_recommends_in_the_first_lines(run, table):
    code, out, err = compare(run, table, "--target", "kind")
    assert (code, err) == (0, "")
    assert out.splitlines()[0].startswith("pets.csv: 90 rows, 3 columns, 3 classes")
    assert out.splitlines()[1].startswith("→ Recommended: ")
    assert "On new rows expect" in out
    assert "Tried: Plain models: majority class, " in out
    assert "(linear models and single trees gain from long codes); each with auto and loss_weighted decoding." in out
    code, out, _ = compare(run, table, "--target", "kind", "--json", "--seed", 3, "--drop", "weight")
    found = json.loads(out)
    assert found["command"].endswith("--drop weight --seed 3 -o model.skops")
    best, chosen = found["best"], found["recommended"]
    assert chosen["accuracy"] >= best["accuracy"] - best["standard_error"]
    assert {row["kind"] for row in found["candidates"]} == {"code", *BASELINES}
    assert all(isinstance(row["classifiers"], int) for row in found["candidates"])
    assert 0 < found["expected_accuracy"] <= 1


def test_plain_scikit_learn_is_recommended_where_it_is_as_good(run, tmp_path):
    from sklearn.datasets import load_iris

    data = load_iris()
    rows = [{**dict(zip("abcd", row)), "label": f"k{label}"} for row, label in zip(data.data.tolist(), data.target)]
    path = write_table(tmp_path / "iris.csv", rows)
    _, out, _ = compare(run, path, "--codings", "ova,ecf", "--columns", "2")
    assert "→ Recommended: LDA, 1 model, accuracy 9" in out
    assert "Plain scikit-learn is enough here. The most accurate code is " in out
    (command,) = re.findall(r"Fit it to all rows with:\n +(.*)", out)
    assert command == f"ecoc fit {path} --model lda -o model.skops"
    assert run(*shlex.split(command)[1:])[0] == 0
    assert json.loads(run("evaluate", "model.skops", path, "--json")[1])["accuracy"] > 0.95
    assert "LinearDiscriminantAnalysis" in run("show", "model.skops")[1]


@pytest.mark.parametrize("model", [*BASELINES, "logistic:C=10"])
def test_every_baseline_can_be_fitted(run, table, model):
    code, out, err = run("fit", table, "--target", "kind", "--model", model, "--learner", "ridge", "-o", "m.skops")
    assert (code, err) == (0, "")
    assert f"3 classes, model {model}, trained on 90 rows" in out
    (command,) = re.findall(r"Predict with:\n +(.*)", out)
    words = [str(table) if word == "NEW.csv" else word for word in shlex.split(command)]
    assert run(*words[1:])[0] == 0


def test_compare_prints_the_plan_of_the_recommended_code(run, table):
    _, out, _ = compare(run, table, "--target", "kind", "--no-baselines", "--codings", "ova")
    before = out[: out.index("Fit it to all rows with:")]
    assert "  Plan for RidgeClassifier (ridge), 3 classes, 90 samples\n    coding: OneVsAll()" in before
    assert "held-out outputs: " in before


def test_the_command_that_compare_prints_works(run, table):
    found = json.loads(compare(run, table, "--target", "kind", "--no-baselines", "--json")[1])
    assert found["plan"]["held-out outputs"]
    words = found["command"].split()
    assert words[:2] == ["ecoc", "fit"]
    assert "--coding" in words
    assert run(*words[1:])[0] == 0


def test_tuned_parameters_are_in_the_command(run, tmp_path):
    rng = np.random.default_rng(0)
    radius, kind = rng.uniform(0.2, 1, size=180), np.arange(180) % 3
    angle = 5 * radius + 2 * np.pi * kind / 3
    rows = [{"x": r * np.cos(a), "y": r * np.sin(a), "label": f"k{k}"} for r, a, k in zip(radius, angle, kind)]
    path = write_table(tmp_path / "spirals.csv", rows)
    learner = ("--learner", "svc:gamma=0.2", "--codings", "ova", "--decodings", "linear", "--no-baselines")
    options = (*learner, "--budget", 1000, "--json")
    found = json.loads(run("compare", path, *options)[1])
    assert found["tuned"] == {"C": 100.0}
    assert "--learner svc:gamma=0.2,C=100.0" in found["command"]
    found = json.loads(run("compare", path, *options, "--no-tune")[1])
    assert found["tuned"] == {}
    assert "--learner svc:gamma=0.2 " in found["command"]


def test_compare_with_protection_says_what_it_costs(run, table):
    options = ("--target", "kind", "--codings", "ecf,ova", "--columns", "2")
    code, out, _ = compare(run, table, *options, "--protect", "cat:cow")
    assert code == 0
    facts = r"\([a-z ]+\) 2 classifiers, accuracy [\d.]+%, \d+ confusions of the pair"
    assert re.search(rf"Protecting cat \| cow makes no clear difference: with it {facts}; without it", out)
    assert "The model without protection is recommended." in out
    assert "--protect" not in re.search(r"Fit it to all rows with:\n +(.*)", out)[1]
    assert "To see what it costs" not in out
    found = json.loads(compare(run, table, *options, "--protect", "cat:cow", "--protect", "dog", "--json")[1])
    assert "Protecting 3 pairs of classes" in found["protection"]
    assert not found["recommended"]["protected"]


def test_compare_prints_the_command_that_protects(run, tmp_path):
    rng = np.random.default_rng(0)
    rows = [{"size": rng.normal() + 5 * (i % 4 > 1), "none": 1, "kind": f"kind {i % 4}"} for i in range(80)]
    path = write_table(tmp_path / "alike.csv", rows)
    options = ("--target", "kind", "--codings", "ecf", "--columns", "3", "--drop", "none")
    _, out, _ = compare(run, path, *options, "--report", "r.html")
    (command,) = re.findall(r"To see what it costs to protect the first pair:\n  (.*)", out)
    assert "'" not in command  # double quotes, which cmd.exe takes too
    words = shlex.split(command)
    assert set(words[1:-2]) == {"compare", str(path), "--learner", "ridge", "--budget", "1000", *options}
    assert words[-2] == "--protect"
    first, second = words[-1].split(":")
    assert f"Most confused by the recommended model:  {first} | {second} (" in out
    assert "Protecting" in run(*words[1:])[1]


def test_compare_samples_large_tables_and_knows_two_classes(run, tmp_path):
    rows = [row for row in rows_of(200) if row["kind"] != "cow"]
    path = write_table(tmp_path / "two.csv", rows)
    found = json.loads(compare(run, path, "--target", "kind", "--max-rows", 60, "--json")[1])
    plain = {"majority", "lda", "logistic", "linear_svc", "native", "forest", "extra_trees"}
    assert {row["kind"] for row in found["candidates"]} == plain
    assert (found["rows"], found["table_rows"]) == (60, len(rows))
    assert found["expected_error"] > 0


def test_compare_says_why_one_vs_one_is_left_out(run, tmp_path):
    rng = np.random.default_rng(0)
    rows = [{"size": i % 51 + rng.normal() / 9, "weight": rng.normal(), "label": f"c{i % 51}"} for i in range(153)]
    path = write_table(tmp_path / "many.csv", rows)
    code, out, _ = compare(run, path, "--columns", "0.25", "--folds", "2", "--decodings", "linear")
    assert code == 0
    assert "left out: one-vs-one RidgeClassifier: 1,275 models" in out


def test_compare_adds_metrics(run, table):
    options = ("--target", "kind", "--codings", "ova", "--decodings", "linear")
    out = compare(run, table, *options, "--metrics", "macro_f1,log_loss")[1]
    assert "macro" in out
    assert "log-" in out
    code, _, err = compare(run, table, *options, "--metrics", "auc")
    assert code == 2
    assert "the names are accuracy, balanced_accuracy, macro_f1, log_loss" in err


def test_rare_classes_identifiers_and_dates_are_named(run, tmp_path):
    rows = [{"no": i + 1, "day": f"2024-01-{i % 28 + 1:02d}", **row} for i, row in enumerate(rows_of())]
    rows += [{**rows[0], "no": 91, "kind": "emu"}]
    path = write_table(tmp_path / "pets.csv", rows)
    options = ("--target", "kind", "--codings", "ova", "--decodings", "linear", "--no-tune")
    code, _, err = compare(run, path, *options)
    assert code == 0
    assert "are left out: no; --no-drop-like-id keeps them" in err
    assert "day (date); leave them out with --drop day" in err
    assert "1 of 4 classes have fewer rows than there are folds (3): 'emu'" in err
    code, out, err = compare(run, path, *options, "--drop-like-id")
    assert "are left out: no, day" in err
    assert "--drop no --drop day" in re.search(r"Fit it to all rows with:\n +(.*)", out)[1]
    assert "3 columns, 4 classes" in out
    code, out, err = compare(run, path, *options, "--no-drop-like-id")
    assert "no (identifier), day (date); leave them out with --drop no --drop day" in err
    assert "5 columns, 4 classes" in out


def test_certain_identifiers_do_not_decide_the_recommendation(run, tmp_path):
    """A row number, a code and a name that differ in all rows of a table that is sorted by class."""
    rng = np.random.default_rng(0)
    rows = [
        {"rownames": i, "code": f"X{i}", "name": f"port {i}", "size": i // 30 + rng.normal(), "label": "abc"[i // 30]}
        for i in range(90)
    ]
    path = write_table(tmp_path / "ports.csv", rows)
    options = ("--codings", "ova", "--decodings", "linear", "--no-tune", "--json")
    _, out, err = compare(run, path, *options)
    assert "are left out: rownames, code, name" in err
    found = json.loads(out)
    assert "--drop rownames --drop code --drop name" in found["command"]
    assert found["recommended"]["accuracy"] < 0.9  # the row number gives the class away
    assert run(*shlex.split(found["command"])[1:])[0] == 0


def test_a_table_is_read_and_warned_about_once(run, tmp_path):
    rows = [{"id": i, **row, "kind": row["kind"] if i else ""} for i, row in enumerate(rows_of())]
    path = write_table(tmp_path / "pets.csv", rows)
    _, _, err = run("fit", path, "--target", "kind", *FAST, "--drop-like-id", "-o", "m.skops")
    assert err.count("1 of 90 rows have no label") == 1


def test_progress_in_a_pipe_and_a_terminal(run, table, monkeypatch):
    monkeypatch.setattr("ecoc.tool.cli.comparisons.Display.first", 0.0)
    monkeypatch.setattr("ecoc.tool.cli.comparisons.Display.every", 0.0)
    options = ("--target", "kind", "--codings", "ova", "--decodings", "linear", "--no-tune")
    lines = [line for line in compare(run, table, *options)[2].splitlines() if "compiling" not in line]
    assert len(lines) == 30  # ten candidates in three folds
    assert re.fullmatch(
        r"ecoc: \d+ s of at most \d+ s, 0 of 30 fits; now fold 1: majority class, then LDA and 8 more", lines[0]
    )
    assert re.search(r", about \d+ s left, 29 of 30 fits; now fold 3: [^,]+; so far .*%$", lines[-1])
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setattr("ecoc.tool.cli.comparisons.Display.redraw", 0.0)
    monkeypatch.setenv("TERM", "xterm")
    drawn = compare(run, table, *options)[2]
    assert "random forest" in drawn
    assert "29 of 30 fits; now fold 3" in drawn  # below the first table
    monkeypatch.setenv("TERM", "dumb")
    assert len(compare(run, table, *options)[2].splitlines()) == 30


def test_several_learners_by_default(run, table, monkeypatch):
    monkeypatch.setattr("ecoc.policy.trials.short_list", lambda: ("ridge", "tree"))
    options = ("--target", "kind", "--budget", 1000, "--no-tune", "--codings", "ova")
    code, out, _ = run("compare", table, *options)
    assert code == 0
    assert "3 folds, learners ridge, tree." in out
    found = json.loads(run("compare", table, *options, "--no-baselines", "--json")[1])
    tried = {row["learner"] for row in [*found["candidates"], *found["left_out"]]}
    assert tried == {"ridge", "tree"}
    learner = found["recommended"]["learner"]
    assert f"--learner {learner} " in found["command"]
    assert run(*shlex.split(found["command"])[1:])[0] == 0
    restricted = json.loads(run("compare", table, *options, "--learner", "tree", "--json")[1])
    assert {row["learner"] for row in restricted["candidates"]} == {""}


def test_a_report_with_a_rare_class(run, tmp_path):
    """Of a class with one row, the first fold's model knows nothing."""
    rows = [*rows_of(), *({**row, "kind": f"rare {i}"} for i, row in enumerate(rows_of(4, seed=1)))]
    path = write_table(tmp_path / "rare.csv", rows)
    options = ("--target", "kind", "--no-baselines", "--codings", "ova", "--decodings", "linear", "--no-tune")
    code, out, _ = compare(run, path, *options, "--report", "r.html")
    assert code == 0
    assert "→ Recommended: ova" in out
    assert out.rstrip().endswith("r.html")
    assert "The recommended code" in (tmp_path / "r.html").read_text()


def test_what_was_compared_is_not_lost_if_a_section_fails(run, table, tmp_path, monkeypatch):
    def fail(*args, **options):
        raise RuntimeError("out of paint")

    monkeypatch.setattr("ecoc.tool.cli.reports.model_sections", fail)
    options = ("--target", "kind", "--no-baselines", "--codings", "ova", "--decodings", "linear", "--no-tune")
    code, out, _ = compare(run, table, *options, "--report", "r.html")
    assert code == 0
    assert "→ Recommended: ova" in out
    assert "the sections about the code are missing in it: out of paint" in out
    assert "out of paint" in (tmp_path / "r.html").read_text()
    found = json.loads(compare(run, table, *options, "--report", "r.html", "--json")[1])
    assert "out of paint" in found["missing_in_report"]


def test_ctrl_c_prints_what_is_known(run, table, monkeypatch, tmp_path):
    from ecoc.tool.cli.comparisons import Display

    take = Display.__call__

    def interrupt(self, step):
        take(self, step)
        if step.done == 4:
            raise KeyboardInterrupt

    monkeypatch.setattr(Display, "__call__", interrupt)
    code, out, _ = compare(run, table, "--target", "kind", "--report", "r.html")
    assert code == 130
    assert "→ Recommended: " in out
    assert "Stopped by Ctrl-C" in out
    assert not (tmp_path / "r.html").exists()


def test_a_narrow_window_shows_what_matters(capsys, monkeypatch):
    from ecoc.tool.cli import printing

    monkeypatch.setenv("FORCE_COLOR", "1")
    for width, count in ((200, 3), (16, 2), (5, 2)):
        monkeypatch.setenv("COLUMNS", str(width))
        assert printing.show_table(["name", "accuracy", "seconds"], [["ecf", "90.0%", "1.00"]], least=2) == count
    assert printing.show_table(["name", "accuracy"], [["ecf", "90.0%"]]) == 2
    capsys.readouterr()


def test_a_candidate_that_cannot_be_is_left_out(run, table):
    options = ("--target", "kind", "--codings", "ova,spectral", "--columns", "3")
    found = json.loads(compare(run, table, *options, "--json")[1])
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
    from sklearn.metrics import balanced_accuracy_score, confusion_matrix, f1_score, log_loss

    import ecoc

    test = write_table(tmp_path / "test.csv", rows_of(seed=2))
    code, out, _ = run("evaluate", model, test)
    assert code == 0
    assert "True classes in rows, predicted classes in columns" in out
    found = json.loads(run("evaluate", model, test, "--json")[1])
    assert f"accuracy {found['accuracy']:.1%}, balanced accuracy {found['balanced_accuracy']:.1%}" in out
    assert sum(row["recall"] * row["rows"] for row in found["per_class"]) == pytest.approx(90 * found["accuracy"])
    rows = list(rows_of(seed=2))
    y = [row["kind"] for row in rows]
    run("predict", model, test, "-o", "p.npz")
    with np.load(tmp_path / "p.npz") as arrays:
        predicted, shares = arrays["prediction"], arrays["probability"]
    assert found["balanced_accuracy"] == pytest.approx(balanced_accuracy_score(y, predicted))
    assert found["macro_f1"] == pytest.approx(f1_score(y, predicted, average="macro"))
    assert found["log_loss"] == pytest.approx(log_loss(y, shares))
    assert found["confusion"]["matrix"] == confusion_matrix(y, predicted).tolist()
    assert found["confusion"]["classes"] == ecoc.load(tmp_path / model).classes_.tolist()


def test_many_classes_have_no_confusion_table(capsys):
    from ecoc.tool.cli.scores import _show_confusion

    matrix = np.eye(30, dtype=int)
    matrix[3, 7] = 5
    _show_confusion([f"c{i}" for i in range(30)], matrix.tolist(), matrix.sum(axis=1).tolist())
    assert "Taken for another class most often: c3 as c7 (5)." in capsys.readouterr().out


def test_predict_keeps_columns(run, model, tmp_path):
    rows = [{**row, "id": f"00{i}", "name": f"pet {i}"} for i, row in enumerate(rows_of(9))]
    path = write_table(tmp_path / "new.csv", rows)
    out = run("predict", model, path, "--keep", "id,name")[1]
    found = list(csv.DictReader(io.StringIO(out)))
    assert [row["id"] for row in found] == [row["id"] for row in rows]
    assert list(found[0])[:3] == ["id", "name", "prediction"]
    code, _, err = run("predict", model, path, "--keep", "nam")
    assert code == 2
    assert "Did you mean 'name'?" in err


def test_the_format_of_a_table_can_be_given(run, tmp_path):
    text = "größe;kind\n" + "".join(f"{i % 3},{i};{'äöü'[i % 3]}\n" for i in range(30))
    (tmp_path / "t.txt.csv").write_bytes(text.encode("cp1252"))
    options = ("--sep", ";", "--decimal", ",", "--encoding", "cp1252")
    code, _, err = run("fit", "t.txt.csv", "--target", "kind", *FAST, *options, "-o", "m.skops")
    assert (code, err) == (0, "")
    assert json.loads(run("evaluate", "m.skops", "t.txt.csv", *options, "--json")[1])["rows"] == 30
    assert run("predict", "m.skops", "t.txt.csv", *options)[0] == 0
    assert run("design", "t.txt.csv", "--target", "kind", *options)[0] == 0
    code, out, _ = compare(run, "t.txt.csv", "--target", "kind", "--codings", "ova", "--no-tune", *options)
    assert code == 0
    assert '--sep ";" --decimal , --encoding cp1252' in out


def test_a_wrong_target_is_answered_with_the_nearest_name(run, table):
    code, _, err = run("compare", table, "--target", "knid")
    assert code == 2
    assert "Did you mean 'kind'?" in err


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_output_is_utf8_whatever_the_console(table, tmp_path, encoding):
    command = [sys.executable, "-m", "ecoc", "show", str(tmp_path / "book.csv")]
    (tmp_path / "book.csv").write_text("class,0,1\nкот,1,1\nпёс,1,-1\nкит,-1,1\n", encoding="utf-8")
    done = subprocess.run(command, capture_output=True, env={**os.environ, "PYTHONIOENCODING": encoding})
    assert done.returncode == 0, done.stderr
    assert "кот" in done.stdout.decode("utf-8")


def test_help_names_learners_codings_and_models():
    from ecoc.codes.coding import CODINGS
    from ecoc.tool.cli import options
    from ecoc.tool.comparison.learners import LEARNERS

    assert options.split(options.LEARNER_NAMES) == list(LEARNERS)
    assert options.split(options.CODING_NAMES) == list(CODINGS)
    assert options.split(options.MODEL_NAMES) == list(BASELINES)


@pytest.mark.parametrize(
    ("word", "quoted"),
    [("svc:C=10", "svc:C=10"), ("a b.csv", '"a b.csv"'), ("", '""'), ("a;b", '"a;b"'), ("$HOME", "'$HOME'")],
)
def test_words_are_quoted_for_sh_and_cmd(word, quoted):
    from ecoc.tool.cli.options import command_line

    assert command_line(["ecoc", word]) == f"ecoc {quoted}"
    assert shlex.split(command_line([word])) == [word]


def test_a_report_is_written(run, model, table, tmp_path):
    assert run("evaluate", model, table, "--report", "r.html")[0] == 0
    assert (tmp_path / "r.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_the_report_of_a_comparison_has_all_candidates(run, table, tmp_path):
    options = ("--target", "kind", "--codings", "ecf,ova,spectral", "--columns", "2,3")
    code, out, _ = compare(run, table, *options, "--protect", "cat:dog", "--report", "r.html", "--json")
    found, text = json.loads(out), (tmp_path / "r.html").read_text(encoding="utf-8")
    assert (code, found["report"]) == (0, "r.html")
    sections = re.findall('<section id="(.*?)"', text)
    assert sections[:6] == ["recommended", "candidates", "all-candidates", "left-out", "summary", "model"]
    assert f"<pre>{found['command']}</pre>" in text
    assert html.escape(found["protection"]) in text
    data = json.loads(re.search(r'id="data">(.*?)</script>', text)[1])
    for name, rows in (
        ("all-candidates", found["candidates"]),
        ("candidates", [row for row in found["candidates"] if row["classifiers"]]),  # not the majority class
    ):
        columns = [column["name"] for column in data[name]["columns"]]
        shown = [dict(zip(columns, row)) for row in data[name]["rows"]]
        assert [row["model"] for row in shown] == [row["model"] for row in rows]
        assert [row["accuracy"] for row in shown] == [row["accuracy"] for row in rows]
        assert [row["protected errors"] for row in shown] == [row["protected_errors"] for row in rows]
        assert [row["on the front"] for row in shown] == [
            "yes" if "classifiers" in row["pareto"] else "no" for row in rows
        ]
    assert [found["candidates"][place] for place in data["all-candidates"]["marked"]] == [found["recommended"]]
    named = {text: rows[place] for place, text in data["candidates"]["marks"]}
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
    assert found["accuracy"] > 0.7


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
    code, out, _ = run("fit", table, *options, "--decoding", "discriminant", "-o", "m.skops")
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


@pytest.mark.parametrize("words", [["reproduce", "--preset", "quick"], ["datasets"]])
def test_commands_that_moved_say_where_they_are(monkeypatch, capsys, words):
    monkeypatch.setattr(sys, "argv", ["ecoc", *words])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert re.search(
        rf"moved to the package ecoc_paper: .* The command is ecoc-paper {words[0]}\.$", capsys.readouterr().err
    )


def test_labels_with_colons_can_be_protected():
    from ecoc.tool.cli.parsing import parse_protection

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
        "import sys; from ecoc.tool.cli.app import app; "
        "print({'numpy', 'scipy', 'sklearn', 'numba', 'pandas'} & {name.partition('.')[0] for name in sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_a_pipe_that_closes_is_no_error(model, table, tmp_path):
    command = [sys.executable, "-m", "ecoc", "predict", model, str(table)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path)
    process.stdout.close()
    assert b"Traceback" not in process.stderr.read()
    process.wait()
