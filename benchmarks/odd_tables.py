"""Does the command line cope with odd tables? Every command that compare, fit and evaluate print, on twelve of them."""

import csv
import json
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._report import Goal, Results, Table

ON_REQUEST = True
Rows = list[dict[str, Any]]
Type = Callable[[list[str]], str]  # runs the words of a command in the folder, and returns what it prints
LARGE = {"large": 250_000}
USUAL = 2_000


def samples(n: int, n_classes: int = 3, n_columns: int = 4, seed: int = 0) -> Rows:
    """Return rows of numbers whose class can be told from them, mostly."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % n_classes
    X = np.random.default_rng(99).normal(size=(n_classes, n_columns))[y] * 2 + rng.normal(size=(n, n_columns))
    return [{**{f"x{j}": round(v, 3) for j, v in enumerate(row)}, "label": f"kind{c}"} for row, c in zip(X.tolist(), y)]


def tables(size: Callable[[str], int]) -> Iterator[tuple[str, Rows, Rows]]:
    """Yield names, rows to learn from and new rows; `size` says how many rows a table shall have."""

    def both(name: str, change: Callable[[int, dict[str, Any]], dict[str, Any]], **options: int) -> Any:
        parts = (samples(size(name), seed=0, **options), samples(max(size(name) // 4, 20), seed=1, **options))
        return (name, *([change(i, row) for i, row in enumerate(rows)] for rows in parts))

    yield both(
        "rare classes", lambda i, row: {**row, "label": "once" if i == 7 else "twice" if i in (8, 9) else row["label"]}
    )
    name, old, new = both("unseen classes", lambda i, row: row)
    yield name, old, [{**row, "label": "never" if i < 3 else row["label"]} for i, row in enumerate(new)]
    yield both("identifiers", lambda i, row: {"rownames": i + 1, "key": f"k-{i * 7919:06d}", **row})
    yield both("dates", lambda i, row: {"day": f"2024-{i % 12 + 1:02d}-{i % 28 + 1:02d}", **row})
    yield both("text", lambda i, row: {**row, "note": f"{row['label'][-1]} word{i % 5} and word{i * 31 % 97}"})
    yield both("one column", lambda i, row: {"x0": row["x0"], "label": row["label"]})
    yield both("large", lambda i, row: row, n_columns=20)
    yield both("all-missing column", lambda i, row: {"empty": "", **row})
    yield both(
        "missing cells",
        lambda i, row: {**row, "x1": "" if i % 3 else row["x1"], "label": "" if i == 5 else row["label"]},
    )
    yield both("numbers as classes", lambda i, row: {**row, "label": row["label"][-1]})
    yield both("two classes", lambda i, row: row, n_classes=2)
    yield both("many classes", lambda i, row: row, n_classes=15)
    yield both(
        "strange names",
        lambda i, row: (
            {f'{key} "é", $': v for key, v in row.items() if key != "label"} | {"label": row["label"] + ": a=b"}
        ),
    )


def write(path: Path, rows: Rows) -> None:
    """Write rows as CSV."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def walk(folder: Path, old: Rows, new: Rows, type_: Type, options: list[str]) -> dict[str, Any]:
    """Type what a newcomer would: compare, and then every command that is printed; return what evaluate says."""
    write(folder / "table.csv", old)
    write(folder / "new.csv", new)
    shown = type_(["ecoc", "compare", "table.csv", "--target", "label", *options, "--report", "compare.html"])
    printed = re.findall(r"^ +(ecoc .*)$", shown, re.MULTILINE)
    assert sum(command.startswith("ecoc fit ") for command in printed) == 1, shown
    for command in printed:
        told = type_(shlex.split(command))
        if command.startswith("ecoc fit "):
            (predicting,) = re.findall(r"^ +(ecoc predict .*)$", told, re.MULTILINE)
    words = ["new.csv" if word == "NEW.csv" else word for word in shlex.split(predicting)]
    trust = words[words.index("predicted.csv") + 1 :]
    type_(words)
    type_([*words, "--sets", "0.9"])
    type_(["ecoc", "evaluate", "model.skops", "new.csv", *trust])
    told = type_(["ecoc", "evaluate", "model.skops", "new.csv", *trust, "--report", "evaluate.html", "--json"])
    for page in ("compare.html", "evaluate.html"):
        text = (folder / page).read_text(encoding="utf-8")
        assert text.startswith("<!doctype html>"), page
        assert len(text) < 3e6, page
        for data in re.findall(r'<script type="application/json" id="data">(.*?)</script>', text):
            assert json.loads(data), page
    result: dict[str, Any] = json.loads(told)
    return result


def typist(folder: Path) -> Type:
    """Return what types commands in a folder, each in a new process."""

    def type_(words: list[str]) -> str:
        command = [sys.executable, "-m", *words]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, encoding="utf-8")
        if done.returncode:
            raise RuntimeError(f"{shlex.join(words)}: exit code {done.returncode}, {done.stderr}")
        return done.stdout

    return type_


def run(quick: bool) -> Results:
    """Walk through all tables in new processes."""
    rows, broken = [], []
    for name, old, new in tables(lambda name: USUAL if quick else LARGE.get(name, USUAL)):
        with tempfile.TemporaryDirectory() as made:
            folder, start = Path(made), time.perf_counter()
            try:
                found = walk(folder, old, new, typist(folder), ["--budget", "30"])
                rows.append([name, f"{len(old):,}", f"{found['accuracy']:.1%}", f"{time.perf_counter() - start:.0f} s"])
            except Exception as error:  # the others are walked through, too
                broken.append(name)
                rows.append([name, f"{len(old):,}", " ".join(str(error).split())[-200:], ""])
    yield Table("odd tables", ["table", "rows", "accuracy on new rows", "time of all commands"], rows)
    yield Goal("every printed command of every table ends well", ", ".join(broken) or "all do", not broken)
