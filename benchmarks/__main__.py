"""``python -m benchmarks [names …] [--quick] [--full] [--save] [--list]``, from the root of the repository."""

import argparse
import sys
from collections.abc import Iterable
from types import ModuleType

from benchmarks._measure import timed
from benchmarks._registry import discover, on_request, question
from benchmarks._report import Figure, Goal, Result, as_text, facts, goals_table
from benchmarks._results import save


def main(arguments: list[str] | None = None) -> None:
    """Run the benchmarks, print each table when it is ready, and print all goals at the end."""
    available = discover()
    options = _parse(arguments, available)
    if options.list:
        for name, module in available.items():
            print(f"{name:22}{question(module)}{'  (only by name or with --full)' if on_request(module) else ''}")
        return
    print(facts(), end="\n\n")
    names = options.names or [name for name in available if options.full or not on_request(available[name])]
    summary = []
    for name in names:
        print(f"━━ {name}: {question(available[name])}\n")
        results, seconds = timed(_show, available[name].run(options.quick))
        print(f"{name} took {seconds:.0f} s.\n")
        if options.save:
            print(f"Written to {save(name, results).name}.\n")
        summary += [Goal(f"{name}: {r.goal}", r.measured, r.met) for r in results if isinstance(r, Goal)]
    if len(names) > 1 and summary:
        print(as_text(goals_table(summary, "All goals" + (" (quick run: small instances)" * options.quick))))


def _show(results: Iterable[Result]) -> list[Result]:
    shown = []
    for result in results:
        shown.append(result)
        if not isinstance(result, Goal | Figure):
            print(result + "\n" if isinstance(result, str) else as_text(result), flush=True)
    if goals := [result for result in shown if isinstance(result, Goal)]:
        print(as_text(goals_table(goals)), flush=True)
    return shown


def _parse(arguments: list[str] | None, available: dict[str, ModuleType]) -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m benchmarks", description="How good and how fast is ecoc?")
    parser.add_argument("names", nargs="*", help=f"which to run: {', '.join(available)}; default: all")
    parser.add_argument("--quick", action="store_true", help="few and small instances, to check that everything runs")
    parser.add_argument("--full", action="store_true", help="also run benchmarks that take long or need much memory")
    parser.add_argument("--save", action="store_true", help="also write benchmarks/results/<name>.json")
    parser.add_argument("--list", action="store_true", help="list the benchmarks and their questions")
    options = parser.parse_args(arguments)
    if unknown := [name for name in options.names if name not in available]:
        parser.error(f"no benchmark {', '.join(unknown)}; there are {', '.join(available)}")
    if options.quick and options.save:
        parser.error("the figures of a quick run are not worth saving: give --quick or --save, not both")
    return options


if __name__ == "__main__":
    if sys.stdout.encoding.lower().replace("-", "") != "utf8":
        sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    main()
