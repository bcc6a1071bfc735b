"""Is the documentation true? Its examples run, its pages build without a warning, and its links lead somewhere."""

import doctest
import importlib
import inspect
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```python\n(>>> .*?)^```$", re.MULTILINE | re.DOTALL)


def _examples(page):
    """The >>> blocks of a page, one after the other, where they stand in it."""
    text = page.read_text(encoding="utf-8")
    parser = doctest.DocTestParser()
    for block in BLOCK.finditer(text):
        for example in parser.get_examples(block[1]):
            example.lineno += text[: block.start(1)].count("\n")
            yield example


@pytest.mark.parametrize("page", [p for p in PAGES if BLOCK.search(p.read_text("utf-8"))], ids=lambda p: p.name)
def test_examples_of_a_page(page):
    options = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS | doctest.REPORT_NDIFF
    test = doctest.DocTest(list(_examples(page)), {}, page.name, str(page), 0, None)
    report = []
    failed, tried = doctest.DocTestRunner(optionflags=options, verbose=False).run(test, out=report.append)
    assert tried > 0
    assert not failed, "".join(report)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_to_files(page):
    """Sphinx follows links between pages; those of the README, and figures, are ours to follow."""
    for target in re.findall(r"\]\((?!https?:|#)([^)#\s]+)", page.read_text("utf-8")):
        if not target.startswith("auto_examples/"):
            assert (page.parent / target).exists(), target


def test_pages_build_without_warnings(tmp_path):
    """As ``make docs`` does, the gallery's examples included: each must run and give a picture."""
    pytest.importorskip("sphinx_gallery")
    pytest.importorskip("pydata_sphinx_theme")
    source = tmp_path / "docs"
    ignored = ("auto_examples", "generated", "sg_execution_times.rst")
    for folder in ("docs", "examples", "src"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__", *ignored))
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", source, tmp_path / "html"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr
    examples = sorted(path.stem for path in (ROOT / "examples").glob("plot_*.py"))
    assert len(examples) >= 8
    for name in examples:
        assert list((tmp_path / "html" / "_images").glob(f"sphx_glr_{name}_*.png")), f"{name} has no picture"
    api = (tmp_path / "html" / "api.html").read_text("utf-8")
    missing = [name for name in _public_names() if f"{name}.html" not in api]
    assert missing == []


def _public_names():
    """Everything a user imports, by the path under which the API page lists it."""
    listed = {}
    for module in ("ecoc", "ecoc.coding", "ecoc.decoding", "ecoc.inspection", "ecoc.datasets", "ecoc.experiments"):
        home = importlib.import_module(module)
        for name in home.__all__:
            value = getattr(home, name)
            if inspect.isclass(value) or inspect.isfunction(value):
                listed.setdefault(value, f"{module}.{name}")
    return listed.values()
