"""Old names work for two minor releases, with a warning where they are used."""

import importlib
import re
from pathlib import Path

import pytest

import ecoc
from ecoc.utils.deprecation import _MOVED, _PARTS, deprecated_name

# old name: (new name, first release without the old one)
DEPRECATED = {
    "ecoc.Discriminant": ("ecoc.DiscriminantTree", "0.4"),
    "ecoc.codes.coding.Discriminant": ("ecoc.codes.coding.DiscriminantTree", "0.4"),
}


@pytest.mark.parametrize("old", DEPRECATED)
def test_an_old_name_warns_and_works(old):
    new, removed = DEPRECATED[old]
    module, _, name = old.rpartition(".")
    message = rf"^{re.escape(old)} is deprecated .* removed in {re.escape(removed)}; use {re.escape(new)}\.$"
    with pytest.warns(FutureWarning, match=message) as caught:
        value = getattr(importlib.import_module(module), name)
    assert value is getattr(importlib.import_module(module), new.rpartition(".")[2])
    assert len(caught) == 1
    assert caught[0].filename == __file__  # where the name was used, not inside ecoc


@pytest.mark.parametrize("old", DEPRECATED)
def test_an_old_name_warns_when_it_is_imported(old):
    module, _, name = old.rpartition(".")
    for _ in range(2):  # every time, not only the first
        with pytest.warns(FutureWarning, match=f"^{re.escape(old)} is deprecated"):
            exec(f"from {module} import {name}")


@pytest.mark.parametrize("old", DEPRECATED)
def test_an_old_name_is_not_listed(old):
    module, _, name = old.rpartition(".")
    assert name not in importlib.import_module(module).__all__


@pytest.mark.parametrize("old", DEPRECATED)
def test_an_old_name_goes_when_its_time_has_come(old):
    """Fails in the release that promised the removal: remove the name, and its line above."""
    _, removed = DEPRECATED[old]
    assert _numbers(ecoc.__version__) < _numbers(removed), f"{old} was to be removed in {removed}"


def test_the_warning_names_the_releases():
    with pytest.warns(FutureWarning, match=r"^a is deprecated since 1\.2 and will be removed in 1\.4; use b\.$"):
        assert deprecated_name("a", "b", 3, since="1.2", removed="1.4") == 3


MOVED = (
    "ecoc.RelaxedHierarchyClassifier",
    "ecoc.SubclassClassifier",
    "ecoc.datasets",
    "ecoc.experiments",
    "ecoc.codes.coding.GaoKoller",
    "ecoc.codes.coding.ZhaoXing",
    "ecoc.codes.coding.CrammerSinger",
    "ecoc.codes.coding.MinimalSearch",
    "ecoc.inspection.HierarchyDisplay",
)


@pytest.mark.parametrize("old", MOVED)
def test_a_name_that_moved_says_where_it_is(old):
    module, _, name = old.rpartition(".")
    message = rf"^{name} moved to the package ecoc_paper: pip install .*, then from ecoc_paper import {_MOVED[name]}\.$"
    with pytest.raises(ImportError, match=message):
        getattr(importlib.import_module(module), name)
    with pytest.raises(ImportError, match=message):
        exec(f"from {module} import {name}")


@pytest.mark.parametrize("old", _PARTS)
def test_a_package_that_moved_says_where_it_is(old):
    new = f"ecoc.{_PARTS[old]}"
    importlib.import_module(new)
    with pytest.raises(ImportError, match=rf"^ecoc\.{old} is called {re.escape(new)} since 0\.2\.$"):
        exec(f"from ecoc import {old}")
    with pytest.raises(ImportError, match=re.escape(new)):
        getattr(ecoc, old)
    for statement in (f"import ecoc.{old}", f"from ecoc.{old} import anything", f"import ecoc.{old}.part"):
        with pytest.raises(ImportError, match=rf"^ecoc\.{old} is called {re.escape(new)} since 0\.2\.$"):
            exec(statement)


def test_modules_of_the_paper_say_where_they_are():
    with pytest.raises(ImportError, match=r"^datasets moved to the package ecoc_paper"):
        importlib.import_module("ecoc.datasets")


def test_modules_that_never_were_are_not_found_as_usual():
    with pytest.raises(ModuleNotFoundError, match=r"^No module named 'ecoc\.nothing'$"):
        importlib.import_module("ecoc.nothing")
    with pytest.raises(ModuleNotFoundError, match=r"^No module named 'other_package'$"):
        importlib.import_module("other_package.coding")


def test_the_page_on_versions_lists_packages_that_moved():
    page = (Path(__file__).parents[2] / "docs" / "versions.md").read_text(encoding="utf-8")
    assert [old for old, new in _PARTS.items() if f"| `ecoc.{old}` | `ecoc.{new}` |" not in page] == []


def _numbers(version):
    return [int(part) for part in version.split(".")[:2]]
