"""A multi-class classifier from binary ones: the estimator, and the fitted model behind it."""

from ecoc.classifier.decision import Decision
from ecoc.classifier.estimator import ECOCClassifier
from ecoc.classifier.fitted import FittedModel
from ecoc.classifier.least_cost import LeastCostClassifier

__all__ = ["Decision", "ECOCClassifier", "FittedModel", "LeastCostClassifier"]
