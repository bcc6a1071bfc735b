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
    from ecoc.inspection.studio import studio as studio
    from ecoc.tool.comparison import Comparison as Comparison
    from ecoc.tool.comparison import compare as compare
    from ecoc.tool.onnx import to_onnx as to_onnx
    from ecoc.tool.tables import load_letters as load_letters
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

_NAMES = {
    "ecoc.classifier": "ECOCClassifier LeastCostClassifier",
    "ecoc.codes.codebook": "CodeBook",
    "ecoc.codes.coding": (
        "Coding DenseRandom DiscriminantTree ECF Exhaustive Fixed FixedDistanceRandom Grouped Hadamard "
        "Minimal OneVsAll OneVsOne Ordinal Plain SparseRandom Spectral"
    ),
    "ecoc.codes.design": "allocate class_distances code_length CodeLength nearest_correlation",
    "ecoc.codes.factorization": "Factorization factorize factorize_paper",
    "ecoc.inspection.confusion": "confusion_report ConfusionReport cost_report cost_scorer CostReport",
    "ecoc.inspection.reporting": "report",
    "ecoc.tool.comparison": "compare Comparison",
    "ecoc.tool.onnx": "to_onnx",
    "ecoc.tool.tables": "load_letters",
    "ecoc.training": "TrainingCache",
    "ecoc.utils.batches": "Batches",
    "ecoc.utils.exceptions": "CodeBookError DataError ExportError InfeasibleError PersistenceError",
    "ecoc.utils.persistence": "load save",
    "ecoc.inspection.studio": "studio",
}
_HOME = {name: home for home, names in _NAMES.items() for name in names.split()}
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
