"""Do the packages that a release publishes work by themselves? Each is built, installed elsewhere, and used there."""

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

pytest.importorskip("hatchling")
pytest.importorskip("pip")

import ecoc

ROOT = Path(__file__).parents[1]
SOURCE = {path.relative_to(ROOT / "src").as_posix() for path in (ROOT / "src" / "ecoc").rglob("*") if path.is_file()}
SOURCE = {name for name in SOURCE if "__pycache__" not in name}
USE = """
import sys, ecoc
from sklearn.datasets import load_iris
from sklearn.svm import SVC
assert ecoc.__file__.startswith(sys.argv[1]), ecoc.__file__
X, y = load_iris(return_X_y=True)
model = ecoc.ECOCClassifier(SVC(), random_state=0).fit(X, y)
assert model.score(X, y) > 0.9
print(ecoc.report(model, X, y).count("</html>"))
"""


def run(*command, cwd, **environment):
    done = subprocess.run(
        [sys.executable, *map(str, command)], cwd=cwd, env={**os.environ, **environment}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The sdist, and the wheel that is built from the sdist's own files."""
    folder = tmp_path_factory.mktemp("dist")
    run("-m", "hatchling", "build", "-t", "sdist", "-d", folder, cwd=ROOT)
    (sdist,) = folder.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    run("-m", "hatchling", "build", "-t", "wheel", "-d", folder, cwd=folder / sdist.name.removesuffix(".tar.gz"))
    (wheel,) = folder.glob("*.whl")
    return {"sdist": sdist, "wheel": wheel}


def installed(package, folder):
    """Install a package into a folder of its own; return the content of its files by name."""
    options = ("--quiet", "--no-deps", "--no-index", "--no-build-isolation", "--no-compile")
    options += ("--disable-pip-version-check", "--target", folder)
    run("-m", "pip", "install", *options, package, cwd=folder.parent)
    return {path.relative_to(folder): path.read_bytes() for path in (folder / "ecoc").rglob("*") if path.is_file()}


def test_a_package_works_outside_the_clone(built, tmp_path):
    site = tmp_path / "site"
    files = installed(built["wheel"], site)
    assert len(files) == len(SOURCE)
    assert run("-c", USE, site, cwd=tmp_path, PYTHONPATH=str(site)).strip() == "1"
    pytest.importorskip("typer")
    assert "compare" in run(site / "bin" / "ecoc", "--help", cwd=tmp_path, PYTHONPATH=str(site))
    assert installed(built["sdist"], tmp_path / "other") == files  # so that it works as well


def test_the_wheel_has_the_source_and_nothing_else(built):
    with zipfile.ZipFile(built["wheel"]) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert names == SOURCE
    assert built["wheel"].name.startswith(f"ecoc-{ecoc.__version__}-")


def test_the_sdist_has_what_the_tests_read(built):
    with tarfile.open(built["sdist"]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    needed = {"LICENSE", "Makefile", "CHANGELOG.md", "CITATION.cff", ".ci/run", ".github/workflows/test.yml"}
    needed |= {"tests/core.txt", "docs/conf.py", "paper/pyproject.toml", "tools/oldest.py", ".readthedocs.yaml"}
    assert needed <= names
    assert [name for name in names if "__pycache__" in name or name.startswith((".git/", "build/", ".venv"))] == []
