"""Multi-class classification with error-correcting output codes (ECOC).

Names are loaded at first use, so that ``import ecoc`` costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ecoc.codebook import CodeBook as CodeBook
    from ecoc.design import CodeLength as CodeLength
    from ecoc.design import allocate as allocate
    from ecoc.design import class_distances as class_distances
    from ecoc.design import code_length as code_length
    from ecoc.design import nearest_correlation as nearest_correlation
    from ecoc.exceptions import CodeBookError as CodeBookError
    from ecoc.exceptions import InfeasibleError as InfeasibleError
    from ecoc.factorization import Factorization as Factorization
    from ecoc.factorization import factorize as factorize

__version__ = "0.1.0"

_HOME = {
    "CodeBook": "ecoc.codebook",
    "CodeBookError": "ecoc.exceptions",
    "CodeLength": "ecoc.design",
    "Factorization": "ecoc.factorization",
    "InfeasibleError": "ecoc.exceptions",
    "allocate": "ecoc.design",
    "class_distances": "ecoc.design",
    "code_length": "ecoc.design",
    "factorize": "ecoc.factorization",
    "nearest_correlation": "ecoc.design",
}
__all__ = [*_HOME, "__version__"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'ecoc' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
