"""Multi-class classification with error-correcting output codes (ECOC).

Names are loaded at first use, so that ``import ecoc`` costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ecoc.classifier import ECOCClassifier as ECOCClassifier
    from ecoc.classifier import LeastCostClassifier as LeastCostClassifier
    from ecoc.codebook import CodeBook as CodeBook
    from ecoc.coding import ECF as ECF
    from ecoc.coding import Coding as Coding
    from ecoc.coding import DenseRandom as DenseRandom
    from ecoc.coding import DiscriminantTree as DiscriminantTree
    from ecoc.coding import Exhaustive as Exhaustive
    from ecoc.coding import Fixed as Fixed
    from ecoc.coding import FixedDistanceRandom as FixedDistanceRandom
    from ecoc.coding import Grouped as Grouped
    from ecoc.coding import Hadamard as Hadamard
    from ecoc.coding import Minimal as Minimal
    from ecoc.coding import OneVsAll as OneVsAll
    from ecoc.coding import OneVsOne as OneVsOne
    from ecoc.coding import Ordinal as Ordinal
    from ecoc.coding import SparseRandom as SparseRandom
    from ecoc.coding import Spectral as Spectral
    from ecoc.comparison import Comparison as Comparison
    from ecoc.comparison import compare as compare
    from ecoc.confusion import ConfusionReport as ConfusionReport
    from ecoc.confusion import CostReport as CostReport
    from ecoc.confusion import confusion_report as confusion_report
    from ecoc.confusion import cost_report as cost_report
    from ecoc.confusion import cost_scorer as cost_scorer
    from ecoc.design import CodeLength as CodeLength
    from ecoc.design import allocate as allocate
    from ecoc.design import class_distances as class_distances
    from ecoc.design import code_length as code_length
    from ecoc.design import nearest_correlation as nearest_correlation
    from ecoc.dichotomies import TrainingCache as TrainingCache
    from ecoc.exceptions import CodeBookError as CodeBookError
    from ecoc.exceptions import DataError as DataError
    from ecoc.exceptions import InfeasibleError as InfeasibleError
    from ecoc.exceptions import PersistenceError as PersistenceError
    from ecoc.factorization import Factorization as Factorization
    from ecoc.factorization import factorize as factorize
    from ecoc.persistence import load as load
    from ecoc.persistence import save as save
    from ecoc.reporting import report as report

__version__ = "0.2.0"

_HOME = {
    "allocate": "ecoc.design",
    "class_distances": "ecoc.design",
    "code_length": "ecoc.design",
    "CodeBook": "ecoc.codebook",
    "CodeBookError": "ecoc.exceptions",
    "CodeLength": "ecoc.design",
    "Coding": "ecoc.coding",
    "compare": "ecoc.comparison",
    "Comparison": "ecoc.comparison",
    "confusion_report": "ecoc.confusion",
    "ConfusionReport": "ecoc.confusion",
    "cost_report": "ecoc.confusion",
    "cost_scorer": "ecoc.confusion",
    "CostReport": "ecoc.confusion",
    "DataError": "ecoc.exceptions",
    "DenseRandom": "ecoc.coding",
    "DiscriminantTree": "ecoc.coding",
    "ECF": "ecoc.coding",
    "ECOCClassifier": "ecoc.classifier",
    "Exhaustive": "ecoc.coding",
    "Factorization": "ecoc.factorization",
    "factorize": "ecoc.factorization",
    "Fixed": "ecoc.coding",
    "FixedDistanceRandom": "ecoc.coding",
    "Grouped": "ecoc.coding",
    "Hadamard": "ecoc.coding",
    "InfeasibleError": "ecoc.exceptions",
    "LeastCostClassifier": "ecoc.classifier",
    "load": "ecoc.persistence",
    "Minimal": "ecoc.coding",
    "nearest_correlation": "ecoc.design",
    "OneVsAll": "ecoc.coding",
    "OneVsOne": "ecoc.coding",
    "Ordinal": "ecoc.coding",
    "PersistenceError": "ecoc.exceptions",
    "report": "ecoc.reporting",
    "save": "ecoc.persistence",
    "SparseRandom": "ecoc.coding",
    "Spectral": "ecoc.coding",
    "TrainingCache": "ecoc.dichotomies",
}
__all__ = [*_HOME, "__version__"]


def __getattr__(name: str) -> Any:
    if name == "Discriminant":
        tree = import_module("ecoc.coding").DiscriminantTree
        deprecated_name = import_module("ecoc.utils.deprecation").deprecated_name
        return deprecated_name("ecoc.Discriminant", "ecoc.DiscriminantTree", tree)
    if name not in _HOME:
        raise import_module("ecoc.utils.deprecation").missing_name("ecoc", name)
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
