"""Which half of the classes is it, and which half of those? Gao and Koller's relaxed hierarchies."""

from ecoc.hierarchy.classifier import RelaxedHierarchyClassifier
from ecoc.hierarchy.tree import ClassHierarchy, HierarchyNode

__all__ = ["ClassHierarchy", "HierarchyNode", "RelaxedHierarchyClassifier"]
