"""Is the package easy to find one's way in? Sizes of modules, classes and functions, and imports that go downward.

``python tests/test_structure.py`` lists the faults of every part of src/ecoc, enforced or not.
"""

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "ecoc"

MAX_MODULE_LINES = 400  # without docstrings
MAX_FUNCTION_LINES = 60  # without the docstring
MAX_PUBLIC_METHODS = 15
MAY_HAVE_MORE_METHODS = {"CodeBook"}

# Lowest first. A part imports only from lower layers and from itself; the parts of one layer do not import each other.
LAYERS = (
    ("utils",),
    ("codes.codebook",),
    ("codes.design",),
    ("codes.factorization",),
    ("codes.refinement",),
    ("codes.coding", "decoding", "training"),
    ("policy",),
    ("classifier",),
    ("inspection", "testing", "tool.tables"),
    ("tool.comparison", "tool.onnx"),
    ("ecoc",),  # the names that `import ecoc` offers
    ("tool.cli",),
    ("__main__",),
)
MOST_PACKAGES = 9  # a stranger sees at once what each is for
MOST_CONSTANTS = 120  # of modules, that are numbers; those that belong together are fields of a class
MOST_LATE_IMPORTS = 100  # inside functions
LEVEL = {part: level for level, parts in enumerate(LAYERS) for part in parts}

ENFORCED = tuple(part for part in LEVEL if part != "ecoc")

MODULES = {path.relative_to(SOURCE).as_posix(): ast.parse(path.read_text()) for path in sorted(SOURCE.rglob("*.py"))}
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def part_of(module: str) -> str:
    """The part of LAYERS that a file or a dotted name belongs to; "" for packages that only hold others."""
    name = module.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    while name and name not in LEVEL:
        name = name.rpartition(".")[0]
    return name


def n_docstring_lines(node: ast.AST) -> int:
    if not isinstance(node, (*FUNCTIONS, ast.ClassDef, ast.Module)) or ast.get_docstring(node) is None:
        return 0
    docstring = node.body[0]
    return docstring.end_lineno - docstring.lineno + 1


def size_faults(module: str) -> Iterator[str]:
    tree = MODULES[module]
    lines = len((SOURCE / module).read_text().splitlines()) - sum(map(n_docstring_lines, ast.walk(tree)))
    if lines > MAX_MODULE_LINES:
        yield f"{lines} lines without docstrings, more than {MAX_MODULE_LINES}"
    for node in ast.walk(tree):
        if isinstance(node, FUNCTIONS):
            lines = node.end_lineno - node.lineno + 1 - n_docstring_lines(node)
            if lines > MAX_FUNCTION_LINES:
                yield f"{node.name} has {lines} lines, more than {MAX_FUNCTION_LINES}"
        elif isinstance(node, ast.ClassDef) and node.name not in MAY_HAVE_MORE_METHODS:
            methods = {item.name for item in node.body if isinstance(item, FUNCTIONS) and is_public_method(item)}
            if len(methods) > MAX_PUBLIC_METHODS:
                yield f"{node.name} has {len(methods)} public methods, more than {MAX_PUBLIC_METHODS}"


def is_public_method(node: ast.FunctionDef) -> bool:
    decorators = {getattr(decorator, "id", "") for decorator in node.decorator_list}
    return not node.name.startswith("_") and not decorators & {"property", "cached_property"}


def imported_names(module: str) -> Iterator[tuple[int, str]]:
    """Line and full name of everything that a module imports from ecoc, at its top or inside a function."""
    for node in ast.walk(MODULES[module]):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names if alias.name.split(".")[0] == "ecoc")
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}:{node.lineno}: write the full name, from ecoc.… import …"
            if node.module.split(".")[0] == "ecoc":
                yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def import_faults(module: str) -> Iterator[str]:
    part = part_of(module)
    if not part:
        return
    for line, name in imported_names(module):
        inside = name.removeprefix("ecoc.")
        source = part_of(inside) or "ecoc"
        if source == part or inside == "__version__":
            continue
        if any(piece.startswith("_") for piece in inside.removeprefix(source).split(".")):
            yield f"line {line} imports {name}, which is private to {source}"
        if LEVEL[source] >= LEVEL[part]:
            yield f"line {line} imports {name}, which is not in a layer below {part}"


def faults(module: str) -> list[str]:
    return [f"{module}: {fault}" for check in (size_faults, import_faults) for fault in check(module)]


