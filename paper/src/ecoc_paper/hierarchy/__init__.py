"""Relaxed hierarchies (Gao and Koller): a tree of binary classifiers decides between many classes."""

from ecoc_paper.hierarchy.classifier import RelaxedHierarchyClassifier
from ecoc_paper.hierarchy.display import HierarchyDisplay
from ecoc_paper.hierarchy.tree import ClassHierarchy, HierarchyNode

__all__ = ["ClassHierarchy", "HierarchyDisplay", "HierarchyNode", "RelaxedHierarchyClassifier"]
