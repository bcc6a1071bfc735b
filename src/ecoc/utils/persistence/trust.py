"""The types that a file may create: the classes that models consist of, and those that the user names."""

from collections.abc import Iterable
from importlib import import_module
from typing import Any

from ecoc.utils.messages import some

# A file can have a trusted class called with any arguments. So this list is short: packages with the classes that
# models consist of, and no module that reads or writes files.
OWN = (
    "ecoc.classifier",
    "ecoc.codes.codebook.book",
    "ecoc.codes.coding",
    "ecoc.decoding",
    "ecoc.policy",
    "ecoc.training",
    "ecoc.codes.factorization",
)

# Parts of common models that skops does not know. They hold only numbers and parameters.
OTHERS = {
    "numpy": ("dtype",),
    "scipy.sparse._csc": ("csc_array", "csc_matrix"),
    "scipy.sparse._csr": ("csr_array", "csr_matrix"),
    "sklearn.calibration": ("_CalibratedClassifier", "_SigmoidCalibration", "_TemperatureScaling"),
    "sklearn.metrics._scorer": ("_PassthroughScorer",),
    "sklearn.model_selection._split": (
        "GroupKFold",
        "KFold",
        "LeaveOneGroupOut",
        "LeaveOneOut",
        "PredefinedSplit",
        "RepeatedKFold",
        "RepeatedStratifiedKFold",
        "StratifiedGroupKFold",
        "StratifiedKFold",
    ),
    "sklearn.utils._metadata_requests": ("MetadataRequest", "MethodMetadataRequest"),
}


def is_known(name: str) -> bool:
    """Tell whether a full name is that of a class which models consist of.

    A file names ``module.attribute``, and skops would take whatever is there: a function, a class that the module only
    imports, or a bound method (as ``module.Class.method``). Known are only classes, in the module that defines them.
    """
    module, _, attribute = name.rpartition(".")
    if attribute in OTHERS.get(module, ()):
        return True
    if not any(module == own or module.startswith(f"{own}.") for own in OWN):
        return False
    try:
        found = getattr(import_module(module), attribute, None)
    except ImportError:  # for example a class of a newer version, or the "module" of a method
        return False
    return isinstance(found, type) and (found.__module__, found.__qualname__) == (module, attribute)


def full_names(trusted: Any) -> set[str]:
    """Return the full names of types that are given as types or as names."""
    items = [trusted] if isinstance(trusted, str | type) or not isinstance(trusted, Iterable) else list(trusted)
    for item in items:
        if not isinstance(item, str) and not callable(item):
            raise TypeError(
                f"trusted must be a list of types or of their full names, e.g. 'package.Class'; got {item!r}."
            )
    return {item if isinstance(item, str) else f"{item.__module__}.{item.__name__}" for item in items}


def refusal(unknown: list[str]) -> str:
    """Return the reason for which a file with unknown types is not loaded, and what to do about it."""
    notes = getattr(import_module("skops.io.exceptions"), "UNTRUSTED_TYPE_REASONS", {})
    text = (
        f"it holds types that are not known, {some(unknown, show=str)}; if you trust them, and whoever made the file, "
        f"load(path, trusted={unknown!r})"
    )
    return " ".join([text, *(f"[{' '.join(notes[name].split())}]" for name in unknown if name in notes)])
