"""``python -m tests.attacks`` runs the attacks, goes on where an earlier run ended, and shows what happened.

The outcome of each seed is a line in build/attacks/<kind>/<commit>.jsonl, where the commit is the last that changed the
parts of the package that this kind attacks. A new commit begins anew. ``--write`` puts the table of the commits into
docs/reliability.md.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from tests.attacks import COUNTS, PARTS
from tests.attacks.running import DEFECT, read_log, run_parts, scratch_root

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reliability.md"
LOGS = ROOT / "build" / "attacks"
BEGIN, END = "<!-- attacks: begin -->\n", "<!-- attacks: end -->\n"


def commit(kind):
    """The last commit that changed what a kind attacks, with a + if there are changes since."""
    parts = [f"src/ecoc/{part}" for part in PARTS[kind]]

    def git(*arguments):
        done = subprocess.run(["git", *arguments, "--", *parts], cwd=ROOT, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    return git("log", "-1", "--format=%h") + ("+" if git("status", "--porcelain") else "")


def log_path(kind):
    return LOGS / kind / f"{commit(kind)}.jsonl"


def summary(paths):
    """A table with a row for each kind that was tried, and the number of defects."""
    lines = ["| Attack | Commit | Tried | What happened | Defects |", "| --- | --- | ---: | --- | ---: |"]
    total = 0
    for kind, path in paths.items():
        outcomes = Counter(read_log(path).values())
        defects = sum(count for outcome, count in outcomes.items() if outcome.startswith(DEFECT))
        told = "; ".join(f"{outcome} {count:,}" for outcome, count in outcomes.most_common() if DEFECT not in outcome)
        total += defects
        if outcomes:
            tried = f"{sum(outcomes.values()):,}"
            lines.append(f"| {kind.replace('_', ' ')} | `{path.stem}` | {tried} | {told} | {defects:,} |")
    return "\n".join(lines) + "\n", total


def main():
    parser = argparse.ArgumentParser("python -m tests.attacks", description="Attack the package with random input.")
    parser.add_argument("--only", help=f"kinds, with commas: {', '.join(COUNTS)}")
    parser.add_argument("--count", type=int, help="seeds of each kind; default: the full counts")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="most seconds for each kind")
    parser.add_argument("--jobs", type=int, default=1, help="processes side by side")
    parser.add_argument("--write", action="store_true", help=f"write the table to {PAGE.relative_to(ROOT)}")
    options = parser.parse_args()
    kinds = options.only.split(",") if options.only else list(COUNTS)
    if unknown := set(kinds) - set(COUNTS):
        parser.error(f"unknown kinds {sorted(unknown)}; there are {', '.join(COUNTS)}")
    os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1"))  # threads would wait for others
    paths = {kind: log_path(kind) for kind in COUNTS}  # what runs is what was there at the start
    try:
        with tempfile.TemporaryDirectory(prefix="ecoc-attacks-", dir=scratch_root()) as folder:
            Path(folder).chmod(0o755)  # read-only folders are tried by another user
            for kind in kinds:
                paths[kind].parent.mkdir(parents=True, exist_ok=True)
                run_parts(kind, paths[kind], options.count or COUNTS[kind], options.seconds, options.jobs, folder)
    except KeyboardInterrupt:
        print("stopped; the same command goes on from here", file=sys.stderr)
    table, defects = summary(paths)
    print(table)
    if options.write:
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
        after = rest.partition(END)[2]
        PAGE.write_text(f"{before}{BEGIN}{table}{END}{after}", encoding="utf-8")
    sys.exit(1 if defects else 0)


if __name__ == "__main__":
    main()
