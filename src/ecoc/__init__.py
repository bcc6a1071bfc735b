"""Multi-class classification with error-correcting output codes (ECOC).

Names are loaded at first use, so that ``import ecoc`` costs next to nothing.
"""

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ecoc.utils.deprecation import OldModules, deprecated_name, missing_name

if TYPE_CHECKING:
    from ecoc.classifier import ECOCClassifier as ECOCClassifier
    from ecoc.classifier import LeastCostClassifier as LeastCostClassifier
    from ecoc.codes.codebook import CodeBook as CodeBook
    from ecoc.codes.coding import ECF as ECF
    from ecoc.codes.coding import Coding as Coding
    from ecoc.codes.coding import DenseRandom as DenseRandom
    from ecoc.codes.coding import DiscriminantTree as DiscriminantTree
    from ecoc.codes.coding import Exhaustive as Exhaustive
    from ecoc.codes.coding import Fixed as Fixed
    from ecoc.codes.coding import FixedDistanceRandom as FixedDistanceRandom
    from ecoc.codes.coding import Grouped as Grouped
    from ecoc.codes.coding import Hadamard as Hadamard
    from ecoc.codes.coding import Minimal as Minimal
    from ecoc.codes.coding import OneVsAll as OneVsAll
    from ecoc.codes.coding import OneVsOne as OneVsOne
    from ecoc.codes.coding import Ordinal as Ordinal
    from ecoc.codes.coding import Plain as Plain
    from ecoc.codes.coding import SparseRandom as SparseRandom
    from ecoc.codes.coding import Spectral as Spectral
    from ecoc.codes.design import CodeLength as CodeLength
    from ecoc.codes.design import allocate as allocate
    from ecoc.codes.design import class_distances as class_distances
    from ecoc.codes.design import code_length as code_length
    from ecoc.codes.design import nearest_correlation as nearest_correlation
    from ecoc.codes.factorization import Factorization as Factorization
    from ecoc.codes.factorization import factorize as factorize
    from ecoc.codes.factorization import factorize_paper as factorize_paper
    from ecoc.inspection.confusion import ConfusionReport as ConfusionReport
    from ecoc.inspection.confusion import CostReport as CostReport
    from ecoc.inspection.confusion import confusion_report as confusion_report
    from ecoc.inspection.confusion import cost_report as cost_report
    from ecoc.inspection.confusion import cost_scorer as cost_scorer
    from ecoc.inspection.reporting import report as report
    from ecoc.tool.comparison import Comparison as Comparison
    from ecoc.tool.comparison import compare as compare
    from ecoc.tool.onnx import to_onnx as to_onnx
    from ecoc.training import TrainingCache as TrainingCache
    from ecoc.utils.batches import Batches as Batches
    from ecoc.utils.exceptions import CodeBookError as CodeBookError
    from ecoc.utils.exceptions import DataError as DataError
    from ecoc.utils.exceptions import ExportError as ExportError
    from ecoc.utils.exceptions import InfeasibleError as InfeasibleError
    from ecoc.utils.exceptions import PersistenceError as PersistenceError
    from ecoc.utils.persistence import load as load
    from ecoc.utils.persistence import save as save

__version__ = "0.2.0"

_HOME = {
    "allocate": "ecoc.codes.design",
    "Batches": "ecoc.utils.batches",
    "class_distances": "ecoc.codes.design",
    "code_length": "ecoc.codes.design",
    "CodeBook": "ecoc.codes.codebook",
    "CodeBookError": "ecoc.utils.exceptions",
    "CodeLength": "ecoc.codes.design",
    "Coding": "ecoc.codes.coding",
    "compare": "ecoc.tool.comparison",
    "Comparison": "ecoc.tool.comparison",
    "confusion_report": "ecoc.inspection.confusion",
    "ConfusionReport": "ecoc.inspection.confusion",
    "cost_report": "ecoc.inspection.confusion",
    "cost_scorer": "ecoc.inspection.confusion",
    "CostReport": "ecoc.inspection.confusion",
    "DataError": "ecoc.utils.exceptions",
    "DenseRandom": "ecoc.codes.coding",
    "DiscriminantTree": "ecoc.codes.coding",
    "ECF": "ecoc.codes.coding",
    "ECOCClassifier": "ecoc.classifier",
    "Exhaustive": "ecoc.codes.coding",
    "ExportError": "ecoc.utils.exceptions",
    "Factorization": "ecoc.codes.factorization",
    "factorize": "ecoc.codes.factorization",
    "factorize_paper": "ecoc.codes.factorization",
    "Fixed": "ecoc.codes.coding",
    "FixedDistanceRandom": "ecoc.codes.coding",
    "Grouped": "ecoc.codes.coding",
    "Hadamard": "ecoc.codes.coding",
    "InfeasibleError": "ecoc.utils.exceptions",
    "LeastCostClassifier": "ecoc.classifier",
    "load": "ecoc.utils.persistence",
    "Minimal": "ecoc.codes.coding",
    "nearest_correlation": "ecoc.codes.design",
    "OneVsAll": "ecoc.codes.coding",
    "OneVsOne": "ecoc.codes.coding",
    "Ordinal": "ecoc.codes.coding",
    "Plain": "ecoc.codes.coding",
    "PersistenceError": "ecoc.utils.exceptions",
    "report": "ecoc.inspection.reporting",
    "save": "ecoc.utils.persistence",
    "SparseRandom": "ecoc.codes.coding",
    "Spectral": "ecoc.codes.coding",
    "to_onnx": "ecoc.tool.onnx",
    "TrainingCache": "ecoc.training",
}
__all__ = [*_HOME, "__version__"]
sys.meta_path.append(OldModules)


def __getattr__(name: str) -> Any:
    if name == "Discriminant":
        tree = import_module("ecoc.codes.coding").DiscriminantTree
        return deprecated_name("ecoc.Discriminant", "ecoc.DiscriminantTree", tree)
    if name not in _HOME:
        raise missing_name("ecoc", name)
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
