"""Binary classifiers for all columns of a code: how they are trained, and what their outputs are."""

from ecoc.training.cache import TrainingCache
from ecoc.training.choosing import choose_training, fit_dichotomizers, out_of_fold_outputs, train
from ecoc.training.interfaces import Dichotomizers, Options, Task, Trained

__all__ = [
    "Dichotomizers",
    "Options",
    "Task",
    "Trained",
    "TrainingCache",
    "choose_training",
    "fit_dichotomizers",
    "out_of_fold_outputs",
    "train",
]
