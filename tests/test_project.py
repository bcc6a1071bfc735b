"""Do the project's files agree? Versions, bounds, links and workflows say things twice; each pair is compared here."""

import re
import runpy
import tomllib
from itertools import chain
from pathlib import Path

import pytest

import ecoc

ROOT = Path(__file__).parents[1]
CONFIG = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = CONFIG["project"]
PAPER_CONFIG = tomllib.loads((ROOT / "paper" / "pyproject.toml").read_text(encoding="utf-8"))
PAPER = PAPER_CONFIG["project"]
PAGES = "https://ecoc.readthedocs.io/en/latest/"
FILES = ("https://raw.githubusercontent.com/ecoc-dev/ecoc/main/", "https://github.com/ecoc-dev/ecoc/blob/main/")


def load_yaml(path):
    yaml = pytest.importorskip("yaml")
    return yaml.safe_load((ROOT / path).read_text(encoding="utf-8"))


def pythons():
    return re.findall(r"Python :: (3\.\d+)$", "\n".join(PROJECT["classifiers"]), re.MULTILINE)


def our_links(path):
    """Pairs of a link to our documentation or repository, and the file of this checkout that it shows."""
    text = (ROOT / path).read_text(encoding="utf-8")
    for link in re.findall(r"https://[^\s)>\"']+", text):
        target = link.partition("#")[0]
        if target.startswith(PAGES):
            yield link, ROOT / "docs" / (target.removeprefix(PAGES).removesuffix(".html") + ".md")
        elif prefix := next((prefix for prefix in FILES if target.startswith(prefix)), None):
            yield link, ROOT / target.removeprefix(prefix)
        elif "github.com/" in link:
            assert link.startswith(PROJECT["urls"]["Source"]), link


def test_readme_links_are_absolute():
    """The README is also the page on the package index, where relative links lead nowhere."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"\]\((?!https://|#)[^)]*\)", text) == []


@pytest.mark.parametrize("path", ["README.md", "CONTRIBUTING.md", ".github/PULL_REQUEST_TEMPLATE.md", "pyproject.toml"])
def test_links_lead_to_files(path):
    links = list(our_links(path))
    assert links
    assert [link for link, file in links if not file.is_file() and not file.with_suffix(".rst").is_file()] == []


def test_the_citation_is_of_this_version():
    citation = load_yaml("CITATION.cff")
    assert citation["version"] == ecoc.__version__
    assert citation["repository-code"] == PROJECT["urls"]["Source"]


def test_the_version_is_in_one_place():
    for folder, config in ((ROOT, CONFIG), (ROOT / "paper", PAPER_CONFIG)):
        assert config["project"]["dynamic"] == ["version"]
        assert (folder / config["tool"]["hatch"]["version"]["path"]).samefile(ecoc.__file__)


def test_supported_pythons():
    lowest = pythons()[0]
    assert PROJECT["requires-python"] == PAPER["requires-python"] == f">={lowest}"
    assert CONFIG["tool"]["mypy"]["python_version"] == lowest
    assert CONFIG["tool"]["ruff"]["target-version"] == f"py{lowest.replace('.', '')}"
    assert ", ".join(pythons()) in (ROOT / "docs" / "versions.md").read_text(encoding="utf-8")


def test_the_workflow_tries_all_pythons_and_the_oldest_versions():
    matrix = load_yaml(".github/workflows/test.yml")["jobs"]["core"]["strategy"]["matrix"]
    assert matrix["python"] == pythons()
    oldest = [row["python"] for row in matrix["include"] if row["versions"] == "oldest"]
    assert set(oldest) == {pythons()[0]}
    systems = {text.rpartition(" :: ")[2].lower() for text in PROJECT["classifiers"] if "Operating System" in text}
    assert {name.partition("-")[0].replace("ubuntu", "linux") for name in matrix["os"]} == systems


@pytest.mark.parametrize(
    "path", [".github/workflows/release.yml", ".readthedocs.yaml", ".pre-commit-config.yaml", "CITATION.cff"]
)
def test_yaml_is_readable(path):
    assert isinstance(load_yaml(path), dict)


def test_every_dependency_has_a_lower_bound_and_no_upper_one():
    groups = PROJECT["optional-dependencies"].values()
    requirements = {text for text in chain(PROJECT["dependencies"], *groups) if not text.startswith("ecoc[")}
    constraints = runpy.run_path(str(ROOT / "tools" / "oldest.py"))["constraints"](PROJECT)
    assert constraints == sorted(text.partition(";")[0].replace(">=", "==") for text in requirements)


def test_the_core_exists():
    lines = (ROOT / "tests" / "core.txt").read_text(encoding="utf-8").split()
    assert [line for line in lines if not list(ROOT.glob(line))] == []


CHANGES = """# Changelog

## 0.3.0 (unreleased)
- new

## 0.2.0 (2030-01-31)

### Added
- this

## 0.1.0 (2029-01-01)
"""


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("0.4.0", "no section for 0.4.0; it has 0.3.0, 0.2.0, 0.1.0"),
        ("0.3.0", r"must date the release, .*; got '## 0.3.0 \(unreleased\)'"),
        ("0.1.0", "says nothing about 0.1.0"),
    ],
)
def test_notes_of_a_release_that_is_not_ready(version, expected):
    section = runpy.run_path(str(ROOT / "tools" / "release_notes.py"))["section"]
    with pytest.raises(SystemExit, match=expected):
        section(CHANGES, version)


def test_notes_of_a_release():
    notes = runpy.run_path(str(ROOT / "tools" / "release_notes.py"))
    assert notes["section"](CHANGES, "0.2.0") == "### Added\n- this"
    with pytest.raises(SystemExit, match=r"the tag is v0\.0\.1, but"):
        notes["main"]("v0.0.1")


def test_the_change_log_has_this_version():
    assert re.search(rf"^## {re.escape(ecoc.__version__)} \(", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
