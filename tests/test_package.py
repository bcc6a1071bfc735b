import json
import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import ecoc

ROOT = Path(__file__).parents[1]

# what a process prints about the kernels it has used
FACTORIZE = """
import json, numpy, ecoc
from ecoc.codes.factorization import _descent_kernels, _search_kernels, _tree_kernels
from ecoc.codes.factorization.factorize import _compile
modules = _descent_kernels, _search_kernels, _tree_kernels
kernels = [f for module in modules for f in vars(module).values() if hasattr(f, "stats")]
_compile()
before = sum(len(f.signatures) for f in kernels)
D = numpy.array([[1, -0.5, 0.5, 0], [-0.5, 1, 0, 0], [0.5, 0, 1, 0], [0, 0, 0, 1]])
results = [ecoc.factorize(D, 3, random_state=0), ecoc.factorize(numpy.eye(210), 20, random_state=0, effort=0.001)]
assert all(result.verify() for result in results)
print(json.dumps({
    "hits": sum(sum(f.stats.cache_hits.values()) for f in kernels),
    "misses": sum(sum(f.stats.cache_misses.values()) for f in kernels),
    "cached": [f.stats.cache_path is not None for f in kernels],
    "late": sum(len(f.signatures) for f in kernels) - before,
    "objectives": [result.objective for result in results],
}))
"""


def run(program, **environment):
    """Standard output of a fresh interpreter."""
    done = subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, **environment}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_importing_ecoc_loads_nothing_heavy():
    loaded = json.loads(run("import sys, json, ecoc; print(json.dumps(sorted(sys.modules)))"))
    assert "ecoc" in loaded
    heavy = {"scipy", "sklearn", "numba", "llvmlite", "daqp", "joblib", "pandas", "matplotlib", "typer", "rich"}
    assert heavy.isdisjoint(loaded)


def test_designing_compiles_nothing():
    program = "import sys, numpy, ecoc; ecoc.code_length(numpy.eye(4)); print('numba' in sys.modules)"
    assert run(program).strip() == "False"


@pytest.mark.parametrize("learner", ["svm.SVC", "linear_model.LogisticRegression"])
def test_a_first_fit_with_a_few_classes_compiles_nothing(learner):
    module, name = learner.split(".")
    program = f"""
import sys, ecoc
from sklearn.{module} import {name} as Learner
from sklearn.datasets import load_digits
X, y = load_digits(return_X_y=True)
ecoc.ECOCClassifier(Learner(), random_state=0).fit(X[:300] / 16, y[:300]).predict_proba(X)
print('numba' in sys.modules)
"""
    assert run(program).strip() == "False"


def test_factorizing_compiles_only_what_it_calls():
    program = """
import numpy, ecoc
ecoc.factorize(numpy.eye(6), 6, random_state=0, effort=0.01)
from ecoc.codes.factorization import _descent_kernels, _search_kernels, _tree_kernels
print([max(len(f.signatures) for f in vars(m).values() if hasattr(f, "signatures"))
       for m in (_descent_kernels, _search_kernels, _tree_kernels)])
"""
    assert run(program).strip() == "[0, 1, 0]"


@pytest.mark.parametrize("name", ecoc.__all__)
def test_every_public_name_exists_and_is_listed(name):
    assert getattr(ecoc, name) is not None
    assert name in dir(ecoc)


def test_names_come_from_where_a_type_checker_thinks_they_do():
    source = (ROOT / "src" / "ecoc" / "__init__.py").read_text(encoding="utf-8")
    declared = re.findall(r"^    from ([\w.]+) import (\w+) as (\w+)$", source, re.MULTILINE)
    assert {name: home for home, name, _ in declared} == ecoc._HOME
    assert all(name == alias for _, name, alias in declared)


def test_names_that_design_promises():
    promised = {"CodeBook", "allocate", "class_distances", "code_length", "factorize", "nearest_correlation"}
    assert promised <= set(ecoc.__all__)


def test_unknown_names_are_attribute_errors():
    with pytest.raises(AttributeError, match="module 'ecoc' has no attribute 'factorise'"):
        _ = ecoc.factorise
    with pytest.raises(ImportError, match="cannot import name 'factorise'"):
        exec("from ecoc import factorise")


def test_the_package_is_typed():
    assert (Path(ecoc.__file__).parent / "py.typed").is_file()


def test_a_second_process_does_not_compile_again(tmp_path):
    first, second = (json.loads(run(FACTORIZE, NUMBA_CACHE_DIR=str(tmp_path))) for _ in range(2))
    assert first["misses"] > 0
    assert all(first["cached"])
    assert list(tmp_path.rglob("*.nbc"))
    assert second["misses"] == 0
    assert second["hits"] > 0
    assert first["late"] == second["late"] == 0  # compiling is over before a time limit begins to count
    assert second["objectives"] == first["objectives"]


def test_a_read_only_install_compiles_in_memory():
    """Numba tries each place it could cache in with a temporary file; here none can be written."""
    nowhere = """
import tempfile
def refuse(*arguments, **named):
    raise OSError("read-only file system")
tempfile.TemporaryFile = refuse
"""
    outcome = json.loads(run(nowhere + FACTORIZE))
    assert outcome["hits"] == 0
    assert len(outcome["cached"]) > 10
    assert not any(outcome["cached"])


@pytest.mark.parametrize("command", ["demo", "test"])
def test_the_readmes_commands_are_in_the_makefile(command):
    assert re.search(rf"\bmake {command}\b", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert re.search(rf"^{command}:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)


def test_what_a_package_exports_is_on_the_api_page():
    page = (ROOT / "docs" / "api.rst").read_text(encoding="utf-8")
    listed = {"__version__", *re.findall(r"\w+", page)}
    for init in sorted((ROOT / "src" / "ecoc").rglob("__init__.py")):
        module = import_module(".".join(init.relative_to(ROOT / "src").parent.parts))
        missing = set(getattr(module, "__all__", [])) - listed
        assert not missing, (
            f"{module.__name__} exports {sorted(missing)}: list them in docs/api.rst, or import from the module"
        )
