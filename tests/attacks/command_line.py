"""Arguments of ``ecoc`` that are wrong: exit code 0, 1 or 2, never a traceback, and errors of one line."""

import contextlib
import io
import os
import sys
import tempfile
import warnings
from functools import cache
from pathlib import Path

import numpy as np

from ecoc.tool.cli import main
from tests.attacks.tables import CELLS, as_text, damaged_cells, rows

LEARNERS = (
    "ridge",
    "tree",
    "logistic",
    "svc:C=10",
    "ridge:alpha=x",
    "ridge:",
    "ridge:nonsense=1",
    "no",
    "tree:max_depth=2",
)
CODES = ("auto", "ova", "ovo", "dense", "ecf", "book.csv", "t.csv", "nowhere.npz", "", "exhaustive", "ordinal", "xx")
NUMBERS = ("0", "1", "2", "3", "-1", "1e9", "nan", "x", "", "0.5", "999999999999999999999", "1/2", "auto", "2,3", "k/2")
FILES = ("t.csv", "broken.csv", "m.skops", "broken.skops", "book.csv", "nowhere.csv", ".", "", "t.txt", "sklearn:iris")
OUTPUTS = ("out.skops", "out.csv", "out.npz", "t.csv", "nowhere/out.skops", ".", "/dev/full", "out.html", "-", "")
WORDS = ("x", "y", "x,y", "x:y", "label", "a", "nobody", "[/]", "[red]", "\x1b[31m", "x|y", "{0}", "%s", *CELLS[:8])
OPTIONS = {
    "--target": WORDS,
    "--learner": LEARNERS,
    "--coding": CODES,
    "--codings": CODES,
    "--decoding": ("auto", "hamming", "discriminant", "probabilistic", "no", ""),
    "--decodings": ("hamming", "no", "hamming,no", ""),
    "--columns": NUMBERS,
    "--allocation": ("hard", "easy", "0.5", "nan", "no", ""),
    "--min-distance": NUMBERS,
    "--protect": WORDS,
    "--drop": WORDS,
    "--seed": NUMBERS,
    "--jobs": ("1", "0", "x", ""),
    "--folds": NUMBERS,
    "--max-rows": NUMBERS,
    "--costs": FILES,
    "--reject-cost": NUMBERS,
    "--reject-label": WORDS,
    "--distances": FILES,
    "--confusion": FILES,
    "--classes": WORDS,
    "--keep": WORDS,
    "--sets": NUMBERS,
    "--trust": ("os.system", "x", "sklearn.tree._tree.Tree", ""),
    "--sep": (";", ",", "tab", "", "ab", "\n"),
    "--decimal": (",", ".", "x", ""),
    "--encoding": ("utf-8", "cp1252", "utf-16", "no", ""),
    "-o": OUTPUTS,
    "--report": OUTPUTS,
    "--metrics": WORDS,
    "--model": ("code", "one-vs-rest", "no", ""),
}
FLAGS = (
    "--json",
    "--help",
    "--drop-like-id",
    "--no-tune",
    "--tune",
    "--spreadsheet-safe",
    "--version",
    "--nonsense",
    "--",
)
# What a command needs to get beyond its first check.
COMMANDS = {
    "fit": (["t.csv", "--learner", "ridge", "-o", "out.skops"], 4),
    "predict": (["m.skops", "t.csv"], 3),
    "evaluate": (["m.skops", "t.csv"], 3),
    "show": (["m.skops"], 1),
    "design": (["t.csv"], 3),
    "compare": (["t.csv", "--budget", "1", "--learner", "ridge", "--no-baselines"], 1),
    "reproduce": ([], 0.1),
    "": ([], 0.1),
    "nonsense": ([], 0.1),
}


@cache
def files():
    """A table, a code book and a model, by name."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        Path("t.csv").write_bytes(as_text(rows()))
        Path("book.csv").write_text("class,0,1,2\nx,1,-1,-1\ny,-1,1,-1\nz,-1,-1,1\n")
        code, _, error = run(["fit", "t.csv", "--learner", "ridge", "-o", "m.skops"])
        assert code == 0, error
        return {path.name: path.read_bytes() for path in Path().iterdir()}


@cache
def options_of(command):
    """The options that a command has."""
    from typer.main import get_command

    from ecoc.tool.cli.app import app

    found = get_command(app).commands.get(command)
    known = {name for parameter in found.params for name in parameter.opts} if found else set()
    return [option for option in OPTIONS if option in known] or list(OPTIONS)


def run(arguments):
    """Exit code, output and errors of a command."""
    out, error, before = io.StringIO(), io.StringIO(), sys.argv
    sys.argv = ["ecoc", *arguments]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(error), warnings.catch_warnings():
            main()
        code = 0
    except SystemExit as end:
        code = end.code or 0
    finally:
        sys.argv = before
    return code, out.getvalue(), error.getvalue()


def draw_arguments(rng):
    names, weights = list(COMMANDS), np.array([weight for _, weight in COMMANDS.values()])
    command = names[rng.choice(len(names), p=weights / weights.sum())]
    arguments = [command, *COMMANDS[command][0]] if command else []
    for _ in range(rng.integers(0, 4)):
        options = list(OPTIONS) if rng.random() < 0.1 else options_of(command)
        option = options[rng.integers(len(options))]
        values = OPTIONS[option]
        arguments += [option, values[rng.integers(len(values))]]
    if rng.random() < 0.2:
        arguments.insert(int(rng.integers(len(arguments) + 1)), FLAGS[rng.integers(len(FLAGS))])
    if len(arguments) > 1 and rng.random() < 0.3:
        arguments[rng.integers(1, len(arguments))] = FILES[rng.integers(len(FILES))]
    if len(arguments) > 1 and rng.random() < 0.1:
        del arguments[rng.integers(1, len(arguments))]
    return arguments


def attack(seed):
    rng = np.random.default_rng(seed)
    arguments = draw_arguments(rng)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for name, content in files().items():
            Path(name).write_bytes(content)
        Path("broken.csv").write_bytes(as_text(damaged_cells(rng, rows())))
        Path("broken.skops").write_bytes(files()["m.skops"][: rng.integers(3000)])
        code, out, error = run(arguments)
        left = [name for name in os.listdir() if name.endswith(".tmp")]
    shown = f"{arguments}: {error[:500]!r}"
    assert code in (0, 1, 2), f"exit code {code}, {shown}"
    assert "Traceback" not in out + error, shown
    assert "\x1b[31m" not in out + error, f"control characters, {shown}"
    assert not left, f"{left} left behind, {shown}"
    if code:
        lines = [line for line in error.splitlines() if not line.startswith("ecoc: warning: ")]
        assert len(lines) == 1, shown
        assert lines[0].startswith("ecoc: "), shown
    return f"exit code {code}"
