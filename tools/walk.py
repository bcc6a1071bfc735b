"""How far must a reader walk to follow one fit? Files visited, and returns to a package already left.

    python tools/walk.py

A visit is the call of a function. A return is a call into a package (or top-level module) that earlier calls had left
for another one. Helpers in ``ecoc.utils`` are looked up, not walked through, and do not count; nor do properties of
scikit-learn's making, such as tags.
"""

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import ecoc

SOURCE = Path(ecoc.__file__).parent


def walk(function: Callable[[], object]) -> tuple[int, int]:
    """Return the number of files that a call visits, and how often it comes back to a package."""
    files: set[str] = set()
    visits: list[str] = []

    def watch(frame: object, event: str, _: object) -> None:
        if event != "call":
            return
        path = Path(frame.f_code.co_filename)  # type: ignore[attr-defined]
        if not path.is_relative_to(SOURCE) or frame.f_code.co_name == "<module>":  # type: ignore[attr-defined]
            return
        parts = path.relative_to(SOURCE).parts
        package = parts[0].removesuffix(".py")
        if package == "utils" or package.startswith("_"):
            return
        files.add("/".join(parts))
        if not visits or visits[-1] != package:
            visits.append(package)

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        function()
    finally:
        sys.setprofile(before)
    return len(files), len(visits) - len(set(visits))


def main() -> None:
    """Walk through `ECOCClassifier.fit`, ``ecoc fit`` and ``ecoc compare`` on a small table."""
    from sklearn.datasets import load_iris
    from sklearn.svm import SVC
    from typer.testing import CliRunner

    from ecoc.tool.cli.app import app

    X, y = load_iris(return_X_y=True)

    def fit() -> None:
        ecoc.ECOCClassifier(SVC(), random_state=0).fit(X, y)

    def fit_ecf() -> None:
        ecoc.ECOCClassifier(SVC(), coding=ecoc.ECF(0.5), random_state=0).fit(X, y)

    def command(*words: str) -> Callable[[], object]:
        return lambda: CliRunner().invoke(app, words, catch_exceptions=False)

    with tempfile.TemporaryDirectory() as folder:
        walks = {
            "ECOCClassifier.fit": fit,
            "with ECF(0.5)": fit_ecf,
            "ecoc fit": command("fit", "sklearn:iris", "-o", f"{folder}/model.skops"),
            # The budget is never reached, so that the figures do not depend on the machine.
            "ecoc compare": command("compare", "sklearn:iris", "--budget", "1000"),
        }
        for name, function in walks.items():
            function()  # compile and import first
            n_files, n_returns = walk(function)
            print(f"{name:<20}{n_files:>4} files {n_returns:>4} returns")


if __name__ == "__main__":
    main()
