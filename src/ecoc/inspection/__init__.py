"""Plot codes and their effect, in scikit-learn's Display convention, with matplotlib."""

from typing import Any

from ecoc.inspection.boundary import BoundaryDisplay
from ecoc.inspection.codebook import CodeBookDisplay
from ecoc.inspection.columns import ColumnDisplay
from ecoc.inspection.curves import CoverageDisplay, HistoryDisplay, LengthDisplay
from ecoc.inspection.pairs import DesignDisplay, DistanceDisplay
from ecoc.utils.deprecation import deprecated_name, missing_name

__all__ = [
    "BoundaryDisplay",
    "CodeBookDisplay",
    "ColumnDisplay",
    "CoverageDisplay",
    "DesignDisplay",
    "DistanceDisplay",
    "HistoryDisplay",
    "LengthDisplay",
]


def __getattr__(name: str) -> Any:
    if name == "DichotomyDisplay":
        return deprecated_name("ecoc.inspection.DichotomyDisplay", "ecoc.inspection.ColumnDisplay", ColumnDisplay)
    raise missing_name("ecoc.inspection", name)
