"""Keep what a benchmark measured in ``benchmarks/results/NAME.json``, and give pages their figures by name."""

import ast
import hashlib
import json
import subprocess
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

from benchmarks._report import Figure, Goal, Result, Table, as_markdown, facts, goals_table

ROOT = Path(__file__).parents[1]
FOLDER = Path(__file__).parent / "results"


def source_of(name: str) -> str:
    """Identify the code of a benchmark: whitespace and comments do not count."""
    tree = ast.parse((Path(__file__).parent / f"{name}.py").read_text(encoding="utf-8"))
    return hashlib.sha256(ast.dump(tree).encode()).hexdigest()[:16]


class Kept:
    """What was measured before a run was stopped, in a file; what was measured with another version does not count."""

    def __init__(self, name: str, version: str | None = None) -> None:
        if version is None:  # of the library
            sources = sorted((ROOT / "src" / "ecoc").rglob("*.py"))
            version = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:16]
        self.path = ROOT / "build" / f"{name}-{version}.jsonl"
        lines = self.path.read_text(encoding="utf-8").splitlines() if self.path.is_file() else []
        self.found: dict[tuple[str, ...], Any] = {tuple(key): value for key, value in map(json.loads, lines)}

    def measure(self, key: tuple[str, ...], function: Callable[..., Any], *args: Any) -> Any:
        """Return what a function measures, or what it measured before."""
        if key not in self.found:
            self.found[key] = function(*args)
            self.path.parent.mkdir(exist_ok=True)
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps((key, self.found[key]), default=lambda x: x.item()) + "\n")
        return self.found[key]


def save(name: str, results: list[Result], command: str | None = None) -> Path:
    """Write the results of a benchmark with its command, the commit, the date and the machine."""
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    found: dict[str, Any] = {
        "command": command or f"python -m benchmarks {name}",
        "commit": commit.stdout.strip(),
        "date": date.today().isoformat(),
        "machine": facts(),
        "source": source_of(name),
        "figures": {each.name: each.value for each in results if isinstance(each, Figure)},
        "tables": {t.title: {"columns": t.columns, "rows": t.rows} for t in results if isinstance(t, Table)},
        "goals": [[g.goal, g.measured, bool(g.met)] for g in results if isinstance(g, Goal)],
    }
    FOLDER.mkdir(exist_ok=True)
    path = FOLDER / f"{name}.json"
    path.write_text(json.dumps(found, indent=1, ensure_ascii=False, default=lambda x: x.item()) + "\n", "utf-8")
    return path


def load(name: str) -> dict[str, Any]:
    """Read the results of a benchmark; an error if there are none, or if the benchmark has changed since.

    ``earlier/NAME`` is a record from before results were kept in files, copied from the pages of that time.
    """
    path = FOLDER / f"{name}.json"
    if not path.is_file():
        raise LookupError(f"no results of {name!r}: run python -m benchmarks {name} --save")
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    if path.parent == FOLDER and found["source"] != source_of(name):
        raise LookupError(f"outdated results of {name!r}: run python -m benchmarks {name} --save")
    return found


def figure(address: str) -> str:
    """Return a figure by its name, such as ``front_page.svc_code``, as it is printed."""
    name, _, key = address.partition(".")
    figures = load(name)["figures"]
    if key not in figures:
        raise LookupError(f"{name} has no figure {key!r}; it has {', '.join(figures) or 'none'}")
    value = figures[key]
    return str(value) if isinstance(value, str | int) else f"{value:.1f}"


def table(address: str) -> str:
    """Return a table as Markdown with the command and the day: ``NAME``: the goals, ``NAME: TITLE``: one table."""
    name, _, title = (part.strip() for part in address.partition(":"))
    found = load(name)
    if title and title not in found["tables"]:
        raise LookupError(f"{name} has no table {title!r}; it has {', '.join(found['tables'])}")
    if title:
        shown = Table("", tuple(found["tables"][title]["columns"]), [tuple(r) for r in found["tables"][title]["rows"]])
    else:
        shown = goals_table([Goal(*goal) for goal in found["goals"]], "")
    body = as_markdown(shown).split("\n", 2)[2]
    when = f"{found['date']}, commit {found['commit']}: {found['machine']}" if "date" in found else "an earlier version"
    return f"{body}\n<small>`{found['command']}`, {when}</small>\n"
