"""Do the benchmarks run? They are found by themselves, and the smallest gives its tables."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def benchmarks(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "benchmarks", *arguments], cwd=ROOT, capture_output=True, text=True, encoding="utf-8"
    )


def test_every_module_with_a_run_is_found():
    public = {path.stem for path in (ROOT / "benchmarks").glob("[!_]*.py")}
    done = benchmarks("--list")
    assert done.returncode == 0, done.stderr
    assert {line.split()[0] for line in done.stdout.splitlines()} == public
    assert {"planted", "reference", "methods", "scale", "row_qp", "imports"} <= public


def test_a_quick_run_shows_its_goals():
    done = benchmarks("row_qp", "--quick")
    assert done.returncode == 0, done.stderr
    assert "numpy" in done.stdout.splitlines()[0]
    assert "same solutions to 1e-06" in done.stdout


def test_an_unknown_name_is_answered_with_the_list():
    done = benchmarks("nonsense")
    assert done.returncode == 2
    assert "no benchmark nonsense; there are" in done.stderr
    assert "planted" in done.stderr


def test_a_quick_run_is_not_saved():
    done = benchmarks("row_qp", "--quick", "--save")
    assert done.returncode == 2
    assert "not both" in done.stderr
