"""How does a tree of binary classifiers decide between many classes? Relaxed hierarchies (Gao and Koller)."""

from ecoc_paper.hierarchy.classifier import RelaxedHierarchyClassifier
from ecoc_paper.hierarchy.display import HierarchyDisplay
from ecoc_paper.hierarchy.tree import ClassHierarchy, HierarchyNode

__all__ = ["ClassHierarchy", "HierarchyDisplay", "HierarchyNode", "RelaxedHierarchyClassifier"]
