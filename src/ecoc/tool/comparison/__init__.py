"""Compare codes and plain scikit-learn by cross-validation: accuracies, costs, a recommendation."""

from ecoc.tool.comparison.comparing import compare
from ecoc.tool.comparison.verdict import Comparison

__all__ = ["Comparison", "compare"]
