"""``python -m tests.attacks`` runs the attacks, goes on where an earlier run ended, and shows what happened.

The outcome of each seed is a line in build/attacks/<commit>/<kind>.jsonl, where the commit is the last that changed
src. A new commit begins anew. ``--write`` puts the table of the commit into docs/reliability.md.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
import traceback
import warnings
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

from ecoc.utils.progress import Progress
from tests.attacks import COUNTS, get_attack

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reliability.md"
BEGIN, END = "<!-- attacks: begin -->\n", "<!-- attacks: end -->\n"
DEFECT = "DEFECT"
MOST_MEMORY = 4 << 30  # bytes of address space beyond what the process has at its start
IN_PROCESS = ("model_files", "tables")  # the kinds whose files may ask for any amount of memory


def commit():
    """The last commit that changed the package, with a + if there are changes since."""

    def git(*arguments):
        return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()

    return git("log", "-1", "--format=%h", "--", "src") + ("+" if git("status", "--porcelain", "--", "src") else "")


def read_log(path):
    """Outcomes by seed; a line that was cut off by a kill is left out."""
    outcomes = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        try:
            seed, outcome = json.loads(line)
        except ValueError:
            continue
        outcomes[seed] = outcome
    return outcomes


def run(kind, path, count, seconds):
    """Attack with the seeds below `count` that the log does not have yet, for at most so many seconds."""
    attack, done = get_attack(kind), read_log(path)
    start = time.monotonic()
    with path.open("a", encoding="utf-8") as log, Progress(kind) as bar, limited_memory(kind):
        log.write("\n")  # ends a line that was cut off by a kill
        for seed in range(count):
            if seed in done:
                continue
            if time.monotonic() - start > seconds:
                break
            log.write(json.dumps([seed, outcome_of(attack, seed)]) + "\n")
            log.flush()
            bar.update((seed + 1) / count, f"{seed + 1:,} of {count:,}")


def outcome_of(attack, seed):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return attack(seed)
    except Exception as error:
        print(f"seed {seed}:", file=sys.stderr)
        traceback.print_exc()
        return f"{DEFECT}: {type(error).__name__}: {str(error)[:300]}"


@contextmanager
def limited_memory(kind):
    """Let no attack on files take all memory of the machine."""
    if kind not in IN_PROCESS or not Path("/proc/self/statm").exists():
        yield
        return
    before = resource.getrlimit(resource.RLIMIT_AS)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MOST_MEMORY, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def summary(folder):
    """A table with a row for each kind, and the number of defects."""
    lines = ["| Attack | Tried | What happened | Defects |", "| --- | ---: | --- | ---: |"]
    total = 0
    for kind in COUNTS:
        outcomes = Counter(read_log(folder / f"{kind}.jsonl").values())
        defects = sum(count for outcome, count in outcomes.items() if outcome.startswith(DEFECT))
        told = "; ".join(f"{outcome} {count:,}" for outcome, count in outcomes.most_common() if DEFECT not in outcome)
        total += defects
        if outcomes:
            lines.append(f"| {kind.replace('_', ' ')} | {sum(outcomes.values()):,} | {told} | {defects:,} |")
    return "\n".join(lines) + "\n", total


def main():
    parser = argparse.ArgumentParser("python -m tests.attacks", description="Attack the package with random input.")
    parser.add_argument("--only", help=f"kinds, with commas: {', '.join(COUNTS)}")
    parser.add_argument("--count", type=int, help="seeds of each kind; default: the full counts")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="most seconds for each kind")
    parser.add_argument("--write", action="store_true", help=f"write the table to {PAGE.relative_to(ROOT)}")
    options = parser.parse_args()
    kinds = options.only.split(",") if options.only else list(COUNTS)
    if unknown := set(kinds) - set(COUNTS):
        parser.error(f"unknown kinds {sorted(unknown)}; there are {', '.join(COUNTS)}")
    name = commit()
    folder = ROOT / "build" / "attacks" / name
    folder.mkdir(parents=True, exist_ok=True)
    try:
        for kind in kinds:
            run(kind, folder / f"{kind}.jsonl", options.count or COUNTS[kind], options.seconds)
    except KeyboardInterrupt:
        print("stopped; the same command goes on from here", file=sys.stderr)
    table, defects = summary(folder)
    print(table)
    if options.write:
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
        after = rest.partition(END)[2]
        PAGE.write_text(f"{before}{BEGIN}Commit `{name}`:\n\n{table}{END}{after}", encoding="utf-8")
    sys.exit(1 if defects else 0)


if __name__ == "__main__":
    main()
