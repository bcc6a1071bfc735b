"""Whatever is wrong: one line that says so, exit code 2 (130 after Ctrl-C), no traceback, no half-written file."""

import errno
import json
import os
import pathlib
import pickle
import re
import signal
import subprocess
import sys
import zipfile

import numpy as np
import pytest
from sklearn.linear_model import RidgeClassifier

pytest.importorskip("typer")
pytest.importorskip("skops")

import ecoc
from ecoc.tool.cli import main

GOOD = "a,b,label\n" + "".join(f"{i % 3}.{i % 7},{i % 5},{'xyz'[i % 3]}\n" for i in range(30))
FIT = ("fit", "DATA", "--learner", "ridge", "--coding", "ova", "-o", "out.skops")


def lines(*rows):
    return "\n".join(rows) + "\n"


# Name of the file, its content, and a part of the message.
TABLES = {
    "empty": ("t.csv", "", "no rows"),
    "blank lines": ("t.csv", "\n\n\n", "t.csv has"),
    "header only": ("t.csv", "a,b,label\n", "no rows"),
    "one class": ("t.csv", lines("a,label", "1,x", "2,x"), "at least two classes"),
    "one column": ("t.csv", lines("label", "x", "y"), "needs features too"),
    "long cell": ("t.csv", GOOD + "1," + "w" * 10**6 + ",x\n", "field larger than"),
    "long header": ("t.csv", "h" * 10**5 + GOOD.replace("label", "kind"), "has no column 'label'"),
    "no labels": ("t.csv", lines("a,label", "1,", "2,NaN"), "no label in any row"),
    "duplicate names": ("t.csv", GOOD.replace("a,b", "a,a", 1), "a different name for each column"),
    "nameless column": ("t.csv", GOOD.replace("a,b", "a,", 1), "a different name for each column"),
    "short row": ("t.csv", GOOD + "1,2\n", "2 values in row 31"),
    "long row": ("t.csv", GOOD + "1,2,x,4\n", "4 values in row 31"),
    "unclosed quote": ("t.csv", GOOD + '1,"2,x\n' * 3, "values in row"),
    "binary": ("t.csv", bytes(range(256)) * 9, "cannot be read as csv"),
    "Latin-1": ("t.csv", GOOD.replace("x", "é").encode("latin-1"), "cannot be read as csv"),
    "no gzip": ("t.csv.gz", GOOD, "cannot be read as csv"),
    "cut gzip": ("t.csv.gz", b"\x1f\x8b\x08\x00\x00\x00", "cannot be read as csv"),
    "no label column": ("t.csv", GOOD.replace("label", "kind"), "--target"),
    "an index": ("t.csv", lines(",a,label", "0,1,x", "1,2,y"), "to_csv(index=False)"),
    "huge numbers": ("t.csv", GOOD + "1e300,2,x\n", "is 1e+300 in row 31"),
    "constant features": ("t.csv", lines("a,b,label", "1,,x", "1,,y", "1,,z"), "no column of t.csv varies"),
    "one number twice": ("t.csv", lines("a,label", "1,1", "2,1.0", "3,2"), "'1' and '1.0', which are the same number"),
    "infinite": ("t.csv", GOOD + "inf,2,x\n", "infinite in row 31"),
    "numbers as classes": ("t.csv", lines("a,label", *(f"{i},{i}.5" for i in range(50))), "must be a class"),
    "strange ending": ("t.xls", GOOD, "has an unknown format"),
    "no ending": ("table", GOOD, "has an unknown format"),
    "no Parquet": ("t.parquet", GOOD, "cannot be read as parquet"),
    "no NPZ": ("t.npz", GOOD, "cannot be read as npz"),
    "no ARFF": ("t.arff", GOOD, "not a dense ARFF"),
    "sparse ARFF": (
        "t.arff",
        lines("@attribute a numeric", "@attribute label {x,y}", "@data", "{0 1}"),
        "not a dense ARFF",
    ),
}

