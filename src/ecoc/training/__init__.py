"""Train binary classifiers for all columns of a code, and compute their outputs."""

from ecoc.training.cache import TrainingCache

__all__ = ["TrainingCache"]