@pytest.mark.parametrize("part", ENFORCED)
def test_structure(part):
    modules = [module for module in MODULES if part_of(module) == part]
    assert modules, f"there is no {part} in src/ecoc"
    found = [fault for module in modules for fault in faults(module)]
    assert not found, "\n".join(found)


def test_modules_of_the_paper_are_small(monkeypatch):
    paths = sorted((SOURCE.parents[1] / "paper" / "src").rglob("*.py"))
    assert paths
    for path in paths:
        monkeypatch.setitem(MODULES, str(path), ast.parse(path.read_text()))
    assert [f"{path}: {fault}" for path in paths for fault in size_faults(str(path))] == []


def test_every_part_has_a_layer():
    lost = [module for module in MODULES if not part_of(module) and not module.endswith("__init__.py")]
    assert not lost, f"give {lost} a place in LAYERS"
    assert len([path for path in SOURCE.iterdir() if (path / "__init__.py").exists()]) <= MOST_PACKAGES


def test_the_page_and_its_picture_name_every_part():
    docs = SOURCE.parents[1] / "docs"
    page, picture = ((docs / name).read_text("utf-8") for name in ("architecture.md", "figures/layers.svg"))
    packages = {path.parent.name for path in SOURCE.glob("*/__init__.py")}
    assert {name for name in packages if f"| `{name}/` |" not in page} == set()
    numbers = ("seven", "eight", "nine")
    assert f"It has {numbers[len(packages) - 7]} packages" in page
    drawn = {part for parts in LAYERS for part in parts} - {"ecoc", "__main__"}
    assert {part for part in drawn if f">{part.replace('.', '/')}/<" not in picture} == set()


def test_no_three_modules_have_the_same_name():
    names = Counter(path.name for path in SOURCE.rglob("*.py") if path.name != "__init__.py")
    assert [name for name, count in names.items() if count > 2] == []


def is_number(node: ast.AST) -> bool:
    """Whether an expression is made of numbers only, such as 2**20."""
    numbers = [leaf.value for leaf in ast.walk(node) if isinstance(leaf, ast.Constant)]
    plain = isinstance(node, (ast.Constant, ast.UnaryOp, ast.BinOp)) and not any(
        isinstance(leaf, (ast.Name, ast.Call)) for leaf in ast.walk(node)
    )
    return plain and all(type(number) in (int, float) for number in numbers)


def test_numbers_and_late_imports_are_few():
    top = [node for tree in MODULES.values() for node in tree.body if isinstance(node, (ast.Assign, ast.AnnAssign))]
    assert sum(node.value is not None and is_number(node.value) for node in top) < MOST_CONSTANTS
    functions = [node for tree in MODULES.values() for node in ast.walk(tree) if isinstance(node, FUNCTIONS)]
    late = {
        node for function in functions for node in ast.walk(function) if isinstance(node, (ast.Import, ast.ImportFrom))
    }
    assert len(late) <= MOST_LATE_IMPORTS


def test_faults_are_found(monkeypatch):
    """The checks themselves: each rule broken once."""
    methods = "\n".join(f"    def m{i}(self): pass" for i in range(16))
    long = "def long():\n" + "    pass\n" * 61
    source = f"""
from ecoc.classifier import ECOCClassifier
from ecoc import CodeBook
from ecoc.codes.codebook.book import _name
from ecoc.codes.design import _private  # its own package
class Large:
{methods}
{long}
def late():
    from ecoc.codes.factorization import factorize
"""
    monkeypatch.setitem(MODULES, "codes/design/broken.py", ast.parse(source))
    monkeypatch.setattr(Path, "read_text", lambda self: source + "\n" * 400)
    found = " ".join(faults("codes/design/broken.py"))
    for expected in (
        "lines without docstrings",
        "Large has 16 public methods",
        "long has 62 lines",
        "ecoc.classifier.ECOCClassifier, which is not in a layer below codes.design",
        "ecoc.CodeBook, which is not in a layer below codes.design",
        "ecoc.codes.codebook.book._name, which is private to codes.codebook",
        "ecoc.codes.factorization.factorize, which is not in a layer below",
    ):
        assert expected in found
    assert "_private" not in found


if __name__ == "__main__":
    for each in MODULES:
        for fault in faults(each):
            print("enforced" if part_of(each) in ENFORCED else "        ", fault)
