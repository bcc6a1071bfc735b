"""What does a code look like, and what does it do? Pictures in scikit-learn's Display convention, by matplotlib."""

from ecoc.inspection.boundary import BoundaryDisplay
from ecoc.inspection.code import CodeBookDisplay, DesignDisplay, DistanceDisplay
from ecoc.inspection.columns import DichotomyDisplay, LengthDisplay
from ecoc.inspection.hierarchy import HierarchyDisplay
from ecoc.inspection.history import HistoryDisplay

__all__ = [
    "BoundaryDisplay",
    "CodeBookDisplay",
    "DesignDisplay",
    "DichotomyDisplay",
    "DistanceDisplay",
    "HierarchyDisplay",
    "HistoryDisplay",
    "LengthDisplay",
]
