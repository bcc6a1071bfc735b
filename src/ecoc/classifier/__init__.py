"""A multi-class classifier from binary ones: the estimator, and the fitted model behind it."""

from ecoc.classifier.estimator import ECOCClassifier
from ecoc.classifier.least_cost import LeastCostClassifier

__all__ = ["ECOCClassifier", "LeastCostClassifier"]
