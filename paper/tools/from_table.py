"""Make tables and figures of a run again without its store, from its results.csv.gz alone.

python paper/tools/from_table.py RESULTS.csv.gz FOLDER

Accuracies, lengths, images and wins only. The table holds no predictions, so settings of a method are equal if they
have the same columns, support vectors and correct test rows in every fold.
"""

import csv
import gzip
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

from ecoc_paper.experiments import comparison, win_tables
from ecoc_paper.experiments.cells import Cell
from ecoc_paper.experiments.methods import method_names
from ecoc_paper.experiments.page import Page
from ecoc_paper.experiments.points import points
from ecoc_paper.experiments.store import Row

# Methods that had another name when the table was written, and those that have changed since.
RENAMED = {"Zhao-Xing": "sparse similarity", "minimal": "minimal search"}
CHANGED = {"Gao-Koller", "sub-class", "Crammer-Singer"}


def rows_of(path: Path) -> list[Row]:
    """Return the cells of a table as rows of a store."""
    cells: dict[tuple[int, Cell], dict[str, Any]] = {}
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        for line in csv.DictReader(file):
            method = RENAMED.get(line["method"], line["method"])
            cell = Cell(line["experiment"], line["dataset"], int(line["fold"]), method, line["setting"])
            result = cells.setdefault((int(line.get("seed") or 0), cell), _empty(line))
            tuning, decoding = line["tuning"], line["decoding"]
            result["correct"][tuning][decoding] = int(line["correct"])
            result["n_support"][tuning] = _number(line["n_support"])
            result["predictions"][tuning][decoding] = f"{line['correct']} {line['n_support']} {line['n_columns']}"
    return [Row(cell, result, 0.0, {}, seed) for (seed, cell), result in cells.items()]


def _empty(line: dict[str, str]) -> dict[str, Any]:
    fields = ("n_test", "n_columns", "correlation")
    return {
        **{name: _number(line[name]) for name in fields},
        **{name: defaultdict(dict) for name in ("correct", "predictions")},
        "n_support": {},
    }


def _number(text: str) -> float | None:
    return float(text) if text else None


def main(path: Path, folder: Path) -> None:
    """Write the tables and figures."""
    known = set(method_names()) - CHANGED
    rows = [row for row in rows_of(path) if row.cell.method in known]
    accuracy, lengths = ([row for row in rows if row.cell.experiment == name] for name in ("accuracy", "length"))
    page = Page(folder, "")
    win_tables.wins(page, points(accuracy))
    win_tables.exchange(page, points(accuracy))
    comparison.accuracies(page, points(accuracy))
    if raw := [row for row in rows if row.cell.experiment == "raw"]:
        same = {row.cell.dataset for row in raw}
        comparison.raw_images(page, [row for row in [*accuracy, *raw] if row.cell.dataset in same])
    if lengths:
        comparison.equal_lengths(page, points(lengths))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
