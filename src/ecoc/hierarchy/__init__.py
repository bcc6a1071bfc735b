"""How does a tree of binary classifiers decide between many classes? Relaxed hierarchies (Gao and Koller)."""

from ecoc.hierarchy.classifier import RelaxedHierarchyClassifier
from ecoc.hierarchy.tree import ClassHierarchy, HierarchyNode

__all__ = ["ClassHierarchy", "HierarchyNode", "RelaxedHierarchyClassifier"]