# Arguments after a good table t.csv and a model m.skops, and a part of the message.
COMMANDS = {
    "output is input": ((*FIT[:-1], "t.csv"), "would be lost"),
    "predictions over input": (("predict", "m.skops", "DATA", "-o", "DATA"), "would be lost"),
    "code book over input": (("design", "--distances", "negative.csv", "-o", "negative.csv"), "would be lost"),
    "a model as table": ((*FIT[:-1], "out.csv"), "let its name end in .skops"),
    "a model that was not fitted": (("show", "unfitted.skops"), "no classifier that was fitted"),
    "an address": (("fit", "https://example.org/t.csv", "-o", "out.skops"), "download it first"),
    "no jobs": ((*FIT, "--jobs", "0"), "-1 for one per core"),
    "single rows": (("compare", "single.csv"), "every class has a single row"),
    "report in a folder": (("compare", "DATA", "--report", "."), "is a folder"),
    "protect one-vs-all": (
        ("compare", "DATA", "--codings", "ova", "--protect", "x:y"),
        "ecf is not among the codings",
    ),
    "unknown bundled table": (("design", "sklearn:nothing"), "sklearn:digits"),
    "no such file": (("fit", "none.csv", "-o", "out.skops"), "none.csv is not there"),
    "a folder": (("fit", ".", "-o", "out.skops"), "is a folder"),
    "unknown target": ((*FIT, "--target", "kind"), "has no column 'kind'"),
    "unknown column to drop": ((*FIT, "--drop", "c"), "no column 'c' to drop"),
    "all dropped": ((*FIT, "--drop", "a", "--drop", "b"), "needs features too"),
    "unknown learner": (("fit", "DATA", "--learner", "svm", "-o", "out.skops"), "Did you mean 'svc'?"),
    "unknown parameter": (("fit", "DATA", "--learner", "svc:D=1", "-o", "out.skops"), "has no parameter 'D=1'"),
    "wrong parameter": (("fit", "DATA", "--learner", "svc:C=-1", "-o", "out.skops"), "'C' parameter of SVC"),
    "unknown coding": (("fit", "DATA", "--coding", "ecof", "-o", "out.skops"), "Unknown coding 'ecof'"),
    "unknown decoding": ((*FIT, "--decoding", "haming"), "Did you mean 'hamming'?"),
    "columns of one-vs-all": ((*FIT, "--columns", "5"), "does not take --columns 5"),
    "columns in words": (("fit", "DATA", "--columns", "many", "-o", "out.skops"), "--columns is auto, rank"),
    "too few columns": (("fit", "DATA", "--columns", "1", "-o", "out.skops"), "cannot tell 3 classes apart"),
    "unknown allocation": (("fit", "DATA", "--allocation", "soft", "-o", "out.skops"), "allocation must be"),
    "far too far": (("fit", "DATA", "--min-distance", "99", "--columns", "3", "-o", "out.skops"), "99"),
    "protect an unknown class": (("fit", "DATA", "--protect", "x:w", "-o", "out.skops"), "no class 'w'"),
    "protect from itself": (("fit", "DATA", "--protect", "x:x", "-o", "out.skops"), "protected from itself"),
    "protect by words": (
        ("fit", "DATA", "--protect", "x:y=far", "-o", "out.skops"),
        "write a number of columns",
    ),
    "no code book": (("fit", "DATA", "--coding", "none.csv", "-o", "out.skops"), "no code book none.csv"),
    "a table as code book": (("fit", "DATA", "--coding", "t.csv", "-o", "out.skops"), "cannot read a code book"),
    "no probabilities": ((*FIT, "--decoding", "probabilistic"), "needs probabilities"),
    "no output": (("fit", "DATA"), "Missing option"),
    "unknown option": ((*FIT, "--lerner", "svc"), "--learner"),
    "unknown command": (("fitt", "DATA"), "fitt"),
    "no folder to write to": (("fit", "DATA", "-o", "none/out.skops"), "there is no folder none"),
    "output below a file": (("fit", "DATA", "-o", "t.csv/out.skops"), "there is no folder t.csv"),
    "output is a folder": (("fit", "DATA", "-o", "."), "is a folder"),
    "one fold": (("compare", "DATA", "--folds", "1"), "--folds 1 is not possible"),
    "too many folds": (("compare", "DATA", "--folds", "50"), "--folds 50 is not possible"),
    "nothing to compare": (("compare", "DATA", "--codings", "", "--no-baselines"), "nothing to compare"),
    "a coding for a model without": ((*FIT, "--model", "lda"), "--model lda has no code; leave out --coding"),
    "a learner as model": (("fit", "DATA", "--model", "svc", "-o", "out.skops"), "--model native --learner svc"),
    "unknown model": (("fit", "DATA", "--model", "ldaa", "-o", "out.skops"), "Did you mean 'lda'?"),
    "unknown metric": (("compare", "DATA", "--metrics", "log-loss"), "Did you mean 'log_loss'?"),
    "too little time": (("compare", "DATA", "--budget", "0"), "--budget"),
    "unknown column to keep": (("predict", "m.skops", "DATA", "--keep", "aa"), "no such column to keep"),
    "report of another kind": (("compare", "DATA", "--report", "r.pdf"), "must end in one of .html"),
    "no model": (("predict", "none.skops", "DATA"), "none.skops"),
    "a table as model": (("predict", "DATA", "DATA"), "cannot load a model"),
    "a folder as model": (("predict", ".", "DATA"), "Is a directory"),
    "output of another kind": (("predict", "m.skops", "DATA", "-o", "out.xlsx"), "must end in one of .csv"),
    "unknown true classes": (("evaluate", "m.skops", "other.csv"), "was not trained on: 'w'"),
    "no true classes": (("evaluate", "m.skops", "unlabelled.csv"), "has no column 'label'"),
    "missing columns": (("predict", "m.skops", "narrow.csv"), "lacks 1 of the 2 columns"),
    "text for a number": (("predict", "m.skops", "words.csv"), "has 'big' in row 1, where the model expects a number"),
    "design from nothing": (("design",), "none of them"),
    "design from two": (("design", "DATA", "--classes", "a,b"), "a table and --classes"),
    "design of one class": (("design", "--classes", "a"), "at least two different names"),
    "design without data, auto": (("design", "--classes", "a,b,c", "--columns", "auto"), "auto needs a table"),
    "design from no matrix": (("design", "--distances", "t.csv"), "no matrix between classes"),
    "negative distances": (("design", "--distances", "negative.csv"), "negative"),
    "a hole in a matrix": (("design", "--distances", "hole.csv"), "has no number for 'x' and 'y'"),
    "code book of another kind": (("design", "--classes", "a,b,c", "-o", "out.json"), "must end in one of .csv, .npz"),
    "show nothing": (("show", "none.skops"), "is not there"),
    "show a table": (("show", "t.csv"), "cannot read a code book"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Good and bad files, made once."""
    folder = tmp_path_factory.mktemp("broken")
    files = {
        "t.csv": GOOD,
        "other.csv": re.sub("[xyz]\n", "w\n", GOOD),
        "unlabelled.csv": "a,b\n1,2\n",
        "narrow.csv": "a,c\n1,2\n",
        "words.csv": "a,b\nbig,2\n",
        "single.csv": "a,label\n1,x\n2,y\n3,z\n",
        "negative.csv": "x,y,z\n0,-1,2\n-1,0,3\n2,3,0\n",
        "hole.csv": "x,y,z\n0,,2\n1,0,3\n2,3,0\n",
    }
    for name, text in files.items():
        (folder / name).write_text(text)
    ecoc.save(ecoc.ECOCClassifier(RidgeClassifier()), folder / "unfitted.skops")
    before = pathlib.Path.cwd()
    try:
        os.chdir(folder)
        sys_argv, sys.argv = sys.argv, ["ecoc", *(w.replace("DATA", "t.csv") for w in FIT[:-1]), "m.skops"]
        with pytest.raises(SystemExit):
            main()
    finally:
        os.chdir(before)
        sys.argv = sys_argv
    return folder


@pytest.fixture
def fails(capsys, monkeypatch, folder):
    """Run a command that must fail as it should; gives the message."""
    monkeypatch.chdir(folder)

    def fails(*arguments, at=folder):
        monkeypatch.chdir(at)
        before = sorted(path.name for path in at.iterdir())
        monkeypatch.setattr(sys, "argv", ["ecoc", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        err = capsys.readouterr().err
        assert ended.value.code == 2, err
        assert len(err.splitlines()) == 1
        assert err.startswith("ecoc: ")
        assert len(err) < 700
        assert sorted(path.name for path in at.iterdir()) == before
        return err

    return fails


@pytest.mark.parametrize("case", TABLES)
def test_broken_tables(fails, tmp_path, case):
    name, content, message = TABLES[case]
    (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    assert message in fails(*(word.replace("DATA", name) for word in FIT), at=tmp_path)


@pytest.mark.parametrize("case", COMMANDS)
def test_broken_commands(fails, case):
    arguments, message = COMMANDS[case]
    assert message in fails(*(word.replace("DATA", "t.csv") for word in arguments))


def test_arrays_that_are_no_table(fails, tmp_path):
    np.savez(tmp_path / "t.npz", X=np.zeros((4, 2)), label=np.array(list("xy")))
    assert "X of t.npz has 4 rows and label has 2 labels" in fails("fit", "t.npz", "-o", "out.skops", at=tmp_path)
    np.savez(tmp_path / "t.npz", X=np.zeros((4, 2)), kind=np.zeros((4, 3)))
    wide = fails("fit", "t.npz", "--target", "kind", "-o", "out.skops", at=tmp_path)
    assert "4 rows and kind has the shape (4, 3)" in wide
    np.savez(tmp_path / "t.npz", X=np.zeros((4, 2)), label=np.array(["x", 1], dtype=object))
    assert "cannot be read as npz" in fails("fit", "t.npz", "-o", "out.skops", at=tmp_path)
    np.savez(tmp_path / "t.npz", X=np.zeros((0, 2)), label=np.zeros(0))
    assert "t.npz has no rows" in fails("fit", "t.npz", "-o", "out.skops", at=tmp_path)
    for X, what in ((np.ones((4, 2)) * 1j, "complex numbers"), (np.array([["2024-01-01"]] * 4, "M8[D]"), "dates")):
        np.savez(tmp_path / "t.npz", X=X, label=np.arange(4) % 2)
        assert f"'x0' of t.npz holds {what}" in fails("fit", "t.npz", "-o", "out.skops", at=tmp_path)
    np.save(tmp_path / "t.npy", np.zeros(3))
    (tmp_path / "t.npy").rename(tmp_path / "t.npz")
    assert "cannot be read as npz" in fails("fit", "t.npz", "-o", "out.skops", at=tmp_path)


def test_columns_of_lists(fails, tmp_path):
    import polars

    polars.DataFrame({"a": [[1.0, 2.0], [2.0, 3.0]], "label": ["x", "y"]}).write_parquet(tmp_path / "t.parquet")
    assert "holds lists or records" in fails("fit", "t.parquet", "-o", "out.skops", at=tmp_path)


def test_an_input_by_another_name_is_not_overwritten(fails, tmp_path):
    (tmp_path / "t.csv").write_text(GOOD)
    os.link(tmp_path / "t.csv", tmp_path / "linked.skops")
    assert "would be lost" in fails("fit", "t.csv", "--learner", "ridge", "-o", "linked.skops", at=tmp_path)
    assert (tmp_path / "t.csv").read_text() == GOOD


def test_old_line_ends_and_labels_as_bytes_are_read(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_bytes(b"\xef\xbb\xbf" + GOOD.replace("\n", "\r").encode())
    np.savez(tmp_path / "t.npz", X=np.arange(18.0).reshape(9, 2), label=np.array([b"x", b"y", b"z"] * 3))
    for name in ("t.csv", "t.npz"):
        words = [name if word == "DATA" else word for word in FIT]
        monkeypatch.setattr(sys, "argv", ["ecoc", *words, "--json"])
        with pytest.raises(SystemExit):
            main()
        assert json.loads(capsys.readouterr().out)["classes"] == ["x", "y", "z"]


def test_text_that_differs_in_most_rows_is_told(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = [f"{i % 7},2024-01-{i + 1:02d},{'xyz'[i % 3]}" for i in range(30)]
    (tmp_path / "t.csv").write_text(lines("a,day,label", *rows))
    words = ["t.csv" if word == "DATA" else word for word in FIT]
    for more, told in (((), 1), (("--drop", "day"), 0)):
        monkeypatch.setattr(sys, "argv", ["ecoc", *words, *more])
        with pytest.raises(SystemExit) as ended:
            main()
        assert not ended.value.code
        err = capsys.readouterr().err
        assert len(err.splitlines()) == told
        assert ("--drop day" in err) == bool(told)


def rewritten(source, target, change):
    """A model file with another header."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "ecoc.json":
                content = json.dumps(change(json.loads(content))).encode()
            new.writestr(name, content)


def test_a_model_of_a_newer_format(fails, folder, tmp_path):
    (tmp_path / "t.csv").write_text(GOOD)
    rewritten(folder / "m.skops", tmp_path / "m.skops", lambda header: {**header, "format": 99})
    assert "pip install --upgrade ecoc" in fails("predict", "m.skops", "t.csv", at=tmp_path)


def test_a_model_of_another_version_warns_in_one_line(folder, tmp_path, monkeypatch, capsys):
    versions = {"ecoc": "0.0.1"}
    rewritten(folder / "m.skops", tmp_path / "m.skops", lambda h: {**h, "versions": {**h["versions"], **versions}})
    monkeypatch.setattr(sys, "argv", ["ecoc", "show", str(tmp_path / "m.skops")])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("ecoc: warning: ")


def test_damaged_and_dangerous_models(fails, folder, tmp_path):
    (tmp_path / "t.csv").write_text(GOOD)
    content = (folder / "m.skops").read_bytes()
    for damaged, message in (
        (content[:-100], "cut short or damaged"),
        (b"", "it is empty"),
        (pickle.dumps({}), "looks like a pickle"),
        (content.replace(b"sklearn", b"sklaern"), "m.skops"),
    ):
        (tmp_path / "m.skops").write_bytes(damaged)
        if damaged != content:
            assert message in fails("predict", "m.skops", "t.csv", at=tmp_path)


WRITERS = (
    FIT,
    ("predict", "m.skops", "DATA", "-o", "out.csv"),
    ("design", "--classes", "a,b,c", "-o", "out.csv"),
    ("evaluate", "m.skops", "DATA", "--report", "out.html"),
)


@pytest.mark.parametrize("arguments", WRITERS, ids=lambda arguments: arguments[0])
@pytest.mark.parametrize("step", ["write", "replace"])
def test_a_full_disk(fails, monkeypatch, arguments, step):
    def full(self, *args):
        if step == "write":
            with open(self, "wb") as file:
                file.write(b"half")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(*((pathlib.Path, "write_bytes") if step == "write" else (os, "replace")), full)
    assert "No space left on device" in fails(*(word.replace("DATA", "t.csv") for word in arguments))


@pytest.mark.parametrize("arguments", WRITERS[:3], ids=lambda arguments: arguments[0])
def test_a_read_only_folder(fails, monkeypatch, arguments):
    monkeypatch.setattr(os, "access", lambda path, mode, **how: mode != os.W_OK)  # for root, no folder is
    assert "read-only" in fails(*(word.replace("DATA", "t.csv") for word in arguments))


def test_an_earlier_file_survives(fails, folder, tmp_path, monkeypatch):
    (tmp_path / "t.csv").write_text(GOOD)
    (tmp_path / "out.csv").write_text("earlier")
    monkeypatch.setattr(os, "replace", lambda *paths: (_ for _ in ()).throw(OSError(errno.EIO, "Input/output error")))
    assert "Input/output error" in fails("predict", str(folder / "m.skops"), "t.csv", "-o", "out.csv", at=tmp_path)
    assert (tmp_path / "out.csv").read_text() == "earlier"


def test_ctrl_c_in_the_middle(tmp_path):
    rng = np.random.default_rng(0)
    rows = [",".join([*(f"{x:.3f}" for x in row), f"c{i % 12}"]) for i, row in enumerate(rng.normal(size=(2400, 8)))]
    (tmp_path / "t.csv").write_text(lines("a,b,c,d,e,f,g,h,label", *rows))
    command = [sys.executable, "-m", "ecoc", "compare", "t.csv", "--report", "r.html"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline().startswith("t.csv: 2,400 rows")
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (130, "ecoc: stopped; nothing was written\n")
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]


def test_labels_are_neither_markup_nor_control_characters(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = ["[/]", "[red]x[/red]", "a\x1b[31mb"]
    pathlib.Path("t.csv").write_text("a,label\n" + "".join(f"{i % 3}.{i % 7},{names[i % 3]}\n" for i in range(60)))
    for words in (
        ["fit", "t.csv", "--learner", "ridge", "-o", "m.skops"],
        ["evaluate", "m.skops", "t.csv"],
        ["show", "m.skops"],
        ["compare", "t.csv", "--learner", "ridge", "--no-tune", "--codings", "ova"],
        ["compare", "t.csv", "--protect", "a\x1b[31mc:[/]"],
    ):
        monkeypatch.setattr(sys, "argv", ["ecoc", *words])
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        assert ended.value.code in (0, None) or "--protect" in words, err
        assert "\x1b[31m" not in out + err
        if words[0] in ("evaluate", "show"):
            assert "[/]" in out
            assert r"a\x1b[31mb" in out


@pytest.mark.parametrize("in_terminal", [False, True])
def test_a_terminal_gets_no_control_characters_from_predictions(tmp_path, monkeypatch, capsys, in_terminal):
    monkeypatch.chdir(tmp_path)
    labels = "".join(f"{i % 3},{i},{'xyz'[i % 3]}\x1b[31m\n" for i in range(30))
    pathlib.Path("t.csv").write_text("a,b,label\n" + labels)
    for words in (["fit", "t.csv", "--learner", "ridge", "-o", "m.skops"], ["predict", "m.skops", "t.csv"]):
        monkeypatch.setattr(sys, "argv", ["ecoc", *words])
        monkeypatch.setattr(sys.stdout, "isatty", lambda: in_terminal)
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        assert ended.value.code in (0, None), err
    assert ("\x1b[31m" in out) is not in_terminal  # a program gets the labels as they are
    assert (r"x\x1b[31m" in out) is in_terminal
    assert out.count("\n") == 31
