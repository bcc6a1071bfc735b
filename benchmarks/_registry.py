"""Which benchmarks are there? Every public module of this package that has a function ``run``."""

from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

import benchmarks


def discover() -> dict[str, ModuleType]:
    """Find the benchmarks, by name."""
    names = sorted(found.name for found in iter_modules(benchmarks.__path__) if not found.name.startswith("_"))
    modules = {name: import_module(f"benchmarks.{name}") for name in names}
    return {name: module for name, module in modules.items() if callable(getattr(module, "run", None))}


def question(module: ModuleType) -> str:
    """Return the question of a benchmark: the first line of its docstring."""
    return (module.__doc__ or module.__name__).strip().splitlines()[0]


def on_request(module: ModuleType) -> bool:
    """Whether a benchmark runs only by name or with ``--full``, because it sets ``ON_REQUEST``."""
    return bool(getattr(module, "ON_REQUEST", False))
