"""The multi-class classifier built from binary ones: the estimator and its fitted model."""

from ecoc.classifier.estimator import ECOCClassifier
from ecoc.classifier.least_cost import LeastCostClassifier

__all__ = ["ECOCClassifier", "LeastCostClassifier"]
