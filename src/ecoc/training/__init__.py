"""Binary classifiers for all columns of a code: how they are trained, and what their outputs are."""

from ecoc.training.cache import TrainingCache
from ecoc.training.choosing import choose_training, train
from ecoc.training.interfaces import Options, Task

__all__ = ["Options", "Task", "TrainingCache", "choose_training", "train"]
