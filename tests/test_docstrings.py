"""Does every public name say what it takes, what it gives and what it is for? Docstrings against signatures."""

import ast
import doctest
import importlib
import inspect
import re

import pytest

numpydoc = pytest.importorskip("numpydoc")
from numpydoc.docscrape import get_doc_object  # noqa: E402
from numpydoc.validate import Validator, validate  # noqa: E402

PUBLIC = (
    "ecoc",
    "ecoc.codes.coding",
    "ecoc.decoding",
    "ecoc.inspection",
    "ecoc.testing",
    "ecoc_paper",
    "ecoc_paper.datasets",
    "ecoc_paper.experiments",
)
INNER = (
    "ecoc.codes.design",
    "ecoc.codes.factorization",
    "ecoc.codes.refinement",
    "ecoc.training",
    "ecoc.tool.tables",
    "ecoc.inspection.reporting",
)

# https://numpydoc.readthedocs.io/en/latest/validation.html has them all.
CHECKS = {
    *("GL03", "GL06", "GL07", "GL08"),  # blank lines; sections unknown or in the wrong order; no docstring
    *("SS01", "SS03"),  # a summary, with a full stop
    *("PR01", "PR02", "PR03", "PR04", "PR07", "PR08", "PR10"),  # parameters: all, in order, with type and text
    *("RT01", "RT03", "RT04", "YD01"),  # what comes back
    *("SA02", "SA03", "SA04"),  # See Also: what for
}
ROLE = re.compile(r":(?:func|class|meth|mod|obj):`~?([\w.]+)`")


def _public():
    """Public classes and functions, each once, under the name by which it is imported."""
    found = {}
    for module in (*PUBLIC, *INNER):
        home = importlib.import_module(module)
        for name in home.__all__:
            value = getattr(home, name)
            if inspect.isclass(value) or inspect.isroutine(value):
                found.setdefault(value, f"{module}.{name}")
    return {name: value for value, name in found.items()}


def _members(cls):
    """Public methods and properties that a class defines itself."""
    for name, value in vars(cls).items():
        function = _function(value)
        if not name.startswith("_") and function is not None and function.__module__ == cls.__module__:
            yield name, value


def _function(value):
    for attribute in ("__func__", "fget", "func", "fn"):  # classmethod, property, cached_property, available_if
        value = getattr(value, attribute, None) or value
    return value if inspect.isfunction(value) else None


NAMES = _public()
MEMBERS = {
    f"{name}.{member}": (cls, member, value)
    for name, cls in NAMES.items()
    if inspect.isclass(cls)
    for member, value in _members(cls)
}
# What users call needs an example. A method may have one where it teaches something that the class does not show.
WITH_EXAMPLE = {name: value for name, value in NAMES.items() if name.rpartition(".")[0] in PUBLIC}
EXAMPLES = {**NAMES, **{name: _function(value) for name, (_, _, value) in MEMBERS.items()}}


def _path(cls, member=None):
    return ".".join(filter(None, (cls.__module__, cls.__qualname__, member)))


PATHS = {name: _path(value) for name, value in NAMES.items()}
PATHS |= {name: _path(cls, member) for name, (cls, member, _) in MEMBERS.items()}


def test_names_are_found():
    assert {
        "ecoc.ECOCClassifier",
        "ecoc.report",
        "ecoc.codes.coding.get_coding",
        "ecoc.codes.design.shortest_length",
    } <= set(NAMES)
    assert {"ecoc.CodeBook.min_distance", "ecoc.ECOCClassifier.predict_proba"} <= set(MEMBERS)
    assert "ecoc.inspection.CodeBookDisplay" in WITH_EXAMPLE
    assert "ecoc.codes.design.shortest_length" not in WITH_EXAMPLE


@pytest.mark.parametrize("name", EXAMPLES)
def test_example(name):
    """pytest runs the doctests of src. This test asks whether there is an example, and whether pytest runs it."""
    examples = doctest.DocTestParser().get_examples(inspect.getdoc(EXAMPLES[name]) or "")
    assert examples or name not in WITH_EXAMPLE, f"{name} has no example"
    skipped = [example.source for example in examples if doctest.SKIP in example.options]
    assert not skipped, f"{name} has an example that is not run: {skipped[0]}"


@pytest.mark.parametrize("name", PATHS)
def test_docstring(name):
    path = PATHS[name]
    validator = Validator(get_doc_object(Validator._load_obj(path)))
    faults = [f"{code} {what}" for code, what in validate(path)["errors"] if code in CHECKS]
    if inspect.isclass(validator.code_obj) and set(validator.signature_parameters) <= _fields(validator):
        faults = [fault for fault in faults if not fault.startswith("PR01")]
    faults += _wrong_defaults(validator)
    faults += [f"{target}: there is no such name" for target in _references(validator) if not _exists(target, path)]
    assert not faults, f"{name} ({path}): " + "; ".join(faults)


def _fields(validator):
    """Names in Parameters and Attributes: a result is described by its attributes, which are what it is made of."""
    entries = [*validator.doc["Parameters"], *validator.doc["Attributes"]]
    return {name.strip() for entry in entries for name in entry.name.split(",")}


def _wrong_defaults(validator):
    """Defaults that are literals must be those of the signature."""
    try:
        actual = {name: p.default for name, p in inspect.signature(validator.code_obj).parameters.items()}
    except (TypeError, ValueError):  # a property, or an exception with no constructor of its own
        return
    for name, (kind, _) in validator.doc_all_parameters.items():
        _, stated, text = (kind or "").partition("default=")
        if stated and name in actual:
            try:
                value = ast.literal_eval(text)
            except (SyntaxError, ValueError):
                continue
            if type(actual[name]).__name__ != "_HAS_DEFAULT_FACTORY_CLASS" and value != actual[name]:
                yield f"the default of {name} is {actual[name]!r}, not {text}"


def _references(validator):
    return [*validator.see_also, *ROLE.findall(validator.raw_doc)]


def _exists(target, path):
    """Whether a name can be imported, or is known where it is referred to: in the class, or in the module."""
    scopes = [".".join(path.split(".")[:n]) for n in range(path.count(".") + 1, 0, -1)]
    for candidate in (target, *(f"{scope}.{target}" for scope in scopes)):
        try:
            Validator._load_obj(candidate)
        except (ImportError, AttributeError):
            continue
        return True
    return False
