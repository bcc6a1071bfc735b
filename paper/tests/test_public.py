"""The package is built on the library's public interface: names on its API page, and nothing private."""

import ast
import re
from pathlib import Path

PAPER = Path(__file__).parents[1]
SOURCES = sorted((PAPER / "src").rglob("*.py"))


def imported(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("ecoc."))
        elif isinstance(node, ast.ImportFrom) and node.module.split(".")[0] == "ecoc":
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def on_the_api_page():
    """Full names on the page. Codings of ``ecoc`` are also in ``ecoc.codes.coding``, as the page says."""
    module, names = "", set()
    for line in (PAPER.parent / "docs" / "api.rst").read_text(encoding="utf-8").splitlines():
        if found := re.match(r"\.\. currentmodule:: (\S+)", line):
            module = found[1]
        elif found := re.match(r"   ([\w.]+)$", line):
            names |= {f"{module}.{found[1]}", f"ecoc.codes.coding.{found[1]}"}
    return names


def test_only_public_names_are_imported():
    used = {name: path.name for path in SOURCES for name in imported(path)}
    assert "ecoc.codes.coding.register_coding" in used
    public = on_the_api_page()
    assert {name: where for name, where in used.items() if name not in public} == {}
