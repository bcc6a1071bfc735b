"""Compare codes and plain scikit-learn models by cross-validation, and recommend one."""

from ecoc.tool.comparison.comparing import compare
from ecoc.tool.comparison.verdict import Comparison

__all__ = ["Comparison", "compare"]
