"""Is the documentation right? Examples run, code blocks and links are valid, words are ours, pages build cleanly."""

import ast
import doctest
import importlib
import inspect
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import _results
from benchmarks._report import Figure, Table

ROOT = Path(__file__).parents[1]
OUR_PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
PAGES = [*OUR_PAGES, ROOT / "paper" / "README.md", *sorted((ROOT / "paper" / "docs").glob("*.md"))]
EXAMPLES = sorted((ROOT / "examples").glob("plot_*.py"))
BLOCK = re.compile(r"^```python\n(>>> .*?)^```$", re.MULTILINE | re.DOTALL)
PLAIN_BLOCK = re.compile(r"^```python\n(?!>>> )(.*?)^```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
GENERATED = re.compile(
    r"<!-- rules -->.*?<!-- end of rules -->|<!-- attacks: begin -->.*?<!-- attacks: end -->", re.DOTALL
)
FIGURE = re.compile(r"(?<![\w.-])\d[\d,]*(?:\.\d+)?\s?(?:%|×|points?\b|s\b|ms\b|MB\b|GB\b|minutes?\b|seconds?\b)")
QUOTED = re.compile(r"<!-- ([a-z_]+\.[a-z_]+) -->([\d.]+)")
NUMBERS = ("thir", "four", "fif", "six", "seven", "eigh", "nine")
PAPERS_WORDS = re.compile(r"\bdichotom(?:y|ies|izers?)\b|(?<!vector\s)\bmachines?\b", re.IGNORECASE)


def _examples(page):
    """Yield the examples of all >>> blocks of a page, with their line numbers in the page."""
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
    """Sphinx checks links between pages. This checks those of the README, and links to figures."""
    for target in re.findall(r"\]\((?!https?:|#)([^)#\s]+)", page.read_text("utf-8")):
        if not target.startswith("auto_examples/"):
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_code_blocks_that_are_not_run(page):
    """They must at least parse, and what they import from ecoc must exist."""
    for block in PLAIN_BLOCK.findall(page.read_text("utf-8")):
        for node in ast.walk(ast.parse(block)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in ("ecoc", "ecoc_paper"):
                exec(ast.unparse(node))


@pytest.mark.parametrize("page", OUR_PAGES, ids=lambda p: p.name)
def test_a_page_uses_our_words(page):
    """Users read of columns and binary classifiers; names in code may differ."""
    assert PAPERS_WORDS.findall(CODE.sub("", page.read_text("utf-8"))) == []


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda p: p.stem)
def test_an_example_uses_our_words(example):
    text = example.read_text("utf-8")
    prose = [ast.get_docstring(ast.parse(text)), *re.findall(r"^# (.*)", text, re.MULTILINE)]
    assert PAPERS_WORDS.findall(re.sub(r"``.*?``", "", " ".join(prose))) == []


def test_the_front_page_is_short_and_its_figures_are_measured():
    text = (ROOT / "README.md").read_text("utf-8")
    assert len(text.splitlines()) <= 100
    assert len(text.split()) <= 800
    quoted = QUOTED.findall(text)
    assert 0 < len(quoted) <= 6
    for address, value in quoted:
        assert _results.figure(address) == value, f"{address} is {_results.figure(address)}: python -m benchmarks …"


def test_pages_are_short_and_quote_results():
    """Measured figures have one place, benchmarks/results; what a page types by hand cannot be kept true."""
    pages = [page.read_text("utf-8") for page in OUR_PAGES]
    assert sum(len(text.split()) for text in pages) < 27_000
    typed = [FIGURE.findall(CODE.sub("", GENERATED.sub("", QUOTED.sub("", text)))) for text in pages]
    assert sum(map(len, typed)) < 80, dict(zip((page.name for page in OUR_PAGES), typed))


def test_unknown_and_outdated_results_are_errors(tmp_path, monkeypatch):
    monkeypatch.setattr(_results, "FOLDER", tmp_path)
    with pytest.raises(LookupError, match="no results of 'row_qp': run"):
        _results.figure("row_qp.ratio")
    path = _results.save("row_qp", [Figure("ratio", 1.25), Table("times", ("solver", "s"), [("ours", 0.5)])])
    assert _results.figure("row_qp.ratio") == "1.2"
    assert "| ours | 0.5 |" in _results.table("row_qp: times")
    with pytest.raises(LookupError, match="no figure 'speed'; it has ratio"):
        _results.figure("row_qp.speed")
    path.write_text(path.read_text("utf-8").replace(_results.source_of("row_qp"), "before"), "utf-8")
    with pytest.raises(LookupError, match="outdated results of 'row_qp'"):
        _results.table("row_qp: times")


def test_counts_in_words():
    """Numbers of things on a page are those of the package."""
    from ecoc.decoding import DECODINGS

    words = dict(enumerate(("ten", "eleven", "twelve", *(f"{n}teen" for n in NUMBERS)), 10))
    for page in (*OUR_PAGES, *EXAMPLES):
        counted = rf"\b({'|'.join(words.values())})(?: \w+)? (decodings|examples)\b"
        for word, thing in re.findall(counted, page.read_text("utf-8"), re.IGNORECASE):
            count = len(DECODINGS) if thing == "decodings" else len(EXAMPLES)
            assert word.lower() == words[count], f"{page.name}: {count} {thing}"


def test_defaults_are_the_defaults():
    """A decoding or coding that a page calls the default is the default of a public class or function."""
    from ecoc.codes.coding import CODINGS
    from ecoc.decoding import DECODINGS

    defaults = set()
    for value in _public_names_and_values():
        if inspect.isclass(value) and issubclass(value, BaseException):
            continue
        defaults |= {str(parameter.default) for parameter in inspect.signature(value).parameters.values()}
    for page in (*OUR_PAGES, *EXAMPLES):
        text = " ".join(page.read_text("utf-8").replace("\n#", "\n").split())
        claims = re.findall(r"`+(?:\w+=)?\"?(\w+)\"?`+(?: is|,) the default\b", text)
        claims += re.findall(r"\b(\w+), the default (?:de)?coding", text)
        claims += re.findall(r"\bdefault (?:de)?coding is :class:`ecoc\.(\w+)`", text)
        wrong = {name for name in claims if name not in defaults and name.lower() in {*CODINGS, *DECODINGS}}
        assert wrong == set(), page.name


def test_pages_build_without_warnings(tmp_path):
    """Build as ``make docs`` does, with the gallery: each example must run and give a picture."""
    pytest.importorskip("sphinx_gallery")
    pytest.importorskip("pydata_sphinx_theme")
    source = tmp_path / "docs"
    ignored = ("auto_examples", "generated", "sg_execution_times.rst")
    for folder in ("docs", "examples", "src", "benchmarks"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__", *ignored))
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", source, tmp_path / "html"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr
    assert len(EXAMPLES) >= 8
    for example in EXAMPLES:
        pictures = (tmp_path / "html" / "_images").glob(f"sphx_glr_{example.stem}_*.png")
        assert list(pictures), f"{example.stem} has no picture"
    api = (tmp_path / "html" / "api.html").read_text("utf-8")
    missing = [name for name in _public_names() if f"{name}.html" not in api]
    assert missing == []


def _public_names():
    """Return the path under which the API page lists each public class and function."""
    return _public_names_and_values().values()


def _public_names_and_values():
    """Return every public class and function, and the path under which the API page lists it."""
    listed = {}
    for module in ("ecoc", "ecoc.codes.coding", "ecoc.decoding", "ecoc.inspection"):
        home = importlib.import_module(module)
        for name in home.__all__:
            value = getattr(home, name)
            if inspect.isclass(value) or inspect.isfunction(value):
                listed.setdefault(value, f"{module}.{name}")
    return listed
