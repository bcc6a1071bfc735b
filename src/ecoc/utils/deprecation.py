"""Old public names: deprecated ones, and names that moved to another package."""

from typing import Any, TypeVar
from warnings import warn

T = TypeVar("T")

_PAPER = "ecoc-paper @ git+https://github.com/ecoc-dev/ecoc#subdirectory=paper"

# What only the experiments of the paper need is in the package ecoc_paper since 0.2: old names, and the names there.
_MOVED = {
    "CrammerSinger": "CrammerSinger",
    "datasets": "datasets",
    "experiments": "experiments",
    "GaoKoller": "HingeLossCode",
    "hierarchy": "hierarchy",
    "HierarchyDisplay": "HierarchyDisplay",
    "MinimalSearch": "MinimalSearch",
    "RelaxedHierarchyClassifier": "RelaxedHierarchyClassifier",
    "reproduce": "reproduce",
    "subclass": "splitting",
    "SubclassClassifier": "SplitClassesClassifier",
    "ZhaoXing": "SparseSimilarity",
}

# Packages that lay side by side in ecoc before 0.2, and where they are in it now.
_PARTS = {
    "cli": "tool.cli",
    "codebook": "codes.codebook",
    "coding": "codes.coding",
    "comparison": "tool.comparison",
    "confusion": "inspection.confusion",
    "design": "codes.design",
    "dichotomies": "training",
    "exceptions": "utils.exceptions",
    "factorization": "codes.factorization",
    "persistence": "utils.persistence",
    "refinement": "codes.refinement",
    "reporting": "inspection.reporting",
    "tables": "tool.tables",
}


def deprecated_name(old: str, new: str, value: T, since: str = "0.2", removed: str = "0.4") -> T:
    """Return the object that an old name stands for, with a warning that gives the new name."""
    warn(f"{old} is deprecated since {since} and will be removed in {removed}; use {new}.", FutureWarning, stacklevel=3)
    return value


def moved_name(name: str) -> str:
    """Return a message that says where a name is now; "" if it did not move. Case and punctuation do not matter."""
    now = {old.lower(): new for old, new in _MOVED.items()}.get("".join(filter(str.isalnum, name.lower())))
    if now is None:
        return ""
    return f"{name} moved to the package ecoc_paper: pip install {_PAPER!r}, then from ecoc_paper import {now}."


def missing_name(module: str, name: str) -> Exception:
    """Return the error for a name that a module does not have: an ImportError if the name moved.

    ``from module import name`` would hide the message of an AttributeError.
    """
    moved = moved_name(name)
    if module == "ecoc" and name in _PARTS:
        moved = f"ecoc.{name} is called ecoc.{_PARTS[name]} since 0.2."
    if moved:
        return ModuleNotFoundError(moved, name=f"{module}.{name}")
    return AttributeError(f"module {module!r} has no attribute {name!r}")


class OldModules:
    """Module finder that raises an error with the new place for an import of an old module."""

    @staticmethod
    def find_spec(fullname: str, path: Any = None, target: Any = None) -> None:
        """Raise the error of :func:`missing_name` for a module that moved."""
        package, _, name = fullname.partition(".")
        if package == "ecoc" and isinstance(error := missing_name(package, name), ImportError):
            raise error
