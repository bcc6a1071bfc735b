"""Binary classifiers for all columns of a code: how they are trained, and what their outputs are."""

from ecoc.training.cache import TrainingCache

__all__ = ["TrainingCache"]
