"""Write docs/results.md: numbers from tables of runs, put into a template.

python paper/tools/results.py [RUN]

RUN is a folder that `ecoc-paper reproduce` wrote. Its tables and the figures that the page shows are copied to
docs/figures/results; without RUN, those that are there stay. docs/results.md is written from tools/results.md. Tables
in folders are of other runs, see there. In the template

    {{table NAME}}                     is a whole table,
    {{table NAME | column, column}}    some of its columns (with semicolons if a name has a comma),
    {{table NAME where key=value}}     is its rows with this value,
    {{NAME: key=value, key=value: column}}    one entry, of the row where all keys have these values.
"""

import csv
import gzip
import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
TEMPLATE = ROOT / "tools" / "results.md"
PAGE = ROOT / "docs" / "results.md"
FIGURES = ROOT / "docs" / "figures" / "results"
TABLES = FIGURES / "tables"
CELLS = "results.csv"  # the largest table, which is kept compressed

Table = list[dict[str, str]]


def read(name: str, folder: Path = TABLES) -> Table:
    """Return the rows of a table."""
    path = folder / f"{name}.csv"
    if not path.is_file():
        raise SystemExit(f"{path} is not there; run tools/results.py on the folder of a finished run.")
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def render(template: str, folder: Path = TABLES) -> str:
    """Return the template with all numbers put in."""

    def replace(match: re.Match[str]) -> str:
        text = match[1].strip()
        if text.startswith("table "):
            name, _, columns = text.removeprefix("table ").partition("|")
            name, _, where = name.partition(" where ")
            rows = read(name.strip(), folder)
            if where:
                key, value = (part.strip() for part in where.split("="))
                rows = [row for row in rows if row[key] == value]
            between = ";" if ";" in columns else ","
            wanted = [column.strip() for column in columns.split(between)] if columns else None
            return markdown(rows, wanted)
        return entry(text, folder)

    return re.sub(r"\{\{(.*?)\}\}", replace, template)


def entry(text: str, folder: Path = TABLES) -> str:
    """Return one entry of a table, as ``NAME: key=value, …: column``."""
    name, keys, column = (part.strip() for part in text.split(":"))
    wanted = dict(pair.strip().split("=", 1) for pair in keys.split(",") if pair.strip())
    rows = [row for row in read(name, folder) if all(row.get(key) == value for key, value in wanted.items())]
    if len(rows) != 1 or column not in rows[0]:
        raise SystemExit(
            f"{{{{{text}}}}} names {len(rows)} rows of {name}; it must be one row with a column {column!r}."
        )
    return rows[0][column]


def markdown(rows: Table, columns: list[str] | None = None) -> str:
    """Return a table in Markdown; columns of numbers stand right."""
    columns = columns or list(rows[0])
    missing = [name for name in columns if name not in rows[0]]
    if missing:
        raise SystemExit(f"there is no column {missing[0]!r}; the columns are {', '.join(rows[0])}.")
    ends = ["--:" if all(re.match(r"^[-+]?[\d.]", row[c] or "0") for row in rows) else ":--" for c in columns]
    lines = ["| " + " | ".join(columns) + " |", "|" + "|".join(ends) + "|"]
    lines += ["| " + " | ".join(row[c] or "–" for c in columns) + " |" for row in rows]
    return "\n".join(lines)


def copy(run: Path, text: str) -> None:
    """Copy the tables of a run, and the figures that the page shows."""
    TABLES.mkdir(parents=True, exist_ok=True)
    for old in TABLES.glob("*.csv*"):  # what lies in folders comes from other runs
        old.unlink()
    for path in sorted(run.glob("*.csv")):
        if path.name == CELLS:
            (TABLES / f"{CELLS}.gz").write_bytes(gzip.compress(path.read_bytes(), mtime=0))
        elif path.name not in ("timings.csv", "points.csv"):
            shutil.copy(path, TABLES / path.name)
    for old in FIGURES.glob("*.png"):
        old.unlink()
    for name in re.findall(r"figures/results/(\w+\.png)", text):
        shutil.copy(run / "figures" / name, FIGURES / name)


if __name__ == "__main__":
    template = TEMPLATE.read_text(encoding="utf-8")
    for folder in sys.argv[1:]:
        copy(Path(folder), template)
    PAGE.write_text(render(template), encoding="utf-8")
